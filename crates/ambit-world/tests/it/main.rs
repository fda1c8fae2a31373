//! Worlds as those see them who write them and those who ask them: faults of a file, what is served over the wire, and
//! the truth.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod ask;
mod clearance;
mod client;
mod faults;
mod format;
mod messages;
mod served;
mod standing;
mod standing_issues;
mod truth;
mod wire;
