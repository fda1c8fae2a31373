//! The list of formats.

mod csv;
mod defectdojo;
mod html;
mod jsonl;
mod ocsf;
mod sarif;
mod stix;
mod vex;

use crate::Format;

/// Every format, in the order of the help.
pub const FORMATS: &[&Format] = &[
    &csv::FORMAT,
    &jsonl::FORMAT,
    &sarif::FORMAT,
    &vex::FORMAT,
    &defectdojo::FORMAT,
    &ocsf::FORMAT,
    &stix::FORMAT,
    &html::FORMAT,
];

/// The default search of formats that describe the current state.
const OPEN: &str = "status_new:open";
