//! Work that Python waits for: the interpreter is released, signals are answered, panics are caught.
//!
//! ```text
//! main thread     job ─▶ companion thread;   every 20 ms: did a signal come?
//! short jobs      job here; a run that takes long after all asks by itself, every 20 ms
//! other threads   job here: Python answers signals in its main thread only
//! ```
//! A companion costs some 20 to 80 µs a job, and what is short ends before anybody could wait.
//! After a signal the job is asked to stop, which runs do at the end of a step. What does not stop at once,
//! such as a backward sweep, is left to itself: the thread ends with it, and the caller does not wait.

use crate::errors::{self, interrupted};
use gradyn::{Error, Progress};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::any::Any;
use std::cell::RefCell;
use std::mem::forget;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Stack of the threads that compute [bytes]: that of a main thread.
pub(crate) const STACK: usize = 8 << 20;
/// Time between two looks at signals.
const LOOK: Duration = Duration::from_millis(20);
/// How long a job that is asked to stop is waited for.
const PATIENCE: Duration = Duration::from_millis(40);

/// A job that took less than this the last time is short [µs].
const SHORT: u64 = 10_000;

/// How long a job took the last time [µs]; at first nobody knows.
pub(crate) struct Pace(AtomicU64);

impl Pace {
    /// A job that has not run yet.
    pub(crate) fn unknown() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

/// How a job is asked to stop, and how far it came.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<State>);

/// What who waits and the job share.
#[derive(Default)]
struct State {
    asked: AtomicBool,
    steps: AtomicUsize,
    /// When the job itself looks for signals the next time [µs of the run]; 0 where others do.
    look: AtomicU64,
    /// What a signal has raised.
    refusal: Mutex<Option<PyErr>>,
}

impl Stop {
    /// For a job that looks for signals by itself.
    fn looking() -> Self {
        let stop = Self::default();
        stop.0.look.store(LOOK.as_micros() as u64, Ordering::Relaxed);
        stop
    }
    /// Looks for signals, where that is due.
    fn look(&self, seconds: f64) {
        let due = self.0.look.load(Ordering::Relaxed);
        let now = (seconds * 1e6) as u64;
        if due == 0 || now < due {
            return;
        }
        self.0.look.store(now + LOOK.as_micros() as u64, Ordering::Relaxed);
        if let Err(refusal) = Python::attach(|py| py.check_signals()) {
            self.ask();
            *self.0.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
        }
    }
    /// What a signal has raised meanwhile.
    fn refusal(&self) -> Option<PyErr> {
        self.0.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
    /// Is the job asked to stop?
    pub(crate) fn asked(&self) -> bool {
        self.0.asked.load(Ordering::Relaxed)
    }
    /// What an observer of steps answers.
    pub(crate) fn observe(&self, progress: &Progress) -> ControlFlow<()> {
        self.0.steps.store(progress.steps, Ordering::Relaxed);
        self.look(progress.seconds);
        if self.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
    fn ask(&self) {
        self.0.asked.store(true, Ordering::Relaxed);
    }
    /// Steps of the last run.
    fn steps(&self) -> usize {
        self.0.steps.load(Ordering::Relaxed)
    }
}

/// How a job ended: with a result, or by a panic.
type Ended<T> = Result<Result<T, Error>, Box<dyn Any + Send>>;

/// What a job sends to who waits for it.
enum Message<T, E> {
    Told(E),
    Ended(Ended<T>),
}

/// A job without its types.
type Job = Box<dyn FnOnce() + Send>;

/// A thread that waits for jobs of another one, in the process that made it.
struct Companion {
    process: u32,
    jobs: Sender<Job>,
}

thread_local! {
    static COMPANION: RefCell<Option<Companion>> = const { RefCell::new(None) };
}

impl Companion {
    /// That of this thread; a new one where there is none, or only that of the process before a fork.
    fn of_this_thread() -> PyResult<Self> {
        let process = std::process::id();
        match COMPANION.take() {
            Some(known) if known.process == process => return Ok(known),
            // its thread does not run here
            Some(old) => forget(old),
            None => {}
        }
        let (jobs, todo) = channel::<Job>();
        let run = move || todo.into_iter().for_each(|job| job());
        let thread = std::thread::Builder::new().name("gradyn".into()).stack_size(STACK);
        thread.spawn(run).map_err(|e| errors::internal(&format!("there is no thread: {e}")))?;
        Ok(Self { process, jobs })
    }
}

/// A job whose only message is its result.
pub(crate) fn work<T: Send + 'static>(
    py: Python,
    job: impl FnOnce(&Stop) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::default();
    if is_main(py)? {
        let job = |stop: &Stop, _: &Sender<Message<T, ()>>| job(stop);
        return beside(py, stop, job, &mut |_, ()| Ok(()));
    }
    let ended = py.detach(|| catch_unwind(AssertUnwindSafe(|| job(&stop))));
    result(py, ended, &stop)
}

/// A job that is done again and again, here where it is short.
pub(crate) fn paced<T: Send + 'static>(
    py: Python,
    pace: &Pace,
    job: impl FnOnce(&Stop) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let begun = Instant::now();
    let short = pace.0.load(Ordering::Relaxed) < SHORT;
    let found = if short { here(py, job) } else { work(py, job) };
    pace.0.store(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
    found
}

/// A job in this thread, which asks for signals while a run goes on.
fn here<T: Send>(py: Python, job: impl FnOnce(&Stop) -> Result<T, Error> + Send) -> PyResult<T> {
    let stop = Stop::looking();
    let ended = py.detach(|| catch_unwind(AssertUnwindSafe(|| job(&stop))));
    match stop.refusal() {
        Some(refusal) => Err(raised(py, refusal)),
        None => result(py, ended, &stop),
    }
}

/// What a signal raises.
fn raised(py: Python, refusal: PyErr) -> PyErr {
    match refusal.is_instance_of::<PyKeyboardInterrupt>(py) {
        true => interrupted(py, &refusal),
        false => refusal,
    }
}

/// A job that tells things on its way; where `told` refuses one, the job is asked to stop and the refusal is
/// what comes out.
pub(crate) fn telling<T: Send + 'static, E: Send + 'static>(
    py: Python,
    job: impl FnOnce(&Stop, &mut (dyn FnMut(E) + Send)) -> Result<T, Error> + Send + 'static,
    told: &mut dyn FnMut(Python, E) -> PyResult<()>,
) -> PyResult<T> {
    let job = |stop: &Stop, out: &Sender<Message<T, E>>| {
        // who has gone does not listen
        job(stop, &mut |e| drop(out.send(Message::Told(e))))
    };
    beside(py, Stop::default(), job, told)
}

/// Is this the thread in which Python answers signals?
fn is_main(py: Python) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}

/// Runs a job in the companion of this thread, and answers signals meanwhile.
fn beside<T: Send + 'static, E: Send + 'static>(
    py: Python,
    stop: Stop,
    job: impl FnOnce(&Stop, &Sender<Message<T, E>>) -> Result<T, Error> + Send + 'static,
    told: &mut dyn FnMut(Python, E) -> PyResult<()>,
) -> PyResult<T> {
    // the job, to the companion
    let companion = Companion::of_this_thread()?;
    let (out, messages) = channel();
    let messages = Mutex::new(messages);
    let own = stop.clone();
    let run = move || {
        let ended = catch_unwind(AssertUnwindSafe(|| job(&own, &out)));
        drop(out.send(Message::Ended(ended)));
    };
    let lost = || errors::internal("a thread has ended");
    companion.jobs.send(Box::new(run)).map_err(|_| lost())?;

    // messages until it ends
    loop {
        let answer = match next(py, &messages, LOOK) {
            Ok(Message::Ended(ended)) => {
                COMPANION.set(Some(companion));
                return result(py, ended, &stop);
            }
            Ok(Message::Told(event)) => told(py, event),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => return Err(lost()),
        };
        if let Err(refusal) = answer.and_then(|()| py.check_signals()) {
            stop.ask();
            leave(py, &messages, told);
            return Err(raised(py, refusal));
        }
    }
}

/// The next message, with the interpreter released while there is none.
fn next<T: Send, E: Send>(
    py: Python,
    messages: &Mutex<Receiver<Message<T, E>>>,
    wait: Duration,
) -> Result<Message<T, E>, RecvTimeoutError> {
    py.detach(|| messages.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait))
}

/// Waits a moment for a job that is asked to stop, and hears what it still tells.
fn leave<T: Send, E: Send>(
    py: Python,
    messages: &Mutex<Receiver<Message<T, E>>>,
    told: &mut dyn FnMut(Python, E) -> PyResult<()>,
) {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match next(py, messages, left) {
            // a second refusal says nothing new
            Ok(Message::Told(event)) => drop(told(py, event)),
            Ok(Message::Ended(_)) | Err(_) => return,
        }
    }
}

/// The result of a job as Python has it.
fn result<T>(py: Python, ended: Ended<T>, stop: &Stop) -> PyResult<T> {
    match ended {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(e)) => Err(errors::raised(py, &e, Some(stop.steps()).filter(|n| *n > 0))),
        Err(panic) => Err(errors::internal(&errors::of_panic(&*panic))),
    }
}

/// A panic, to test what becomes of one.
#[pyfunction]
pub(crate) fn provoke_panic(py: Python) -> PyResult<()> {
    work(py, |_| -> Result<(), Error> { panic!("on purpose") })
}
