//! Balance: loads against fair parts.

/// Loads over their fair parts: ratio_i = (load_i ÷ w_i) ÷ (Σ load ÷ Σ w).
#[derive(Clone, PartialEq, Debug)]
pub struct Balance {
    /// Largest ratio.
    pub max_over_mean: f64,
    /// Smallest ratio.
    pub min_over_mean: f64,
    /// Weighted coefficient of variation of the ratios.
    pub cv: f64,
}

/// Ratio of each node; 0 for weight 0, and for all where there is no load.
pub fn ratios(loads: &[u128], weights: &[u64]) -> Vec<f64> {
    let load_total = loads.iter().sum::<u128>() as f64;
    let weight_total = weights.iter().map(|&weight| u128::from(weight)).sum::<u128>() as f64;
    let ratio = |(&load, &weight): (&u128, &u64)| match weight {
        0 => 0.0,
        _ if load_total == 0.0 => 0.0,
        _ => (load as f64 / load_total) * (weight_total / weight as f64),
    };
    loads.iter().zip(weights).map(ratio).collect()
}

/// The balance of some ratios over the nodes of positive weight; none where there is no such node.
pub fn balance(ratios: &[f64], weights: &[u64]) -> Option<Balance> {
    let positive = || ratios.iter().zip(weights).filter(|(_, weight)| **weight > 0);
    let max_over_mean = positive().map(|(ratio, _)| *ratio).reduce(f64::max)?;
    let min_over_mean = positive().map(|(ratio, _)| *ratio).reduce(f64::min)?;
    let total: f64 = positive().map(|(_, &weight)| weight as f64).sum();
    let square = |(ratio, weight): (&f64, &u64)| {
        let deviation = ratio - 1.0;
        *weight as f64 / total * deviation * deviation
    };
    let variance: f64 = positive().map(square).sum();
    Some(Balance { max_over_mean, min_over_mean, cv: variance.sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_taken_out() {
        let ratios = ratios(&[10, 20, 30, 0], &[1, 2, 3, 0]);
        assert!(ratios[..3].iter().all(|ratio| (ratio - 1.0).abs() < 1e-12));
        assert_eq!(ratios[3], 0.0);
        let uneven = balance(&[1.5, 0.5], &[1, 1]).unwrap();
        assert_eq!(uneven, Balance { max_over_mean: 1.5, min_over_mean: 0.5, cv: 0.5 });
        assert_eq!(balance(&[0.0], &[0]), None);
    }
}
