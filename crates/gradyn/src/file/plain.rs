//! Files that a model file names: plain ones below its folder.

use gradyn_model::ModelError;
use std::io::{Error, Read};
use std::path::{Path, PathBuf};

/// Largest model file, record or list of samples [bytes].
pub const LARGEST: u64 = 64 << 20;

/// The text of a plain file of at most [`LARGEST`] bytes, below a folder if it may not be anywhere. The
/// errors say why it is not read, and not which file it is.
pub fn plain(path: &Path, folder: &Path, anywhere: bool) -> Result<String, ModelError> {
    let fail = |e: Error| ModelError::new(e.to_string());
    // true path, without links
    let real = path.canonicalize().map_err(fail)?;
    if !anywhere && !real.starts_with(canonical(folder).map_err(fail)?) {
        let e = ModelError::new("it is not below the folder of the model");
        return Err(e.help("move it there, or allow other folders by --allow-path"));
    }
    // a pipe or a device may have no end
    let size = real.metadata().map_err(fail)?;
    if !size.is_file() {
        return Err(ModelError::new("it is no plain file"));
    }
    // one byte more than there may be, should it grow
    let mut bytes = vec![];
    if size.len() <= LARGEST {
        let file = std::fs::File::open(&real).map_err(fail)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(fail)?;
    }
    if size.len().max(bytes.len() as u64) > LARGEST {
        return Err(ModelError::new(format!("it has more than {LARGEST} bytes")).help("take a part of it"));
    }
    String::from_utf8(bytes).map_err(|_| ModelError::new("it is no text in UTF-8"))
}

/// A folder without links; the empty path is the current one.
fn canonical(folder: &Path) -> Result<PathBuf, Error> {
    if folder.as_os_str().is_empty() { Path::new(".").canonicalize() } else { folder.canonicalize() }
}
