//! Ctrl-C and SIGTERM: the first one ends the run after the current evaluation, the second one at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many of them came.
static CAME: AtomicUsize = AtomicUsize::new(0);

/// Is there a run that ends by itself?
static WAITS: AtomicBool = AtomicBool::new(false);

/// From now on a signal waits for the end of an evaluation.
pub(crate) fn wait() {
    WAITS.store(true, Ordering::SeqCst);
}

/// Shall the run end?
pub(crate) fn came() -> bool {
    CAME.load(Ordering::SeqCst) > 0
}

/// What a signal does; `code` is that of a program that it ended.
fn note(code: i32) {
    if CAME.fetch_add(1, Ordering::SeqCst) > 0 || !WAITS.load(Ordering::SeqCst) {
        std::process::exit(code);
    }
}

/// Watches for both, before other threads are made: a thread waits for what all others leave to it. A hangup
/// ends the program as ever, or does nothing below `nohup`.
#[cfg(unix)]
pub(crate) fn watch() {
    use nix::sys::signal::{SigSet, Signal};
    let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM]);
    // without the thread both end the program at once, and nothing that was told is lost
    if signals.thread_block().is_err() {
        return;
    }
    let wait = move || {
        while let Ok(signal) = signals.wait() {
            note(128 + signal as i32);
        }
    };
    if std::thread::Builder::new().spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
}

/// Watches for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn watch() {
    // without a handler Ctrl-C ends at once, and nothing that was told is lost
    let _ = ctrlc::set_handler(|| note(130));
}
