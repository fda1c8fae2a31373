//! Names of the parameters that an application takes, gathered from all places that name one. Pure; every list has a
//! limit.

use ambit_model::entity::uri::Parameter;
use std::collections::BTreeMap;

/// Parameters of one application.
const PARAMETERS_MAX: usize = 500;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 64;
/// Paths that are kept of one parameter.
const PATHS_MAX: usize = 3;

/// Where names of parameters stand, in the words of the facts.
pub(crate) const IN_DOCUMENT: &str = "document";
/// No place: it was guessed.
pub(crate) const IN_GUESS: &str = "guess";
pub(crate) const IN_FORM: &str = "form";
pub(crate) const IN_LINK: &str = "link";
pub(crate) const IN_QUERY: &str = "query";
pub(crate) const IN_SCRIPT: &str = "script";

/// The parameters that were met.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    by_name: BTreeMap<String, Parameter>,
    /// Times that one was met for which there was no room.
    pub(crate) left_out: usize,
}

impl Parameters {
    /// Takes up a parameter that was met in a place, for the path that takes it.
    pub(crate) fn add(&mut self, name: &str, place: &str, path: &str) {
        if !is_name(name) {
            return;
        }
        if self.by_name.len() >= PARAMETERS_MAX && !self.by_name.contains_key(name) {
            self.left_out += 1;
            return;
        }
        let known = self.by_name.entry(name.to_owned()).or_insert_with(|| Parameter::named(name));
        known.seen.insert(place.to_owned());
        if known.paths.len() < PATHS_MAX {
            known.paths.insert(path.to_owned());
        }
    }

    /// Takes up what was said of a parameter before.
    pub(crate) fn keep(&mut self, known: &Parameter) {
        if self.by_name.len() < PARAMETERS_MAX || self.by_name.contains_key(&known.name) {
            let kept = self.by_name.entry(known.name.clone()).or_insert_with(|| Parameter::named(&known.name));
            kept.seen.extend(known.seen.iter().cloned());
            for path in &known.paths {
                if kept.paths.len() < PATHS_MAX {
                    kept.paths.insert(path.clone());
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(crate) fn list(&self) -> Vec<Parameter> {
        self.by_name.values().cloned().collect()
    }
}

/// A name as programs have them; what a template or a trap makes is none.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '[' | ']' | '$');
    !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX && name.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_stands_once_with_all_places_that_name_it() {
        let mut met = Parameters::default();
        for (name, place, path) in [
            ("q", IN_FORM, "/search"),
            ("q", IN_QUERY, "/search"),
            ("q", IN_LINK, "/find"),
            ("filter[state]", IN_DOCUMENT, "/api/orders"),
            ("${name}", IN_SCRIPT, "/api/orders"),
            ("", IN_QUERY, "/"),
        ] {
            met.add(name, place, path);
        }
        let list: Vec<String> =
            met.list().iter().map(|one| format!("{} {:?} {:?}", one.name, one.seen, one.paths)).collect();
        assert_eq!(
            list,
            [r#"filter[state] {"document"} {"/api/orders"}"#, r#"q {"form", "link", "query"} {"/find", "/search"}"#,]
        );
    }

    #[test]
    fn a_trap_with_endless_names_is_counted_and_left_out() {
        let mut met = Parameters::default();
        for number in 0..2_000 {
            met.add(&format!("p{number}"), IN_LINK, &format!("/{number}"));
            met.add("q", IN_LINK, &format!("/{number}"));
        }
        assert_eq!((met.len(), met.left_out), (PARAMETERS_MAX, 2_000 - (PARAMETERS_MAX - 1)));
        assert_eq!(met.list().iter().map(|one| one.paths.len()).max(), Some(PATHS_MAX));
    }
}
