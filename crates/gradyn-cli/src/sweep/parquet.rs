//! The finished table of a sweep as a Parquet file: numbers as doubles, empty cells as nulls, words as
//! texts.

use crate::diagnostic::Failure;
use crate::files::Targets;
#[cfg(feature = "parquet")]
use crate::files::{Form, Lines};
use std::path::{Path, PathBuf};

/// Columns that hold texts, in their order at the end of a table.
pub(crate) const TEXTS: [&str; 3] = ["verdict", "warnings", "failed"];

/// The table that grows, if the file that is asked for cannot: `sweep.parquet.csv` for `sweep.parquet`.
pub(crate) fn growing(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".csv");
    name.into()
}

/// The table that grows for any file that is asked for.
pub(crate) fn grown(out: &Path) -> PathBuf {
    if out.extension().is_some_and(|e| e == "parquet") { growing(out) } else { out.to_owned() }
}

/// Is it a Parquet file that is asked for? Refused where this program cannot write one.
pub(crate) fn asked(out: &Path) -> Result<bool, Failure> {
    let asked = out.extension().is_some_and(|e| e == "parquet");
    if asked && !cfg!(feature = "parquet") {
        let message = format!("{}: this gradyn was built without Parquet", out.display());
        return Err(Failure::command(message, "write a .csv, or build with --features gradyn-cli/parquet"));
    }
    Ok(asked)
}

/// The first of the last columns that hold texts.
#[cfg(feature = "parquet")]
fn texts(header: &[String]) -> usize {
    let count = header.iter().rev().zip(TEXTS.iter().rev()).take_while(|(name, text)| name == text).count();
    header.len() - count
}

/// Turns the finished table into the file that is asked for, if that is one.
#[cfg(feature = "parquet")]
pub(crate) fn finish(out: &Path, targets: &Targets) -> Result<(), Failure> {
    if !asked(out)? {
        return Ok(());
    }
    let from = growing(out);
    let fail = |e: &dyn std::fmt::Display| {
        let help = format!("the table is in {}", from.display());
        Failure::command(format!("{} cannot be written: {e}", out.display()), help)
    };
    // rows without checksums, whose column has a name of its own
    let lines = Lines::read(&from, Form::Csv, "--out", true, false)?;
    let mut rows = lines.old.iter().map(String::as_str);
    let first = rows.next().unwrap_or_default();
    let first = if lines.is_sealed() { first.rsplit_once(',').map_or("", |x| x.0) } else { first };
    let text: Vec<&str> = std::iter::once(first).chain(rows).collect();
    let bytes = file::bytes(&text).map_err(|e| fail(&e))?;
    targets.write(out, &bytes)?;
    std::fs::remove_file(&from).map_err(|e| fail(&e))
}

/// Nothing to do: such files are refused.
#[cfg(not(feature = "parquet"))]
pub(crate) fn finish(_: &Path, _: &Targets) -> Result<(), Failure> {
    Ok(())
}

#[cfg(feature = "parquet")]
mod file {
    use parquet::basic::{ConvertedType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::errors::Result;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;
    use std::sync::Arc;

    /// The file of a table of comma-separated values whose last columns may be texts.
    pub(crate) fn bytes(lines: &[&str]) -> Result<Vec<u8>> {
        let mut lines = lines.iter().map(|line| cells(line));
        let header = lines.next().unwrap_or_default();
        let rows: Vec<Vec<String>> = lines.collect();
        // schema = numbers, and texts in the last columns
        let texts = super::texts(&header);
        let field = |(k, name): (usize, &String)| {
            let (physical, converted) = if k >= texts {
                (Physical::BYTE_ARRAY, ConvertedType::UTF8)
            } else {
                (Physical::DOUBLE, ConvertedType::NONE)
            };
            let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
            field.with_converted_type(converted).build().map(Arc::new)
        };
        let fields = header.iter().enumerate().map(field).collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(Type::group_type_builder("sweep").with_fields(fields).build()?);
        let mut out = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut out, schema, Default::default())?;
        let mut group = writer.next_row_group()?;
        let mut k = 0;
        // columns; an empty cell is a null
        while let Some(mut column) = group.next_column()? {
            let cells: Vec<&str> = rows.iter().map(|r| r.get(k).map_or("", String::as_str)).collect();
            let levels: Vec<i16> = cells.iter().map(|c| i16::from(!c.is_empty())).collect();
            let given = cells.into_iter().filter(|c| !c.is_empty());
            if k >= texts {
                let words: Vec<ByteArray> = given.map(ByteArray::from).collect();
                column.typed::<ByteArrayType>().write_batch(&words, Some(&levels), None)?;
            } else {
                let numbers: Vec<f64> = given.map(|c| c.parse().unwrap_or(f64::NAN)).collect();
                column.typed::<DoubleType>().write_batch(&numbers, Some(&levels), None)?;
            }
            column.close()?;
            k += 1;
        }
        group.close()?;
        writer.close()?;
        Ok(out)
    }

    /// The cells of a line; a cell in quotes may have commas, and quotes twice.
    fn cells(line: &str) -> Vec<String> {
        let mut list = vec![String::new()];
        let mut quoted = false;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            let cell = list.last_mut();
            match c {
                '"' if quoted && chars.peek() == Some(&'"') => {
                    chars.next();
                    cell.into_iter().for_each(|x| x.push('"'));
                }
                '"' => quoted = !quoted,
                ',' if !quoted => list.push(String::new()),
                c => cell.into_iter().for_each(|x| x.push(c)),
            }
        }
        list
    }
}
