//! Fuzzing that follows from a seed: cases by number, what became of them, and where one of them went wrong.
//!
//! ```text
//! case k of a layer ─ Random(seed of the layer, k) ─▶ input ─ what is tested ─▶ a word, or a complaint
//! ```
//! A panic is a complaint, and so is an allocation of more than [`MEMORY`] at once, where the counting
//! allocator of `alloc` is installed. A case that takes minutes ends the test with its
//! input. An abort ends the program: its batch is the name of the thread that it happened in.

mod expression;
mod mutate;

pub use expression::{NAMES, VECTORS, expression};
pub use mutate::{Corpus, bytes_mutated};

use crate::alloc;
use crate::random::Random;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Most that a case may ask for at once [bytes].
pub const MEMORY: usize = 4 << 30;

/// Time between two looks at the cases.
const PATIENCE: Duration = Duration::from_secs(60);

/// Looks that see the same case before it is said to hang, also on a busy machine.
const LOOKS: u32 = 5;

/// Cases of one thread.
const BATCH: u64 = 1024;

/// Complaints after which a layer ends.
const COMPLAINTS: usize = 20;

/// A case on its way.
pub struct Case {
    /// Its number in its layer.
    pub number: u64,
    /// Numbers that follow from its seed.
    pub random: Random,
    /// What is tested, as `set` has it.
    pub input: String,
    /// The same for the thread that waits.
    seen: Arc<Mutex<String>>,
}

/// What a case does: what became of it in a word, or what is wrong with that.
pub type Fate = Result<&'static str, String>;

/// How many cases came to which end.
#[derive(Default)]
pub struct Counts {
    fates: BTreeMap<&'static str, u64>,
    complaints: Vec<String>,
    /// Did a case not end? Its thread goes on, so that no other is begun.
    hangs: bool,
}

impl Case {
    /// Case `number` of a layer.
    fn new(layer: &str, number: u64, seen: &Arc<Mutex<String>>) -> Self {
        let name = layer.bytes().fold(0u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let seed = name ^ (number + 1).wrapping_mul(0xd134_2543_de82_ef95);
        Self { number, random: Random(seed), input: String::new(), seen: seen.clone() }
    }
    /// Says what is tested, before it is.
    pub fn set(&mut self, input: String) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.clone_from(&input);
        }
        self.input = input;
    }
}

impl Counts {
    /// How many cases ended so.
    pub fn of(&self, fate: &str) -> u64 {
        self.fates.get(fate).copied().unwrap_or(0)
    }
    /// "1000 cases: 700 refused, 300 ran"
    fn shown(&self) -> String {
        let total: u64 = self.fates.values().sum();
        let parts: Vec<String> = self.fates.iter().map(|(fate, n)| format!("{n} {fate}")).collect();
        format!("{total} cases: {}", parts.join(", "))
    }
    fn complain(&mut self, complaint: String) {
        *self.fates.entry("COMPLAINTS").or_default() += 1;
        self.complaints.push(complaint);
    }
    fn add(&mut self, other: Counts) {
        other.fates.into_iter().for_each(|(fate, n)| *self.fates.entry(fate).or_default() += n);
        self.complaints.extend(other.complaints);
        self.hangs |= other.hangs;
    }
}

