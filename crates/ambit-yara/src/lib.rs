//! Rules over bytes, in the language YARA: compile, count, match. Knows no store, no network, no files: includes are
//! refused, and so are the modules that would look outside. Whoever compiles or matches rules or bytes from outside
//! does it on a thread that it can leave behind: the limits of time are kept between steps of the evaluation, and one
//! step over many bytes can be long.

mod matches;
mod rules;

pub use matches::{Match, TimedOut};
pub use rules::{Bounds, CompileError, LIVE, PACK, RETRO, Rule, Rules, Source, compile};
