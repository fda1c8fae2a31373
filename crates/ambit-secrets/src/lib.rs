//! Secrets in text: rules that tell keys, tokens and passwords by their form or by what they are called, and how they
//! are shown without being told. Pure: text in, findings out; the rules are data (`own/`).

mod decode;
mod find;
mod mask;
mod own;
mod rule;

pub use find::{Found, Look, Rules};
pub use mask::{MASK, Masked, masked, names_only};
pub use own::own;
