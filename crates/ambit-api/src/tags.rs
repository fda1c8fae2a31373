//! Tags on the wire (docs/contract/asm.md §8.2): a list of texts. A body names one tag, as clients do, or several.

use crate::contract::{Maybe, contract};
use crate::request::{Text, Texts};
use ambit_model::limits::TAG_CHARS_MAX;
use serde::Deserialize;

contract! {
    /// The body that adds tags: one of the two members.
    #[derive(Debug, Deserialize)]
    pub struct NewTag {
        pub tag_name: Maybe<Text<TAG_CHARS_MAX>>,
        pub tag_names: Maybe<Texts>,
    }
}
