//! The whole program, run as a person runs it: the real binary, real data folders, the simulated internet.

mod cli;
mod client;
mod clients;
mod cloud;
mod crash;
mod daily;
mod engine_config;
mod exclusions;
mod exports;
mod feeds;
mod fingerprints;
mod impersonation;
mod imports;
mod known;
mod ledger;
mod migrate;
mod operator;
mod program;
mod repositories;
mod restored;
mod same_site;
mod scope;
mod sightings;
mod sisters;
mod suppliers;
mod whole_run;
