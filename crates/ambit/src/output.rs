//! Where results go: standard output or a file, one per line. Progress, logs and hints go to standard error, elsewhere.

pub(crate) mod apps;
pub(crate) mod assessments;
pub(crate) mod course;
pub(crate) mod evidence;
pub(crate) mod interfaces;
pub(crate) mod lines;
pub(crate) mod records;
pub(crate) mod report;
pub(crate) mod table;
pub(crate) mod truth;

use crate::failure::{Failure, Result};
use crate::output::table::{items, shown};
use ambit_model::hidden::is_hidden;
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A place for results. A closed pipe ends the program quietly: the reader has what it wanted.
pub(crate) struct Results {
    writer: BufWriter<Box<dyn Write + Send>>,
    /// Where results go to a file: it takes its place when everything is in it.
    draft: Option<Draft>,
    /// The command goes on where nobody reads its results any more.
    goes_on: bool,
}

/// A temporary file beside the requested one. It is removed unless it replaces that: a command that fails leaves the
/// earlier content.
struct Draft {
    path: PathBuf,
    target: PathBuf,
}

impl Results {
    /// Standard output, or the named file; a device or pipe of that name is written as it is.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self { writer: BufWriter::new(Box::new(io::stdout())), draft: None, goes_on: false });
        };
        let (file, draft) = created(path).map_err(|error| unwritable(path, &error))?;
        Ok(Self { writer: BufWriter::new(Box::new(file)), draft, goes_on: false })
    }

    /// The same for a command that goes on where nobody reads its results any more: it has more to do than to print.
    pub(crate) fn going_on(self) -> Self {
        Self { goes_on: true, ..self }
    }

    fn written(&self, written: io::Result<()>) -> Result<()> {
        match written {
            Err(error) if self.goes_on && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.or_else(ended),
        }
    }

    /// One line.
    pub(crate) fn line(&mut self, line: &str) -> Result<()> {
        let written = self.writer.write_all(line.as_bytes()).and_then(|()| self.writer.write_all(b"\n"));
        self.written(written)
    }

    /// Text as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        let written = self.writer.write_all(text.as_bytes());
        self.written(written)
    }

    /// One JSON object on a line.
    pub(crate) fn json(&mut self, value: &Value) -> Result<()> {
        self.line(&value.to_string())
    }

    /// A row of a list: as JSON, or as a person reads it.
    pub(crate) fn row(&mut self, row: &Value, jsonl: bool, line: impl Fn(&Value) -> String) -> Result<()> {
        if jsonl { self.json(row) } else { self.line(&line(row)) }
    }

    /// Each row of a list.
    pub(crate) fn rows(&mut self, rows: &Value, jsonl: bool, line: impl Fn(&Value) -> String) -> Result<()> {
        items(rows).try_for_each(|row| self.row(row, jsonl, &line))
    }

    /// Members of a record, each with a word before it; those that are empty are left out.
    pub(crate) fn members<'a>(
        &mut self,
        record: &Value,
        width: usize,
        members: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<()> {
        for (word, path) in members {
            let value = shown(record, path);
            if !value.is_empty() {
                self.line(&format!("  {word:<width$} {value}"))?;
            }
        }
        Ok(())
    }

    /// Everything is out.
    pub(crate) fn finish(mut self) -> Result<()> {
        let written = self.writer.flush();
        self.written(written)?;
        self.draft.as_ref().map_or(Ok(()), Draft::take_place)
    }
}

impl Draft {
    fn take_place(&self) -> Result<()> {
        // A file that is mounted by itself cannot be replaced, but written.
        let placed = fs::rename(&self.path, &self.target).or_else(|_| fs::copy(&self.path, &self.target).map(|_| ()));
        placed.map_err(|error| unwritable(&self.target, &error))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After the renaming there is none.
        fs::remove_file(&self.path).ok();
    }
}

fn created(path: &Path) -> io::Result<(File, Option<Draft>)> {
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let before = match fs::metadata(&target) {
        Ok(before) if before.is_file() => Some(before),
        // Never a device; a folder is refused here.
        Ok(_) => return Ok((OpenOptions::new().write(true).open(&target)?, None)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let draft = Draft { path: target.with_file_name(format!(".{name}.{}", std::process::id())), target };
    let file = File::create(&draft.path)?;
    if let Some(before) = before {
        fs::set_permissions(&draft.path, before.permissions())?;
    }
    Ok((file, Some(draft)))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::run_time(format!("cannot write {}: {error}", path.display()))
}

/// Writes bytes to standard output.
pub(crate) fn write_all(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).or_else(ended)
}

fn ended(error: io::Error) -> Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Err(Failure::silent(0));
    }
    Err(Failure::run_time(format!("cannot write results: {error}")))
}

/// A line for the person at the terminal. Standard error may be closed; nothing is lost by that.
pub(crate) fn hint(text: &str) {
    writeln!(io::stderr().lock(), "{text}").ok();
}

/// Text from outside, made harmless for a terminal: hidden characters become visible escapes.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_its_place_when_everything_is_in_it() {
        let folder = std::env::temp_dir().join(format!("ambit-output-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("can be made");
        let file = folder.join("out.txt");
        fs::write(&file, "before").expect("can be written");
        let mut results = Results::open(Some(&file)).expect("opens");
        results.line("half").expect("is written");
        drop(results);
        assert_eq!(fs::read_to_string(&file).expect("is there"), "before", "a command that failed leaves it");
        let mut results = Results::open(Some(&file)).expect("opens");
        results.line("whole").expect("is written");
        results.finish().expect("is placed");
        assert_eq!(fs::read_to_string(&file).expect("is there"), "whole\n");
        assert_eq!(fs::read_dir(&folder).expect("is there").count(), 1, "no draft is left");
        for wrong in [folder.join("none/out.txt"), folder.clone()] {
            let failure = Results::open(Some(&wrong)).err().expect("is refused");
            assert!(failure.to_string().contains(&*wrong.to_string_lossy()), "{failure}");
        }
        Results::open(Some(Path::new("/dev/null"))).expect("opens").finish().expect("a device stays");
        fs::remove_dir_all(&folder).expect("is ours");
    }

    #[test]
    fn nothing_from_outside_reaches_the_terminal_raw() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c"), "a\\u{1b}[31mb\\u{202e}c");
        assert_eq!(plain("a\u{61c}b\u{2028}c\u{ad}\u{e0041}"), r"a\u{61c}b\u{2028}c\u{ad}\u{e0041}");
        assert_eq!(plain("grüße"), "grüße");
    }
}
