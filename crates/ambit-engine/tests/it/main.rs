//! Runs as their parts see them together: judges, tasks, what is known against products, and the store.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backports;
mod judges_and_tasks;
mod stopping;
