//! For tests only: a server with people in it, a client that sends exact bytes, scenarios to run against any server,
//! and files that tests compare or write anew.

mod caller;
mod client;
mod expected;
pub mod inventory;
pub mod kept;
mod part;
pub mod provider;
pub mod scenario;
mod server;

pub use caller::{Caller, Refused};
pub use client::{Ask, Reply, ask, ask_bytes};
pub use expected::assert_file;
pub use inventory::Inventory;
pub use provider::TestProvider;
pub use scenario::{Done, Scenario, Stage, Step};
pub use server::TestServer;
