//! The page of the explorer: one HTML file that runs the product's own code and shows how keys are
//! placed.
//!
//! The page's script draws and decides nothing: it asks the module, WebAssembly in base 64 within
//! the file, and shows what that answers. No algorithm and no figure is worked out a second time.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// What tells an explorer's page from any other file.
pub const EXPLORER_MARK: &str = r#"<meta name="generator" content="placelab explorer">"#;

const BODY: &str = include_str!("page/explorer.html");
const STYLE: &str = include_str!("page/explorer.css");
/// The script, in the order in which its parts need each other.
const SCRIPT: &str = concat!(
    include_str!("page/module.js"),
    include_str!("page/elements.js"),
    include_str!("page/state.js"),
    include_str!("page/dots.js"),
    include_str!("page/walk.js"),
    include_str!("page/circle.js"),
    include_str!("page/scores.js"),
    include_str!("page/table.js"),
    include_str!("page/trace.js"),
    include_str!("page/movers.js"),
    include_str!("page/fleet.js"),
    include_str!("page/side.js"),
    include_str!("page/story.js"),
    include_str!("page/main.js"),
);

/// The page with a module in it.
///
/// Cost: memory for the page, which is four thirds of the module.
pub fn page(module: &[u8]) -> String {
    let policy = policy();
    let module = STANDARD.encode(module);
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{EXPLORER_MARK}
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>placelab explorer</title>
<style>{STYLE}</style>
</head>
<body>
{BODY}<script type="application/wasm;base64" id="module">{module}</script>
<script>{SCRIPT}</script>
</body>
</html>
"#
    )
}

/// What the page may do: its own style and script, and the module; nothing comes or goes.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{}'; \
         script-src 'sha256-{}' 'wasm-unsafe-eval'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands between two texts of the page.
    fn between<'a>(page: &'a str, before: &str, after: &str) -> &'a str {
        let (_, rest) = page.split_once(before).expect(before);
        rest.split_once(after).expect(after).0
    }

    #[test]
    fn the_script_is_small_and_ends_where_it_should() {
        assert!(SCRIPT.len() < 60_000, "{} bytes", SCRIPT.len());
        for text in [SCRIPT, STYLE] {
            assert!(!text.contains("</") && !text.contains("<!--"), "it would end before its end");
        }
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let page = page(b"\0asm");
        let own = page.replace("http://www.w3.org/", "").replace("http-equiv", "");
        for address in ["http:", "https:", "src=", "href=", "url(", "@import"] {
            let known = own.replace("url(#tip)", "");
            assert!(!known.contains(address), "{address}");
        }
    }

    #[test]
    fn texts_are_never_read_as_markup() {
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!SCRIPT.contains(way), "{way}");
        }
    }

    #[test]
    fn the_policy_is_that_of_what_the_page_holds() {
        let page = page(b"\0asm");
        for (element, directive) in [("style", "style-src"), ("script", "script-src")] {
            let text = between(&page, &format!("<{element}>"), &format!("</{element}>"));
            let hash = STANDARD.encode(Sha256::digest(text));
            let allowed = between(&page, &format!("{directive} 'sha256-"), "'");
            assert_eq!(allowed, hash, "{element}");
        }
    }

    #[test]
    fn the_module_comes_back() {
        let module: Vec<u8> = (0..=255).collect();
        let page = page(&module);
        let held = between(&page, r#"id="module">"#, "</script>");
        assert_eq!(STANDARD.decode(held).unwrap(), module);
        let start = page.get(..1024).expect("the page is longer");
        assert!(start.contains(EXPLORER_MARK), "what a page is stands at its start");
    }
}
