//! Runs: what happens next, and makes it happen. Plans, leases, executes, commits, reconciles (docs/architecture.md
//! §2). Knows no server, no index.

mod fingerprints;
mod graph;
mod guard;
pub mod hunt;
mod installation;
mod judge;
mod keeping;
mod pace;
mod packs;
mod plan;
mod platforms;
mod progress;
mod reassess;
mod refresh;
mod run;
mod schedule;
mod secrets;
mod share;
mod told;
mod vulnerabilities;
mod work;

pub use hunt::Hunter;
pub use installation::Installation;
pub use plan::is_fresh;
pub use progress::Progress;
pub use reassess::{Reassessed, reassess};
pub use run::{Clock, EngineConfig, RunEnd, drive};
pub use schedule::{Board, Service, WireMaker, carry, serve};
pub use share::{IN_FLIGHT_MAX, Share, Shares};
pub use told::tell;
