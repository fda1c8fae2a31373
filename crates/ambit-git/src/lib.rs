//! Repositories of git: what is said to a server and what it answers (`protocol`), the objects of a folder or a pack
//! (`objects`), their history (`history`), what stands at its tips (`standing`), and the files of one that a server
//! hands out as they are (`served`). Sends nothing itself, and runs no other program.

mod beside;
mod folder;
mod gathering;
mod history;
mod objects;
mod placed;
mod protocol;
pub mod served;
mod standing;
#[cfg(test)]
mod testing;
mod text;
mod walked;

pub use beside::Beside;
pub use folder::Folder;
pub use gathering::{Gathering, Kept};
pub use gix_hash::{Kind as HashKind, ObjectId};
pub use history::{Commit, DEPTH_MAX as FOLDERS_DEEP_MAX, Piece, reached, staged, walk};
pub use objects::{OBJECT_BYTES_MAX, Objects};
pub use placed::{Placed, placed};
pub use protocol::{
    Advertised, END, PackWriter, Ref, Wanted, advertised, daemon_request, end_of_section, fetch_request, list_request,
    refs,
};
pub use standing::{FOLDERS_MAX as STANDING_FOLDERS_MAX, Standing, file, standing};
pub use text::BYTES_MAX as FILE_BYTES_MAX;
pub use walked::{Missing, Unread, Walked};

/// The result of reading a repository, where it names no other error.
pub type Result<T, E = GitError> = std::result::Result<T, E>;

/// Why a repository cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The server violated the protocol.
    #[error("not what a git server answers: {0}")]
    Protocol(String),
    /// The server refused, with this message.
    #[error("the server refuses: {0}")]
    Refused(String),
    /// A folder holds no repository, or a broken one.
    #[error("{0}")]
    Folder(String),
    /// Objects that cannot be read.
    #[error("broken objects: {0}")]
    Objects(String),
    /// An object takes more memory than it may.
    #[error("an object in it takes more than 256 MiB of memory")]
    TooLarge,
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
}
