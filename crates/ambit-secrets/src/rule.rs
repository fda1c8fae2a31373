//! One rule: its form, and the further conditions for a secret that it finds.

use crate::allow::{At, Foreign, Hit, is_allowed};
use crate::decode::base64;
use crate::given::{is_digest, is_no_comparison, is_of_an_address, is_of_another_machine, is_told_apart};
use crate::kubernetes;
use crate::token::{is_for_everybody, is_over};
use crate::value::{entropy, is_of_words, is_placeholder, is_printed, is_reference, longest_row};
use regex::{Captures, Regex, RegexBuilder};
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes that one compiled expression may take: those for long private keys take some hundred kilobytes.
const COMPILED_BYTES_MAX: usize = 4 * 1_024 * 1_024;
/// Characters of the same kind in a row that no generated secret has.
const SAME_IN_A_ROW: usize = 8;
/// Bytes up to which such a row shows that somebody filled in a form; keys in files have them honestly.
const FILLED_IN_BYTES: usize = 200;
/// Bytes of a name in front of its word, and behind it.
const NAME_BYTES_MAX: usize = 120;

/// What a rule says of the texts that it finds.
#[derive(Debug, Default)]
pub(crate) struct Rule {
    /// Its stable name: `github-token`.
    pub(crate) name: String,
    /// The service that gives such secrets out.
    pub(crate) provider: String,
    /// Its first group is the word of a name to which the secret is given.
    pub(crate) named: bool,
    /// It opens something.
    pub(crate) sensitive: bool,
    /// The form alone is not specific; the context must identify it.
    pub(crate) by_context: bool,
    /// Words of which a text has one, in small letters; without any, every text is looked at.
    pub(crate) keywords: Vec<String>,
    /// What it looks like.
    pub(crate) pattern: Expression,
    /// The group that is the secret; 0: the first that holds anything, else all of it.
    pub(crate) group: usize,
    /// The files that it looks at; `None`: all.
    pub(crate) path: Option<Regex>,
    /// Bits of entropy that a character has at least, by Shannon; of a rule of others, more than these.
    pub(crate) entropy: Option<f64>,
    /// Digits that it has at least.
    pub(crate) digits: usize,
    /// Nobody put it together of words.
    pub(crate) drawn: bool,
    /// It may have any characters: what names something else is none.
    pub(crate) free: bool,
    /// In files that are no configuration it stands in quotes.
    pub(crate) quoted: bool,
    /// It has the same character many times in a row, where it is no form that somebody filled in.
    pub(crate) rows: bool,
    /// For rules by name: the keyword is a word of the name, and not part of another word.
    pub(crate) by_word: bool,
    /// It stands in an address, behind the name of a user.
    pub(crate) in_address: bool,
    /// It is a signed token that ended long ago; others find none of those.
    pub(crate) over: bool,
    /// It is an entry of a Secret of Kubernetes, where the pattern matches.
    pub(crate) entries: bool,
    /// What the name in front of it does not say.
    pub(crate) not_after: Option<Regex>,
    /// The exceptions of a rule of gitleaks; our own rules skip the placeholders of documentation.
    pub(crate) foreign: Option<Foreign>,
}

