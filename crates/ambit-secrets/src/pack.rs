//! Rules of others, as gitleaks has them in a file of TOML: what is looked for, in which files, and what is left out.
//! They are the user's to load. What our engine cannot read is named, and the other rules are used.

use crate::allow::{Allow, Foreign, Written};
use crate::expression::translated;
use crate::rule::Rule;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::sync::Arc;

/// Bytes of one file: the rules of gitleaks itself have a hundred thousand.
pub const PACK_BYTES_MAX: usize = 4 * 1_024 * 1_024;
/// Rules of one file, some ten times those of gitleaks itself.
const RULES_MAX: usize = 2_000;
/// Bytes of one expression.
const EXPRESSION_BYTES_MAX: usize = 32 * 1_024;
/// Words of one rule: more cannot help to leave texts out.
const KEYWORDS_MAX: usize = 1_000;
/// Bytes that compiled expressions may take, tried one after the other, so that what is spent can be counted.
const COMPILED_BYTES: [usize; 3] = [128 * 1_024, 512 * 1_024, 2 * 1_024 * 1_024];
/// Bytes that all compiled expressions of a file may take.
const COMPILED_BYTES_MAX: usize = 256 * 1_024 * 1_024;
/// Bytes in which an expression keeps what it learned on the way, on each thread.
const LEARNED_BYTES: usize = 1_024 * 1_024;
/// What begins a rule.
const RULE: &str = "[[rules]]";

/// A rule, or a part of the file, that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name, or that of the part.
    pub rule: String,
    pub why: String,
}

/// The rules of a file.
#[derive(Debug)]
pub struct Pack {
    pub(crate) rules: Vec<Rule>,
    /// What of the file is not used.
    pub left_out: Vec<LeftOut>,
}

impl Pack {
    /// Returns how many rules are used.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// Returns the pack with the rule of this name alone.
    pub fn only(mut self, name: &str) -> Self {
        self.rules.retain(|rule| rule.name == name);
        self
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    rules: Vec<WrittenRule>,
    allowlist: Option<Written>,
    #[serde(default)]
    allowlists: Vec<Written>,
    extend: Option<toml::Table>,
}

#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
struct WrittenRule {
    id: String,
    regex: Option<String>,
    path: Option<String>,
    secret_group: usize,
    entropy: f64,
    keywords: Vec<String>,
    allowlist: Option<Written>,
    allowlists: Vec<Written>,
    required: Vec<toml::Table>,
    skip_report: bool,
}

/// Returns whether a text is a file of such rules.
pub fn is_pack(text: &str) -> bool {
    text.lines().any(|line| line.trim() == RULE)
}

/// Reads a file.
///
/// # Errors
/// One line that says what is wrong and where: the file is no TOML, a member has another type, or a limit is exceeded.
pub fn read_pack(text: &str) -> Result<Pack, String> {
    if text.len() > PACK_BYTES_MAX {
        return Err(format!("it has more than {PACK_BYTES_MAX} bytes"));
    }
    let file: File = toml::from_str(text).map_err(|error| broken(text, &error))?;
    if file.rules.is_empty() {
        return Err("it has no rule".to_owned());
    }
    if file.rules.len() > RULES_MAX {
        return Err(format!("it has more than {RULES_MAX} rules"));
    }
    let mut reader = Reader { spent: 0, left_out: Vec::new() };
    if file.extend.is_some() {
        reader.leave_out("[extend]", "the rules that it extends are in another file: add that file as well");
    }
    let (mut shared, mut aimed) = (Vec::new(), Vec::new());
    for written in file.allowlist.into_iter().chain(file.allowlists) {
        let targets = written.target_rules.clone();
        let Some(allow) = reader.allow("[allowlist]", written) else { continue };
        if targets.is_empty() { shared.push(allow) } else { aimed.push((targets, Arc::new(allow))) }
    }
    let shared = Arc::new(shared);
    let mut rules = Vec::new();
    for written in file.rules {
        let name = written.id.trim().to_owned();
        let targeted = aimed.iter().filter(|(targets, _)| targets.contains(&name)).map(|(_, allow)| allow.clone());
        let foreign = Foreign { shared: shared.clone(), own: targeted.collect() };
        match reader.rule(written, foreign) {
            Ok(rule) => rules.push(rule),
            Err(why) => reader.leave_out(if name.is_empty() { "a rule without id" } else { &name }, &why),
        }
    }
    Ok(Pack { rules, left_out: reader.left_out })
}

/// Line and reason of a broken file, in one line.
fn broken(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    format!("line {line}: {}", error.message().lines().next().unwrap_or("it is no TOML"))
}

struct Reader {
    /// Bytes that compiled expressions may take so far.
    spent: usize,
    left_out: Vec<LeftOut>,
}

impl Reader {
    fn leave_out(&mut self, rule: &str, why: &str) {
        self.left_out.push(LeftOut { rule: rule.to_owned(), why: why.to_owned() });
    }

