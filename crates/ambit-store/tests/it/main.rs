//! Tests of the store through its own functions, each on both databases.

mod crash;
mod feed;
mod folder;
mod intervals;
mod issues;
mod lab;
mod people;
mod records;
mod work;
