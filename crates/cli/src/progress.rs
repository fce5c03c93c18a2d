//! Progress on standard error: a bar where that is a terminal, nothing elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use placelab_sim::sweep::Progress;

/// A bar for one piece of long work; gone when it is dropped.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar that counts to `total` of something.
    pub(crate) fn new(what: &'static str, total: u64) -> Self {
        let style = "{msg} {bar:30} {percent:>3} %  {elapsed} gone, {eta} to go";
        let style = ProgressStyle::with_template(style).expect("the template is well formed");
        let bar = ProgressBar::new(total).with_style(style).with_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
    }
}

impl Progress for Bar {
    fn begin(&self, keys: u64) {
        self.0.set_length(keys);
    }

    fn advance(&self, keys: u64) {
        self.0.inc(keys);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
