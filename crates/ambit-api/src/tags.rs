//! Tags on the wire (docs/contract/asm.md §8.2): a list of texts. A body names one tag, as clients do, or several.

use crate::shape::{Object, Shape, TEXT, TEXTS, optional};

/// The tags of an item.
pub static TAGS: Shape = Shape::List(TEXT);

/// The body that adds tags: one of the two members.
pub static NEW_TAG: Shape = Shape::Object(&Object {
    name: "NewTag",
    members: &[optional("tag_name", TEXT), optional("tag_names", TEXTS)],
    open: true,
});
