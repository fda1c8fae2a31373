//! The envelope of every answer (docs/contract/asm.md §2.1): `success`, `message`, `result`.

use crate::contract::{Contract, contract, shape_of};
use crate::shape::Shape;
use serde::Serialize;

/// An answer in its envelope.
#[derive(Debug, Serialize)]
pub struct Envelope<T> {
    pub success: bool,
    pub message: String,
    pub result: T,
}

/// A few answers of the contract have more beside `result`.
impl<T: Contract> Contract for Envelope<T> {
    const SHAPE: &'static Shape =
        shape_of! { ("",) ("success",) bool; ("message",) String; ("result",) T; open others };
}

/// A successful answer.
pub fn success<T: Serialize>(message: &str, result: T) -> Envelope<T> {
    Envelope { success: true, message: message.to_owned(), result }
}

/// The answer of a successful unarchive, which says `success: false`: the contract has it so (docs/contract/asm.md
/// §2.3).
pub fn unarchived() -> Envelope<()> {
    Envelope { success: false, ..success("Collection unarchived", ()) }
}

contract! {
    /// The error object inside the envelope of a failure.
    #[derive(Debug, Serialize)]
    pub struct ErrorBody as "Error" {
        pub code: &'static str,
        pub message: String,
    }

    /// The envelope of a failure.
    #[derive(Debug, Serialize)]
    pub struct Failure {
        pub success: bool,
        pub message: String,
        pub result: (),
        pub error: ErrorBody,
    }

    /// Which program and version answers.
    #[derive(Debug, Serialize)]
    pub struct Version {
        pub name: &'static str,
        pub version: &'static str,
    }
}
