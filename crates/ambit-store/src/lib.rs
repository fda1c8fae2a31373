//! The only crate that knows SQL: one set of statements on SQLite and PostgreSQL (design §3).

pub mod engine;
