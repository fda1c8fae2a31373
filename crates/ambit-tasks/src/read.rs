//! Readers: pure functions from what a peer sent, or from a name, to what it means, with the tables that they compare
//! it with. Nothing here asks the network.

pub(crate) mod assignments;
pub(crate) mod buckets;
pub(crate) mod build_files;
pub(crate) mod datagram;
pub(crate) mod default_installations;
pub(crate) mod default_pages;
pub(crate) mod defect;
pub(crate) mod echo;
pub(crate) mod endpoints;
pub(crate) mod firebase;
pub(crate) mod front;
pub(crate) mod frontier;
pub(crate) mod greeting;
pub(crate) mod handed_out;
pub(crate) mod leads;
pub(crate) mod listing;
pub(crate) mod lockfiles;
pub(crate) mod login;
pub(crate) mod mentions;
pub(crate) mod normal;
pub(crate) mod nsec3;
pub(crate) mod openapi;
pub(crate) mod page;
pub(crate) mod parameters;
pub(crate) mod passive;
pub(crate) mod providers;
pub(crate) mod rdap;
pub(crate) mod script;
pub(crate) mod seed_tokens;
pub(crate) mod source_map;
pub(crate) mod spf;
pub(crate) mod suppliers;
pub(crate) mod technology;
pub(crate) mod web_token;
