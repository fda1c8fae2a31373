//! Where a long body goes while it comes in.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Takes a body that is too long to be kept in memory, as decoded.
#[derive(Clone)]
pub struct BodySink {
    into: Arc<Mutex<dyn Write + Send>>,
    /// Bytes of the body at most.
    pub(super) bytes_max: usize,
}

impl BodySink {
    /// Writes at most `bytes_max` bytes. Where writing fails, the body ends as broken.
    pub fn new(into: Arc<Mutex<dyn Write + Send>>, bytes_max: usize) -> Self {
        Self { into, bytes_max }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.into.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes)
    }
}

impl fmt::Debug for BodySink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodySink").field("bytes_max", &self.bytes_max).finish_non_exhaustive()
    }
}
