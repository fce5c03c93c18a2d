//! The one script of a report: it sorts tables, chooses contenders and lights up one of them. A
//! page is whole without it: what the script works is made by the script.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::POLICY;

/// One line break at its end, no tab or other control character: pages have none.
const SCRIPT: &str = include_str!("script.js");

/// The script, to stand at the end of a page's body.
pub(super) fn element() -> Markup {
    html! { script { (PreEscaped(SCRIPT)) } }
}

/// What a page with the script may do: that script and no other runs.
pub(super) fn policy() -> String {
    format!("{POLICY}; script-src 'sha256-{}'", base64(&Sha256::digest(SCRIPT)))
}

/// Bytes in base 64, as policies have digests.
fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }

    #[test]
    fn pages_leave_the_script_as_it_is() {
        assert_eq!(crate::text::document(SCRIPT), SCRIPT, "its digest is in the policy");
        assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--"), "it would end before its end");
    }
}
