//! Tails of the Poisson, binomial, gamma and chi-square laws, with the same bits everywhere.
//!
//! Source: the incomplete gamma function by Temme's uniform expansion near its mean (Temme, "The
//! asymptotic expansion of the incomplete gamma functions", SIAM J. Math. Anal. 10, 1979; DLMF
//! 8.12), by series and continued fraction elsewhere (DLMF 8.7.1, 8.9.2); the incomplete beta
//! function by continued fraction (DLMF 8.17.22); point probabilities by Loader's saddle-point
//! form ("Fast and accurate computation of binomial probabilities", 2000), which loses no digits
//! to factorials of large numbers.
//!
//! Cost: a gamma tail some 100 to 500 ns whatever the mean; a binomial tail up to O(√keys) steps
//! near its mean and few in its tails.
//!
//! Limits: relative error about 10⁻¹³ up to means of 10⁶, 10⁻¹¹ up to 10⁹, of either tail where
//! it is the smaller one.

use placelab_core::math::{erfc, exp, lgamma, ln, sqrt};

/// Half the logarithm of 2π.
const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;
/// Below this, Stirling's series is replaced by the logarithm of the gamma function itself.
const STIRLING_MIN: f64 = 16.0;
/// Terms past this part of their sum change nothing.
const NEGLIGIBLE: f64 = 1e-16;

/// Both tails of a law at one point; they sum to 1, and the smaller one keeps its digits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tails {
    /// Probability at or below the point.
    pub lower: f64,
    /// Probability above the point.
    pub upper: f64,
}

impl Tails {
    const NONE_BELOW: Tails = Tails { lower: 0.0, upper: 1.0 };
    const NONE_ABOVE: Tails = Tails { lower: 1.0, upper: 0.0 };

    fn from_lower(lower: f64) -> Self {
        Tails { lower, upper: 1.0 - lower }
    }

    fn from_upper(upper: f64) -> Self {
        Tails { lower: 1.0 - upper, upper }
    }
}

/// The tails of a Poisson count of the given mean: at most `count`, and more.
///
/// ```
/// use placelab_metrics::special::poisson_tails;
/// // P(X ≤ 1) = 2 ÷ e for mean 1.
/// assert!((poisson_tails(1, 1.0).lower - 2.0 * (-1f64).exp()).abs() < 1e-15);
/// ```
pub fn poisson_tails(count: u64, mean: f64) -> Tails {
    let Tails { lower, upper } = gamma_tails(count as f64 + 1.0, mean);
    Tails { lower: upper, upper: lower }
}

/// The probability that a Poisson count of the given mean is `count`.
pub fn poisson_point(count: u64, mean: f64) -> f64 {
    exp(poisson_point_ln(count, mean))
}

/// The logarithm of that probability, which may be too small for a float.
pub fn poisson_point_ln(count: u64, mean: f64) -> f64 {
    gamma_point_ln(count as f64, mean)
}

/// The tails of a binomial count of `keys` tries with the chance `share`: at most `count`, more.
pub fn binomial_tails(count: u64, keys: u64, share: f64) -> Tails {
    if count >= keys {
        return Tails::NONE_ABOVE;
    }
    let Tails { lower, upper } = beta_tails(count as f64 + 1.0, (keys - count) as f64, share);
    Tails { lower: upper, upper: lower }
}

/// The same for a real number of tries, which shifts the law of a whole number smoothly.
pub(crate) fn real_binomial_tails(count: u64, tries: f64, chance: f64) -> Tails {
    let left = tries - count as f64;
    if left <= 0.0 {
        return Tails::NONE_ABOVE;
    }
    let Tails { lower, upper } = beta_tails(count as f64 + 1.0, left, chance);
    Tails { lower: upper, upper: lower }
}

/// The logarithm of the probability that a binomial count of a real number of tries is `count`.
pub(crate) fn binomial_point_ln(count: u64, tries: f64, chance: f64) -> f64 {
    let (hits, misses) = (count as f64, tries - count as f64);
    if count == 0 {
        tries * ln_one_plus(-chance)
    } else if misses < 0.0 {
        f64::NEG_INFINITY
    } else if misses == 0.0 {
        tries * ln(chance)
    } else {
        let errors = stirling_error(tries) - stirling_error(hits) - stirling_error(misses);
        let deviances = deviance(hits, tries * chance) + deviance(misses, tries * (1.0 - chance));
        errors - deviances - HALF_LN_TAU - 0.5 * ln(hits * (misses / tries))
    }
}

/// The upper tail of the chi-square law: the p-value of a statistic.
pub fn chi_square_upper(statistic: f64, degrees: f64) -> f64 {
    gamma_tails(degrees / 2.0, statistic / 2.0).upper
}

