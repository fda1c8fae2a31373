//! Finds secrets in a text: a word of each rule is looked for first, all of them at once, and only the rules whose word
//! is there look closer.

use crate::allow::At;
use crate::decode::{DECODED_MAX, decoded};
use crate::pack::Pack;
use crate::rule::Rule;
use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ops::Range;

/// Secrets of one text, and of each rule in it.
const FOUND_MAX: usize = 200;
/// How deep an encoded text is decoded: what was encoded twice is read.
const DEPTH_MAX: usize = 2;
/// Characters of a key that are shown where its form tells whose it is.
const SHOWN_CHARS: usize = 8;
/// The same where it may be a password.
const SHOWN_CHARS_IN_CONTEXT: usize = 2;
/// Hexadecimal digits of its hash that are shown, so that two can be told apart.
const SHOWN_HASH_CHARS: usize = 12;

/// Where a text comes from, which decides what is worth reporting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// In what a site sends to everybody: identifiers of services, and keys that their form alone tells.
    Site,
    /// In code: everything that opens something, also by what it is called.
    Code,
}

/// A secret or identifier that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// What names it without telling it: an identifier is written out; of a secret the beginning and a hash are shown.
    pub name: String,
    /// The service that gave it out.
    pub provider: String,
    /// It opens something.
    pub sensitive: bool,
    /// The rule that found it.
    pub rule: String,
    /// The form alone is not specific; the context identified it.
    pub by_context: bool,
    /// The line on which it begins, from 1.
    pub line: usize,
}

/// What a text holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Sorted, each secret once with the first line on which it stands.
    pub found: Vec<Found>,
    /// The text exceeds the limits, so that it may hold more.
    pub is_cut: bool,
}

impl Findings {
    /// The limits for one text.
    pub const LIMIT: (usize, usize) = (FOUND_MAX, DECODED_MAX);
}

/// A compiled set of rules.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    words: AhoCorasick,
    /// The rule of each word.
    rule_of: Vec<usize>,
    /// Rules without any word.
    always: Vec<usize>,
}

impl Rules {
    /// Compiles rules, where a former one takes what a latter one would find as well.
    pub(crate) fn new(mut rules: Vec<Rule>) -> Self {
        rules.sort_by_key(|rule| rule.by_context);
        let words: Vec<(usize, &str)> = rules
            .iter()
            .enumerate()
            .flat_map(|(index, rule)| rule.keywords.iter().map(move |word| (index, word.as_str())))
            .collect();
        let built = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(words.iter().map(|(_, word)| word));
        let words_built = built.expect("some hundred words are far below the limit");
        let rule_of = words.iter().map(|(index, _)| *index).collect();
        let always = (0..rules.len()).filter(|index| rules[*index].keywords.is_empty()).collect();
        Self { words: words_built, rule_of, always, rules }
    }

    /// Returns a hash that identifies these rules. Other rules may find less.
    pub fn edition(&self) -> String {
        let mut hash = Sha256::new();
        for rule in &self.rules {
            hash.update(format!("{} {} {:?}\n", rule.name, rule.pattern.as_str(), rule.entropy));
        }
        hex::encode(hash.finalize())[..SHOWN_HASH_CHARS].to_owned()
    }

    /// Returns the rules of packs alone.
    pub fn of(packs: Vec<Pack>) -> Self {
        Self::new(packs.into_iter().flat_map(|pack| pack.rules).collect())
    }

    /// Returns how many rules there are.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// Returns the secrets in a text whose surroundings are unknown.
    pub fn find(&self, text: &str, look: Look) -> Vec<Found> {
        self.find_at(text, look, At::default())
    }

    /// Returns the secrets in a text, sorted, each once with the first line on which it occurs.
    pub fn find_at(&self, text: &str, look: Look, at: At<'_>) -> Vec<Found> {
        self.findings(text, look, at).found
    }

