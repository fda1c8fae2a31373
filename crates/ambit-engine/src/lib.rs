//! Runs: what happens next, and makes it happen. Plans, leases, executes, commits, reconciles (docs/architecture.md
//! §2). Knows no server, no index.

mod fingerprints;
pub mod graph;
pub mod guard;
pub mod hunt;
mod installation;
pub mod judge;
mod keeping;
mod packs;
pub mod plan;
pub mod progress;
mod reassess;
pub mod run;
pub mod schedule;
mod secrets;
pub mod share;
mod told;
mod vulnerabilities;
pub mod work;

pub use hunt::Hunter;
pub use installation::Installation;
pub use progress::Progress;
pub use reassess::{Reassessed, reassess};
pub use run::{Clock, EngineConfig, RunEnd, drive};
pub use schedule::{Board, Service, WireMaker, carry, serve};
pub use share::{IN_FLIGHT_MAX, Share, Shares};
pub use told::tell;
