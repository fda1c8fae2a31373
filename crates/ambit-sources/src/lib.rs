//! Sources of names: data providers that were told of names below a domain, as data. A source is a file in `own/` that
//! says how it is asked, how its answer is read, and what an answer looks like. Pure: requests and answers are texts.

mod answer;
mod own;
mod page;
mod source;
mod template;

#[cfg(test)]
mod tests;

pub use own::{all, find};
pub use page::{Page, Refusal};
pub use source::{Asked, Key, Request, Source, without_key};
