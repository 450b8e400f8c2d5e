//! A file that grows line by line and can be continued: a first line that says what it is, then results.
//!
//! ```text
//! {"gradyn":…,"source":…,"check":"c₁"}        L_s1,psi,failed,model … check c₁
//! {"evaluation":1,…,"check":"c₂"}             2.5,0.1,,c₂
//! ```
//! The checksum c_k is that of all lines up to k, without the checksums: a line that was changed, lost, put
//! elsewhere or added breaks it there. Files without checksums are older, and stay without them.

use super::{Checksum, check_folder, is_special, whole};
use crate::diagnostic::Failure;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How a line has its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A last key of an object.
    Json,
    /// A last cell, in the first line the end of its name.
    Csv,
}

impl Form {
    /// What stands before and after the sixteen digits.
    fn around(self, first: bool) -> (&'static str, &'static str) {
        match self {
            Self::Json => (",\"check\":\"", "\"}"),
            Self::Csv if first => (" check ", ""),
            Self::Csv => (",", ""),
        }
    }
    /// A line with its checksum.
    fn sealed(self, line: &str, sum: Checksum, first: bool) -> String {
        let (before, after) = self.around(first);
        let open = if self == Self::Json { line.strip_suffix('}').unwrap_or(line) } else { line };
        format!("{open}{before}{}{after}", sum.text())
    }
    /// A line and its checksum, if it has one.
    fn opened(self, line: &str, first: bool) -> Option<(String, &str)> {
        let (before, after) = self.around(first);
        let (open, sum) = line.strip_suffix(after)?.rsplit_once(before)?;
        let digits = sum.len() == 16 && sum.bytes().all(|b| b.is_ascii_hexdigit());
        digits.then(|| (if self == Self::Json { format!("{open}}}") } else { open.into() }, sum))
    }
}

/// Such a file; nothing is written before `start`.
pub(crate) struct Lines {
    path: PathBuf,
    /// The option that names another file.
    flag: &'static str,
    form: Form,
    /// The whole lines that it has without their checksums, the first one included.
    pub old: Vec<String>,
    /// The checksum of the last line; nothing in a file without them.
    sum: Option<Checksum>,
    /// Bytes of whole lines.
    length: u64,
    /// Half a line at the end, which is ignored.
    half: Vec<u8>,
    /// Is it a pipe or a device?
    special: bool,
    /// May it take the place of an old file?
    replaces: bool,
    /// Has it been begun here?
    made: bool,
    file: Option<File>,
}