/// The cases of a run: `count` of them from 0 on, or as the environment says: `GRADYN_FUZZ_CASES` of them,
/// from `GRADYN_FUZZ_FROM` on.
pub fn cases(count: u64) -> Range<u64> {
    let number = |name: &str| {
        std::env::var(name).ok().map(|n| n.parse::<u64>().unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    let from = number("GRADYN_FUZZ_FROM").unwrap_or(0);
    from..from + number("GRADYN_FUZZ_CASES").unwrap_or(count)
}

/// Runs the cases of a layer, prints how many came to which end, and fails with the complaints.
pub fn check(
    layer: &'static str,
    cases: Range<u64>,
    test: impl Fn(&mut Case) -> Fate + Send + Sync + 'static,
) -> Counts {
    let mut counts = Counts::default();
    let test = Arc::new(test);
    let mut last = Instant::now();
    // batches, until there are too many complaints
    for from in cases.clone().step_by(BATCH as usize) {
        let batch = from..cases.end.min(from + BATCH);
        counts.add(waited(layer, batch, test.clone()));
        if counts.hangs || counts.complaints.len() >= COMPLAINTS {
            break;
        }
        if last.elapsed() > PATIENCE {
            told(&format!("fuzz {layer}, before case {}: {}", from + BATCH, counts.shown()));
            last = Instant::now();
        }
    }
    // the counts are shown whether or not the test passes
    told(&format!("fuzz {layer}: {}", counts.shown()));
    assert!(counts.complaints.is_empty(), "{layer}:\n{}", counts.complaints.join("\n\n"));
    counts
}

/// A line on the screen, although the output of tests is kept.
fn told(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The batch in a thread of its own, as long as its cases go on; one that does not end is a complaint.
fn waited(
    layer: &'static str,
    batch: Range<u64>,
    test: Arc<impl Fn(&mut Case) -> Fate + Send + Sync + 'static>,
) -> Counts {
    let now = Arc::new(AtomicU64::new(batch.start));
    let seen = Arc::new(Mutex::new(String::new()));
    let (send, receive) = channel();
    // a thread with the stack of the threads of any program
    let shared = now.clone();
    let inputs = seen.clone();
    let name = format!("fuzz {layer}, cases {batch:?}");
    let thread = Builder::new().name(name).spawn(move || {
        let mut counts = Counts::default();
        for number in batch {
            shared.store(number, Ordering::Relaxed);
            one(Case::new(layer, number, &inputs), layer, &*test, &mut counts);
        }
        let _ = send.send(counts);
    });
    thread.unwrap_or_else(|e| panic!("no thread: {e}"));
    patient(&receive, &now).unwrap_or_else(|number| {
        let input = seen.lock().map_or_else(|seen| seen.into_inner().clone(), |seen| seen.clone());
        let case = Case { input, ..Case::new(layer, number, &seen) };
        let mut counts = Counts::default();
        counts.complain(complaint(layer, &case, "it hangs"));
        counts.hangs = true;
        counts
    })
}

/// What the thread sends at its end, or the number of the case that does not end.
fn patient(receive: &Receiver<Counts>, now: &AtomicU64) -> Result<Counts, u64> {
    let mut last = u64::MAX;
    let mut looks = 0;
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(counts) => return Ok(counts),
            Err(RecvTimeoutError::Disconnected) => panic!("the thread of the cases ended"),
            Err(RecvTimeoutError::Timeout) => {
                let number = now.load(Ordering::Relaxed);
                looks = if number == last { looks + 1 } else { 1 };
                if looks == LOOKS {
                    return Err(number);
                }
                last = number;
            }
        }
    }
}

/// Runs one case.
fn one(mut case: Case, layer: &str, test: &impl Fn(&mut Case) -> Fate, counts: &mut Counts) {
    // fate, or why there is none
    alloc::forget_largest();
    let fate = catch_unwind(AssertUnwindSafe(|| test(&mut case)));
    let fate = fate.unwrap_or_else(|payload| Err(format!("panic: {}", text(&*payload))));
    let largest = alloc::largest();
    let fate = if largest > MEMORY { Err(format!("asks for {largest} bytes at once")) } else { fate };

    // the complaint, with what it is about
    match fate {
        Ok(fate) => *counts.fates.entry(fate).or_default() += 1,
        Err(why) => counts.complain(complaint(layer, &case, &why)),
    }
}

/// What is wrong, and where the input is.
fn complaint(layer: &str, case: &Case, why: &str) -> String {
    let mut out = format!("{layer}, case {}: {why}", case.number);
    if case.input.len() < 400 {
        let _ = write!(out, "\n  input: {:?}", case.input);
    } else {
        let path = std::env::temp_dir().join(format!("gradyn-fuzz-{layer}-{}.txt", case.number));
        let _ = std::fs::write(&path, &case.input);
        let _ = write!(out, "\n  input: {}", path.display());
    }
    out
}

/// The message of a panic.
fn text(payload: &(dyn Any + Send)) -> String {
    let owned = payload.downcast_ref::<String>().cloned();
    owned
        .or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).into()))
        .unwrap_or("without a message".into())
}
