//! Names of products as CPE 2.3 writes them (NIST IR 7695), and the older URI form of CPE 2.2. Says nothing of which
//! versions are meant: see `configuration.rs`.

use ambit_model::technology::Part;
use std::fmt;

/// One attribute of a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// `*`: any, or nothing is known.
    Any,
    /// `-`: there is none.
    NotApplicable,
    /// A text without its escapes, in lower case. Unescaped `*` and `?` are kept apart from it in `Pattern`.
    Text(String),
    /// A text with wildcards, as it was written.
    Pattern(String),
}

impl Value {
    /// Returns the text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Any | Self::NotApplicable | Self::Pattern(_) => None,
        }
    }

    /// Reads an attribute of the formatted string. Wildcards stand at its ends only, as the standard demands.
    fn parse(field: &str) -> Self {
        match field {
            "*" | "" => return Self::Any,
            "-" => return Self::NotApplicable,
            _ => {}
        }
        let (mut text, mut wild, mut signs) = (String::new(), false, field.chars());
        while let Some(sign) = signs.next() {
            match sign {
                '\\' => text.extend(signs.next()),
                '*' | '?' => {
                    wild = true;
                    text.push(sign);
                }
                _ => text.push(sign),
            }
        }
        if wild { Self::Pattern(field.to_lowercase()) } else { Self::Text(text.to_lowercase()) }
    }

    /// Returns whether this attribute of a criterion covers a text.
    pub fn covers(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::NotApplicable => false,
            Self::Text(own) => own.eq_ignore_ascii_case(text),
            Self::Pattern(pattern) => matches_pattern(pattern, &text.to_lowercase()),
        }
    }
}

/// Wildcards at both ends: `*` is any text, each `?` is at most one sign.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let (mut signs, mut escaped) = (Vec::new(), false);
    for sign in pattern.chars() {
        match sign {
            '\\' if !escaped => escaped = true,
            _ => {
                signs.push((sign, escaped));
                escaped = false;
            }
        }
    }
    let wild = |sign: &(char, bool)| !sign.1 && matches!(sign.0, '*' | '?');
    let leading = signs.iter().take_while(|sign| wild(sign)).count();
    let trailing = signs[leading..].iter().rev().take_while(|sign| wild(sign)).count();
    let most = |wild: &[(char, bool)]| if wild.iter().any(|sign| sign.0 == '*') { usize::MAX } else { wild.len() };
    let core: Vec<char> = signs[leading..signs.len() - trailing].iter().map(|sign| sign.0).collect();
    let (before, after) = (most(&signs[..leading]), most(&signs[signs.len() - trailing..]));
    let text: Vec<char> = text.chars().collect();
    if core.is_empty() {
        return text.len() <= before.saturating_add(after);
    }
    let mut starts = text.windows(core.len()).enumerate().filter(|(_, window)| *window == core);
    starts.any(|(at, _)| at <= before && text.len() - at - core.len() <= after)
}

/// A name: eleven attributes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cpe {
    pub part: Part,
    pub vendor: Value,
    pub product: Value,
    pub version: Value,
    pub update: Value,
    pub edition: Value,
    pub language: Value,
    pub sw_edition: Value,
    pub target_sw: Value,
    pub target_hw: Value,
    pub other: Value,
}

impl Cpe {
    /// Reads a formatted string of CPE 2.3 or a URI of CPE 2.2. Returns `None` for what is neither.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("cpe:2.3:") {
            let fields = split(rest);
            return (fields.len() == 11).then(|| Self::of(&fields)).flatten();
        }
        let rest = text.strip_prefix("cpe:/")?;
        let mut fields: Vec<String> = rest.split(':').map(unpercent).collect();
        if !(3..=11).contains(&fields.len()) {
            return None;
        }
        fields.resize(11, String::new());
        Self::of(&fields.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn of(fields: &[&str]) -> Option<Self> {
        let value = |at: usize| Value::parse(fields[at]);
        Some(Self {
            part: Part::from_letter(fields[0])?,
            vendor: value(1),
            product: value(2),
            version: value(3),
            update: value(4),
            edition: value(5),
            language: value(6),
            sw_edition: value(7),
            target_sw: value(8),
            target_hw: value(9),
            other: value(10),
        })
    }

    /// Makes the name of an application in a version.
    pub fn application(vendor: &str, product: &str, version: &str) -> Self {
        let text = |text: &str| Value::Text(text.to_lowercase());
        Self {
            part: Part::Application,
            vendor: text(vendor),
            product: text(product),
            version: if version.is_empty() { Value::Any } else { text(version) },
            update: Value::Any,
            edition: Value::Any,
            language: Value::Any,
            sw_edition: Value::Any,
            target_sw: Value::Any,
            target_hw: Value::Any,
            other: Value::Any,
        }
    }

    /// Returns `vendor:product`, where both are texts: what everything is looked up by.
    pub(crate) fn product_key(&self) -> Option<String> {
        Some(format!("{}:{}", self.vendor.text()?, self.product.text()?))
    }

    /// Returns the version with its update, as people write it: `9.3p1`, `1.8.0_311`, `2.0.0-rc1`; `None` where no
    /// version is said.
    pub(crate) fn full_version(&self) -> Option<String> {
        let version = self.version.text()?;
        let Some(update) = self.update.text() else { return Some(version.to_owned()) };
        if let Some(number) = update.strip_prefix("update_").or_else(|| update.strip_prefix("update")) {
            return Some(format!("{version}_{number}"));
        }
        let patch = update.strip_prefix('p').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        Some(format!("{version}{}{update}", if patch { "" } else { "-" }))
    }
}

