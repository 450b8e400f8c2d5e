//! An allocator that counts, for the tests that say that a loop does not allocate.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread, and keeps the size of the largest; install with
/// `#[global_allocator]`.
pub struct Counting;

fn count(size: usize) {
    // a thread that is ending has no counters any more
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
    let _ = LARGEST.try_with(|c| c.set(c.get().max(size)));
}

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Allocations of this thread so far.
pub fn allocations() -> usize {
    COUNT.with(Cell::get)
}

/// Size of the largest allocation of this thread since `forget_largest` [bytes].
pub fn largest() -> usize {
    LARGEST.with(Cell::get)
}

/// Begins anew with the largest allocation of this thread.
pub fn forget_largest() {
    LARGEST.with(|c| c.set(0));
}