impl Lines {
    /// Reads what is there; without `resume` there must be nothing, or it is to be replaced.
    pub(crate) fn read(
        path: &Path,
        form: Form,
        flag: &'static str,
        resume: bool,
        replace: bool,
    ) -> Result<Self, Failure> {
        // bytes = what the file has already
        check_folder(path)?;
        let special = is_special(path);
        let other = format!("give another file by {flag}");
        if special && resume {
            let message = format!("{} is a pipe or a device: it cannot be continued", path.display());
            return Err(Failure::command(message, other));
        }
        let replaces = replace && !resume && !special;
        let bytes = if special || replaces { vec![] } else { content(path, &other)? };
        // a file is continued only if that is asked for
        if !resume && !bytes.is_empty() {
            let help = format!(
                "--resume goes on from it, --overwrite begins it anew; {flag} FILE writes another one"
            );
            return Err(Failure::command(format!("{} exists", path.display()), help));
        }
        // whole lines; what follows them is half a line
        let end = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let (whole, half) = bytes.split_at(end);
        let (old, sum) = opened(path, form, whole)?;
        let length = whole.len() as u64;
        let half = half.to_vec();
        let path = path.to_owned();
        Ok(Self { path, flag, form, old, sum, length, half, special, replaces, made: false, file: None })
    }
    /// Has it the checksums of its lines?
    pub(crate) fn is_sealed(&self) -> bool {
        self.sum.is_some()
    }
    /// Removes half a line at the end; an empty file gets its first line. Until the end of the program nobody
    /// else may.
    pub(crate) fn start(&mut self, first: &str) -> Result<(), Failure> {
        // a file of something else, or of another run
        let sealed = self.form.sealed(first, Checksum::of(first), true);
        if self.length == 0 && !format!("{sealed}\n").as_bytes().starts_with(&self.half) {
            let message = format!("{} is something else: it stays as it is", self.path.display());
            return Err(Failure::command(message, format!("give another file by {}", self.flag)));
        }
        // an old file makes room for the first line of a new one
        let file = self.locked()?;
        let known = self.length + self.half.len() as u64;
        let there = if self.special { known } else { file.metadata().map_or(known, |m| m.len()) };
        if self.replaces && there > 0 {
            return self.begin_anew(first, &sealed);
        }
        // what was read is what is there; half a line is cut off
        if there != known {
            let message = format!("{} was written by another run just now", self.path.display());
            return Err(Failure::command(message, "do the same again"));
        }
        let cut = if self.special { Ok(()) } else { file.set_len(self.length) };
        cut.map_err(|e| self.cannot_write(&e))?;
        self.file = Some(file);
        if self.length == 0 {
            self.sum = Some(Checksum::EMPTY);
            self.made = true;
            self.append(&[first])?;
            whole::sync_folder(&self.path);
        }
        Ok(())
    }
    /// Puts a new file with its first line in the place of an old one, which is locked here.
    fn begin_anew(&mut self, first: &str, sealed: &str) -> Result<(), Failure> {
        let line = format!("{sealed}\n");
        whole::write(&self.path, line.as_bytes(), true).map_err(|e| self.cannot_write(&e))?;
        self.length = line.len() as u64;
        self.sum = Some(Checksum::of(first));
        self.made = true;
        self.file = Some(self.locked()?);
        Ok(())
    }
    /// The file, which no other run may write.
    fn locked(&self) -> Result<File, Failure> {
        let file = OpenOptions::new().create(!self.special).append(true).open(&self.path);
        let file = file.map_err(|e| self.cannot_write(&e))?;
        if !self.special && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message = format!("{} is being written by another run", self.path.display());
            let help = format!("wait for it, or give another file by {}", self.flag);
            return Err(Failure::command(message, help));
        }
        Ok(file)
    }
    /// More lines, on the disk as a whole.
    pub(crate) fn append(&mut self, lines: &[impl AsRef<str>]) -> Result<(), Failure> {
        // text = the lines with their checksums
        let mut text = String::new();
        for line in lines.iter().map(AsRef::as_ref) {
            let first = self.sum == Some(Checksum::EMPTY);
            self.sum = self.sum.map(|sum| sum.then(line));
            let sealed = self.sum.map(|sum| self.form.sealed(line, sum, first));
            text += &sealed.unwrap_or_else(|| line.to_owned());
            text.push('\n');
        }
        // a part of it is taken back
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = file.write_all(text.as_bytes());
        let synced = if self.special { written } else { written.and_then(|()| file.sync_data()) };
        if synced.is_err() && !self.special {
            let _ = file.set_len(self.length);
        }
        synced.map_err(|e| self.cannot_write(&e))?;
        self.length += text.len() as u64;
        Ok(())
    }
    /// Removes the file again, if it has been made here and has nothing but its first line.
    pub(crate) fn forget(&mut self) {
        if self.file.take().is_some() && self.made && !self.special {
            let _ = std::fs::remove_file(&self.path);
        }
    }
    fn cannot_write(&self, e: &Error) -> Failure {
        super::cannot_write(&self.path, e, &format!("give another file by {}", self.flag))
    }
}

/// The bytes of a file that may be there.
fn content(path: &Path, help: &str) -> Result<Vec<u8>, Failure> {
    match std::fs::read(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(vec![]),
        read => read.map_err(|e| Failure::command(format!("{} cannot be read: {e}", path.display()), help)),
    }
}

/// Whole lines without their checksums, and the last of these.
fn opened(path: &Path, form: Form, whole: &[u8]) -> Result<(Vec<String>, Option<Checksum>), Failure> {
    let wrong = |line: usize, what: &str| {
        let message = format!("{}, line {}: {what}", path.display(), line + 1);
        Failure::command(message, "remove this line and those below it, and resume")
    };
    // lines, and is there a checksum in one of them?
    let text = std::str::from_utf8(whole).map_err(|e| {
        let line = whole[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        wrong(line, "it was changed: this is no text")
    })?;
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    if !lines.iter().enumerate().any(|(k, line)| form.opened(line, k == 0).is_some()) {
        return Ok((lines.into_iter().map(str::to_owned).collect(), None));
    }
    // c_k of each of them
    let mut old = vec![];
    let mut sum = Checksum::EMPTY;
    for (k, line) in lines.into_iter().enumerate() {
        let (line, given) = form.opened(line, k == 0).ok_or_else(|| wrong(k, "it has no checksum"))?;
        sum = sum.then(&line);
        if given != sum.text() {
            return Err(wrong(k, "it was changed, or lines were put elsewhere: its checksum is another"));
        }
        old.push(line);
    }
    Ok((old, Some(sum)))
}
