//! How often each kind of warning came: in one design, or in all designs of a study.

use gradyn_model::{Warning, WarningCode};
use std::fmt;

/// Kinds of warnings with how often each of them came, in the order of [`WarningCode::ALL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: Vec<(WarningCode, usize)>,
}

impl Tally {
    /// The kinds of some warnings.
    pub fn of<'a>(warnings: impl IntoIterator<Item = &'a Warning>) -> Self {
        let mut new = Self::default();
        warnings.into_iter().for_each(|w| new.add(w.code, 1));
        new
    }
    /// Counts a kind `times` more.
    pub fn add(&mut self, code: WarningCode, times: usize) {
        let place = |code: WarningCode| WarningCode::ALL.iter().position(|c| *c == code);
        match self.counts.iter_mut().find(|c| c.0 == code) {
            Some(known) => known.1 += times,
            None => self.counts.push((code, times)),
        }
        self.counts.sort_by_key(|c| place(c.0));
    }
    /// Counts every kind of a design once, however often the design warns of it.
    pub fn add_design(&mut self, design: &Self) {
        design.iter().for_each(|(code, _)| self.add(code, 1));
    }
    /// Kinds and counts.
    pub fn iter(&self) -> impl Iterator<Item = (WarningCode, usize)> {
        self.counts.iter().copied()
    }
    /// Is there no warning?
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

/// `drift 1; stiff 2`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let words: Vec<String> = self.iter().map(|(code, count)| format!("{code} {count}")).collect();
        f.write_str(&words.join("; "))
    }
}