    fn rule(&mut self, written: WrittenRule, mut foreign: Foreign) -> Result<Rule, String> {
        let name = written.id.trim();
        if name.is_empty() {
            return Err("it has no id".to_owned());
        }
        let Some(expression) = &written.regex else {
            return Err("it matches names of files only, not their content".to_owned());
        };
        if !written.required.is_empty() {
            return Err("it applies only together with other rules (required)".to_owned());
        }
        if written.skip_report {
            return Err("it is a part of other rules (skipReport)".to_owned());
        }
        if written.keywords.len() > KEYWORDS_MAX {
            return Err(format!("it has more than {KEYWORDS_MAX} keywords"));
        }
        let pattern = self.compiled(expression)?;
        if written.secret_group >= pattern.captures_len() {
            return Err(format!("it has no group {}", written.secret_group));
        }
        let path = written.path.as_deref().map(|path| self.compiled(path)).transpose()?;
        for list in written.allowlist.into_iter().chain(written.allowlists) {
            // A rule without its exceptions would report what its author knows to be none.
            foreign.own.push(Arc::new(Allow::read(list, &mut |text| self.compiled(text))?));
        }
        let keywords = written.keywords.iter().map(|word| word.trim().to_lowercase());
        Ok(Rule {
            name: name.to_owned(),
            provider: name.replace(['-', '_'], " "),
            sensitive: true,
            keywords: keywords.filter(|word| !word.is_empty()).collect(),
            pattern: pattern.into(),
            group: written.secret_group,
            path,
            entropy: (written.entropy > 0.0).then_some(written.entropy),
            foreign: Some(foreign),
            ..Rule::default()
        })
    }

    /// A list that holds for several rules; one that cannot be read is named.
    fn allow(&mut self, place: &str, written: Written) -> Option<Allow> {
        match Allow::read(written, &mut |text| self.compiled(text)) {
            Ok(allow) => Some(allow),
            Err(why) => {
                self.leave_out(place, &why);
                None
            }
        }
    }

