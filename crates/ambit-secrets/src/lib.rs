//! Secrets in text: rules that tell keys, tokens and passwords by their form or by what they are called, and how they
//! are shown without being told. Pure: text in, findings out; the rules are data: ours (`own/`), and those of files
//! that a user loads.

mod allow;
mod decode;
mod expression;
mod find;
mod given;
mod kubernetes;
mod mask;
mod own;
mod pack;
mod rule;
mod token;
mod value;

pub use allow::At;
pub use find::{Findings, Found, Look, Rules};
pub use given::is_configuration;
pub use mask::{MASK, Masked, masked, names_only};
pub use own::{own, with_packs};
pub use pack::{LeftOut, PACK_BYTES_MAX, Pack, is_pack, read_pack};