    /// The same, and whether the text holds more than is looked at of one.
    pub fn findings(&self, text: &str, look: Look, at: At<'_>) -> Findings {
        let mut hits = Hits::default();
        self.look(text, (look, at), DEPTH_MAX, &mut hits);
        let mut lines = Lines { text, at: 0, line: 1 };
        hits.at.sort_by_key(|(at, _)| *at);
        let mut findings = Findings { found: Vec::new(), is_cut: hits.is_cut };
        for (at, hit) in hits.at {
            let line = lines.of(at);
            if findings.found.iter().any(|known| known.name == hit.name) {
                continue;
            }
            if findings.found.len() == FOUND_MAX {
                findings.is_cut = true;
                break;
            }
            findings.found.push(Found { line, ..hit });
        }
        findings.found.sort();
        findings
    }

    /// Returns the ranges of all secrets in a text.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let rules = self.asked(text, Look::Code);
        let secrets = rules.flat_map(|rule| rule.secrets(text, At::default()));
        secrets.map(|(at, secret)| at..at + secret.len()).collect()
    }

    /// Adds the secrets in a text and in the texts that are encoded in it. A secret that is recognised by its form
    /// contains no other, and a text that contains one is not a secret because of its name.
    fn look(&self, text: &str, (look, place): (Look, At<'_>), depth: usize, hits: &mut Hits) {
        let mut taken: Vec<Range<usize>> = Vec::new();
        let (by_form, by_context): (Vec<&Rule>, Vec<&Rule>) = self.asked(text, look).partition(|rule| !rule.by_context);
        take(&by_form, text, place, (&mut taken, hits));
        if look == Look::Code && depth > 0 {
            let decoded = decoded(text);
            hits.is_cut |= decoded.is_cut;
            for (range, inner) in decoded.texts {
                if taken.iter().any(|other| other.contains(&range.start)) {
                    continue;
                }
                let mut inside = Hits::default();
                self.look(&inner, (look, place), depth - 1, &mut inside);
                hits.is_cut |= inside.is_cut;
                if !inside.at.is_empty() {
                    hits.at.extend(inside.at.into_iter().map(|(_, hit)| (range.start, hit)));
                    taken.push(range);
                }
            }
        }
        take(&by_context, text, place, (&mut taken, hits));
    }

    /// The rules of which a word stands in the text, in order.
    fn asked(&self, text: &str, look: Look) -> impl Iterator<Item = &Rule> {
        let there: BTreeSet<usize> =
            self.words.find_overlapping_iter(text).map(|word| self.rule_of[word.pattern().as_usize()]).collect();
        let there: BTreeSet<usize> = there.into_iter().chain(self.always.iter().copied()).collect();
        let rules = there.into_iter().map(|index| &self.rules[index]);
        rules.filter(move |rule| match look {
            Look::Site => !rule.by_context && rule.foreign.is_none(),
            Look::Code => rule.sensitive,
        })
    }
}

/// What was found in a text, each at its place.
#[derive(Default)]
struct Hits {
    at: Vec<(usize, Found)>,
    is_cut: bool,
}

/// Adds what rules find where nothing is taken yet.
fn take(rules: &[&Rule], text: &str, place: At<'_>, (taken, hits): (&mut Vec<Range<usize>>, &mut Hits)) {
    for rule in rules {
        for (count, (at, secret)) in rule.secrets(text, place).enumerate() {
            let range = at..at + secret.len();
            if count == FOUND_MAX || hits.at.len() >= FOUND_MAX * 2 {
                hits.is_cut = true;
                break;
            }
            if !taken.iter().any(|other| other.start < range.end && range.start < other.end) {
                hits.at.push((at, found(rule, secret)));
                taken.push(range);
            }
        }
    }
}

fn found(rule: &Rule, secret: &str) -> Found {
    let by_context = rule.is_by_context(secret);
    let shown = if by_context { SHOWN_CHARS_IN_CONTEXT } else { SHOWN_CHARS };
    let masked = || {
        let beginning: String = secret.chars().take(shown).collect();
        format!("{beginning}… (sha256 {})", &hex::encode(Sha256::digest(secret))[..SHOWN_HASH_CHARS])
    };
    Found {
        name: if rule.sensitive { masked() } else { secret.to_owned() },
        provider: rule.provider.clone(),
        sensitive: rule.sensitive,
        rule: rule.name.clone(),
        by_context,
        line: 0,
    }
}