/// The fields between colons that are not escaped.
fn split(text: &str) -> Vec<&str> {
    let (mut fields, mut begin, mut escaped) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' if !escaped => escaped = true,
            b':' if !escaped => {
                fields.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => escaped = false,
        }
    }
    fields.push(&text[begin..]);
    fields
}

/// A field of the URI form as the formatted string has it: its signs escaped.
fn unpercent(field: &str) -> String {
    let (mut out, mut rest) = (String::new(), field);
    while let Some(sign) = rest.chars().next() {
        let hex = rest.get(1..3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let (sign, length) = match (sign, hex) {
            ('%', Some(byte)) => (char::from(byte), 3),
            _ => (sign, sign.len_utf8()),
        };
        if field != "-" {
            push_escaped(&mut out, sign);
        } else {
            out.push(sign);
        }
        rest = &rest[length..];
    }
    out
}

fn push_escaped(out: &mut String, sign: char) {
    if !(sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '-') || !sign.is_ascii()) {
        out.push('\\');
    }
    out.push(sign);
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::NotApplicable => f.write_str("-"),
            Self::Pattern(pattern) => f.write_str(pattern),
            Self::Text(text) if text == "-" => f.write_str("\\-"),
            Self::Text(text) => {
                let mut out = String::new();
                text.chars().for_each(|sign| push_escaped(&mut out, sign));
                f.write_str(&out)
            }
        }
    }
}

impl fmt::Display for Cpe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cpe:2.3:{}", self.part.letter())?;
        let Self {
            vendor, product, version, update, edition, language, sw_edition, target_sw, target_hw, other, ..
        } = self;
        for value in [vendor, product, version, update, edition, language, sw_edition, target_sw, target_hw, other] {
            write!(f, ":{value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for (text, key, version) in [
            ("cpe:2.3:a:openbsd:openssh:9.3:p1:*:*:*:*:*:*", "openbsd:openssh", Some("9.3p1")),
            ("cpe:2.3:a:joomla:joomla\\!:4.0.0:rc1:*:*:*:*:*:*", "joomla:joomla!", Some("4.0.0-rc1")),
            ("cpe:2.3:a:veeam:veeam_backup_\\&_replication:*:*:*:*:*:*:*:*", "veeam:veeam_backup_&_replication", None),
            ("cpe:2.3:a:x:a\\:b:1\\+2:-:*:*:*:wordpress:*:*", "x:a:b", Some("1+2")),
            ("cpe:2.3:a:oracle:jdk:1.8.0:update311:*:*:*:*:*:*", "oracle:jdk", Some("1.8.0_311")),
            ("cpe:2.3:o:linux:linux_kernel:-:*:*:*:*:*:*:*", "linux:linux_kernel", None),
        ] {
            let cpe = Cpe::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(cpe.to_string(), text);
            assert_eq!(cpe.product_key().as_deref(), Some(key), "{text}");
            assert_eq!(cpe.full_version().as_deref(), version, "{text}");
        }
    }

    #[test]
    fn the_older_form_becomes_the_newer_one() {
        for (old, new) in [
            ("cpe:/a:apache:http_server:2.4.57", "cpe:2.3:a:apache:http_server:2.4.57:*:*:*:*:*:*:*"),
            ("cpe:/a:joomla:joomla%21:-", "cpe:2.3:a:joomla:joomla\\!:-:*:*:*:*:*:*:*"),
            ("cpe:/o:cisco:ios:12.2%2855%29se", "cpe:2.3:o:cisco:ios:12.2\\(55\\)se:*:*:*:*:*:*:*"),
        ] {
            assert_eq!(Cpe::parse(old).map(|cpe| cpe.to_string()).as_deref(), Some(new));
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "cpe:2.3:a:b:c", "cpe:2.3:x:b:c:1:*:*:*:*:*:*:*", "cpe:/a:b", "nginx:1.2", "cpe:2.3:a:b\\"] {
            assert_eq!(Cpe::parse(text), None, "{text}");
        }
    }

    #[test]
    fn wildcards_stand_for_what_the_standard_says() {
        for (field, text, covered) in [
            ("2.2.*", "2.2.17", true),
            ("2.2.*", "2.20", false),
            ("1.0?", "1.0a", true),
            ("1.0?", "1.0", true),
            ("1.0?", "1.0ab", false),
            ("*", "anything", true),
            ("-", "1", false),
            ("1\\*", "1*", true),
            ("1\\*", "12", false),
            ("*ssh*", "openssh_server", true),
        ] {
            assert_eq!(Value::parse(field).covers(text), covered, "{field} {text}");
        }
    }
}
