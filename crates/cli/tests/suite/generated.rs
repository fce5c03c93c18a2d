//! Pages of `docs/` that are printed by the program, never typed.
//!
//! Where a metric or an algorithm changed, run the test with `PLACELAB_BLESS=1` and commit the
//! page.

use std::fs;

use crate::support::{placelab, root};

/// A page: its file, what is listed, and what stands above the table.
struct Page {
    file: &'static str,
    list: &'static str,
    head: &'static str,
}

const PAGES: [Page; 2] = [
    Page {
        file: "docs/METRICS.md",
        list: "metrics",
        head: "# Metrics\n\
               Every figure of the results, by its id. Where a metric is taken by requests or \
               bytes too, its id ends in `.requests` or `.bytes`.\n",
    },
    Page {
        file: "docs/ALGORITHMS.md",
        list: "algorithms",
        head: "# Algorithms\n\
               Every contender, as it says of itself in its file under \
               `crates/algorithms/src`; `X+…` is an adapter over the range hash X. Costs are in \
               nodes N, virtual nodes V, table entries M, logical buckets L. The lightest weight \
               that has its share is in units, W being the weight of all nodes, with what a \
               table pays for each part; `exact` is every digit of a weight. Canaries show that \
               figures tell good from bad; exhibits are to be looked at, not chosen.\n",
    },
];

#[test]
fn pages_are_what_the_program_prints() {
    for Page { file, list, head } in PAGES {
        let table = placelab(&["list", list, "--markdown"]).ok();
        let printed = format!(
            "{head}\nPrinted by `placelab list {list} --markdown`; a test holds this page to it.\n\
             \n{table}"
        );
        let path = root().join(file);
        if std::env::var_os("PLACELAB_BLESS").is_some() {
            fs::write(&path, &printed).unwrap();
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == printed, "{file} is out of date: run this with PLACELAB_BLESS=1");
    }
}