impl Rule {
    /// Returns the secrets of a text with the byte at which each begins.
    pub(crate) fn secrets<'a>(&'a self, text: &'a str, at: At<'a>) -> impl Iterator<Item = (usize, &'a str)> + 'a {
        let looks = self.path.as_ref().is_none_or(|path| path.is_match(at.path));
        let found = (looks && !self.entries).then(|| self.pattern.compiled().captures_iter(text)).into_iter().flatten();
        let entries =
            (looks && self.entries && self.pattern.compiled().is_match(text)).then(|| kubernetes::secrets(text));
        let entries = entries.into_iter().flatten().map(move |range| (range.start, &text[range]));
        let entries = entries.filter(move |(start, entry)| {
            self.accepts(entry) && !is_allowed(lines(text, *start..*start + entry.len()), at)
        });
        found.filter_map(move |found| self.secret(text, &found, at)).chain(entries)
    }

    fn secret<'a>(&self, text: &'a str, found: &Captures<'a>, at: At<'_>) -> Option<(usize, &'a str)> {
        let whole = found.get(0)?;
        let first = if self.named { VALUE_GROUP } else { 1 };
        let told = match self.group {
            0 => found.iter().skip(first).flatten().find(|group| !group.is_empty()),
            group => found.get(group),
        };
        let secret = told.unwrap_or(whole);
        let is_one = match &self.foreign {
            None => {
                let name = found.get(NAME_GROUP).filter(|_| self.named).map(|name| name.range());
                name.is_none_or(|name| self.is_given(text, &name, &secret.range(), at.path))
                    && (!self.in_address || is_of_another_machine(text, &secret.range()))
                    && self.accepts(secret.as_str())
                    && !is_allowed(lines(text, whole.range()), at)
            }
            Some(foreign) => {
                let hit = Hit { secret: secret.as_str(), matched: whole.as_str(), line: lines(text, whole.range()) };
                self.entropy.is_none_or(|least| entropy(hit.secret) > least) && !foreign.leaves_out(&hit, at)
            }
        };
        is_one.then_some((secret.start(), secret.as_str()))
    }

    /// Returns whether the form of a secret is not specific, so that its context identified it.
    pub(crate) fn is_by_context(&self, secret: &str) -> bool {
        let small = secret.to_ascii_lowercase();
        self.by_context || (self.foreign.is_some() && !self.keywords.iter().any(|word| small.contains(word)))
    }

    /// Returns whether a value is given to the name that the rule asks for, as values are in such a file.
    fn is_given(&self, text: &str, name: &Range<usize>, value: &Range<usize>, path: &str) -> bool {
        (!self.by_word || is_word(text, name))
            && is_no_comparison(text, name, value)
            && (!self.quoted || is_told_apart(text, value, path))
            && !is_digest(text, name)
            && !is_of_an_address(text, name)
            && self.not_after.as_ref().is_none_or(|not| !not.is_match(whole_name(text, name)))
    }

    fn accepts(&self, secret: &str) -> bool {
        let filled_in = !self.rows && secret.len() <= FILLED_IN_BYTES && longest_row(secret) >= SAME_IN_A_ROW;
        let stands_for_one = filled_in
            || is_placeholder(secret, self.by_context)
            || (self.by_context && base64(secret).is_some_and(|inner| is_placeholder(&inner, true)));
        let is_anybodys = stands_for_one || is_printed(secret) || is_for_everybody(secret);
        !is_anybodys
            && is_over(secret) == self.over
            && (!self.drawn || !is_of_words(secret))
            && (!self.free || !is_reference(secret))
            && secret.bytes().filter(u8::is_ascii_digit).count() >= self.digits
            && self.entropy.is_none_or(|least| entropy(secret) >= least)
    }
}

/// What may follow the word of a name: more of the name, what closes it, and its type.
const NAME_END: &str = concat!(
    r#"[0-9A-Za-z_.-]{0,40}['"\]\\]{0,2}(?:[ \t]{1,5}(?i:string|str)|[ \t]{0,5}\??[ \t]{0,5}:[ \t]{0,5}"#,
    r"(?:&[ \t]{0,5}(?:'static[ \t]+)?str|(?:String|string|NSString|str)[?!]?|[cC]onst[ \t]+char\*|",
    r"(?:[A-Za-z]{1,20}\.)?(?:Final|Optional|ClassVar)(?:\[(?:str|bytes)\])?))?"
);
/// How a value is given to a name: what assigns; then what may open the value.
const ASSIGNED: &str =
    r#"(?:[ \t]{0,5}(?:=>|[:?.+|]{0,3}=|:)[ \t]{0,5}\\?['"`]?|[ \t]{0,5},[ \t]{0,5}\\?['"`]|>[ \t\r\n]{0,40}['"`]?)"#;
