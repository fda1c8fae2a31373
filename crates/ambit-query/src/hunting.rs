//! The filters of hunting (docs/contract/hunting.md §5) and of collections of objects (docs/contract/wider.md
//! §6.3): words `modifier:value`, all of which must hold, over rule sets, notifications, jobs and collections. Text
//! to conditions; what they mean is for whoever has the objects.

use crate::graphs::Phrase;
use crate::range::Range;

/// Characters of a filter: far above any that a person writes.
const CHARS_MAX: usize = 4 * 1024;

/// What a modifier is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// `true` or `false`.
    Flag,
    /// Words; a `*` behind the last makes it a beginning.
    Words,
    /// A name, as it is.
    Name,
    /// A day, a moment or seconds since 1970, with `+` (from it on) or `-` (before it) behind it.
    Date,
}

/// A modifier that a list knows.
pub type Modifier = (&'static str, Takes);

/// Of lists of rule sets.
pub const RULESET_MODIFIERS: &[Modifier] =
    &[("enabled", Takes::Flag), ("name", Takes::Words), ("rules", Takes::Words), ("tag", Takes::Words)];
/// Of lists of notifications.
pub const NOTIFICATION_MODIFIERS: &[Modifier] = &[("tag", Takes::Name), ("owner", Takes::Name), ("date", Takes::Date)];
/// Of the stream of indicators.
pub const STREAM_MODIFIERS: &[Modifier] = &[
    ("date", Takes::Date),
    ("origin", Takes::Name),
    ("entity_type", Takes::Name),
    ("entity_id", Takes::Name),
    ("source_type", Takes::Name),
    ("source_id", Takes::Name),
    ("notification_tag", Takes::Name),
    ("owner", Takes::Name),
];
/// Of lists of jobs.
pub const JOB_MODIFIERS: &[Modifier] = &[("status", Takes::Name)];

/// Of lists of collections of objects, beside free text.
pub const COLLECTION_MODIFIERS: &[Modifier] =
    &[("name", Takes::Words), ("owner", Takes::Name), ("collection_type", Takes::Name)];
/// The modifier of a condition that was written as words alone.
pub(crate) const FREE_TEXT: &str = "";

/// What must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Flag(bool),
    Words(Phrase),
    Name(String),
    /// In seconds since 1970.
    Date(Range),
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub modifier: &'static str,
    pub wanted: Wanted,
}

/// Reads a filter; an unknown modifier is refused with the list of those that there are.
pub fn parse_conditions(text: &str, known: &[Modifier]) -> Result<Vec<Condition>, String> {
    parse_words(text, |word| condition(word, known))
}

/// Reads a filter in which words may stand alone: each is a condition of its own, `FREE_TEXT`. An unknown modifier is
/// refused with the list of those that there are, and so are operators that are not understood.
pub fn parse_conditions_and_text(text: &str, known: &[Modifier]) -> Result<Vec<Condition>, String> {
    parse_words(text, |word| {
        let plain = word.trim_matches('"').trim();
        if ["OR", "NOT"].contains(&word) || word.starts_with(['(', '-']) {
            return Err(format!("{word:?} is not understood here: all conditions must hold"));
        }
        if word.split('"').next().is_some_and(|start| start.contains(':')) || plain.is_empty() {
            return condition(word, known);
        }
        Ok(Condition { modifier: FREE_TEXT, wanted: Wanted::Words(Phrase::new(plain)) })
    })
}

fn parse_words(text: &str, read: impl Fn(&str) -> Result<Condition, String>) -> Result<Vec<Condition>, String> {
    if text.chars().count() > CHARS_MAX {
        return Err(format!("a filter has at most {CHARS_MAX} characters"));
    }
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, behind) = split_word(rest)?;
        if word != "AND" {
            out.push(read(word)?);
        }
        rest = behind.trim_start();
    }
    Ok(out)
}

/// Returns the first word and the rest. Blanks in quotes and after a colon do not end the word.
fn split_word(text: &str) -> Result<(&str, &str), String> {
    let (mut quoted, mut needs_value) = (false, false);
    let end = text.find(|c: char| {
        quoted ^= c == '"';
        if c.is_whitespace() {
            return !quoted && !needs_value;
        }
        needs_value = c == ':' && !quoted;
        false
    });
    if end.is_none() && quoted {
        return Err("a quote without its end".to_owned());
    }
    Ok(text.split_at(end.unwrap_or(text.len())))
}

fn condition(word: &str, known: &[Modifier]) -> Result<Condition, String> {
    let names = || known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let found = word.split_once(':').and_then(|(name, value)| {
        let modifier = known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some((*modifier, value))
    });
    let ((modifier, takes), written) =
        found.ok_or_else(|| format!("{word:?} is no condition; known: {}, each with : and a value", names()))?;
    let value = written.trim().trim_matches('"').trim();
    let bad = |needs: &str| format!("{modifier} needs {needs}, not {written:?}");
    let wanted = match takes {
        _ if value.is_empty() => return Err(bad("a value")),
        Takes::Flag => match value {
            "true" => Wanted::Flag(true),
            "false" => Wanted::Flag(false),
            _ => return Err(bad("true or false")),
        },
        Takes::Words => Wanted::Words(Phrase::new(value)),
        Takes::Name => Wanted::Name(value.to_owned()),
        Takes::Date => {
            let range = Range::of_date(value);
            Wanted::Date(
                range.ok_or_else(|| bad("a date such as 2026-01-31, or seconds since 1970, with + or - behind it"))?,
            )
        }
    };
    Ok(Condition { modifier, wanted })
}

