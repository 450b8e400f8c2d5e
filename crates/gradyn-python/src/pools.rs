//! Threads for batches and studies. They belong to a process: a fork has none of them and makes its own.

use crate::errors::internal;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::mem::forget;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

/// Pools by their number of threads, and the process that they belong to.
static POOLS: Mutex<(u32, Vec<Arc<ThreadPool>>)> = Mutex::new((0, vec![]));

/// A pool of so many threads. It is asked for with the interpreter held, so that no fork finds it locked.
pub(crate) fn pool(_py: Python, threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut guard = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let (owner, pools) = &mut *guard;
    // threads of the parent do not run here, and cannot be waited for
    if *owner != process::id() {
        *owner = process::id();
        std::mem::take(pools).into_iter().for_each(forget);
    }

    // the pool of that size, made once
    if let Some(known) = pools.iter().find(|p| p.current_num_threads() == threads) {
        return Ok(known.clone());
    }
    let new = ThreadPoolBuilder::new().num_threads(threads).stack_size(crate::work::STACK).build();
    let new = Arc::new(new.map_err(|e| internal(&format!("there are no threads: {e}")))?);
    pools.push(new.clone());
    Ok(new)
}
