//! Progress on standard error: a bar where that is a terminal, nothing elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use placelab_sim::sweep::Progress;

/// A bar for one piece of long work; gone when it is dropped.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar for what has yet to begin.
    pub(crate) fn new() -> Self {
        let style = "{msg} {bar:30} {percent:>3} %  {elapsed} gone, {eta} to go";
        let style = ProgressStyle::with_template(style).expect("the template is well formed");
        let bar = ProgressBar::new(0).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
    }
}

impl Progress for Bar {
    fn begin(&self, what: &'static str, units: u64) {
        self.0.reset();
        self.0.set_message(what);
        self.0.set_length(units);
    }

    fn advance(&self, units: u64) {
        self.0.inc(units);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
