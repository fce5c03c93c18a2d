//! Stub.
/// Mark.
pub const EXPLORER_MARK: &str = "<meta name=\"generator\" content=\"placelab explorer\">";
/// Page.
pub fn page(module: &[u8]) -> String {
    format!("{EXPLORER_MARK}{}", module.len())
}
