//! Tells people and programs what happened (docs/notifications.md): a loop beside the engine and the indexer that reads
//! the outbox of the store and sends. What is said, when it is tried again and how it is signed are functions without
//! input or output; what is sent goes through the door of `ambit-net`, as contact with a receiver.

mod answer;
mod channel;
mod digest;
mod events;
mod mail;
mod order;
mod round;
mod send;
mod signature;
mod text;

pub use mail::{Mail, MailSettings};
pub use round::{Asked, Finder, Service, serve};
pub use send::TraceFn;
pub use signature::public_key;
