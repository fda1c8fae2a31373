//! How registrants are compared.

/// A registrant's name as it is compared: letters and digits of any script in lower case, words apart by one blank.
/// Nothing is guessed beyond that.
pub fn registrant_key(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Words that stand where a registry hides a registrant, or where a service stands in for one.
const HIDDEN: &[&str] = &[
    "redacted",
    "privacy",
    "not disclosed",
    "withheld",
    "data protected",
    "whoisguard",
    "whois protection",
    "domains by proxy",
    "domain protection services",
    "gdpr",
    "proxy service",
    "proxy protection",
    "identity protection",
    "identity shield",
    "masked",
    "masking enabled",
    "private person",
    "private registration",
    "registration private",
    "knock knock",
    "whois agent",
    "anonymize",
    "dnstination",
    "1337 services",
    "on behalf of",
    "not available",
    "not applicable",
    "statutory",
];

/// Keys of what stands where nobody is named, and of a registrar that registers in its own name.
const NOBODY: &[&str] = &["n a", "none", "unknown", "markmonitor", "markmonitor inc"];

/// Legal forms, without the dots between their letters.
const LEGAL_FORMS: &[&str] = &[
    "ab",
    "ag",
    "aps",
    "as",
    "asa",
    "bv",
    "co",
    "company",
    "corp",
    "corporation",
    "doo",
    "gmbh",
    "inc",
    "incorporated",
    "kft",
    "kg",
    "kk",
    "limited",
    "llc",
    "llp",
    "lp",
    "ltd",
    "ltda",
    "nv",
    "oy",
    "oyj",
    "plc",
    "private",
    "pte",
    "pty",
    "pvt",
    "sa",
    "sarl",
    "sas",
    "se",
    "sl",
    "spa",
    "spzoo",
    "srl",
    "sro",
    "ug",
];
/// Words of the longest of them where it is spelled with dots: `Sp. z o.o.`
const LEGAL_FORM_WORDS_MAX: usize = 4;

/// True for a text that hides who a registrant is.
pub fn is_hidden_registrant(text: &str) -> bool {
    let lower = text.to_lowercase();
    HIDDEN.iter().any(|word| lower.contains(word))
}

/// A registrant's name without its legal forms at the end, as it is compared to tell somebody else from a seed's
/// registrant; `None` where it says nothing of who that is.
pub(super) fn holder_key(name: &str) -> Option<String> {
    let key = registrant_key(name);
    if key.is_empty() || NOBODY.contains(&key.as_str()) || is_hidden_registrant(name) {
        return None;
    }
    let mut words: Vec<&str> = key.split(' ').collect();
    let form = |words: &[&str]| {
        let is_form = |count: &usize| LEGAL_FORMS.contains(&words[words.len() - count..].concat().as_str());
        (1..=LEGAL_FORM_WORDS_MAX.min(words.len() - 1)).find(is_form)
    };
    while let Some(count) = form(&words) {
        words.truncate(words.len() - count);
    }
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{holder_key, registrant_key};

    #[test]
    fn registrants_are_equal_but_for_case_and_punctuation() {
        assert_eq!(registrant_key("ACME Tools, Ltd."), registrant_key("Acme  Tools Ltd"));
        assert_ne!(registrant_key("Acme Tools Ltd"), registrant_key("Acme Tools Limited"));
        assert_ne!(registrant_key("Acme"), registrant_key("Acme Group"));
        assert_eq!(registrant_key(" - "), "");
    }

    #[test]
    fn holders_are_equal_but_for_their_legal_form_and_who_is_hidden_is_nobody() {
        let table = [
            ("Acme Tools Ltd", Some("acme tools")),
            ("ACME TOOLS LIMITED", Some("acme tools")),
            ("Acme Tools", Some("acme tools")),
            ("Acme Tools S.p.A.", Some("acme tools")),
            ("Acme Tools GmbH & Co. KG", Some("acme tools")),
            ("Acme Tools Sp. z o.o.", Some("acme tools")),
            ("Acme Tools (Pty) Ltd.", Some("acme tools")),
            ("Acme Limited Tools", Some("acme limited tools")),
            ("Acme Group", Some("acme group")),
            ("Limited", Some("limited")),
            ("SA", Some("sa")),
            ("MarkMonitor Inc.", None),
            ("N/A", None),
            ("-", None),
            ("", None),
            ("Domain Protection Services, Inc.", None),
            ("Proxy Protection LLC", None),
            ("Registration Private", None),
            ("Anonymize, Inc.", None),
            ("DNStination Inc.", None),
            ("Whois Protection, s.r.o.", None),
            ("1337 Services LLC", None),
            ("REDACTED FOR PRIVACY", None),
        ];
        for (name, expected) in table {
            assert_eq!(holder_key(name).as_deref(), expected, "{name}");
        }
    }
}
