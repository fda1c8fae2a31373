//! The packs of rules that tell secrets, as runs are given them.

use crate::packs::Packs;
use ambit_secrets::{Pack, Rules, read_pack, with_packs};

/// The packs of rules for secrets.
pub(crate) static PACKS: Packs<Pack, Rules> = Packs::new("secrets", |_, text| read_pack(text), with_packs);
