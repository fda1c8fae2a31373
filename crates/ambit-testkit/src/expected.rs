//! Texts that tests compare with files of the repository: generated pages, help texts, recorded answers. With
//! `AMBIT_UPDATE=1` a test writes the file instead, so that a change of many texts is reviewed as a diff and never
//! typed by hand.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Set to write files instead of comparing them.
pub(crate) const UPDATE: &str = "AMBIT_UPDATE";
/// Set by CI, where a file that is not current is always an error.
const CI: &str = "CI";

/// Compares a text with a file, which is named from the root of the repository, or writes the file where
/// `AMBIT_UPDATE=1` asks for it.
///
/// # Panics
/// If the file is another one or not there, and when CI is asked to write.
#[track_caller]
pub fn assert_file(path: &str, actual: &str) {
    let update = std::env::var_os(UPDATE).is_some_and(|value| value != OsStr::new("0"));
    let in_ci = std::env::var_os(CI).is_some();
    assert!(!(update && in_ci), "{UPDATE} is set in CI, which compares files and writes none: unset it");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if let Err(difference) = compare(&root.join(path), actual, update) {
        panic!(
            "{path} is not current: {difference}\nthis test with {UPDATE}=1 writes it (`cargo xtask docs` writes all \
             of docs/); then read the diff"
        );
    }
}

/// Compares or writes; the error says where the first difference is.
fn compare(path: &Path, actual: &str, write: bool) -> Result<(), String> {
    let expected = fs::read_to_string(path);
    if expected.as_deref().is_ok_and(|expected| expected == actual) {
        return Ok(());
    }
    if write {
        let folder = path.parent().expect("a file stands in a folder");
        return fs::create_dir_all(folder)
            .and_then(|()| fs::write(path, actual))
            .map_err(|error| format!("it cannot be written: {error}"));
    }
    let expected = expected.map_err(|error| error.to_string())?;
    let (mut old, mut new) = (expected.lines(), actual.lines());
    for number in 1.. {
        let (old, new) = (old.next(), new.next());
        if old != new {
            let shown = |line: Option<&str>| line.map_or_else(|| "the end".to_owned(), |line| format!("{line:?}"));
            return Err(format!("line {number} of the file is {}, and now it would be {}", shown(old), shown(new)));
        }
        if old.is_none() {
            break;
        }
    }
    Err("the ends of lines differ".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_compared_or_written() {
        let folder = std::env::temp_dir().join(format!("ambit-expected-{}", uuid::Uuid::new_v4()));
        let file = folder.join("deep/page.txt");
        assert!(compare(&file, "a\nb\n", false).is_err(), "nothing is there");
        assert_eq!(compare(&file, "a\nb\n", true), Ok(()), "it is written, folders and all");
        assert_eq!(compare(&file, "a\nb\n", false), Ok(()));
        let rows = [
            ("a\nc\n", "line 2 of the file is \"b\", and now it would be \"c\""),
            ("a\n", "line 2 of the file is \"b\", and now it would be the end"),
            ("a\nb\n\n", "line 3 of the file is the end, and now it would be \"\""),
            ("a\nb", "the ends of lines differ"),
        ];
        for (actual, difference) in rows {
            assert_eq!(compare(&file, actual, false), Err(difference.to_owned()), "{actual:?}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "a\nb\n", "comparing writes nothing");
        fs::remove_dir_all(folder).unwrap();
    }
}
