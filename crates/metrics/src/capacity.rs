//! Capacities: which node is full first, and how full all are then.

/// The first node to be full as all loads grow alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FirstFull {
    /// Its place among the nodes.
    pub node: usize,
    /// All loads over all capacities when it is: 1 where every node is full at once, and above 1
    /// where the rest is on nodes without a bound.
    pub fill: f64,
    /// Its load now over its capacity: above 1 it is over-full.
    pub used: f64,
}

/// The first node to be full where loads grow in proportion; of several the first of the list. None
/// where no node with a bound has any load.
///
/// ```
/// use placelab_metrics::capacity::first_full;
/// // The second node takes twice its part: it is full when the fleet is at three quarters.
/// let first = first_full(&[10, 20], &[Some(30), Some(30)]).unwrap();
/// assert_eq!(first.node, 1);
/// assert!((first.fill - 0.75).abs() < 1e-12 && (first.used - 2.0 / 3.0).abs() < 1e-12);
/// ```
pub fn first_full(loads: &[u128], capacities: &[Option<u64>]) -> Option<FirstFull> {
    let used = |(node, (&load, capacity)): (usize, (&u128, &Option<u64>))| {
        Some((node, load as f64 / (*capacity)? as f64))
    };
    let all = loads.iter().zip(capacities).enumerate().filter_map(used);
    let (node, used) =
        all.filter(|(_, used)| *used > 0.0).reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let load: u128 = loads.iter().sum();
    let capacity: u128 = capacities.iter().flatten().map(|&capacity| u128::from(capacity)).sum();
    Some(FirstFull { node, fill: load as f64 / capacity as f64 / used, used })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_and_nodes_without_bounds() {
        let even = first_full(&[5, 5], &[Some(10), Some(10)]).unwrap();
        assert_eq!(even, FirstFull { node: 0, fill: 1.0, used: 0.5 });
        let unbounded = first_full(&[90, 10], &[None, Some(5)]).unwrap();
        assert_eq!(unbounded, FirstFull { node: 1, fill: 10.0, used: 2.0 });
        assert_eq!(first_full(&[90, 0], &[None, Some(5)]), None);
        assert_eq!(first_full(&[90, 10], &[None, None]), None);
    }
}
