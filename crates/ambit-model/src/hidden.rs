//! Characters that a terminal, a log or a page could obey, or that a reader cannot see. Text from outside is never
//! shown with them; whoever shows it decides whether they are escaped, replaced or left out.

/// Returns true for control characters (C0, DEL, C1), zero-width and bidirectional characters, line separators, tags,
/// the byte order mark and the soft hyphen.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character), 0xAD | 0x61C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E)
        || matches!(u32::from(character), 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_not_hidden_and_what_turns_or_cuts_text_is() {
        for seen in "aé漢 -\u{a0}\u{301}😀".chars() {
            assert!(!is_hidden(seen), "{seen:?}");
        }
        for hidden in
            "\0\n\u{1b}\u{7f}\u{9b}\u{ad}\u{61c}\u{200b}\u{200d}\u{2028}\u{202e}\u{2066}\u{feff}\u{e0041}".chars()
        {
            assert!(is_hidden(hidden), "{hidden:?}");
        }
    }
}
