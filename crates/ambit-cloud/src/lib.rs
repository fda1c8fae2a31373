//! Accounts at cloud providers: how their interfaces are asked, as bytes, and how their answers are read. It opens no
//! connection: a task sends what it makes, through the door. A provider is a folder; a service of one is a file in it
//! and a line in its list.

pub mod aws;
mod xml;
