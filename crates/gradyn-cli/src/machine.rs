//! What the machine says of its memory; systems without `/proc` say nothing.

use crate::diagnostic::Failure;
use std::fs;

/// Units of memory [bytes].
const UNITS: [(&str, f64); 7] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("B", 1.0),
];

/// The number behind a key of a file of the system, in KiB there [bytes].
fn number(file: &str, key: &str) -> Option<usize> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number = line.split_whitespace().next()?.parse::<usize>().ok()?;
    number.checked_mul(1024)
}

/// Memory that processes may take without others being swapped out [bytes].
pub(crate) fn free_memory() -> Option<usize> {
    number("/proc/meminfo", "MemAvailable:")
}

/// Largest resident memory of this process [bytes].
pub(crate) fn peak_memory() -> Option<usize> {
    number("/proc/self/status", "VmHWM:")
}

/// A size of memory such as `256MiB` [bytes].
pub(crate) fn bytes(flag: &str, text: &str) -> Result<usize, Failure> {
    let wrong = || {
        let message = format!("{flag} {text}: not a size of memory");
        Failure::command(message, "write a number and B, kB, MB, GB, KiB, MiB or GiB, such as 256MiB")
    };
    let unit = UNITS.iter().find_map(|(name, size)| text.strip_suffix(name).map(|number| (number, *size)));
    let (number, size) = unit.ok_or_else(wrong)?;
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let bytes = number * size;
    if bytes >= 1.0 && bytes < usize::MAX as f64 { Ok(bytes as usize) } else { Err(wrong()) }
}
