//! What several tasks ask of the network or of facts, and where: bindings, blocks of addresses, conversations, sites,
//! registries. Only tasks say what they found; these answer them.

pub(crate) mod account;
pub(crate) mod aws;
pub(crate) mod bindings;
pub(crate) mod blocks;
pub(crate) mod bootstrap;
pub(crate) mod cloud;
pub(crate) mod datagram;
pub(crate) mod default_certificate;
pub(crate) mod delegation;
pub(crate) mod denial;
pub(crate) mod dialogue;
pub(crate) mod exposed;
pub(crate) mod git;
pub(crate) mod guess;
pub(crate) mod hashed_zone;
pub(crate) mod holdings;
pub(crate) mod host;
pub(crate) mod identify;
pub(crate) mod inputs;
pub(crate) mod mirror;
pub(crate) mod node_ports;
pub(crate) mod origins;
pub(crate) mod prefix_lists;
pub(crate) mod provider;
pub(crate) mod registered;
pub(crate) mod same_site;
pub(crate) mod session;
pub(crate) mod together;
pub(crate) mod web;
pub(crate) mod whois;
pub(crate) mod wild;
pub(crate) mod zones;
