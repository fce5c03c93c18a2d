//! Cascades: a failure overloads others, which fail in turn.

use placelab_core::NodeId;

/// How far a failure goes when every node fails whose load is above its capacity.
///
/// Nodes of a round fail together, and the next round looks at what that leaves. `capacity` is
/// by identity, in the unit of the loads; `loads_without` gives the loads by identity once some
/// nodes are gone, or nothing where the fleet cannot go on without them: then all of it is lost.
/// Returns everybody who is lost, the first failure included.
pub fn cascade(
    first: &[NodeId],
    serving: &[NodeId],
    capacity: &[f64],
    mut loads_without: impl FnMut(&[NodeId]) -> Option<Vec<u128>>,
) -> Vec<NodeId> {
    let mut gone = first.to_vec();
    while gone.len() < serving.len() {
        let Some(loads) = loads_without(&gone) else { return serving.to_vec() };
        let is_over = |node: &&NodeId| loads[node.index()] as f64 > capacity[node.index()];
        let up = serving.iter().filter(|node| !gone.contains(node));
        let over: Vec<NodeId> = up.filter(is_over).copied().collect();
        if over.is_empty() {
            break;
        }
        gone.extend(over);
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is gone goes to the next survivor on a circle of five.
    fn to_the_next(gone: &[NodeId]) -> Option<Vec<u128>> {
        let mut loads = vec![0; 5];
        for node in 0..5 {
            let heir = (node..node + 5).find(|at| !gone.contains(&NodeId(at % 5)))? % 5;
            loads[heir as usize] += 10;
        }
        Some(loads)
    }

    #[test]
    fn it_goes_on_until_it_is_stable() {
        let serving = [0, 1, 2, 3, 4].map(NodeId);
        let lost = |capacity: [f64; 5]| cascade(&[NodeId(0)], &serving, &capacity, to_the_next);
        assert_eq!(lost([20.0; 5]), [NodeId(0)], "at capacity is not above it");
        assert_eq!(lost([15.0, 15.0, 30.0, 15.0, 15.0]), [0, 1].map(NodeId));
        assert_eq!(lost([19.0, 19.0, 29.0, 40.0, 19.0]), [0, 1, 2].map(NodeId));
        assert_eq!(lost([15.0; 5]), serving);
        let nothing = |_: &[NodeId]| None;
        assert_eq!(cascade(&[NodeId(0)], &serving, &[15.0; 5], nothing), serving);
    }
}
