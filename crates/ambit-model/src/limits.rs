//! Limits of what people write: the API states them, the store keeps them.

/// Characters of a note: clients send up to 50,000 (docs/contract/asm.md §8.3).
pub const NOTE_CHARS_MAX: usize = 50_000;
/// Characters of a tag.
pub const TAG_CHARS_MAX: usize = 100;
/// Characters of the reason for a decision on an issue.
pub const REASON_CHARS_MAX: usize = 1_000;
