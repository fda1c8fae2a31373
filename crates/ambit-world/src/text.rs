//! From bytes of a world file to statements: lines, words, quotes, comments, and the `{1..40}` repetition. Knows no
//! keyword.

mod repeat;

use crate::problem::Fault;
use repeat::Repetition;

/// Longest file, in bytes: a hundred times the demo; what is larger is not a world that a person wrote.
pub(crate) const FILE_BYTES_MAX: usize = 16 << 20;
/// Longest line, in bytes.
const LINE_BYTES_MAX: usize = 256 << 10;
/// Statements and body lines after repetition: a bound on memory.
const LINES_MAX: usize = 400_000;
/// Bytes of all words after repetition: a bound on memory.
const EXPANDED_BYTES_MAX: usize = 64 << 20;

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub text: String,
    /// Written in quotes: never a keyword.
    pub quoted: bool,
}

/// A line of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// From 1.
    pub number: usize,
    pub words: Vec<Word>,
}

/// A line that starts at the margin, and the indented lines below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub head: Line,
    pub body: Vec<Line>,
}

/// Splits a file into statements, repetition carried out. What could not be read is left out and named.
pub(crate) fn statements(text: &str) -> (Vec<Statement>, Vec<Fault>) {
    if text.len() > FILE_BYTES_MAX {
        return (Vec::new(), vec![Fault::new(1, "", "the file is longer than 16 MiB")]);
    }
    let mut statements: Vec<Statement> = Vec::new();
    let mut faults = Vec::new();
    // Some editors begin a file with a mark of its encoding.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, raw) in text.lines().enumerate() {
        let number = index + 1;
        let words = match words(raw, number) {
            Ok(words) => words,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        if words.is_empty() {
            continue;
        }
        let line = Line { number, words };
        if !raw.starts_with([' ', '\t']) {
            statements.push(Statement { head: line, body: Vec::new() });
        } else if let Some(statement) = statements.last_mut() {
            statement.body.push(line);
        } else {
            faults.push(Fault::new(number, &line.words[0].text, "an indented line needs a statement above it"));
        }
    }
    (expand(statements, &mut faults), faults)
}

/// Carries out the repetitions.
fn expand(statements: Vec<Statement>, faults: &mut Vec<Fault>) -> Vec<Statement> {
    let mut out = Vec::new();
    let (mut lines, mut bytes) = (0, 0);
    for statement in &statements {
        let repetition = match Repetition::read(statement) {
            Ok(repetition) => repetition,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        // Asked before anything is repeated: one statement alone may stand for more than there is memory.
        let more = repetition.size();
        (lines, bytes) = (lines + more.0, bytes + more.1);
        if lines > LINES_MAX || bytes > EXPANDED_BYTES_MAX {
            let message = "with its repetitions the file has more than 400,000 lines or 64 MiB";
            faults.push(Fault::new(statement.head.number, "", message));
            return out;
        }
        out.extend(repetition.statements());
    }
    out
}

/// The words of a line; `#` outside quotes begins a comment.
pub(crate) fn words(raw: &str, number: usize) -> Result<Vec<Word>, Fault> {
    if raw.len() > LINE_BYTES_MAX {
        return Err(Fault::new(number, "", "the line is longer than 256 KiB"));
    }
    let mut words = Vec::new();
    let mut chars = raw.chars().peekable();
    while let Some(&next) = chars.peek() {
        if next.is_whitespace() {
            chars.next();
        } else if next == '#' {
            break;
        } else if next == '"' {
            chars.next();
            words.push(Word { text: quoted(&mut chars, number)?, quoted: true });
        } else {
            let mut text = String::new();
            while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
                text.push(c);
            }
            words.push(Word { text, quoted: false });
        }
    }
    Ok(words)
}

/// The rest of a quoted word, with its escapes.
fn quoted(chars: &mut Chars<'_>, number: usize) -> Result<String, Fault> {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(text),
            '\\' => text.push(escaped(chars, number)?),
            c => text.push(c),
        }
    }
    Err(Fault::new(number, &text, "the quotation mark is never closed"))
}

/// Returns the text with its escapes resolved.
pub(crate) fn unescaped(text: &str, number: usize) -> Result<String, Fault> {
    let mut chars = text.chars().peekable();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { escaped(&mut chars, number)? } else { c });
    }
    Ok(out)
}

