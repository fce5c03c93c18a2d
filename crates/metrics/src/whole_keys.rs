//! Whole keys: the most even that even a table can be.
//!
//! A key has one owner, so loads are whole numbers, and where fair loads are not, somebody has
//! more. Of N equal nodes one has at least ⌈K ÷ N⌉ of K keys. With weights w_i a largest ratio is
//! possible where no node is above t · w_i keys for a t with Σ ⌊t · w_i⌋ ≥ K. The least such t is
//! the K-th smallest of all k ÷ w_i with k = 1, 2, …: the division of seats by highest averages
//! (Jefferson, 1792; d'Hondt, 1882), which deals out keys one by one to whom the next one burdens
//! least.
//!
//! Cost: linear in the nodes, as only keys beyond the whole part of each fair load have to be
//! dealt out: two divisions a node and a selection among at most two numbers a node.
//!
//! Limits: none but memory, 32 bytes a node; comparisons are exact for weights below 2⁶³.

use std::cmp::Ordering;

/// The least possible largest ratio, (load ÷ w) ÷ (Σ load ÷ Σ w), where loads are whole numbers of
/// keys; nodes of weight 0 get none. 0 without keys or nodes.
///
/// ```
/// use placelab_metrics::whole_keys::least_max_over_mean;
/// // Ten sessions on four workers: somebody has three, of a mean of 2.5.
/// assert_eq!(least_max_over_mean(10, &[1; 4]), 1.2);
/// // One key on two nodes is best on the heavier one.
/// assert_eq!(least_max_over_mean(1, &[1, 3]), 4.0 / 3.0);
/// ```
pub fn least_max_over_mean(keys: u64, weights: &[u64]) -> f64 {
    let positive = || weights.iter().copied().filter(|&weight| weight > 0);
    let total: u128 = positive().map(u128::from).sum();
    if keys == 0 || total == 0 {
        return 0.0;
    }
    let part = |keys: u128, weight: u64| (keys * u128::from(weight) / total) as u64;
    let (all, nodes) = (u128::from(keys), positive().count());
    // Less than a key a node is left, so no node takes what it would not of a key a node more.
    let left = keys - positive().map(|weight| part(all, weight)).sum::<u64>();
    let Some(last) = left.checked_sub(1) else { return 1.0 };
    let further = |weight| {
        let range = part(all, weight) + 1..=part(all + nodes as u128, weight);
        range.map(move |keys| Turn { keys, weight })
    };
    let mut turns: Vec<Turn> = positive().flat_map(further).collect();
    let (_, turn, _) = turns.select_nth_unstable_by(last as usize, Turn::compare);
    (turn.keys as f64 / keys as f64) * (total as f64 / turn.weight as f64)
}

/// A node takes one more key.
struct Turn {
    /// How many it has then.
    keys: u64,
    weight: u64,
}

impl Turn {
    /// By the load over the weight, exactly.
    fn compare(&self, other: &Turn) -> Ordering {
        let this = u128::from(self.keys) * u128::from(other.weight);
        this.cmp(&(u128::from(other.keys) * u128::from(self.weight)))
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_results::table_floor;

    use super::*;

    /// The least largest ratio over every way to deal out the keys.
    fn over_all_ways(keys: u64, weights: &[u64]) -> f64 {
        fn least(left: u64, weights: &[u64]) -> f64 {
            match *weights {
                [] => f64::INFINITY,
                [0] if left > 0 => f64::INFINITY,
                [weight] => left as f64 / weight.max(1) as f64,
                [0, ref rest @ ..] => least(left, rest),
                [weight, ref rest @ ..] => (0..=left)
                    .map(|keys| (keys as f64 / weight as f64).max(least(left - keys, rest)))
                    .fold(f64::INFINITY, f64::min),
            }
        }
        least(keys, weights) * weights.iter().sum::<u64>() as f64 / keys as f64
    }

    #[test]
    fn no_way_to_deal_out_keys_is_better() {
        for case in 0..400 {
            let draw = |what: u64, below: u64| stream(case, what) % below;
            let weights: Vec<u64> = (0..1 + draw(0, 4)).map(|node| draw(1 + node, 7)).collect();
            let keys = 1 + draw(9, 12);
            if weights.iter().all(|weight| *weight == 0) {
                assert_eq!(least_max_over_mean(keys, &weights), 0.0);
                continue;
            }
            let (got, want) = (least_max_over_mean(keys, &weights), over_all_ways(keys, &weights));
            assert!((got - want).abs() < 1e-12, "{keys} keys on {weights:?}: {got}, not {want}");
        }
    }

    /// The rule key by key: each to whom it burdens least.
    #[test]
    fn larger_fleets_agree_with_dealing_one_by_one() {
        for (keys, nodes) in [(5u64, 40u64), (100, 40), (999, 40), (3_000, 7)] {
            let weights: Vec<u64> =
                (0..nodes).map(|node| 1 + (stream(keys, node) >> 40) % 5_000_000).collect();
            let mut loads = vec![0; weights.len()];
            let next =
                |loads: &[u64], node: usize| Turn { keys: loads[node] + 1, weight: weights[node] };
            let mut worst: f64 = 0.0;
            for _ in 0..keys {
                let turn = |&a: &usize, &b: &usize| next(&loads, a).compare(&next(&loads, b));
                let node = (0..weights.len()).min_by(turn).unwrap();
                loads[node] += 1;
                worst = worst.max(loads[node] as f64 / weights[node] as f64);
            }
            let want = worst * weights.iter().sum::<u64>() as f64 / keys as f64;
            let got = least_max_over_mean(keys, &weights);
            assert!((got / want - 1.0).abs() < 1e-12, "{keys} on {nodes}: {got}, not {want}");
        }
    }

    #[test]
    fn equal_nodes_round_up() {
        for keys in 1..60 {
            for nodes in 1..20 {
                let got = least_max_over_mean(keys, &vec![1_000_000; nodes]);
                let want = table_floor(keys, nodes as u64);
                assert!((got - want).abs() < 1e-12, "{keys} on {nodes}: {got}, not {want}");
            }
        }
        assert_eq!(least_max_over_mean(0, &[1, 2]), 0.0);
        assert_eq!(least_max_over_mean(9, &[]), 0.0);
        assert_eq!(table_floor(9, 0), 0.0);
    }

    /// Numbers of any size: nothing overflows, and what divides evenly is even.
    #[test]
    fn numbers_may_be_large() {
        let heaviest = 1_000_000_000_000_000;
        assert_eq!(least_max_over_mean(u64::MAX, &[heaviest; 5]), 1.0);
        for keys in [1, u64::MAX - 2] {
            let ratio = least_max_over_mean(keys, &[1, heaviest]);
            assert!((ratio - 1.0).abs() < 1e-14, "{ratio}");
        }
    }
}