    fn compiled(&mut self, expression: &str) -> Result<Regex, String> {
        if expression.len() > EXPRESSION_BYTES_MAX {
            return Err(format!("an expression has more than {EXPRESSION_BYTES_MAX} bytes"));
        }
        let own = translated(expression)?;
        let mut why = String::new();
        for bytes in COMPILED_BYTES {
            if self.spent + bytes > COMPILED_BYTES_MAX {
                return Err("the expressions before it take all the memory that a file may take".to_owned());
            }
            match RegexBuilder::new(&own).size_limit(bytes).dfa_size_limit(LEARNED_BYTES).build() {
                Ok(regex) => {
                    self.spent += bytes;
                    return Ok(regex);
                }
                Err(regex::Error::CompiledTooBig(_)) => why = "an expression is too large when compiled".to_owned(),
                Err(error) => {
                    let said = error.to_string();
                    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("cannot be read");
                    return Err(format!("an expression cannot be read: {}", last.trim().trim_start_matches("error: ")));
                }
            }
        }
        Err(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{At, Look, with_packs};

    fn names(text: &str, at: At<'_>, content: &str) -> Vec<String> {
        let pack = read_pack(text).unwrap();
        let rules = crate::find::Rules::new(pack.rules);
        rules.find_at(content, Look::Code, at).into_iter().map(|found| found.rule).collect()
    }

    /// Whether a rule with these further lines finds something in a file.
    fn finds(more: &str, path: &str, content: &str) -> bool {
        let text =
            format!("[[rules]]\nid = \"acme\"\nregex = '''acme_([a-z0-9]{{8}})'''\nkeywords = [\"acme_\"]\n{more}");
        !names(&text, At { path, commit: "0123abcd" }, content).is_empty()
    }

    #[test]
    fn a_rule_finds_by_form_group_entropy_and_path() {
        let key = "KEY = acme_k3m8vq1z";
        for (more, path, content, expected) in [
            ("", "a.py", key, true),
            ("", "a.py", "KEY = acme_K", false),
            ("entropy = 2.9", "a.py", key, true),
            ("entropy = 3", "a.py", key, false),
            ("entropy = 2.9", "a.py", "acme_aaaabbbb", false),
            ("path = '''\\.env$'''", "a.py", key, false),
            ("path = '''\\.env$'''", "deploy/.env", key, true),
            ("", "a.py", "KEY = acme_k3m8vq1z # gitleaks:allow", false),
            ("secretGroup = 1\nentropy = 2.9", "a.py", key, true),
        ] {
            assert_eq!(finds(more, path, content), expected, "{more} {path} {content}");
        }
    }

    #[test]
    fn both_forms_of_exceptions_leave_out_what_they_name() {
        let key = "first = 1\nKEY = acme_k3m8vq1z\n";
        for (more, path, expected) in [
            ("[[rules.allowlists]]\nregexes = ['''^k3m8''']", "a.py", false),
            ("[rules.allowlist]\nregexes = ['''^k3m8''']", "a.py", false),
            ("[[rules.allowlists]]\nregexes = ['''^acme_''']", "a.py", true),
            ("[[rules.allowlists]]\nregexTarget = \"match\"\nregexes = ['''^acme_''']", "a.py", false),
            ("[[rules.allowlists]]\nregexTarget = \"line\"\nregexes = ['''^KEY''']", "a.py", false),
            ("[[rules.allowlists]]\nregexTarget = \"line\"\nregexes = ['''^first''']", "a.py", true),
            ("[[rules.allowlists]]\npaths = ['''(?:^|/)tests/''']", "tests/a.py", false),
            ("[[rules.allowlists]]\npaths = ['''(?:^|/)tests/''']", "a.py", true),
            ("[[rules.allowlists]]\nstopwords = [\"3M8V\"]", "a.py", false),
            ("[[rules.allowlists]]\ncommits = [\"0123ABCD\"]", "a.py", false),
            ("[[rules.allowlists]]\ncondition = \"AND\"\npaths = ['''^tests/''']\nregexes = ['''^k3''']", "a.py", true),
            (
                "[[rules.allowlists]]\ncondition = \"AND\"\npaths = ['''^tests/''']\nregexes = ['''^k3''']",
                "tests/a.py",
                false,
            ),
            ("[allowlist]\npaths = ['''\\.py$''']", "a.py", false),
            ("[[allowlists]]\ntargetRules = [\"acme\"]\nstopwords = [\"k3m8\"]", "a.py", false),
            ("[[allowlists]]\ntargetRules = [\"other\"]\nstopwords = [\"k3m8\"]", "a.py", true),
        ] {
            assert_eq!(finds(more, path, key), expected, "{more} {path}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_named_and_the_rest_is_used() {
        let rule = |id: &str, more: &str| format!("[[rules]]\nid = \"{id}\"\n{more}\n");
        let text = [
            "[extend]\nuseDefault = true\n".to_owned(),
            rule("good", "regex = '''good_[a-z]{4}'''"),
            rule("ahead", "regex = '''a(?=b)'''"),
            rule("huge", "regex = '''(?:[a-z]{1000}){1000}'''"),
            rule("group", "regex = '''a(b)'''\nsecretGroup = 2"),
            rule("file", "path = '''\\.p12$'''"),
            rule("parts", "regex = '''a'''\n[[rules.required]]\nid = \"good\""),
            rule("excepted", "regex = '''a'''\n[[rules.allowlists]]\nregexes = ['''(''']"),
            "[[rules]]\nregex = '''a'''\n".to_owned(),
        ]
        .concat();
        let pack = read_pack(&text).unwrap();
        assert_eq!(pack.count(), 1);
        let named: Vec<&str> = pack.left_out.iter().map(|left| left.rule.as_str()).collect();
        assert_eq!(
            named,
            ["[extend]", "ahead", "huge", "group", "file", "parts", "excepted", "a rule without id"],
            "{:?}",
            pack.left_out
        );
        assert!(pack.left_out.iter().all(|left| !left.why.contains('\n') && !left.why.is_empty()));
        // A rule without keywords looks at every text.
        assert_eq!(names(&text, At::default(), "x good_abcd"), ["good"]);
    }

    #[test]
    fn a_file_that_is_broken_is_refused_with_its_line() {
        for (text, why) in [
            ("[[rules]]\nid = 5\n", "line 2: "),
            ("[[rules]]\nid = \"a\"\nregex = \n", "line 3: "),
            ("title = \"x\"\n", "no rule"),
        ] {
            let error = read_pack(text).unwrap_err();
            assert!(error.contains(why) && !error.contains('\n'), "{text}: {error}");
        }
        assert!(read_pack(&" ".repeat(PACK_BYTES_MAX + 1)).unwrap_err().contains("bytes"));
        let many = "[[rules]]\nid = \"a\"\nregex = '''a'''\n".repeat(RULES_MAX + 1);
        assert!(read_pack(&many).unwrap_err().contains("rules"));
        assert!(is_pack("# x\n  [[rules]]\n") && !is_pack("[rules]\n"));
    }

    #[test]
    fn rules_of_others_stand_behind_ours_and_show_little_of_what_only_its_surroundings_tell() {
        let text =
            "[[rules]]\nid = \"acme-key\"\nregex = '''(?i)acme\\w{0,9} = ([a-z0-9]{8})'''\nkeywords = [\"acme\"]\n";
        let rules = with_packs(vec![read_pack(text).unwrap()]);
        assert_eq!(rules.count(), crate::own().count() + 1);
        assert_ne!(rules.edition(), crate::own().edition());
        let found = rules.find("acme_key = k3m8vq1z", Look::Code);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].by_context && found[0].name.starts_with("k3… ") && found[0].provider == "acme key",
            "{found:?}"
        );
        assert!(rules.find("acme_key = k3m8vq1z", Look::Site).is_empty(), "a site is looked at by our rules alone");
    }
}
