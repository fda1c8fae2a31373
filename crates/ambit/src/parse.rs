//! Reading the arguments: single-dash long spellings are accepted, and every refusal is one line that names the thing.

use crate::commands::Cli;
use crate::failure::{Failure, Result};
use clap::{CommandFactory as _, Parser as _};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// Parses the arguments. `Ok(None)` means that help or the version was printed.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Cli>> {
    let long = long_names(&Cli::command());
    let arguments: Vec<OsString> = arguments.into_iter().map(|argument| widen(argument, &long)).collect();
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => Ok(Some(cli)),
        Err(error) if !error.use_stderr() => {
            // Help goes to standard output; a closed pipe there is no error of ours.
            error.print().ok();
            Ok(None)
        }
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.print().ok();
            Err(Failure::silent(crate::failure::USAGE))
        }
        Err(error) => Err(Failure::usage(one_line(&error, &named(&arguments)))),
    }
}

/// `-jsonl` becomes `--jsonl` where such a long name exists; short flags stay.
fn widen(argument: OsString, long: &BTreeSet<String>) -> OsString {
    let Some(text) = argument.to_str() else { return argument };
    let Some(name) = text.strip_prefix('-').filter(|name| name.len() > 1 && !name.starts_with('-')) else {
        return argument;
    };
    let name = name.split('=').next().unwrap_or(name);
    if long.contains(name) { OsString::from(format!("-{text}")) } else { argument }
}

fn long_names(command: &clap::Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(long_names)).chain(["help".to_owned(), "version".to_owned()]).collect()
}

/// The command that the arguments name, as one would type it.
fn named(arguments: &[OsString]) -> String {
    let root = Cli::command();
    let (mut command, mut words) = (&root, vec![root.get_name().to_owned()]);
    for argument in arguments.iter().skip(1).filter_map(|argument| argument.to_str()) {
        if let Some(inner) = command.find_subcommand(argument) {
            words.push(inner.get_name().to_owned());
            command = inner;
        }
    }
    words.join(" ")
}

/// What the standard library says of texts that are no number, which names no remedy.
const NO_NUMBER: &[&str] = &["invalid digit found in string", "number too large to fit in target type"];

/// The message without its prefix in one line, with the remedy that clap suggests and the help of the command. `named`
/// is the command where the message does not name it.
fn one_line(error: &clap::Error, named: &str) -> String {
    let text = error.render().to_string();
    let mut said = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        let goes_on = said.ends_with(':') || line.starts_with(['[', '<', '-']);
        said.push_str(if said.is_empty() {
            ""
        } else if goes_on {
            " "
        } else {
            "; "
        });
        said.push_str(line.trim_start_matches("error: ").trim_start_matches("tip: "));
    }
    for of_a_number in NO_NUMBER {
        said = said.replace(of_a_number, "expected a whole number");
    }
    let usage = text.lines().find_map(|line| line.trim().strip_prefix("Usage:")).unwrap_or(named);
    let is_command = |word: &&str| !word.starts_with(['[', '<', '-']);
    let command: Vec<&str> = usage.split_whitespace().take_while(is_command).collect();
    format!("{said}; see `{} --help`", command.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Option<Cli>> {
        parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn single_dash_long_spellings_are_accepted() {
        let cli = parsed(&["ambit", "demo", "-once", "-jsonl", "-silent"]).expect("parses").expect("is a command");
        assert!(cli.silent);
        let crate::commands::Command::Demo(demo) = cli.command else { panic!("not demo") };
        assert!(demo.once && demo.output.jsonl);
    }

    #[test]
    fn refusals_are_one_line_that_names_the_thing() {
        for (arguments, word) in [
            (
                vec!["ambit", "demo", "--frobnicate"],
                "unexpected argument '--frobnicate' found; see `ambit demo --help`",
            ),
            (vec!["ambit", "juggle"], "unrecognized subcommand 'juggle'; see `ambit --help`"),
            (
                vec!["ambit", "entites"],
                "unrecognized subcommand 'entites'; some similar subcommands exist: 'entity', 'entities'; see `ambit \
                 --help`",
            ),
            (vec!["/opt/ambit-0.1", "juggle"], "see `ambit-0.1 --help`"),
            (vec!["ambit", "serve", "--listen"], "--listen"),
            (vec!["ambit", "run", "show", "first"], "'first' for '<RUN>': expected a whole number; see"),
            (vec!["ambit", "scan", "--level", "loud", "acme.test"], "see `ambit scan --help`"),
            (
                vec!["ambit", "collection", "update", "Outside", "--cron", "soon"],
                "see `ambit collection update --help`",
            ),
            (
                vec!["ambit", "role", "project", "acme"],
                "the following required arguments were not provided: <USER> <ROLE>; see `ambit role project --help`",
            ),
        ] {
            let failure = parsed(&arguments).expect_err("is refused");
            assert_eq!(failure.code, crate::failure::USAGE);
            let text = failure.to_string();
            assert!(text.contains(word), "{text}");
            assert!(!text.contains('\n'), "{text}");
        }
    }
}
