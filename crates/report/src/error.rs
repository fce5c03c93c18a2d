//! What can go wrong while a report is drawn.

/// Why a report could not be drawn. Odd results are no error: they give a report with gaps.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The drawing library gave up on a chart.
    #[error("chart `{chart}` could not be drawn: {reason}")]
    Draw {
        /// The chart.
        chart: String,
        /// What the library said.
        reason: String,
    },
    /// A picture could not be written as PNG.
    #[error("chart `{chart}` could not be encoded as PNG")]
    Encode {
        /// The chart.
        chart: String,
        /// What the encoder said.
        source: png::EncodingError,
    },
}