/// The tails at `x` of the gamma law with the given positive shape and scale 1.
pub fn gamma_tails(shape: f64, x: f64) -> Tails {
    let offset = (x - shape) / shape;
    if x <= 0.0 {
        Tails::NONE_BELOW
    } else if shape >= temme::SHAPE_MIN && offset.abs() <= temme::OFFSET_MAX {
        temme::tails(shape, offset)
    } else if x < shape + 1.0 {
        Tails::from_lower(gamma_lower_by_series(shape, x))
    } else {
        Tails::from_upper(gamma_upper_by_fraction(shape, x))
    }
}

/// The logarithm of 1 + x, accurate for small x.
pub fn ln_one_plus(x: f64) -> f64 {
    if x.abs() < 0.1 { x + ln_one_plus_minus(x) } else { ln(1.0 + x) }
}

/// ln(1 + x) − x without cancellation: with v = x ÷ (2 + x) it is 2(v³/3 + v⁵/5 + …) − x·v.
fn ln_one_plus_minus(x: f64) -> f64 {
    if x.abs() > 0.3 {
        return ln(1.0 + x) - x;
    }
    let v = x / (2.0 + x);
    let square = v * v;
    let (mut power, mut sum, mut odd) = (2.0 * v * square, 0.0, 3.0);
    while power.abs() > NEGLIGIBLE * (x * v).abs() {
        sum += power / odd;
        power *= square;
        odd += 2.0;
    }
    sum - x * v
}

/// ln Γ(x + 1) minus Stirling's formula for it, for x > 0.
fn stirling_error(x: f64) -> f64 {
    if x < STIRLING_MIN {
        return lgamma(x + 1.0) - (x + 0.5) * ln(x) + x - HALF_LN_TAU;
    }
    let square = x * x;
    let inner = 1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square;
    (1.0 / 12.0 - (1.0 / 360.0 - inner / square) / square) / x
}

/// Loader's deviance x ln(x ÷ mean) + mean − x.
fn deviance(x: f64, mean: f64) -> f64 {
    -x * ln_one_plus_minus((mean - x) / x)
}

/// The logarithm of meanˣ e^(−mean) ÷ Γ(x + 1).
fn gamma_point_ln(x: f64, mean: f64) -> f64 {
    if x == 0.0 {
        -mean
    } else if mean == 0.0 {
        f64::NEG_INFINITY
    } else {
        -stirling_error(x) - deviance(x, mean) - HALF_LN_TAU - 0.5 * ln(x)
    }
}

fn gamma_lower_by_series(shape: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut divisor) = (1.0, 1.0, shape);
    while term > NEGLIGIBLE * sum {
        divisor += 1.0;
        term *= x / divisor;
        sum += term;
    }
    exp(gamma_point_ln(shape, x)) * sum
}

fn gamma_upper_by_fraction(shape: f64, x: f64) -> f64 {
    let mut base = x + 1.0 - shape;
    let fraction = lentz(base, |step| {
        base += 2.0;
        (step * (shape - step), base)
    });
    exp(gamma_point_ln(shape, x)) * shape / fraction
}

/// The tails at `x` of the beta law with the given positive shapes.
fn beta_tails(a: f64, b: f64, x: f64) -> Tails {
    if x <= 0.0 {
        Tails::NONE_BELOW
    } else if x >= 1.0 {
        Tails::NONE_ABOVE
    } else if x < (a + 1.0) / (a + b + 2.0) {
        Tails::from_lower(beta_lower_by_fraction(a, b, x))
    } else {
        Tails::from_upper(beta_lower_by_fraction(b, a, 1.0 - x))
    }
}

fn beta_lower_by_fraction(a: f64, b: f64, x: f64) -> f64 {
    let sum = a + b;
    let point = stirling_error(sum)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, sum * x)
        - deviance(b, sum * (1.0 - x));
    let front = exp(point - HALF_LN_TAU) * sqrt(b / (a * sum));
    let fraction = lentz(1.0, |step| {
        let half = (step / 2.0).floor();
        let at = a + 2.0 * half;
        let numerator = if half * 2.0 == step {
            half * (b - half) * x / ((at - 1.0) * at)
        } else {
            -(a + half) * (sum + half) * x / (at * (at + 1.0))
        };
        (numerator, 1.0)
    });
    front / fraction
}

