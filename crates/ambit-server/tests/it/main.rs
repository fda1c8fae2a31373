//! The server as its callers see it: every row of the table, every scenario, and requests that no good client sends.

mod scenarios;
mod spellings;
mod walk;
