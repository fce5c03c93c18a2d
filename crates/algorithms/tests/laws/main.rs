//! What every algorithm of the registry must keep, whatever it is: laws, run over all of them.

mod answers;
mod movement;
mod scripts;
mod shares;
mod support;
mod variants;

use placelab_algorithms::REGISTRY;

#[test]
fn the_registry_has_each_name_once_and_says_what_it_is() {
    let mut names: Vec<&str> = REGISTRY.iter().map(|spec| spec.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), REGISTRY.len());
    for spec in REGISTRY.iter() {
        for text in [spec.family, spec.citation, spec.summary, spec.lookup_cost, spec.memory_cost] {
            assert!(!text.is_empty(), "{}", spec.name);
        }
    }
}
