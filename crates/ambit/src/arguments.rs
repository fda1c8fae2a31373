//! Passwords on the command line: everybody on the machine reads those, so that the program begins anew without them.

use crate::config::{DATABASE_FLAG, without_passwords};
use crate::output::hint;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;

const FLAG: &str = "--database";

/// The arguments without `--database URL`, and the URL, where that holds a password.
fn without_database(arguments: &[OsString]) -> Option<(Vec<OsString>, String)> {
    let mut rest = Vec::new();
    let mut url = None;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        // Single-dash spellings are accepted, too.
        let text = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).map(|name| format!("--{name}"));
        match text.as_deref() {
            Some(FLAG) => url = Some(arguments.next()?.to_str()?.to_owned()),
            Some(text) if text.starts_with("--database=") => url = Some(text["--database=".len()..].to_owned()),
            Some("--") => {
                rest.push(argument.clone());
                rest.extend(arguments.by_ref().cloned());
            }
            _ => rest.push(argument.clone()),
        }
    }
    let url = url.filter(|url| without_passwords(url) != *url)?;
    Some((rest, url))
}

/// Restarts the program without the password on its command line, and continues if that fails. Prints once what to do
/// instead.
pub(crate) fn hide_password() {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let Some((rest, url)) = without_database(&arguments) else { return };
    hint(
        "ambit: --database holds a password, which others could read for a moment: use AMBIT_DATABASE or \
         AMBIT_DATABASE_FILE, which are not visible to other users",
    );
    let Ok(program) = std::env::current_exe() else { return };
    // Comes back only where it fails; then the command goes on as it was typed.
    let _ = std::process::Command::new(program).args(&rest[1..]).env(DATABASE_FLAG, url).exec();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(arguments: &[&str]) -> Option<(String, String)> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        without_database(&arguments)
            .map(|(rest, url)| (rest.join(OsString::from(" ").as_os_str()).to_string_lossy().into_owned(), url))
    }

    #[test]
    fn a_password_is_taken_out_of_the_arguments_and_nothing_else() {
        let url = "postgres://a:b@c/d";
        let work = Some(("ambit work -v".to_owned(), url.to_owned()));
        assert_eq!(hidden(&["ambit", "work", "--database", url, "-v"]), work);
        assert_eq!(hidden(&["ambit", "work", &format!("--database={url}"), "-v"]), work);
        assert_eq!(hidden(&["ambit", "work", "-database", url, "-v"]), work);
        for harmless in [
            &["ambit", "work", "--database", "postgres://a@c/d"][..],
            &["ambit", "work", "--database"],
            &["ambit", "scan", "--", "--database", url],
            &["ambit", "scan", "acme.test"],
        ] {
            assert_eq!(hidden(harmless), None, "{harmless:?}");
        }
    }
}
