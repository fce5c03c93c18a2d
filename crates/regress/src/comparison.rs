//! Whether one program is slower than another, on a machine that is noisy.
//!
//! A run within one process looks steadier than it is: memory is laid out once, the clock of the
//! processor stays where it is, and the next process is off by a third. So what is compared are
//! medians of whole launches, in rounds of three: the base, the head, and the base again. The two
//! launches of the base say how noisy the machine is while the comparison runs.
//!
//! With the ratio of a round being the head's median over the geometric mean of the base's two:
//!
//! * The *ratio* is the median of the ratios of the rounds. Its *interval* is that of a paired
//!   bootstrap: [`RESAMPLES`] times as many rounds are drawn with replacement, and the interval
//!   runs from the 0.05th to the 99.95th percentile of their medians, 99.9 % in all.
//! * The *noise* (A/A) is what the same comparison of the base with itself is off from 1: with s
//!   the root mean square of ln(again ÷ base) over n rounds, s × √(π ÷ 2n) is the standard error
//!   of their median, here as a factor less 1. It is no robust measure on purpose: one launch that
//!   was much disturbed makes an answer inconclusive rather than wrong.
//! * The *band* is the larger of [`BAND_MIN`] and [`NOISE_TIMES`] × noise.
//!
//! The answer is `slower` where the whole interval lies above 1 + band, `faster` where it lies
//! below 1 ÷ (1 + band), `no difference` where it lies between the two, and else `inconclusive`,
//! as it is always where the noise is above [`NOISE_MAX`].
//!
//! What it cannot tell: two builds of the same source may differ for good, since code lands at
//! other addresses. That is a difference of the programs and will be called one.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use placelab_core::math::{exp, ln, sqrt};
use placelab_core::mix::stream;

/// Least rounds of a comparison.
pub const ROUNDS_MIN: usize = 7;
/// Most rounds of a comparison.
pub const ROUNDS_MAX: usize = 999;
/// How often rounds are drawn anew for an interval.
pub const RESAMPLES: usize = 10_000;
/// Half of what an interval of 99.9 % leaves out, in draws.
const TAIL: usize = RESAMPLES / 2_000;
/// Differences up to this part are never called one.
pub const BAND_MIN: f64 = 0.05;
/// A difference has to be so many times the noise.
pub const NOISE_TIMES: f64 = 3.0;
/// On a machine that is noisier than this part, no answer is given.
pub const NOISE_MAX: f64 = 0.20;
/// The seed of the draws, so that the same medians give the same answer.
pub const SEED: u64 = 0x706c_6163_656c_6162;

/// What is launched in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The base.
    Base,
    /// What is compared with it.
    Head,
    /// The base again.
    Again,
}

/// In which order the three are launched in a round, counted from 0. Within six rounds each of the
/// six orders comes once: drift favours nobody. Which comes when is drawn, if always alike: nothing
/// that comes back at regular times can meet the head alone.
pub fn order(round: usize) -> [Side; 3] {
    use Side::{Again, Base, Head};
    let mut orders = [
        [Base, Head, Again],
        [Again, Base, Head],
        [Head, Again, Base],
        [Again, Head, Base],
        [Base, Again, Head],
        [Head, Base, Again],
    ];
    let (turn, place) = ((round / orders.len()) as u64, round % orders.len());
    orders.sort_by_cached_key(|&[first, second, _]| {
        stream(SEED, 9 * turn + 3 * first as u64 + second as u64)
    });
    orders[place]
}

/// Medians of the three launches of a round, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Round {
    /// Of the base.
    pub base_ns: f64,
    /// Of what is compared with it.
    pub head_ns: f64,
    /// Of the base again.
    pub again_ns: f64,
}

/// What a comparison says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The head is slower.
    Slower,
    /// The head is faster.
    Faster,
    /// They differ by no more than the band.
    NoDifference,
    /// The machine was too noisy, or the rounds too few, for an answer.
    Inconclusive,
}

impl Answer {
    /// The word for it, in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Slower => "slower",
            Answer::Faster => "faster",
            Answer::NoDifference => "no difference",
            Answer::Inconclusive => "inconclusive",
        }
    }
}

/// How a head compares with a base.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// Median nanoseconds of all launches of the base.
    pub base_ns: f64,
    /// Median nanoseconds of the launches of the head.
    pub head_ns: f64,
    /// Median of head over base in a round.
    pub ratio: f64,
    /// Lower end of its 99.9 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Noise of the machine, as a part: 0.02 is 2 %.
    pub noise: f64,
    /// How far from 1 the whole interval has to lie, as a part.
    pub band: f64,
    /// The answer.
    pub answer: Answer,
}

