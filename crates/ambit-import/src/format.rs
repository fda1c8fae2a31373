//! The formats, one file each.

pub(crate) mod amass;
pub(crate) mod bbot;
pub(crate) mod csv;
pub(crate) mod graphql;
pub(crate) mod gti;
pub(crate) mod httpx;
pub(crate) mod masscan;
pub(crate) mod naabu;
pub(crate) mod nmap;
pub(crate) mod nuclei;
pub(crate) mod openapi;
pub(crate) mod postman;
pub(crate) mod terraform;
