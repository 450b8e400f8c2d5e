//! Data of the records of a run that seldom change from one record to the next.

use std::ops::Index;

/// A list of `width` numbers for each record, kept where it differs from that of the record before.
#[derive(Clone, Debug, Default)]
pub struct Changes<T> {
    width: usize,
    /// The lists, one after the other, and the record that each begins with.
    values: Vec<T>,
    starts: Vec<u32>,
    len: usize,
}

impl<T: Copy + PartialEq> Changes<T> {
    /// One list, of the first record.
    pub(crate) fn start(first: &[T]) -> Self {
        let mut new = Self { width: first.len(), values: vec![], starts: vec![], len: 0 };
        new.push(first);
        new
    }
    /// The lists of some records, one after the other.
    pub fn of<'a>(lists: impl IntoIterator<Item = &'a [T]>) -> Self
    where
        T: 'a,
    {
        let mut lists = lists.into_iter();
        let mut new = Self::start(lists.next().unwrap_or(&[]));
        lists.for_each(|list| new.push(list));
        new
    }
    /// Room for some changes.
    pub(crate) fn reserve(&mut self, changes: usize) {
        self.values.reserve(changes * self.width);
        self.starts.reserve(changes);
    }
    /// Which list record `n` has.
    fn place(&self, n: usize) -> usize {
        assert!(n < self.len, "record {n} of {}", self.len);
        // most questions are about the last list
        match self.starts.last() {
            Some(&start) if start as usize <= n => self.starts.len() - 1,
            _ => self.starts.partition_point(|start| *start as usize <= n) - 1,
        }
    }
    /// The list of record `n`.
    pub fn list(&self, n: usize) -> &[T] {
        let k = self.place(n);
        &self.values[k * self.width..(k + 1) * self.width]
    }
    /// Numbers of a list.
    pub(crate) fn width(&self) -> usize {
        self.width
    }
    /// Number of records.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Are there no records?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The first number of each record.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.len).map(|n| self[n])
    }
    /// The first number of the last record.
    pub fn last(&self) -> Option<T> {
        self.values.len().checked_sub(self.width).map(|last| self.values[last])
    }
    /// Has any record this number?
    pub fn contains(&self, x: &T) -> bool {
        self.values.contains(x)
    }
    /// Records at which the list changes, increasing; record 0 is the first.
    pub fn starts(&self) -> impl Iterator<Item = usize> + '_ {
        self.starts.iter().map(|start| *start as usize)
    }
    /// Appends the list of a record.
    pub(crate) fn push(&mut self, list: &[T]) {
        debug_assert_eq!(list.len(), self.width, "numbers of a list");
        if self.len == 0 || self.list(self.len - 1) != list {
            self.values.extend_from_slice(list);
            self.starts.push(self.len as u32);
        }
        self.len += 1;
    }
    /// Takes the list of the last record away.
    pub(crate) fn pop(&mut self) {
        self.len -= 1;
        if self.starts.last().is_some_and(|start| *start as usize == self.len) {
            self.starts.pop();
            self.values.truncate(self.starts.len() * self.width);
        }
    }
    /// Changes the list of record `n`.
    pub(crate) fn set(&mut self, n: usize, list: &[T]) {
        if self.list(n) == list {
            return;
        }
        // the records after it, then those from it on, begin anew
        let old = self.list(n).to_vec();
        for (from, list) in [(n + 1, &old[..]), (n, list)] {
            let k = self.starts.partition_point(|start| (*start as usize) < from);
            let begins = self.starts.get(k).is_some_and(|start| *start as usize == from);
            match begins {
                true if from == n => {
                    self.values[k * self.width..(k + 1) * self.width].copy_from_slice(list);
                }
                false if from < self.len => {
                    self.starts.insert(k, from as u32);
                    let at = k * self.width;
                    self.values.splice(at..at, list.iter().copied());
                }
                _ => {}
            }
        }
    }
    /// Memory that it takes [bytes].
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.values) + size_of_val(&*self.starts)
    }
}

impl<T: Copy + PartialEq> Index<usize> for Changes<T> {
    type Output = T;
    fn index(&self, n: usize) -> &T {
        &self.list(n)[0]
    }
}

impl<T: Copy + PartialEq> PartialEq for Changes<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && (0..self.len).all(|n| self.list(n) == other.list(n))
    }
}

#[cfg(test)]
mod tests {
    use super::Changes;

    #[test]
    fn lists_are_those_that_were_pushed() {
        let mut lists = vec![[1, 1], [1, 1], [2, 1], [2, 1], [2, 1], [3, 0]];
        let mut changes = Changes::start(&lists[0]);
        lists[1..].iter().for_each(|list| changes.push(list));
        let check = |changes: &Changes<i32>, lists: &[[i32; 2]]| {
            assert_eq!(changes.len(), lists.len());
            lists.iter().enumerate().for_each(|(n, list)| assert_eq!(changes.list(n), list, "record {n}"));
        };
        check(&changes, &lists);
        for (n, list) in [(3, [7, 7]), (0, [8, 8]), (5, [9, 9]), (3, [2, 1]), (4, [4, 4])] {
            changes.set(n, &list);
            lists[n] = list;
            check(&changes, &lists);
        }
        while lists.len() > 1 {
            changes.pop();
            lists.pop();
            check(&changes, &lists);
        }
    }
}
