//! Names that people give: to projects and collections, to users and groups, and the addresses of users.

use crate::{Result, StoreError};
use ambit_model::hidden::is_hidden;

/// Longest name of a project or collection, in characters.
const NAME_CHARS_MAX: usize = 200;
/// Longest address, username or group name, in bytes (an address has at most 254, RFC 5321 §4.5.3.1.3).
const NAME_BYTES_MAX: usize = 254;

/// A shown name: without control characters, of bounded length, and with something in it that can be seen.
pub(crate) fn clean_title(name: &str) -> Result<String> {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = name.trim();
    let is_blank = name.chars().all(|c| c.is_whitespace() || is_hidden(c));
    if is_blank || name.chars().count() > NAME_CHARS_MAX {
        return Err(StoreError::Invalid(format!("a name has 1 to {NAME_CHARS_MAX} characters")));
    }
    Ok(name.to_owned())
}

/// An address in the one form that is stored: lower case, something on both sides of one @.
pub(crate) fn clean_email(email: &str) -> Result<String> {
    let email = email.trim().to_lowercase();
    let whole = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !domain.is_empty()
            && !domain.contains('@')
            && !email.contains(|c: char| c.is_whitespace() || c.is_control())
    });
    if whole && email.len() <= NAME_BYTES_MAX {
        return Ok(email);
    }
    Err(StoreError::Invalid(format!("invalid email address: {email:?}")))
}

/// A username or the name of a group: letters, digits and few signs, so that it can stand in a path.
pub(crate) fn clean_name(name: &str) -> Result<String> {
    let name = name.trim();
    let good = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(good) {
        return Err(StoreError::Invalid(format!("invalid name {name:?}: letters, digits and . _ - + only")));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_name_can_be_seen() {
        for (given, kept) in [
            (" Acme \u{7}Ltd\n", Some("Acme Ltd")),
            ("\u{1}  Acme  \u{1}", Some("Acme")),
            ("نمی\u{200c}خواهم", Some("نمی\u{200c}خواهم")),
            ("", None),
            (" \t\n", None),
            ("\u{7} \u{7}", None),
            ("\u{200b}\u{202e}\u{feff}", None),
        ] {
            assert_eq!(clean_title(given).ok().as_deref(), kept, "{given:?}");
        }
        assert!(
            clean_title(&"ä".repeat(NAME_CHARS_MAX)).is_ok() && clean_title(&"a".repeat(NAME_CHARS_MAX + 1)).is_err()
        );
    }

    #[test]
    fn an_address_is_whole_and_in_lower_case() {
        assert_eq!(clean_email(" Ann@Acme.TEST ").ok().as_deref(), Some("ann@acme.test"));
        let long = format!("{}@acme.test", "a".repeat(NAME_BYTES_MAX));
        for wrong in
            ["", "@", "ann", "ann@", "@acme.test", "ann@acme@test", "a nn@acme.test", "ann@acme.test\u{7}x", &long]
        {
            assert!(clean_email(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_username_can_stand_in_a_path() {
        assert_eq!(clean_name(" ann.lee-2+x_y ").ok().as_deref(), Some("ann.lee-2+x_y"));
        for wrong in ["", " ", "ann/lee", "ann lee", "änn", "an\nn", &"a".repeat(NAME_BYTES_MAX + 1)] {
            assert!(clean_name(wrong).is_err(), "{wrong:?}");
        }
    }
}