/// The continued fraction first + n₁/(d₁ + n₂/(d₂ + …)) by Lentz's method as modified by
/// Thompson and Barnett; `part` gives the numerator and denominator of step 1, 2, ….
fn lentz(first: f64, mut part: impl FnMut(f64) -> (f64, f64)) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut value = away_from_zero(first);
    let (mut above, mut below, mut step) = (value, 0.0, 0.0);
    loop {
        step += 1.0;
        let (numerator, denominator) = part(step);
        below = 1.0 / away_from_zero(denominator + numerator * below);
        above = away_from_zero(denominator + numerator / above);
        let factor = above * below;
        value *= factor;
        // A fraction of this kind settles within O(√keys) steps; the bound is a backstop. What is
        // no number any more never settles.
        let is_settled = (factor - 1.0).abs() < 4.0 * NEGLIGIBLE;
        if is_settled || !factor.is_finite() || step > 1e7 {
            return value;
        }
    }
}

/// Temme's expansion: Q(a, x) = ½ erfc(η √(a/2)) + e^(−aη²/2) ÷ √(2πa) · Σ C_k(η) a⁻ᵏ, where
/// η²/2 = x/a − 1 − ln(x/a). The C_k are power series in η with the coefficients of DLMF 8.12.12.
mod temme {
    use super::{HALF_LN_TAU, Tails, erfc, exp, ln_one_plus_minus, sqrt};

    /// Least shape at which eight orders give all digits.
    pub(super) const SHAPE_MIN: f64 = 32.0;
    /// Largest |x/a − 1| for which the power series are long enough.
    pub(super) const OFFSET_MAX: f64 = 0.4;

    const ORDERS: usize = 8;
    const TERMS: usize = 20;
    const WIDTH: usize = TERMS + 2 * ORDERS;

    /// Coefficients of the scaled gamma function, DLMF 5.11.4.
    const SCALED_GAMMA: [f64; ORDERS] = [
        1.0,
        1.0 / 12.0,
        1.0 / 288.0,
        -139.0 / 51_840.0,
        -571.0 / 2_488_320.0,
        163_879.0 / 209_018_880.0,
        5_246_819.0 / 75_246_796_800.0,
        -534_703_531.0 / 902_961_561_600.0,
    ];

    const COEFFICIENTS: [[f64; WIDTH]; ORDERS] = coefficients();

    pub(super) fn tails(shape: f64, offset: f64) -> Tails {
        let half_square = -ln_one_plus_minus(offset);
        let eta = if offset < 0.0 { -sqrt(2.0 * half_square) } else { sqrt(2.0 * half_square) };
        let exponent = shape * half_square;
        let correction = exp(-exponent - HALF_LN_TAU) / sqrt(shape) * asymptotic_sum(shape, eta);
        if eta < 0.0 {
            Tails::from_lower(0.5 * erfc(sqrt(exponent)) - correction)
        } else {
            Tails::from_upper(0.5 * erfc(sqrt(exponent)) + correction)
        }
    }

    fn asymptotic_sum(shape: f64, eta: f64) -> f64 {
        let (mut sum, mut scale) = (0.0, 1.0);
        for row in &COEFFICIENTS {
            let series = row[..TERMS].iter().rev().fold(0.0, |value, c| value * eta + c);
            sum += scale * series;
            scale /= shape;
            if scale < super::NEGLIGIBLE {
                break;
            }
        }
        sum
    }

    /// DLMF 8.12.12: d(0, 0) = −1/3, d(0, n) = (n + 2) α(n + 2), and
    /// d(k, n) = (−1)ᵏ g(k) d(0, n) + (n + 2) d(k − 1, n + 2).
    const fn coefficients() -> [[f64; WIDTH]; ORDERS] {
        let alpha = inverse_series();
        let mut d = [[0.0; WIDTH]; ORDERS];
        let mut n = 0;
        while n < WIDTH {
            d[0][n] = if n == 0 { -1.0 / 3.0 } else { (n + 2) as f64 * alpha[n + 2] };
            n += 1;
        }
        let mut k = 1;
        while k < ORDERS {
            let gamma = if k % 2 == 0 { SCALED_GAMMA[k] } else { -SCALED_GAMMA[k] };
            let mut n = 0;
            while n + 2 * k < WIDTH {
                d[k][n] = gamma * d[0][n] + (n + 2) as f64 * d[k - 1][n + 2];
                n += 1;
            }
            k += 1;
        }
        d
    }

    /// The α of x/a = 1 + η + α₂ η² + α₃ η³ + …: α₁ = 1 and
    /// (n + 1) αₙ = αₙ₋₁ − Σ k αₖ αₙ₋ₖ₊₁ over k = 2 … n − 1.
    const fn inverse_series() -> [f64; WIDTH + 2] {
        let mut alpha = [0.0; WIDTH + 2];
        alpha[1] = 1.0;
        let mut n = 2;
        while n < WIDTH + 2 {
            let mut sum = alpha[n - 1];
            let mut k = 2;
            while k < n {
                sum -= k as f64 * alpha[k] * alpha[n - k + 1];
                k += 1;
            }
            alpha[n] = sum / (n + 1) as f64;
            n += 1;
        }
        alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(what: &str, got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want, "{what}: {got:e} for {want:e}");
    }

