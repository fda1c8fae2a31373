//! Notifications end to end: from what a run writes to what a receiver reads.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod lab;
mod others;
mod webhooks;
