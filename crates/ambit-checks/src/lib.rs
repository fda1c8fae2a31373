//! Judges over facts: pure functions that report issues (docs/architecture.md §5). The engine for templates that fetch
//! and match joins them in this crate. Nothing here touches the network, a file or a clock; the wire date is an
//! argument.

mod address;
mod application;
mod certificate;
mod cloud;
pub mod exposure;
mod judge;
mod library;
mod look;
mod package;
mod repository;
#[cfg(test)]
mod samples;
mod service;
mod site;

pub use judge::Judge;
pub use library::{all, by_knowledge, find, library};