/// The character that follows a backslash: `\"`, `\\`, `\n`, `\r`, `\t`, `\e`, `\0` and `\u{HEX}` are escapes.
fn escaped(chars: &mut Chars<'_>, number: usize) -> Result<char, Fault> {
    match chars.next() {
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some('e') => Ok('\u{1b}'),
        Some('0') => Ok('\0'),
        Some(c @ ('"' | '\\')) => Ok(c),
        Some('u') => unicode(chars).ok_or_else(|| Fault::new(number, "\\u", "write \\u{HEX} with 1 to 6 digits")),
        other => {
            let word = other.map_or("\\".to_owned(), |c| format!("\\{c}"));
            let message = "unknown escape; expected \\\" \\\\ \\n \\r \\t \\e \\0 \\u{HEX}";
            Err(Fault::new(number, &word, message))
        }
    }
}

fn unicode(chars: &mut Chars<'_>) -> Option<char> {
    chars.next_if_eq(&'{')?;
    let mut digits = String::new();
    while let Some(c) = chars.next_if(char::is_ascii_hexdigit) {
        digits.push(c);
        if digits.len() > 6 {
            return None;
        }
    }
    chars.next_if_eq(&'}')?;
    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let (statements, faults) = statements(text);
        let line = |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let mut out: Vec<String> = statements
            .iter()
            .map(|s| [line(&s.head)].into_iter().chain(s.body.iter().map(line)).collect::<Vec<_>>().join(" / "))
            .collect();
        out.extend(faults.iter().map(|fault| format!("{}! `{}` {}", fault.line, fault.word, fault.message)));
        out
    }

    #[test]
    fn lines_words_quotes_and_comments() {
        assert_eq!(
            shown("name a.test A 192.0.2.1 # why\n\nhost \"x # y\\n\"\n  port 1\n\tport 2"),
            ["name a.test A 192.0.2.1", "host x # y\n / port 1 / port 2"]
        );
        assert_eq!(shown("  x"), ["1! `x` an indented line needs a statement above it"]);
        assert_eq!(shown("a \"b"), ["1! `b` the quotation mark is never closed"]);
        assert_eq!(shown("a \"\\q\""), ["1! `\\\\q` unknown escape; expected \\\" \\\\ \\n \\r \\t \\e \\0 \\u{HEX}"]);
        assert_eq!(shown("a \"\\u{41}\""), ["a A"]);
    }

    #[test]
    fn repetition_goes_in_lock_step() {
        assert_eq!(
            shown("name n{1..3} A 192.0.2.{11..13}"),
            ["name n1 A 192.0.2.11", "name n2 A 192.0.2.12", "name n3 A 192.0.2.13"]
        );
        assert_eq!(shown("name {a,b}{08..09}"), ["name a08", "name b09"]);
        assert_eq!(shown("name {a,b,c} {7,1..2}"), ["name a 7", "name b 1", "name c 2"]);
        assert_eq!(shown("host h{1..2}\n  ptr p{5..6}\n  x"), ["host h1 / ptr p5 / x", "host h2 / ptr p6 / x"]);
        assert_eq!(shown("cert c\n  names n{1..2}\n  x"), ["cert c / names n1 / names n2 / x"]);
        assert_eq!(shown("a \"{\\\"x\\\":1,\\\"y\\\":2} {1..2}\""), ["a {\"x\":1,\"y\":2} 1", "a {\"x\":1,\"y\":2} 2"]);
    }

    #[test]
    fn bad_repetition_is_named() {
        assert_eq!(
            shown("name n{1..3} A 192.0.2.{1..2}"),
            ["1! `192.0.2.{1..2}` 2 values here, but 3 before; give every repetition of a line as many"]
        );
        assert_eq!(shown("name n{3..1}"), ["1! `n{3..1}` the range runs backwards"]);
        assert_eq!(shown("name n{1..99999}"), ["1! `n{1..99999}` more than 4,096 values"]);
        assert_eq!(
            shown("host h{1..2}\n  ptr p{1..3}"),
            ["2! `p{1..3}` 3 values here, but 2 before; give every repetition of a line as many"]
        );
    }
}
