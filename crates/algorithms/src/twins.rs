//! What several twins do in the same slow way.
//!
//! A twin is the definition of a scheme as the plainest program: no index, no state that is kept,
//! everything worked out anew. It shares nothing with the scheme that it checks but pinned hashes,
//! tables of constants and the reading of parameters, and nor do these helpers: no scheme may use
//! them for its own answers.

use placelab_core::{HashSeed, History, Key, Keys, Node, NodeId, Roster};

/// The owners of keys, one after the other.
pub(crate) fn each(keys: Keys<'_>, owner: impl Fn(Key<'_>) -> NodeId) -> Vec<NodeId> {
    (0..keys.hashes.len()).map(|index| owner(keys.get(index))).collect()
}

/// The owners of keys that go to whoever scores highest among the members of positive weight, and
/// among equals to the least name.
pub(crate) fn highest<V: PartialOrd>(
    history: &History,
    keys: Keys<'_>,
    score: impl Fn(Key<'_>, &Node) -> V,
) -> Vec<NodeId> {
    let roster = history.now();
    each(keys, |key| {
        let mut leader: Option<(V, &Node)> = None;
        for node in roster.serving() {
            let score = score(key, node);
            let leads = leader.as_ref().is_none_or(|(best, holder)| {
                score > *best || (score == *best && node.name.as_bytes() < holder.name.as_bytes())
            });
            if leads {
                leader = Some((score, node));
            }
        }
        leader.expect("a roster has a node of positive weight").1.id
    })
}

/// A text behind what a hash seed puts before it.
pub(crate) fn seeded(seed: HashSeed, text: &[u8]) -> Vec<u8> {
    let mut bytes = seed.prefix().map_or(Vec::new(), Vec::from);
    bytes.extend(text);
    bytes
}

/// Members of positive weight by their name bytes.
pub(crate) fn by_name(roster: &Roster) -> Vec<&Node> {
    let mut nodes: Vec<&Node> = roster.serving().collect();
    nodes.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
    nodes
}

/// The bits that are set in a number, lowest first.
pub(crate) fn set_bits(number: u64) -> Vec<u32> {
    let places = (0..u64::BITS).take_while(|bit| number >> bit > 0);
    places.filter(|bit| number >> bit & 1 == 1).collect()
}

/// The least power of two that is not below a count.
pub(crate) fn enclosing_power(count: u32) -> u64 {
    let mut power = 1;
    while power < u64::from(count) {
        power *= 2;
    }
    power
}
