//! Races: several ways to do the same work, timed so that their ratios mean something.
//!
//! All runners of a race are timed in one process in interleaved rounds, and the order of a round
//! is that of the round before, moved by one; so what the machine does beside them falls on all
//! alike. Time is that of the processor, not of the clock on the wall. A sample lasts
//! [`Effort::sample`] or longer, and a runner's figure is the median of its rounds. Only ratios of
//! figures from one race are ever compared; how far those of its rounds lie apart says how much a
//! ratio can be trusted.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How much time a race may take.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds of which the median is taken.
    pub rounds: usize,
    /// What a sample lasts at least.
    pub sample: Duration,
    /// Most distinct keys of a sample.
    pub keys: usize,
}

impl Effort {
    /// For figures.
    pub const FULL: Effort =
        Effort { rounds: 11, sample: Duration::from_millis(20), keys: 1 << 18 };
    /// Shows that everything can be timed; its figures mean nothing.
    pub const TEST: Effort = Effort { rounds: 1, sample: Duration::ZERO, keys: 64 };
}

/// Whose processor time counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// That of the thread that holds the race.
    Thread,
    /// That of all threads of the process.
    Process,
}

impl Clock {
    fn now(self) -> Duration {
        let clock = match self {
            Clock::Thread => ClockId::ThreadCPUTime,
            Clock::Process => ClockId::ProcessCPUTime,
        };
        let now = clock_gettime(clock);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    }
}

/// Performs its argument's number of operations and returns something made of all their answers,
/// so that none can be left out.
pub type Work<'a> = Box<dyn FnMut(usize) -> u64 + 'a>;

/// One way to do the work.
pub struct Runner<'a> {
    most: usize,
    work: Work<'a>,
    operations: usize,
    passes: usize,
    samples: Vec<f64>,
}

impl<'a> Runner<'a> {
    /// A runner that can do at most so many different operations at once.
    pub fn new(most: usize, work: impl FnMut(usize) -> u64 + 'a) -> Self {
        let work = Box::new(work);
        Runner { most, work, operations: most.min(16), passes: 1, samples: Vec::new() }
    }

    fn sample(&mut self, clock: Clock) -> Duration {
        let start = clock.now();
        for _ in 0..self.passes {
            black_box((self.work)(black_box(self.operations)));
        }
        clock.now() - start
    }

    /// Finds how many operations a sample takes. Cheap work repeats all of them, dear work stops
    /// after the first ones.
    fn prepare(&mut self, clock: Clock, sample: Duration) {
        let mut spent = self.sample(clock);
        while spent < sample / 8 && self.operations < self.most {
            self.operations = (self.operations * 4).min(self.most);
            spent = self.sample(clock);
        }
        let share = sample.as_secs_f64() / spent.as_secs_f64().max(1e-9);
        let wanted = ((self.operations as f64 * share).ceil() as usize).max(1);
        self.operations = self.most.min(wanted.max(self.operations));
        self.passes = wanted.div_ceil(self.operations);
    }
}

/// What became of a race.
pub struct Times {
    /// Nanoseconds of one operation: a row of rounds for each runner.
    rounds: Vec<Vec<f64>>,
}

/// How many times as long one runner took as another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ratio {
    /// The ratio of their medians.
    pub value: f64,
    /// Least of the ratios of one round.
    pub least: f64,
    /// Largest of them.
    pub most: f64,
}

impl Times {
    /// The median nanoseconds of one operation of a runner.
    pub fn median(&self, runner: usize) -> f64 {
        let mut sorted = self.rounds[runner].clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    /// How many times as long the first of two took as the second.
    pub fn ratio(&self, first: usize, second: usize) -> Ratio {
        let rounds = self.rounds[first].iter().zip(&self.rounds[second]);
        let (least, most) = rounds
            .map(|(first, second)| first / second)
            .fold((f64::INFINITY, 0.0), |(least, most), ratio| {
                (f64::min(least, ratio), f64::max(most, ratio))
            });
        Ratio { value: self.median(first) / self.median(second), least, most }
    }
}

/// Times all runners, in rounds.
pub fn race(effort: Effort, clock: Clock, mut runners: Vec<Runner<'_>>) -> Times {
    runners.iter_mut().for_each(|runner| runner.prepare(clock, effort.sample));
    let count = runners.len();
    for round in 0..effort.rounds {
        for place in 0..count {
            let runner = &mut runners[(place + round) % count];
            let spent = runner.sample(clock);
            let operations = (runner.operations * runner.passes) as f64;
            runner.samples.push(spent.as_nanos() as f64 / operations);
        }
    }
    Times { rounds: runners.into_iter().map(|runner| runner.samples).collect() }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn rounds_are_interleaved_and_rotate() {
        let calls = RefCell::new(Vec::new());
        let runner = |name: char| {
            let calls = &calls;
            Runner::new(4, move |operations| {
                calls.borrow_mut().push((name, operations));
                0
            })
        };
        let effort = Effort { rounds: 3, ..Effort::TEST };
        race(effort, Clock::Thread, "abc".chars().map(runner).collect());
        let order: String = calls.borrow().iter().map(|(name, _)| name).collect();
        assert_eq!(order, "abc".to_owned() + "abc" + "bca" + "cab");
        assert!(calls.borrow().iter().all(|(_, operations)| *operations == 4));
    }

    /// A ratio of work is a ratio of figures, though not exactly so on a busy machine.
    #[test]
    fn more_work_takes_longer() {
        let runner = |steps: u64| {
            Runner::new(1 << 10, move |operations| {
                let step = |sum: u64, at: u64| (sum ^ at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (0..operations).map(|_| (0..black_box(steps)).fold(1, step)).fold(0, |a, b| a ^ b)
            })
        };
        let effort = Effort { rounds: 3, sample: Duration::from_millis(1), ..Effort::TEST };
        let ratio = race(effort, Clock::Process, vec![runner(100), runner(10_000)]).ratio(1, 0);
        assert!(ratio.value > 10.0, "{ratio:?}");
    }

    #[test]
    fn ratios_are_of_medians() {
        let times = Times { rounds: vec![vec![6.0, 2.0, 8.0], vec![1.0, 2.0, 4.0]] };
        assert_eq!(times.median(0), 6.0);
        assert_eq!(times.ratio(0, 1), Ratio { value: 3.0, least: 1.0, most: 6.0 });
    }
}