    /// Made with mpmath 1.3 at 60 digits: `gammainc(c + 1, mean, regularized=True)`; means above
    /// 2 · 10⁵ by summing the probabilities outwards.
    #[rustfmt::skip]
    const POISSON: [(u64, f64, f64, f64); 15] = [
        (0, 0.3, 0.740818220681718, 0.259181779318282),
        (8, 1.02, 0.999998679033376, 1.32096662433581e-6),
        (5, 10.0, 0.0670859628790318, 0.932914037120968),
        (25, 10.0, 0.999982319727583, 1.7680272417471e-5),
        (31, 32.0, 0.476488305476259, 0.523511694523741),
        (60, 33.0, 0.999991794616238, 8.2053837620633e-6),
        (30, 100.0, 1.99179001065153e-16, 1.0),
        (134, 100.0, 0.999501743812292, 0.000498256187707617),
        (160, 100.0, 0.999999987383362, 1.26166381177637e-8),
        (1300, 1e3, 1.0, 5.28052602682046e-20),
        (100500, 1e5, 0.943167118181506, 0.0568328818184939),
        (1_007_000, 1e6, 0.99999999999865, 1.34993721047972e-12),
        (993_000, 1e6, 1.21287470221828e-12, 0.999999999998787),
        (1_000_200_000, 1e9, 0.999999999872862, 1.27137526582899e-10),
        (999_800_000, 1e9, 1.2682549271491e-10, 0.999999999873175),
    ];

    /// As above, by summing the probabilities at 60 digits.
    #[rustfmt::skip]
    const BINOMIAL: [(u64, u64, f64, f64, f64); 7] = [
        (0, 20, 1.0 / 6.0, 0.0260840533045888, 0.973915946695411),
        (7, 20, 1.0 / 6.0, 0.988746715357126, 0.0112532846428743),
        (19, 20, 1.0 / 6.0, 1.0, 2.73511122779125e-16),
        (80, 100, 0.5, 0.999999999864862, 1.35138126102439e-10),
        (160, 100_000, 0.001, 0.999999987618141, 1.23818590313061e-8),
        (500_300, 1_000_000, 0.5, 0.726079996195375, 0.273920003804625),
        (503_000, 1_000_000, 0.5, 0.999999999019576, 9.80424212924337e-10),
    ];

    #[test]
    fn poisson_reference() {
        for (count, mean, lower, upper) in POISSON {
            let tails = poisson_tails(count, mean);
            let tolerance = if mean > 1e6 { 1e-11 } else { 2e-13 };
            assert_close(&format!("X ≤ {count}, mean {mean}"), tails.lower, lower, tolerance);
            assert_close(&format!("X > {count}, mean {mean}"), tails.upper, upper, tolerance);
        }
    }

    #[test]
    fn binomial_reference() {
        for (count, keys, share, lower, upper) in BINOMIAL {
            let tails = binomial_tails(count, keys, share);
            assert_close(&format!("X ≤ {count} of {keys}"), tails.lower, lower, 1e-12);
            assert_close(&format!("X > {count} of {keys}"), tails.upper, upper, 1e-12);
        }
        assert_eq!(binomial_tails(20, 20, 0.5), Tails::NONE_ABOVE);
    }

    /// The three methods for the gamma law meet without a step: P(X ≤ c) − P(X ≤ c − 1) is the
    /// point probability, also where the method changes.
    #[test]
    fn methods_meet() {
        for mean in [20.0, 31.0, 32.5, 33.0, 45.0, 50.0, 70.0, 1000.0] {
            for count in 1..(2.0 * mean) as u64 {
                let step = poisson_tails(count, mean).lower - poisson_tails(count - 1, mean).lower;
                let point = poisson_point(count, mean);
                assert!((step - point).abs() < 2e-15, "{count} {mean}: {step:e} {point:e}");
            }
        }
    }

    #[test]
    fn chi_square_reference() {
        assert_close("1", chi_square_upper(3.841_458_820_694_124, 1.0), 0.05, 1e-13);
        assert_close("999", chi_square_upper(1074.679449, 999.0), 0.0477616063954217, 1e-12);
    }

    #[test]
    fn small_logarithms_keep_their_digits() {
        assert_close("ln(1 + x)", ln_one_plus(1e-10), 1e-10 - 5e-21, 1e-15);
        assert_close("ln(1 + x)", ln_one_plus(0.099), ln(1.099), 1e-15);
    }
}