/// The same in front of a quote.
const ASSIGNED_QUOTED: &str = r"[ \t]{0,5}(?:=>|[:?.+|]{0,3}=|:|,)[ \t]{0,5}";
/// What may follow a value.
const BEHIND: &str = r#"(?:\\|['"`\s;,<&]|$)"#;
/// A value of any characters but blanks and its quotes, in quotes.
const QUOTED: &str = r#"(?:\\"([^"\s\\]{8,100})\\"|"([^"\s]{8,100})"|'([^'\s]{8,100})'|`([^`\s]{8,100})`)"#;
/// The same or what stands there without quotes, of an argument of a command.
const ARGUMENT: &str =
    r#"(?:"([^"\s]{6,100})"|'([^'\s]{6,100})'|([^\s"'`$<>{}\[\]()|;&\\]{6,100})(?:[\s"'`;|&)\\]|$))"#;
/// The groups of what is compiled of `near`, `quoted` and `named`: the word of the name, and the value or the first of
/// several that may be it.
const NAME_GROUP: usize = 1;
const VALUE_GROUP: usize = 2;

/// An expression that is compiled when the first text may match it: few runs need most of ours, which take 20 MB.
#[derive(Debug, Default)]
pub(crate) struct Expression {
    /// As it is compiled.
    text: String,
    compiled: OnceLock<Regex>,
}

impl Expression {
    /// Returns it compiled.
    pub(crate) fn compiled(&self) -> &Regex {
        self.compiled.get_or_init(|| built(&self.text).expect("an expression of ours is compiled in a test"))
    }

    /// Returns it as it is compiled.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// One that is compiled already, as those of others are, which may be none.
impl From<Regex> for Expression {
    fn from(regex: Regex) -> Self {
        Self { text: regex.as_str().to_owned(), compiled: regex.into() }
    }
}

/// A pattern as it is written in a table.
pub(crate) struct Pattern {
    pub(crate) expression: Expression,
    /// Its first group is the word of a name.
    pub(crate) named: bool,
}

/// Reads a pattern of a rule. `near NAMES :: VALUE` is the value given to a name with one of NAMES in it; without
/// NAMES those are the keywords. `quoted NAMES` is any value in quotes that is given so. `named PATTERN` has the word
/// of a name as its first group. QUOTED and ARGUMENT stand for such values.
///
/// # Errors
/// Why the pattern is none.
pub(crate) fn pattern(pattern: &str, keywords: &[String]) -> Result<Pattern, String> {
    let (kind, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    let text = match kind {
        "near" => {
            let (names, value) = rest.split_once(":: ").ok_or("near has no :: with a value behind it")?;
            let own = || keywords.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|");
            let names = if names.is_empty() { own() } else { names.trim_end().to_owned() };
            format!("((?i:{names})){NAME_END}{ASSIGNED}({value}){BEHIND}")
        }
        "quoted" => format!("((?i:{rest})){NAME_END}{ASSIGNED_QUOTED}{QUOTED}"),
        "named" => rest.to_owned(),
        _ => pattern.to_owned(),
    };
    let text = plain(&text.replace("QUOTED", QUOTED).replace("ARGUMENT", ARGUMENT));
    let expression = Expression { text, compiled: OnceLock::new() };
    Ok(Pattern { expression, named: matches!(kind, "near" | "quoted" | "named") })
}

/// Compiles an expression of a table. Letters beyond ASCII play no part, and asking for them makes expressions large
/// and slow.
///
/// # Errors
/// Why it is none.
pub(crate) fn compile_regex(text: &str) -> Result<Regex, String> {
    built(&plain(text)).map_err(|error| error.to_string())
}

fn plain(text: &str) -> String {
    text.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]").replace(r"\s", r"[ \t\r\n]")
}

fn built(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(COMPILED_BYTES_MAX).build()
}

/// Returns whether a range of letters begins and ends as words do in names: `OKTA`, `my_okta`, `myOkta`, but neither
/// `rookTable` nor `oktA`.
fn is_word(text: &str, range: &Range<usize>) -> bool {
    let word = &text.as_bytes()[range.clone()];
    let before = text.as_bytes()[..range.start].last();
    let begins_with_capital = word.first().is_some_and(u8::is_ascii_uppercase);
    let begins = match before {
        Some(before) if before.is_ascii_lowercase() => begins_with_capital,
        Some(before) if before.is_ascii_uppercase() => {
            begins_with_capital && word.get(1).is_some_and(u8::is_ascii_lowercase)
        }
        _ => true,
    };
    begins && !matches!(word, [.., a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase())
}

/// The name that has a word in it.
fn whole_name<'a>(text: &'a str, word: &Range<usize>) -> &'a str {
    let is_outside = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.');
    let start = text.floor_char_boundary(word.start.saturating_sub(NAME_BYTES_MAX));
    let end = text.floor_char_boundary(word.end + NAME_BYTES_MAX);
    let before = text[start..word.start].rfind(is_outside);
    // What is outside may be longer than a byte.
    let from = before.map_or(start, |at| start + at + text[start + at..].chars().next().map_or(1, char::len_utf8));
    let to = text[word.end..end].find(is_outside).map_or(end, |at| word.end + at);
    &text[from..to]
}

