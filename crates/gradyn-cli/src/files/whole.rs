//! A file that is there as a whole or not at all, whenever the program or the machine stops.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Temporary files that one program may leave behind in a folder.
const MOST_LEFT: usize = 1000;

/// Writes a file; `replace` says whether one may be there already. A pipe or a device is written directly.
pub(super) fn write(path: &Path, bytes: &[u8], replace: bool) -> Result<()> {
    // target = the file itself where the path is a link; what is known of it
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let permissions = match fs::metadata(&target) {
        Ok(old) if !old.is_file() => return OpenOptions::new().write(true).open(&target)?.write_all(bytes),
        Ok(_) if !replace => return Err(ErrorKind::AlreadyExists.into()),
        Ok(old) if old.permissions().readonly() => return Err(ErrorKind::PermissionDenied.into()),
        Ok(old) => Some(old.permissions()),
        Err(_) => None,
    };
    // temporary file beside it, then the name
    let (temporary, file) = temporary(&target)?;
    let done = fill(file, bytes, permissions).and_then(|()| put(&temporary, &target, replace));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// A new file in the folder of the target.
fn temporary(target: &Path) -> Result<(PathBuf, File)> {
    let id = std::process::id();
    for k in 0..MOST_LEFT {
        let path = target.with_file_name(format!(".gradyn-{id}-{k}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            file => return Ok((path, file?)),
        }
    }
    Err(Error::other("there are too many temporary files in its folder"))
}

/// Everything of the file on the disk.
fn fill(mut file: File, bytes: &[u8], permissions: Option<Permissions>) -> Result<()> {
    file.write_all(bytes)?;
    permissions.map_or(Ok(()), |p| file.set_permissions(p))?;
    file.sync_all()
}

/// Gives the temporary file the name of the target.
fn put(temporary: &Path, target: &Path, replace: bool) -> Result<()> {
    // a link fails where another program has made the target since, where renaming would replace it
    match if replace { Err(ErrorKind::Unsupported.into()) } else { fs::hard_link(temporary, target) } {
        Ok(()) => fs::remove_file(temporary)?,
        Err(e) if e.kind() == ErrorKind::AlreadyExists => return Err(e),
        Err(_) => fs::rename(temporary, target)?,
    }
    sync_folder(target);
    Ok(())
}

/// The name too is on the disk, where the system can say so of folders.
pub(super) fn sync_folder(target: &Path) {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
