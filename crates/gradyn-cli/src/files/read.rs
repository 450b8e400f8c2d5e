//! Files that the command reads.

use crate::diagnostic::Failure;
use gradyn::file::LARGEST;
use std::io::Read;
use std::path::Path;

/// The text of a model file, or of what a pipe has in its place.
pub(crate) fn model(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    let fail = |what: String, help: &str| Failure::command(format!("{name} cannot be read: {what}"), help);
    let example = "`gradyn example five_bar` prints a model to start from";
    // one byte more than there may be
    let mut bytes = vec![];
    let file = std::fs::File::open(path).map_err(|e| fail(e.to_string(), example))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| fail(e.to_string(), example))?;
    if bytes.len() as u64 > LARGEST {
        return Err(fail(format!("it has more than {LARGEST} bytes"), "a model is a text of some kilobytes"));
    }
    String::from_utf8(bytes).map_err(|_| fail("it is no text in UTF-8".into(), example))
}

/// The text of a plain file below the folder of the model, or anywhere.
pub(crate) fn beside(path: &Path, model: &Path, anywhere: bool) -> Result<String, Failure> {
    let folder = model.parent().unwrap_or(Path::new(""));
    gradyn::file::plain(path, folder, anywhere).map_err(|e| {
        let message = format!("{} cannot be read: {}", path.display(), e.message);
        Failure::command(message, e.help.unwrap_or_default())
    })
}