/// The lines on which a range stands.
fn lines(text: &str, range: Range<usize>) -> &str {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_vendor_stands_as_one() {
        for (text, found) in [
            ("okta", true),
            ("OKTA", true),
            ("my_okta", true),
            ("myOkta", true),
            ("HTTPOkta", true),
            ("2okta", true),
            ("rookta", false),
            ("ROOKTA", false),
            ("oktA", false),
        ] {
            assert_eq!(is_word(text, &(text.len() - 4..text.len())), found, "{text}");
        }
    }

    #[test]
    fn a_value_is_read_behind_every_usual_assignment() {
        let pattern = pattern("near acme :: [0-9]{4}", &[]).unwrap().expression;
        let pattern = pattern.compiled();
        for (text, found) in [
            ("ACME_KEY=1234", true),
            ("acme: '1234'", true),
            ("{\"my.acme-key\": \"1234\"}", true),
            ("acme_key := `1234`", true),
            ("$config['acme'] = '1234';", true),
            ("acme => 1234", true),
            ("acme ?= 1234", true),
            ("acme .= \"1234\"", true),
            ("var acmeKey string = \"1234\"", true),
            ("<acmeKey>\n    1234\n</acmeKey>", true),
            (r#"{"file": "ACME_KEY=1234\nOTHER=true"}"#, true),
            (r#"say \"acme\": \"1234\""#, true),
            ("set(\"acme.key\", \"1234\")", true),
            ("acmeKey: string = \"1234\"", true),
            ("acmeKey?: string = '1234'", true),
            ("acmeKey: String = \"1234\"", true),
            ("acmeKey:String? = \"1234\"", true),
            ("const ACME_KEY: &str = \"1234\";", true),
            ("static ACME_KEY: &'static str = \"1234\";", true),
            ("acme_key: str = \"1234\"", true),
            ("ACME_KEY: Final[str] = \"1234\"", true),
            ("ACME_KEY: typing.Final = \"1234\"", true),
            ("acmeKey: number = 1234", false),
            ("acmeKey: string; other = \"1234\"", false),
            ("acme\n= 1234", false),
            ("import { acmeKey, 1234 }", false),
            ("acme=12345", false),
            ("acme is 1234", false),
            ("other=1234", false),
        ] {
            assert_eq!(pattern.is_match(text), found, "{text}");
        }
        assert!(super::pattern("near acme 1234", &[]).is_err());
    }
}