/// Counts lines on the way through a text.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of a byte, which is not before the last one asked for.
    fn of(&mut self, byte: usize) -> usize {
        self.line += self.text.as_bytes()[self.at..byte].iter().filter(|byte| **byte == b'\n').count();
        self.at = byte;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own;
    use base64::Engine;

    fn aws_key() -> String {
        ["AKIA", "ABCDJKLMSTUVEFGH"].concat()
    }

    #[test]
    fn identifiers_are_shown_and_keys_are_masked() {
        let key = aws_key();
        let found = own().find(&format!("ga('create','UA-12345-1');\n key={key}"), Look::Site);
        assert_eq!(found.len(), 2);
        assert!(found.iter().any(|token| token.name == "UA-12345-1" && !token.sensitive && token.line == 1));
        let secret = found.iter().find(|token| token.sensitive).unwrap();
        assert!(!secret.name.contains(&key) && secret.name.starts_with("AKIAABCD"));
        assert_eq!(
            (secret.line, secret.rule.as_str(), secret.provider.as_str()),
            (2, "aws-access-key", "Amazon Web Services")
        );
    }

    #[test]
    fn words_are_no_tokens() {
        assert!(own().find("UA-1 G-short GTM- AKIA pub-123 key-abc", Look::Site).is_empty());
    }

    #[test]
    fn what_only_the_context_tells_is_told_of_code_alone_and_hardly_shown() {
        let text = "db_password = \"Tr0ub4dor-and-3-more\"";
        assert!(own().find(text, Look::Site).is_empty());
        let found = own().find(text, Look::Code);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].name.starts_with("Tr…") && found[0].by_context, "{found:?}");
    }

    #[test]
    fn a_secret_is_told_once_by_the_surest_rule() {
        let text = format!("api_key = {0}\napi_key = {0}\n", aws_key());
        let found = own().find(&text, Look::Code);
        let told: Vec<_> = found.iter().map(|found| (found.rule.as_str(), found.line)).collect();
        assert_eq!(told, [("aws-access-key", 1)]);
    }

    #[test]
    fn encoded_secrets_are_found_as_deep_as_two_layers() {
        let standard = base64::engine::general_purpose::STANDARD;
        let mut text = format!("the key is {} and nothing else", aws_key());
        for (layer, seen) in [(0, true), (1, true), (2, true), (3, false)] {
            let found = own().find(&format!("first line\nx: {text}\n"), Look::Code);
            assert_eq!(
                found.iter().any(|found| found.rule == "aws-access-key" && found.line == 2),
                seen,
                "{layer}: {found:?}"
            );
            text = standard.encode(text);
        }
    }

    #[test]
    fn what_a_name_calls_a_secret_and_wraps_another_one_is_told_as_that() {
        let inner = base64::engine::general_purpose::STANDARD.encode(format!("key = {}", aws_key()));
        let found = own().find(&format!("api_token: {inner}\n"), Look::Code);
        assert_eq!(found.iter().map(|found| found.rule.as_str()).collect::<Vec<_>>(), ["aws-access-key"]);
    }

    #[test]
    fn a_text_that_holds_more_than_is_looked_at_says_so() {
        let findings = |count: usize| {
            let hash = |number: usize| hex::encode(Sha256::digest(number.to_string()))[..16].to_uppercase();
            let lines =
                (0..count).map(|number| format!("key AKIA{}\n", hash(number).replace(['0', '1', '8', '9'], "Q")));
            own().findings(&lines.collect::<String>(), Look::Code, At::default())
        };
        assert!(!findings(FOUND_MAX).is_cut && findings(FOUND_MAX + 1).is_cut);
        let standard = base64::engine::general_purpose::STANDARD;
        let encoded = format!("{}\n", standard.encode("plain words of a sentence")).repeat(DECODED_MAX);
        let late = format!("{encoded}{}", standard.encode(format!("the key is {}", aws_key())));
        assert!(!own().findings(&encoded, Look::Code, At::default()).is_cut);
        let cut = own().findings(&late, Look::Code, At::default());
        assert!(cut.is_cut && cut.found.is_empty(), "{cut:?}");
    }

    #[test]
    fn a_private_key_is_found_however_a_program_writes_its_lines() {
        let (begin, end) = (["-----BEGIN", "RSA PRIVATE KEY-----"].join(" "), "-----END RSA PRIVATE KEY-----");
        let line = hex::encode(Sha256::digest("a line of a key"));
        let headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,0123456789ABCDEF", ""];
        let plain = [&begin, line.as_str(), &line, end];
        let encrypted = [&[begin.as_str()], &headers[..], &[&line, &line, end]].concat();
        for lines in [&plain[..], &encrypted] {
            for text in [
                lines.join("\n"),
                lines.join("\r\n"),
                format!("  \"key\": \"{}\\n\"", lines.join("\\n")),
                format!("String key = \"{}\";", lines.join("\\n\" +\n    \"")),
                format!("const key = [\n  '{}',\n].join('\\n');", lines.join("',\n  '")),
                format!("char *key = \"{}\\n\";", lines.join("\\n\"\n  \"")),
                format!("$key = '{}';", lines.join("' . \"\\n\" .\n  '")),
            ] {
                let found = own().find(&text, Look::Code);
                let rules: Vec<&str> = found.iter().map(|found| found.rule.as_str()).collect();
                assert_eq!(rules, ["private-key"], "{text}");
            }
        }
        for text in [format!("{begin}\n{}\n{end}", headers.join("\n")), format!("\"{begin}\" + key + \"{end}\"")] {
            assert_eq!(own().find(&text, Look::Code), [], "{text}");
        }
    }

    #[test]
    fn what_documents_print_is_no_secret() {
        for text in [
            ["aws_access_key_id = AKIA", "IOSFODNN7EXAMPLE"].concat(),
            ["aws_access_key_id = AKIA", "IOSFODNN7EXAMPLF"].concat(),
            ["ghp_", &"x".repeat(36)].concat(),
            ["AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6", "IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="]
                .concat(),
            ["PRIVATE_KEY = \"0xac0974bec39a17e36ba4a6b4d238ff944b", "acb478cbed5efcae784d7bf4f2ff80\""].concat(),
            ["Authorization: Basic QWxhZGRpbjpv", "cGVuIHNlc2FtZQ=="].concat(),
            ["refresh_token\": \"tGzv3JOkF0XG", "5Qx2TlKWIA\""].concat(),
            ["aes_secret_key = \"2b7e151628aed2a6", "abf7158809cf4f3c\""].concat(),
            "password: Y2hhbmdlbWU=".to_owned(),
            "password = \"your-password-1\"".to_owned(),
            "password: ${DATABASE_PASSWORD_1}".to_owned(),
        ] {
            assert_eq!(own().find(&text, Look::Code), [], "{text}");
        }
    }

    #[test]
    fn what_the_author_of_a_file_marks_is_no_secret() {
        let key = aws_key();
        for (path, text, count) in [
            ("a.py", format!("x = '{key}' # gitleaks:allow\n"), 0),
            ("a.py", format!("x = '{key}' # noqa\n"), 1),
            ("a.py", format!("# gitleaks:allow\nx = '{key}'\n"), 1),
            ("a.py", "db_password = \"k3m8vq1zbw5h\"  # gitleaks:allow\n".to_owned(), 0),
            ("", format!("x = '{key}' // gitleaks:allow\n"), 1),
        ] {
            assert_eq!(own().find_at(&text, Look::Code, At { path, commit: "" }).len(), count, "{path} {text}");
        }
    }
}
