//! The law of an extreme ratio, tabulated where its probability lies.
//!
//! A ratio is a load over its expectation, so its law has atoms: every multiple of 1 ÷ λ for each
//! expected load λ. Where these are few, the table resolves each of them and its figures are exact.
//! Where they are many, the table is refined cell by cell, first where a cell has most probability
//! times width, until the cells are too small to matter.
//!
//! Cost: at most [`CELLS_MAX`] evaluations of the distribution function; for a thousand distinct
//! weights [`CELLS_MIN`] and a dozen.

use placelab_results::Chance;

/// Most cells of a table with few distinct weights.
const CELLS_MAX: usize = 128;
/// The percentiles of a law, as probabilities.
const PERCENTILES: [f64; 2] = [0.05, 0.95];
/// How often the cell of each percentile is split again where cells are few.
const PERCENTILE_SPLITS: usize = 6;
/// Least number of cells of a table.
const CELLS_MIN: usize = 40;
/// Evaluations times distinct weights that a table may take.
const WORK_MAX: usize = 20_000;
/// Probability times width below which a cell is not split.
const AREA_MIN: f64 = 1e-9;
/// Probability that is left out at either end of a support.
const SUPPORT_MISSED: f64 = 1e-7;
/// Part by which a ratio may be off by rounding: less than one key up to 10¹² keys.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// The largest whole load that is not above a ratio of the expected load.
pub(super) fn whole_load(ratio: f64, expected: f64) -> f64 {
    (ratio * expected * (1.0 + ROUNDING)).floor()
}

/// The smallest whole load that is not below a ratio of the expected load.
pub(super) fn whole_load_above(ratio: f64, expected: f64) -> f64 {
    (ratio * expected * (1.0 - ROUNDING)).ceil()
}

/// A distribution as cells in ascending order.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RatioLaw {
    cells: Vec<Cell>,
}

/// The ratios above `low` up to `high`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cell {
    pub low: f64,
    pub high: f64,
    /// P(ratio ≤ low).
    below: f64,
    /// P(ratio ≤ high).
    up_to: f64,
    /// The least ratio in the cell that a load can have.
    first: f64,
    /// The largest ratio in the cell that a load can have.
    last: f64,
}

impl RatioLaw {
    /// Tabulates a distribution function that is 0 at `low` and 1 at `high`, of ratios of whole
    /// loads to the `expected` ones.
    pub(super) fn tabulate(
        expected: &[f64],
        (low, high): (f64, f64),
        distribution: impl Fn(f64) -> f64,
    ) -> Self {
        let cells_max = (WORK_MAX / expected.len()).clamp(CELLS_MIN, CELLS_MAX);
        let mut cells = vec![Cell::new(expected, (low, 0.0), (high, 1.0))];
        let split = |cells: &mut Vec<Cell>, chosen: usize| {
            let cell = cells[chosen];
            let middle = cell.middle();
            // An approximate function may fall by its error; a distribution must not.
            let at = (middle, distribution(middle).clamp(cell.below, cell.up_to));
            cells[chosen] = Cell::new(expected, (cell.low, cell.below), at);
            cells.push(Cell::new(expected, at, (cell.high, cell.up_to)));
        };
        while cells.len() < cells_max {
            let Some(largest) = largest(&cells) else { break };
            split(&mut cells, largest);
        }
        // Few cells are soon spent on rare and far ratios, and leave wide ones at the percentiles.
        let splits = if cells_max < CELLS_MAX { PERCENTILE_SPLITS } else { 0 };
        for probability in PERCENTILES {
            for _ in 0..splits {
                let holds = |cell: &Cell| cell.below < probability && probability <= cell.up_to;
                let Some(at) = cells.iter().position(holds) else { break };
                if cells[at].area() > AREA_MIN {
                    split(&mut cells, at);
                }
            }
        }
        cells.sort_unstable_by(|a, b| a.low.total_cmp(&b.low));
        RatioLaw { cells }
    }

    /// The cells in ascending order.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Between which ratios nearly all probability is.
    pub(super) fn support(&self) -> (f64, f64) {
        let is_reached = |cell: &&Cell| cell.up_to > SUPPORT_MISSED;
        let is_left = |cell: &&Cell| cell.below < 1.0 - SUPPORT_MISSED;
        let first = self.cells.iter().find(is_reached).expect("the last cell reaches 1");
        let last = self.cells.iter().rfind(is_left).expect("the first cell begins at 0");
        (first.first, last.last)
    }

    /// Mean and 5th and 95th percentile.
    pub(super) fn chance(&self) -> Chance {
        let moment = |cell: &Cell| cell.probability() * cell.middle();
        Chance {
            mean: self.cells.iter().map(moment).sum(),
            low: self.quantile(PERCENTILES[0]),
            high: self.quantile(PERCENTILES[1]),
        }
    }

    /// The least ratio up to which the probability is reached; between the atoms of a cell that
    /// has many by linear interpolation.
    fn quantile(&self, probability: f64) -> f64 {
        let reached = |cell: &&Cell| cell.up_to >= probability && cell.probability() > 0.0;
        let cell = self.cells.iter().find(reached).expect("the last cell reaches 1");
        let part = ((probability - cell.below) / cell.probability()).clamp(0.0, 1.0);
        cell.first + part * (cell.last - cell.first)
    }
}

impl Cell {
    fn new(expected: &[f64], (low, below): (f64, f64), (high, up_to): (f64, f64)) -> Self {
        let next = |&expected: &f64| (whole_load(low, expected) + 1.0).max(0.0) / expected;
        let previous = |&expected: &f64| whole_load(high, expected) / expected;
        let first = expected.iter().map(next).fold(f64::INFINITY, f64::min);
        let last = expected.iter().map(previous).fold(0.0, f64::max);
        // Without an atom the cell has no probability but the error of the function.
        let last = if last < first * (1.0 + ROUNDING) { first } else { last };
        Cell { low, high, below, up_to, first, last }
    }

    fn probability(&self) -> f64 {
        self.up_to - self.below
    }

    /// Midway between the ratios that a load can have.
    pub(super) fn middle(&self) -> f64 {
        0.5 * (self.first + self.last)
    }

    /// Twice a bound of the cell's part in the error of the mean.
    fn area(&self) -> f64 {
        self.probability() * (self.last - self.first)
    }
}

/// The cell most worth splitting, if any is.
fn largest(cells: &[Cell]) -> Option<usize> {
    let by_area = |&a: &usize, &b: &usize| cells[a].area().total_cmp(&cells[b].area());
    (0..cells.len()).max_by(by_area).filter(|&cell| cells[cell].area() > AREA_MIN)
}
