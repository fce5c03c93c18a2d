//! Whether a machine was busy with something else while times were taken.

use placelab_results::{Rounds, Timings};

/// Load average before the run, a core, above which others were at work.
pub const LOAD_MAX: f64 = 0.5;
/// A/A spread above which a figure is unsteady.
pub const AA_SPREAD_MAX: f64 = 0.1;
/// Part of the figures that may be unsteady by chance.
pub const UNSTEADY_PART_MAX: f64 = 0.05;

/// What says that the machine was busy, a sentence each; nothing where it was quiet.
pub fn busy(timings: &Timings) -> Vec<String> {
    overloaded(timings).into_iter().chain(unsteady(timings)).collect()
}

fn overloaded(timings: &Timings) -> Option<String> {
    let cores = f64::from(timings.machine.cores.max(1));
    let load = timings.machine.load? / cores;
    (load > LOAD_MAX).then(|| {
        format!("Load average before the run: {load:.2} a core, above {LOAD_MAX} that is quiet.")
    })
}

fn unsteady(timings: &Timings) -> Option<String> {
    let served = timings.lookups.iter().filter(|lookup| lookup.refusal.is_none());
    let figures: Vec<(String, &Rounds)> = served
        .flat_map(|lookup| {
            lookup.figures().map(|(name, rounds)| {
                (format!("{name}, {} at {} nodes", lookup.contender, lookup.nodes), rounds)
            })
        })
        .collect();
    let unsteady = figures.iter().filter(|(_, rounds)| rounds.aa_spread > AA_SPREAD_MAX).count();
    let (name, worst) = figures.iter().max_by(|a, b| a.1.aa_spread.total_cmp(&b.1.aa_spread))?;
    (unsteady as f64 > UNSTEADY_PART_MAX * figures.len() as f64).then(|| {
        format!(
            "A/A spread above {:.0} % for {unsteady} of {} figures, where {:.0} % of them may be \
             by chance; the largest is {:.0} % ({name}).",
            100.0 * AA_SPREAD_MAX,
            figures.len(),
            100.0 * UNSTEADY_PART_MAX,
            100.0 * worst.aa_spread
        )
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::HashFunction;
    use placelab_results::LookupTime;
    use placelab_results::timings::SCHEMA;

    use super::*;
    use crate::{Floors, Lookups, machine, refused};

    /// Times of a quiet machine, with as many lookups, each of four figures.
    fn quiet(lookups: usize) -> Timings {
        let keys = Lookups::default();
        let lookup = |_| LookupTime { refusal: None, ..refused("jump", 10, String::new()) };
        Timings {
            schema: SCHEMA,
            machine: machine(&Floors::measure(&keys), Some(0.0)),
            busy: Vec::new(),
            key_hash: keys.time_key_hash(HashFunction::Xxh3),
            lookups: (0..lookups).map(lookup).collect(),
            dense: Vec::new(),
            percentiles: Vec::new(),
            updates: Vec::new(),
        }
    }

    #[test]
    fn a_quiet_machine_has_no_flag() {
        let mut timings = quiet(10);
        assert!(busy(&timings).is_empty());
        timings.machine.load = None;
        timings.lookups.clear();
        assert!(busy(&timings).is_empty());
    }

    #[test]
    fn load_is_a_core() {
        let mut timings = quiet(1);
        (timings.machine.load, timings.machine.cores) = (Some(3.0), 8);
        assert!(busy(&timings).is_empty());
        timings.machine.cores = 4;
        let said = busy(&timings);
        assert!(said.len() == 1 && said[0].contains("0.75 a core"), "{said:?}");
    }

    #[test]
    fn some_figures_may_be_unsteady_by_chance() {
        let mut timings = quiet(10);
        let unsteady = Rounds { aa_spread: 0.25, ..Rounds::default() };
        (timings.lookups[0].batch_ns, timings.lookups[1].batch_ns) = (unsteady, unsteady);
        assert!(busy(&timings).is_empty());
        timings.lookups[2].cold_batch_ns = Rounds { aa_spread: 0.4, ..unsteady };
        let said = busy(&timings);
        assert!(said[0].contains("3 of 40 figures"), "{said:?}");
        assert!(said[0].contains("40 % (cold batch, jump at 10 nodes)"), "{said:?}");
        timings.lookups[2].refusal = Some("too many".into());
        assert!(busy(&timings).len() <= 1);
    }
}