impl Wanted {
    /// True of a text, where words or a name are wanted.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Words(phrase) => phrase.stands_in(text),
            Self::Name(name) => name.eq_ignore_ascii_case(text),
            Self::Flag(_) | Self::Date(..) => false,
        }
    }

    /// True of a moment in seconds since 1970, where a date is wanted.
    pub fn holds_at(&self, seconds: i64) -> bool {
        match self {
            Self::Date(range) => range.holds(seconds),
            Self::Words(_) | Self::Name(_) | Self::Flag(_) => false,
        }
    }
}

/// Reads `field`, `field+` or `field-` of a list of fields; nothing is the first of them. True: descending. Fails for a
/// field that is not in the list, and names those that are.
pub fn parse_order(text: &str, fields: &[&'static str]) -> Result<(&'static str, bool), String> {
    let text = text.trim();
    let (name, descending) = match text.strip_suffix('-') {
        Some(name) => (name, true),
        None => (text.strip_suffix('+').unwrap_or(text), false),
    };
    let found = fields.iter().find(|field| **field == name);
    let field = found.ok_or_else(|| format!("unknown order {name:?}; known: {}", fields.join(", ")))?;
    Ok((field, descending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Vec<Condition>, String> {
        parse_conditions(text, RULESET_MODIFIERS)
    }

    fn is_in(filter: &str, text: &str) -> bool {
        check(filter).unwrap().iter().all(|condition| condition.wanted.is_in(text))
    }

    #[test]
    fn words_are_whole_or_beginnings() {
        for (filter, found) in [
            ("name:rats", true),
            ("name:rat", false),
            ("name:rat*", true),
            ("NAME:Old", true),
            ("name:\"old rats\"", true),
            ("name:\"rats old\"", false),
            ("name:old name:new", false),
            ("name:old AND tag:rats", true),
        ] {
            assert_eq!(is_in(filter, "Old rats"), found, "{filter}");
        }
    }

    #[test]
    fn words_may_stand_alone_where_a_list_takes_text() {
        let read = |text: &str| parse_conditions_and_text(text, COLLECTION_MODIFIERS);
        let modifiers = |text: &str| read(text).unwrap().iter().map(|one| one.modifier).collect::<Vec<_>>();
        assert_eq!(
            modifiers("collection_type:malware-family old \"new: rats\" AND owner:ann"),
            ["collection_type", FREE_TEXT, FREE_TEXT, "owner"]
        );
        let spaced = read("collection_type:threat-actor name:  \"APT 1\" new").unwrap();
        assert_eq!(spaced[1], Condition { modifier: "name", wanted: Wanted::Words(Phrase::new("apt 1")) });
        assert_eq!((spaced.len(), spaced[2].modifier), (3, FREE_TEXT));
        for (text, said) in [
            ("origin:x", "\"origin:x\" is no condition; known: name, owner, collection_type, each with : and a value"),
            ("a OR b", "\"OR\" is not understood here: all conditions must hold"),
            ("(a", "\"(a\" is not understood here: all conditions must hold"),
        ] {
            assert_eq!(read(text).unwrap_err(), said);
        }
    }

    #[test]
    fn flags_and_dates_are_read() {
        assert_eq!(check("enabled:true").unwrap()[0].wanted, Wanted::Flag(true));
        let dates = parse_conditions("date:2018-11-01+ date:1541548800-", NOTIFICATION_MODIFIERS).unwrap();
        let within = |at: i64| dates.iter().all(|date| date.wanted.holds_at(at));
        assert_eq!(
            [1_541_030_399, 1_541_030_400, 1_541_548_799, 1_541_548_800].map(within),
            [false, true, true, false]
        );
    }

    #[test]
    fn what_is_no_condition_is_refused_with_the_known_ones() {
        for (text, said) in [
            ("word", "\"word\" is no condition; known: enabled, name, rules, tag, each with : and a value"),
            ("size:3", "\"size:3\" is no condition; known: enabled, name, rules, tag, each with : and a value"),
            ("enabled:yes", "enabled needs true or false, not \"yes\""),
            ("name:", "name needs a value, not \"\""),
            ("name:\"a b", "a quote without its end"),
        ] {
            assert_eq!(check(text).unwrap_err(), said);
        }
        assert!(parse_conditions("date:soon", NOTIFICATION_MODIFIERS).is_err());
        assert_eq!(check("  "), Ok(Vec::new()));
    }

    #[test]
    fn orders_have_a_field_and_a_direction() {
        let fields = ["name", "creation_date"];
        assert_eq!(parse_order("creation_date-", &fields), Ok(("creation_date", true)));
        assert_eq!(parse_order("name+", &fields), Ok(("name", false)));
        assert_eq!(parse_order("name ", &fields), Ok(("name", false)));
        assert!(parse_order("size", &fields).unwrap_err().contains("name, creation_date"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,100}") {
            let _ = check(&text);
            let _ = parse_conditions(&text, STREAM_MODIFIERS);
            let _ = parse_order(&text, &["name"]);
        }
    }
}
