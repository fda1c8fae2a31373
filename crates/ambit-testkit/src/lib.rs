//! For tests only: a server with people in it, a client that sends exact bytes, scenarios to run against any server,
//! and files that tests compare or write anew.

pub mod caller;
pub mod client;
pub mod expected;
pub mod inventory;
pub mod kept;
pub mod part;
pub mod provider;
pub mod scenario;
pub mod server;

pub use caller::{Caller, Refused};
pub use client::{Ask, Reply, ask, ask_bytes};
pub use expected::assert_file;
pub use inventory::Inventory;
pub use provider::TestProvider;
pub use scenario::{Done, Scenario, Stage, Step};
pub use server::TestServer;
