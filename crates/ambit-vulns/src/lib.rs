//! What is known against products in a version: names (CPE), orders of versions, configurations, feeds that users load,
//! and a small list of our own. Reads and writes files only below the folder that it is handed; knows no network.

mod alias;
mod bundle;
mod configuration;
mod cpe;
mod distribution;
pub mod import;
mod index;
mod knowledge;
mod lifecycle;
mod own;
mod packs;
mod records;
pub mod vulnerability;

pub use bundle::is_bundle;
pub use import::package;
pub use knowledge::{Concern, Knowledge, concern};
pub use packs::{Pack, PackError, Packs};
