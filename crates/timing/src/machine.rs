//! What a time depends on beside the code.

use std::fs::read_to_string;

use placelab_core::KeyPart;
use placelab_results::Machine;

use crate::floor::Floors;
use crate::lookup::DISPLACED_BYTES;

/// This machine, with what the harness itself takes and the [`load`] that it had before the run.
pub fn machine(floors: &Floors, load: Option<f64>) -> Machine {
    Machine {
        cpu: cpu(),
        cores: cores(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        rustc: rustc().into(),
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.into(),
        load,
        floor: *floors.of(KeyPart::Hash),
        bytes_floor: *floors.of(KeyPart::Bytes),
        displaced_bytes: DISPLACED_BYTES as u64,
    }
}

/// Load average of the last minute, where the system tells. Our own threads count too, so it says
/// what others do only before a run.
pub fn load() -> Option<f64> {
    read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Model of the processor, as the system names it.
pub fn cpu() -> String {
    let model = || {
        let info = read_to_string("/proc/cpuinfo").ok()?;
        let line = info.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    model().unwrap_or_else(|| "unknown".into())
}

/// Logical processors that this process may use.
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// The compiler that built this crate: `rustc 1.95.0 (59807616e 2026-04-14)`.
pub fn rustc() -> &'static str {
    env!("PLACELAB_RUSTC")
}

/// What the machine calls itself, where the system tells.
pub fn host_name() -> Option<String> {
    let name = read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_string()).filter(|name| !name.is_empty())
}

/// Memory that a run may take without pushing others out, where the system tells.
pub fn available_bytes() -> Option<u64> {
    bytes_after("/proc/meminfo", "MemAvailable:")
}

/// The figure in kibibytes that follows a word at the start of a line.
fn bytes_after(file: &str, word: &str) -> Option<u64> {
    let text = read_to_string(file).ok()?;
    let figure = text.lines().find_map(|line| line.strip_prefix(word))?;
    let kibibytes: u64 = figure.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Most memory that this process has held at once, in bytes, where the system tells.
pub fn peak_bytes() -> Option<u64> {
    bytes_after("/proc/self/status", "VmHWM:")
}

/// Nanoseconds that this thread has run, where the system tells: unlike the clock on the wall it
/// stands still while others run.
pub fn thread_cpu_ns() -> Option<u64> {
    read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup::Lookups;

    #[test]
    fn this_machine_has_a_description() {
        let machine = machine(&Floors::measure(&Lookups::default()), load());
        assert!(machine.rustc.starts_with("rustc "), "{}", machine.rustc);
        assert_eq!((&machine.cpu, machine.cores), (&cpu(), cores()));
        assert!(machine.cores >= 1 && machine.displaced_bytes > 0);
    }
}
