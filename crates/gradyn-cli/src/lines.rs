//! A file that grows line by line and can be continued: a first line that says what it is, then results.

use crate::diagnostic::Failure;
use crate::output;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Such a file; nothing is written before `start`.
pub(crate) struct Lines {
    path: PathBuf,
    /// The option that names another file.
    flag: &'static str,
    /// The whole lines that it has, the first one included.
    pub old: Vec<String>,
    /// Bytes of them.
    length: u64,
    /// Half a line at the end, which is ignored.
    half: String,
    file: Option<File>,
}

impl Lines {
    /// Reads what is there; without `resume` there must be nothing.
    pub(crate) fn read(path: &Path, resume: bool, flag: &'static str) -> Result<Self, Failure> {
        // text = what the file has already
        output::check_folder(path)?;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
            Err(e) => {
                let message = format!("{} cannot be read: {e}", path.display());
                return Err(Failure::command(message, format!("give another file by {flag}")));
            }
        };
        // a file is continued only if that is asked for
        if !resume && !text.is_empty() {
            let help = format!(
                "--resume goes on from it; {flag} FILE writes another one; delete it if it is not needed"
            );
            return Err(Failure::command(format!("{} exists", path.display()), help));
        }
        // old = whole lines; what follows them is half a line
        let (whole, half) = text.split_at(text.rfind('\n').map_or(0, |at| at + 1));
        let old = whole.lines().map(str::to_owned).collect();
        let length = whole.len() as u64;
        Ok(Self { path: path.to_owned(), flag, old, length, half: half.into(), file: None })
    }
    /// Removes half a line at the end; an empty file gets its first line. Until the end of the program nobody
    /// else may.
    pub(crate) fn start(&mut self, first: &str) -> Result<(), Failure> {
        if self.length == 0 && !first.starts_with(&self.half) {
            let message = format!("{} is something else: it stays as it is", self.path.display());
            return Err(Failure::command(message, format!("give another file by {}", self.flag)));
        }
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        let file = file.map_err(|e| self.cannot_write(&e))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let message = format!("{} is being written by another run", self.path.display());
            return Err(Failure::command(
                message,
                format!("wait for it, or give another file by {}", self.flag),
            ));
        }
        file.set_len(self.length).map_err(|e| self.cannot_write(&e))?;
        self.file = Some(file);
        if self.length == 0 { self.append(first) } else { Ok(()) }
    }
    /// One more line, written as a whole.
    pub(crate) fn append(&mut self, line: &str) -> Result<(), Failure> {
        let written = self.file.as_mut().map_or(Ok(()), |f| f.write_all(format!("{line}\n").as_bytes()));
        written.map_err(|e| self.cannot_write(&e))
    }
    fn cannot_write(&self, e: &Error) -> Failure {
        let message = format!("{} cannot be written: {e}", self.path.display());
        Failure::command(message, format!("give another file by {}", self.flag))
    }
}
