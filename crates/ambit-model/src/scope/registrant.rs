//! How registrants are compared.

/// A registrant's name as it is compared: letters and digits of any script in lower case, words apart by one blank.
/// Nothing is guessed beyond that.
pub fn registrant_key(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::registrant_key;

    #[test]
    fn registrants_are_equal_but_for_case_and_punctuation() {
        assert_eq!(registrant_key("ACME Tools, Ltd."), registrant_key("Acme  Tools Ltd"));
        assert_ne!(registrant_key("Acme Tools Ltd"), registrant_key("Acme Tools Limited"));
        assert_ne!(registrant_key("Acme"), registrant_key("Acme Group"));
        assert_eq!(registrant_key(" - "), "");
    }
}
