//! What a lookup costs, counted.

use placelab_core::Count;

use crate::sample::Sample;
use crate::subject::{Finding, Subject, hold};

/// Fleets between which the growth of the work is looked at.
const SIZES: [u32; 2] = [32, 512];

/// The mean steps of a lookup grow as documented: not at all, with the logarithm, or with N.
pub(super) fn work(subject: &Subject) -> Finding {
    let documented = subject.spec.lookup_cost;
    // 512 is sixteen times 32; their logarithms are as 9 to 5, and averages over few keys scatter.
    let most = match documented {
        cost if cost.contains('N') && !cost.contains("ln") && !cost.contains("log") => 17.0,
        cost if cost.contains("ln") || cost.contains("log") => 9.0 / 5.0 * 1.2,
        _ => 1.5,
    };
    let sample = Sample::new(500);
    let mut steps = [0.0; 2];
    for (nodes, steps) in SIZES.into_iter().zip(&mut steps) {
        let placement = subject.placement(nodes)?;
        let mut count = Count::default();
        sample.each().for_each(|key| {
            placement.trace(key, &mut count);
        });
        *steps = count.0 as f64 / sample.hashes.len() as f64;
    }
    let growth = steps[1] / steps[0];
    let [few, many] = SIZES;
    hold(growth <= most, || {
        format!("documented as {documented}, but {few} to {many} nodes make it {growth:.1}-fold")
    })
}
