//! Reads the files of `worlds/exposures/`.

use super::cursor::Cursor;
use crate::exposure::{Answer, Exposure};
use crate::problem::Fault;
use crate::text::{self, Line};
use std::sync::LazyLock;

/// Name without its ending, and text, of each file.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/exposures.rs"));

/// Returns every exposure with its word, by word.
pub(super) fn words() -> &'static [(&'static str, &'static Exposure)] {
    static ALL: LazyLock<Vec<Exposure>> = LazyLock::new(|| {
        let read = FILES.iter().map(|(issue, text)| read(issue, text));
        read.collect::<Result<_, _>>().expect("a test reads every file")
    });
    static WORDS: LazyLock<Vec<(&str, &Exposure)>> = LazyLock::new(|| {
        let mut words: Vec<(&str, &Exposure)> = ALL.iter().map(|exposure| (exposure.word.as_str(), exposure)).collect();
        words.sort_by_key(|(word, _)| *word);
        words
    });
    &WORDS
}

const STATEMENTS: &str = "word, open, twin";
const FORMS: &str = "html, text, json, page \"TITLE\", or a media type";

/// Reads the file of an issue.
fn read(issue: &str, text: &str) -> Result<Exposure, Fault> {
    let mut exposure = Exposure { issue: issue.to_owned(), word: String::new(), open: Vec::new(), twin: Vec::new() };
    // The answers that the lines below belong to, until the next statement.
    let mut current: Option<&mut Vec<Answer>> = None;
    for (raw, number) in text.lines().zip(1..) {
        if raw.is_empty() || raw.starts_with('#') {
            continue;
        }
        if let Some(line) = raw.strip_prefix("  ") {
            let answer = current.as_mut().and_then(|answers| answers.last_mut());
            let answer =
                answer.ok_or_else(|| Fault::new(number, "", "an indented line needs `open` or `twin` above it"))?;
            answer.add(&text::unescaped(line, number)?);
            continue;
        }
        let words = text::words(raw, number)?;
        let line = Line { number, words };
        let mut cursor = Cursor::new(&line);
        let answers = match cursor.word(STATEMENTS)? {
            "word" => {
                exposure.word = cursor.word("what world files call it")?.to_owned();
                cursor.end()?;
                continue;
            }
            "open" => &mut exposure.open,
            "twin" => &mut exposure.twin,
            _ => return Err(cursor.unknown(STATEMENTS)),
        };
        answers.push(answer(&mut cursor)?);
        current = Some(answers);
    }
    let lacks = [("word", exposure.word.is_empty()), ("open", exposure.open.is_empty())];
    match lacks.into_iter().find(|(_, lacks)| *lacks) {
        Some((statement, _)) => Err(Fault::new(1, "", format!("the file has no line `{statement} …`"))),
        None => Ok(exposure),
    }
}

/// `PATH [STATUS] FORM`.
fn answer(cursor: &mut Cursor<'_>) -> Result<Answer, Fault> {
    let path = cursor.word("a path such as /.env, or * for every unknown one")?.to_owned();
    let has_status = cursor.peek().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let status = if has_status { cursor.status()? } else { 200 };
    let mut frame = None;
    let media = match cursor.word(FORMS)? {
        "page" => {
            frame = Some(cursor.word("the page's title in quotes")?.to_owned());
            "text/html; charset=utf-8"
        }
        "html" => "text/html; charset=utf-8",
        "text" => "text/plain; charset=utf-8",
        "json" => "application/json",
        media if media.contains('/') => media,
        _ => return Err(cursor.unknown(FORMS)),
    };
    cursor.end()?;
    Ok(Answer { path, status, media: media.to_owned(), frame, body: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_reads_and_has_a_word_and_a_twin_of_its_own() {
        let mut words = BTreeSet::new();
        for (issue, text) in FILES {
            let exposure = read(issue, text)
                .unwrap_or_else(|fault| panic!("{}", fault.in_file(&format!("worlds/exposures/{issue}.txt"))));
            assert!(words.insert(exposure.word.clone()), "{issue}: two files have the word {}", exposure.word);
            let differs = |answer: &Answer| exposure.answer(false, &answer.path).is_some_and(|twin| twin != answer);
            assert!(exposure.open.iter().any(differs), "{issue}: no path of it has a twin that answers otherwise");
        }
        assert!(words.len() > 10);
    }

    #[test]
    fn a_malformed_file_is_named_with_its_line() {
        for (text, expected) in [
            ("word x\n", "x.txt:1: the file has no line `open …`"),
            ("open /a text\n  b\n", "x.txt:1: the file has no line `word …`"),
            ("word x\n\n  b\n", "x.txt:3: an indented line needs `open` or `twin` above it"),
            (
                "word x\nopen /a picture\n",
                "x.txt:2: `picture`: unknown word; expected html, text, json, page \"TITLE\", or a media type",
            ),
            ("word x\nclosed /a text\n", "x.txt:2: `closed`: unknown word; expected word, open, twin"),
            (
                "word x\nopen /a text\n  \\q\n",
                "x.txt:3: `\\\\q`: unknown escape; expected \\\" \\\\ \\n \\r \\t \\e \\0 \\u{HEX}",
            ),
        ] {
            let fault = read("x", text).unwrap_err();
            assert_eq!(fault.in_file("x.txt").to_string(), expected);
        }
    }

    #[test]
    fn a_body_is_its_lines_without_their_indentation() {
        let exposure =
            read("x", "# why\nword x\nopen /a 401 json\n  {\n    \"b\": 1 # c\n\n  }\\n\ntwin /a page \"No\"\n")
                .unwrap();
        let open = exposure.answer(true, "/a").unwrap();
        assert_eq!(
            (open.status, open.media.as_str(), open.body.as_str()),
            (401, "application/json", "{\n  \"b\": 1 # c\n}\n")
        );
        assert_eq!(exposure.answer(false, "/a").and_then(|answer| answer.frame.as_deref()), Some("No"));
        assert!(exposure.answer(true, "/b").is_none());
    }
}
