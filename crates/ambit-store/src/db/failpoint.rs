//! Failpoints at each transaction's edge (before it begins, before it commits, after it committed): the n-th edge that
//! is passed fails or ends the process, so that crash tests can try every one. They are compiled in with debug
//! assertions, as tests are; a release passes every edge.

#[cfg(debug_assertions)]
pub use armed::FailAction;
#[cfg(debug_assertions)]
pub(crate) use armed::Failpoints;

/// The edges of one open store.
#[cfg(not(debug_assertions))]
#[derive(Debug, Default)]
pub(crate) struct Failpoints;

#[cfg(not(debug_assertions))]
impl Failpoints {
    /// Passes an edge.
    pub(crate) fn edge(&self) -> crate::Result<()> {
        Ok(())
    }
}

#[cfg(debug_assertions)]
mod armed {
    use crate::{Result, StoreError};
    use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

    /// What an armed edge does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FailAction {
        /// The write fails as if the database had refused it.
        Error,
        /// The process ends at once, without unwinding: what `kill -9` does.
        Abort,
    }

    /// The edges of one open store; tests that run side by side do not meet.
    #[derive(Debug, Default)]
    pub(crate) struct Failpoints {
        /// Edges still to pass; 0: not armed.
        left: AtomicI64,
        abort: AtomicBool,
    }

    impl Failpoints {
        /// Makes the `edge`-th edge from now fail, or end the process. 0 disarms.
        pub(crate) fn arm(&self, edge: i64, action: FailAction) {
            self.abort.store(action == FailAction::Abort, Ordering::SeqCst);
            self.left.store(edge, Ordering::SeqCst);
        }

        /// Passes an edge.
        pub(crate) fn edge(&self) -> Result<()> {
            if self.left.load(Ordering::Relaxed) == 0 || self.left.fetch_sub(1, Ordering::SeqCst) != 1 {
                return Ok(());
            }
            if self.abort.load(Ordering::SeqCst) {
                std::process::abort();
            }
            Err(StoreError::Unavailable("a failpoint was reached".to_owned()))
        }
    }
}