/// Why rounds cannot be compared.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Too few or too many.
    #[error("{asked} rounds: {ROUNDS_MIN} to {ROUNDS_MAX} can be compared")]
    Rounds {
        /// How many there are.
        asked: usize,
    },
    /// Something that is no time.
    #[error("round {round}: a median is no time in nanoseconds")]
    NoTime {
        /// The round, from 1.
        round: usize,
    },
}

/// Compares a head with a base. The same rounds and seed give the same answer, bit for bit. For
/// many comparisons of as many rounds, [`Draws`] is faster.
///
/// # Errors
/// There are fewer than [`ROUNDS_MIN`] rounds or more than [`ROUNDS_MAX`], or a median is not
/// positive or not finite.
pub fn compare(rounds: &[Round], seed: u64) -> Result<Comparison, CompareError> {
    Draws::new(rounds.len(), seed)?.compare(rounds)
}

/// What a bootstrap draws from so many rounds: which of them, in the order of their ratios, stand
/// in the middle of each resample. That does not depend on the ratios, so it is drawn once.
#[derive(Clone, Debug)]
pub struct Draws {
    rounds: usize,
    /// The places of the two middle ones, equal for an odd count, and how often they were drawn.
    middles: Vec<([usize; 2], usize)>,
}

impl Draws {
    /// Draws from so many rounds.
    ///
    /// # Errors
    /// There are fewer than [`ROUNDS_MIN`] or more than [`ROUNDS_MAX`].
    pub fn new(rounds: usize, seed: u64) -> Result<Self, CompareError> {
        if !(ROUNDS_MIN..=ROUNDS_MAX).contains(&rounds) {
            return Err(CompareError::Rounds { asked: rounds });
        }
        let mut drawn = vec![0; rounds];
        let mut middles = BTreeMap::new();
        for resample in 0..RESAMPLES as u64 {
            for (place, one) in drawn.iter_mut().enumerate() {
                let bits = stream(seed, resample * rounds as u64 + place as u64);
                *one = ((u128::from(bits) * rounds as u128) >> 64) as usize;
            }
            drawn.sort_unstable();
            *middles.entry([drawn[(rounds - 1) / 2], drawn[rounds / 2]]).or_default() += 1;
        }
        Ok(Draws { rounds, middles: middles.into_iter().collect() })
    }

    /// Compares a head with a base, as [`compare`] does.
    ///
    /// # Errors
    /// There are not as many rounds as were drawn from, or a median is not positive or not finite.
    pub fn compare(&self, rounds: &[Round]) -> Result<Comparison, CompareError> {
        if rounds.len() != self.rounds {
            return Err(CompareError::Rounds { asked: rounds.len() });
        }
        let is_odd = |round: &Round| {
            let Round { base_ns, head_ns, again_ns } = *round;
            ![base_ns, head_ns, again_ns].into_iter().all(crate::criterion::is_time)
        };
        if let Some(index) = rounds.iter().position(is_odd) {
            return Err(CompareError::NoTime { round: index + 1 });
        }
        let base = |round: &Round| sqrt(round.base_ns * round.again_ns);
        let mut ratios: Vec<f64> = rounds.iter().map(|round| round.head_ns / base(round)).collect();
        let ratio = median(&mut ratios);
        let (low, high) = self.interval(ratios);
        let noise = noise(rounds);
        let band = BAND_MIN.max(NOISE_TIMES * noise);
        let mut bases: Vec<f64> = rounds.iter().flat_map(|r| [r.base_ns, r.again_ns]).collect();
        let mut heads: Vec<f64> = rounds.iter().map(|round| round.head_ns).collect();
        Ok(Comparison {
            base_ns: median(&mut bases),
            head_ns: median(&mut heads),
            ratio,
            low,
            high,
            noise,
            band,
            answer: answer((low, high), noise, band),
        })
    }

    /// The 99.9 % interval of the median of ratios.
    fn interval(&self, mut ratios: Vec<f64>) -> (f64, f64) {
        ratios.sort_by(f64::total_cmp);
        let median = |places: [usize; 2]| (ratios[places[0]] + ratios[places[1]]) / 2.0;
        let mut medians: Vec<(f64, usize)> =
            self.middles.iter().map(|&(places, count)| (median(places), count)).collect();
        medians.sort_by(|a, b| a.0.total_cmp(&b.0));
        let low = reached(medians.iter());
        (low, reached(medians.iter().rev()))
    }
}

/// The value at which so many draws have been counted as an end of the interval leaves out.
fn reached<'a>(mut medians: impl Iterator<Item = &'a (f64, usize)>) -> f64 {
    let mut seen = 0;
    let is_there = |(_, count): &&(f64, usize)| {
        seen += count;
        seen >= TAIL
    };
    medians.find(is_there).expect("there are more draws than are left out").0
}

