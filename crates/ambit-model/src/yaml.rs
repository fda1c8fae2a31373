//! Documents in YAML that others wrote, read within limits.

use serde_json::Value;
use serde_saphyr::Error;

/// Values of a document at most where its reader has no limit of its own.
pub const NODES_MAX: usize = 250_000;
/// Characters of the text of a fault.
const FAULT_CHARS_MAX: usize = 200;

/// Why a document was not read.
#[derive(Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The line of the fault, counted from 1.
    pub line: usize,
    /// What is wrong, in one line without control characters; `None` where the document is larger, is nested deeper, or
    /// repeats more by its anchors, than the limits allow. Brackets within 255 others are a fault to the parser itself.
    pub fault: Option<String>,
}

/// Reads a document of at most so many values; each is counted as often as an anchor repeats it. Fails where the text
/// is no YAML or exceeds a limit.
pub fn parse(text: &str, nodes_max: usize) -> Result<Value, YamlError> {
    let options = serde_saphyr::options! {
        with_snippet: false,
        // Each value has at most a beginning and an end; a document has some more.
        budget: serde_saphyr::budget! { max_events: nodes_max.saturating_mul(4), max_nodes: nodes_max },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| YamlError {
        line: error.location().map_or(1, |location| usize::try_from(location.line()).unwrap_or(usize::MAX)),
        fault: (!is_beyond_limits(&error)).then(|| fault(&error)),
    })
}

fn fault(error: &Error) -> String {
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default().chars().take(FAULT_CHARS_MAX);
    first.map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Returns whether a limit of the reader ended it.
fn is_beyond_limits(mut error: &Error) -> bool {
    while let Error::AliasError { error: inner, .. } | Error::WithSnippet { error: inner, .. } = error {
        error = inner;
    }
    matches!(
        error,
        Error::Budget { .. }
            | Error::AliasReplayCounterOverflow { .. }
            | Error::AliasReplayLimitExceeded { .. }
            | Error::AliasExpansionLimitExceeded { .. }
            | Error::AliasReplayStackDepthExceeded { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_read_and_a_fault_has_its_line() {
        assert_eq!(parse("a: 1\nb: [x, true]", NODES_MAX), Ok(json!({"a": 1, "b": ["x", true]})));
        let error = parse("a: 1\nb: [x", NODES_MAX).unwrap_err();
        assert!(error.line >= 2 && error.fault.is_some(), "{error:?}");
    }

    #[test]
    fn what_is_too_large_is_told_from_what_is_wrong() {
        let long = format!("[{}]", "1, ".repeat(100));
        assert_eq!(parse(&long, 50).unwrap_err().fault, None);
        assert!(parse(&long, NODES_MAX).is_ok());
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(parse(&deep, NODES_MAX).unwrap_err().fault, None);
        let repeated = (0..20).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
            format!("{text}a{0}: &a{0} [*a{level}, *a{level}, *a{level}, *a{level}]\n", level + 1)
        });
        assert_eq!(parse(&repeated, NODES_MAX).unwrap_err().fault, None);
    }
}
