//! An option of a method: its name, what it takes, and how a value of it is read.

use super::OPTIONS;
use crate::error::Error;
use gradyn_model::error::nearest;

/// The numbers that an option takes, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest number allowed.
    pub least: f64,
    /// The largest number allowed.
    pub most: f64,
    /// Whole numbers only?
    pub whole: bool,
}

impl Range {
    /// Is a number one of them?
    pub fn contains(self, x: f64) -> bool {
        (self.least..=self.most).contains(&x) && (!self.whole || x.fract() == 0.0)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let plain = |x: f64| match x {
            x if x == 1.0 / 3.0 => "1/3".into(),
            x if x == 0.0 || (1e-2..1e4).contains(&x.abs()) => format!("{x}"),
            x => format!("{x:e}"),
        };
        write!(f, "{} to {}{}", plain(self.least), plain(self.most), if self.whole { ", whole" } else { "" })
    }
}

/// An option of `--option NAME=VALUE`.
pub struct OptionEntry {
    /// Name on the command line and in model files.
    pub name: &'static str,
    /// The default, as text.
    pub default: &'static str,
    /// The numbers that it takes; `None`: it takes words.
    pub range: Option<Range>,
    /// What it is, in one sentence.
    pub about: &'static str,
}

impl OptionEntry {
    pub(super) const fn words(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self { name, default, range: None, about }
    }
    pub(super) const fn number(
        name: &'static str,
        default: &'static str,
        [least, most]: [f64; 2],
        about: &'static str,
    ) -> Self {
        Self { name, default, range: Some(Range { least, most, whole: false }), about }
    }
    pub(super) const fn whole(
        name: &'static str,
        default: &'static str,
        [least, most]: [f64; 2],
        about: &'static str,
    ) -> Self {
        Self { name, default, range: Some(Range { least, most, whole: true }), about }
    }
    /// The option of that name.
    pub fn find(name: &str) -> Result<&'static Self, Error> {
        OPTIONS.iter().find(|o| o.name == name).ok_or_else(|| {
            let names: Vec<&str> = OPTIONS.iter().map(|o| o.name).collect();
            let hint = nearest(name, names.iter().copied())
                .map_or(String::new(), |n| format!("did you mean `{n}`? "));
            Error::method(
                format!("there is no option `{name}`"),
                format!("{hint}valid: {}", names.join(", ")),
            )
        })
    }
    /// A value that it does not take.
    pub fn refuse(&self, value: &str) -> Error {
        let range = self.range.map_or(String::new(), |r| format!(": it takes numbers from {r}"));
        let help = format!("{}; default {}", self.about, self.default);
        Error::method(format!("option {}: `{value}` does not fit{range}", self.name), help)
    }
    /// A number in its range; of an option that takes words 0.
    pub fn parse(&self, value: &str) -> Result<f64, Error> {
        let Some(range) = self.range else { return Ok(0.0) };
        number(value).filter(|x| range.contains(*x)).ok_or_else(|| self.refuse(value))
    }
}

/// A number or a fraction.
fn number(value: &str) -> Option<f64> {
    let one = |x: &str| x.trim().parse::<f64>().ok();
    value.split_once('/').map_or_else(|| one(value), |(a, b)| Some(one(a)? / one(b)?))
}