fn answer((low, high): (f64, f64), noise: f64, band: f64) -> Answer {
    let (least, most) = (1.0 / (1.0 + band), 1.0 + band);
    match () {
        () if noise > NOISE_MAX => Answer::Inconclusive,
        () if low > most => Answer::Slower,
        () if high < least => Answer::Faster,
        () if low >= least && high <= most => Answer::NoDifference,
        () => Answer::Inconclusive,
    }
}

/// What the median of the rounds of the base against itself is off from 1, as a part: a standard
/// error.
fn noise(rounds: &[Round]) -> f64 {
    let squares = rounds.iter().map(|round| {
        let off = ln(round.again_ns / round.base_ns);
        off * off
    });
    let launch = sqrt(squares.sum::<f64>() / rounds.len() as f64);
    exp(launch * sqrt(FRAC_PI_2 / rounds.len() as f64)) - 1.0
}

/// The median of some numbers, at least one; of an even count, the mean of the middle two. They
/// are put in another order.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    let middle = numbers.len() / 2;
    let is_odd = numbers.len() % 2 == 1;
    let (below, &mut upper, _) = numbers.select_nth_unstable_by(middle, f64::total_cmp);
    match is_odd {
        true => upper,
        false => (below.iter().copied().fold(f64::NEG_INFINITY, f64::max) + upper) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::math::{cos, open_unit, sin};

    use super::*;

    const SIMULATIONS: u64 = 2_000;
    const ROUNDS: usize = 35;

    /// Standard normal numbers by their index, as far as a test looks.
    fn normal(seed: u64, index: u64) -> f64 {
        let [radius, turn] = [0, 1].map(|part| open_unit(stream(seed, 2 * index + part)));
        sqrt(-2.0 * ln(radius)) * cos(std::f64::consts::TAU * turn)
    }

    /// Nine rounds whose launches, in the order in which they are, take so many times the usual.
    fn rounds(head: f64, factor: impl Fn(u64) -> f64) -> Vec<Round> {
        let one = |round: usize| {
            let mut made = Round { base_ns: 10.0, head_ns: 10.0 * head, again_ns: 10.0 };
            for (place, side) in order(round).into_iter().enumerate() {
                let factor = factor((3 * round + place) as u64);
                match side {
                    Side::Base => made.base_ns *= factor,
                    Side::Head => made.head_ns *= factor,
                    Side::Again => made.again_ns *= factor,
                }
            }
            made
        };
        (0..ROUNDS).map(one).collect()
    }

    /// How often each answer comes: slower, faster, no difference, inconclusive.
    fn answers(head: f64, factor: impl Fn(u64, u64) -> f64) -> [u64; 4] {
        let mut counts = [0; 4];
        let draws = Draws::new(ROUNDS, SEED).unwrap();
        for seed in 0..SIMULATIONS {
            // Far apart, so that no simulation uses the numbers of another.
            let rounds = rounds(head, |launch| factor(stream(7, seed), launch));
            counts[draws.compare(&rounds).unwrap().answer as usize] += 1;
        }
        counts
    }

    #[test]
    fn launches_that_are_off_by_a_third_fool_nobody() {
        let [slower, faster, ..] = answers(1.0, |seed, launch| exp(0.3 * normal(seed, launch)));
        assert_eq!((slower, faster), (0, 0));
    }

    #[test]
    fn two_speeds_fool_nobody() {
        for fast in [0.1, 0.5, 0.9] {
            let clock = |seed: u64, launch: u64| {
                let is_fast = open_unit(stream(seed, 30_000 + launch)) < fast;
                exp(0.02 * normal(seed, launch)) * if is_fast { 1.0 } else { 1.35 }
            };
            let [slower, faster, ..] = answers(1.0, clock);
            assert_eq!((slower, faster), (0, 0), "one in {fast}");
        }
    }

    #[test]
    fn drift_fools_nobody() {
        let walk = |step: f64| {
            move |seed, launch| exp((0..=launch).map(|n| step * normal(seed, n)).sum::<f64>())
        };
        for step in [0.01, 0.03, 0.1, 0.3] {
            let [slower, faster, ..] = answers(1.0, walk(step));
            assert_eq!((slower, faster), (0, 0), "a walk by {step}");
        }
        // A machine that gets hot: up to a third slower at the end.
        let heat = |seed, launch| {
            let steady = 0.3 * open_unit(stream(seed, 10_000)) / 105.0 * launch as f64;
            exp(steady + 0.02 * normal(seed, launch))
        };
        let [slower, faster, ..] = answers(1.0, heat);
        assert_eq!((slower, faster), (0, 0), "heat");
    }

    /// Something that comes back at regular times, of any period and strength.
    #[test]
    fn waves_fool_nobody() {
        let wave = |seed, launch: u64| {
            let [period, phase, height] = [0, 1, 2].map(|n| open_unit(stream(seed, 20_000 + n)));
            let turn = launch as f64 / (2.0 + 10.0 * period) + phase;
            exp(0.5 * height * sin(std::f64::consts::TAU * turn) + 0.01 * normal(seed, launch))
        };
        let [slower, faster, ..] = answers(1.0, wave);
        assert_eq!((slower, faster), (0, 0));
        for period in 2..=9 {
            let spikes = |seed: u64, launch: u64| {
                let is_hit = (launch + seed % period).is_multiple_of(period);
                exp(0.01 * normal(seed, launch)) * if is_hit { 1.4 } else { 1.0 }
            };
            let [slower, faster, ..] = answers(1.0, spikes);
            assert_eq!((slower, faster), (0, 0), "every {period} launches");
        }
    }

    #[test]
    fn a_third_is_found_where_it_is_quiet() {
        let quiet = |seed, launch| exp(0.02 * normal(seed, launch));
        assert_eq!(answers(1.3, quiet), [SIMULATIONS, 0, 0, 0]);
        assert_eq!(answers(1.0 / 1.3, quiet), [0, SIMULATIONS, 0, 0]);
        // A processor that changes its clock: nine in ten are still found.
        let [slower, ..] = answers(1.3, |seed, launch| exp(0.08 * normal(seed, launch)));
        assert!(slower > SIMULATIONS * 9 / 10, "{slower} of {SIMULATIONS}");
        let [slower, faster, same, _] = answers(1.0, quiet);
        assert_eq!((slower, faster), (0, 0));
        assert!(same > SIMULATIONS * 9 / 10, "{same} of {SIMULATIONS}");
    }

    fn steady(head_ns: f64) -> Vec<Round> {
        vec![Round { base_ns: 10.0, head_ns, again_ns: 10.0 }; 9]
    }

    #[test]
    fn answers_have_their_bounds() {
        let said = |head_ns| compare(&steady(head_ns), SEED).unwrap().answer;
        for (head_ns, answer) in [
            (10.49, Answer::NoDifference),
            (10.51, Answer::Slower),
            (9.53, Answer::NoDifference),
            (9.52, Answer::Faster),
        ] {
            assert_eq!(said(head_ns), answer, "{head_ns}");
        }
        let mut rounds = steady(30.0);
        assert_eq!(compare(&rounds, SEED).unwrap().answer, Answer::Slower);
        // One launch of the base that took five times as long: ln 5 ÷ 3 × √(π ÷ 18) = 0.224.
        rounds[4].again_ns = 50.0;
        let said = compare(&rounds, SEED).unwrap();
        assert_eq!(said.answer, Answer::Inconclusive);
        assert!((said.noise - 0.251).abs() < 1e-3, "{}", said.noise);
        // One launch of the head that was as fast as the base.
        let mut rounds = steady(13.0);
        rounds[0].head_ns = 10.0;
        let said = compare(&rounds, SEED).unwrap();
        assert_eq!((said.low, said.answer), (1.0, Answer::Inconclusive));
    }

    #[test]
    fn figures_are_those_of_the_rounds() {
        let mut rounds = steady(12.0);
        (rounds[0].base_ns, rounds[0].again_ns) = (8.0, 12.0);
        let said = compare(&rounds, SEED).unwrap();
        assert_eq!((said.base_ns, said.head_ns, said.ratio), (10.0, 12.0, 1.2));
        let error = ln(1.5) / 3.0 * sqrt(FRAC_PI_2 / 9.0);
        assert!((said.noise - (exp(error) - 1.0)).abs() < 1e-12, "{}", said.noise);
        assert!((said.band - 3.0 * said.noise).abs() < 1e-12);
        assert_eq!(compare(&rounds, SEED), compare(&rounds, SEED));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for count in [0, ROUNDS_MIN - 1, ROUNDS_MAX + 1] {
            let few = vec![steady(1.0)[0]; count];
            assert_eq!(compare(&few, SEED), Err(CompareError::Rounds { asked: count }));
        }
        let draws = Draws::new(9, SEED).unwrap();
        let asked = 8;
        assert_eq!(draws.compare(&steady(1.0)[..asked]), Err(CompareError::Rounds { asked }));
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut rounds = steady(10.0);
            rounds[2].again_ns = odd;
            assert_eq!(compare(&rounds, SEED), Err(CompareError::NoTime { round: 3 }), "{odd}");
        }
    }

    #[test]
    fn everybody_stands_everywhere() {
        for side in [Side::Base, Side::Head, Side::Again] {
            for place in 0..3 {
                let times = (0..6).filter(|round| order(*round)[place] == side).count();
                assert_eq!(times, 2, "{side:?} at {place}");
            }
        }
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&mut [4.0]), 4.0);
    }
}
