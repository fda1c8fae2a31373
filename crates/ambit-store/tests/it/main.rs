//! Tests of the store through its own functions, each on both databases.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod crash;
mod feed;
mod folder;
mod intervals;
mod issues;
mod lab;
mod people;
mod records;
mod work;
