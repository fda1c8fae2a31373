//! SIGINT and SIGTERM: the first asks the program to end in order, the second ends it at once.

use crate::failure::{Failure, INTERRUPTED, Result};
use crate::output::hint;
use std::time::Duration;
use tokio::sync::watch;

/// From the word to end until what has not ended by itself is given up: the program is to be gone after 10 seconds, of
/// which its blocking threads get the last.
pub(crate) const END_WITHIN: Duration = Duration::from_secs(7);

/// Becomes true when the program is asked to end.
#[derive(Clone)]
pub(crate) struct Stop {
    receiver: watch::Receiver<bool>,
}

impl Stop {
    /// Listens for the signals. Must be called inside the runtime.
    pub(crate) fn listen() -> Result<Self> {
        let (sender, receiver) = watch::channel(false);
        #[cfg(unix)]
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
            .map_err(|error| Failure::run_time(format!("cannot listen for signals: {error}")))?;
        tokio::spawn(async move {
            for again in [false, true] {
                #[cfg(unix)]
                tokio::select! {
                    _ = tokio::signal::ctrl_c() => {}
                    _ = terminate.recv() => {}
                }
                #[cfg(not(unix))]
                tokio::signal::ctrl_c().await.ok();
                if again {
                    hint("stopped; run the same command again to resume from the last saved state");
                    std::process::exit(i32::from(INTERRUPTED));
                }
                sender.send_replace(true);
            }
        });
        Ok(Self { receiver })
    }

    /// For those who poll or select.
    pub(crate) fn watch(&self) -> watch::Receiver<bool> {
        self.receiver.clone()
    }

    /// Returns whether the program was asked to stop.
    pub(crate) fn asked(&self) -> bool {
        *self.receiver.borrow()
    }

    /// Waits until it is asked.
    pub(crate) async fn wait(&self) {
        let mut receiver = self.receiver.clone();
        // An error means that the listener is gone, which happens only at the end.
        receiver.wait_for(|asked| *asked).await.ok();
    }

    /// Does the work, but gives it up when it is asked; then `None`.
    pub(crate) async fn unless_asked<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.at_most(Duration::ZERO, work).await
    }

    /// Does the work, and gives it up so long after it was asked; then `None`. For work that ends by itself when it is
    /// asked, in time or not.
    pub(crate) async fn at_most<T>(&self, after: Duration, work: impl Future<Output = T>) -> Option<T> {
        let late = async {
            self.wait().await;
            tokio::time::sleep(after).await;
        };
        tokio::select! {
            biased;
            done = work => Some(done),
            () = late => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_does_not_end_is_given_up_once_it_was_asked() {
        let (sender, receiver) = watch::channel(false);
        let stop = Stop { receiver };
        assert_eq!(stop.unless_asked(async { 1 }).await, Some(1));
        let stuck = stop.clone();
        let stuck = tokio::spawn(async move { stuck.unless_asked(std::future::pending::<()>()).await });
        sender.send_replace(true);
        assert_eq!(stuck.await.expect("ends"), None);
        assert_eq!(stop.at_most(END_WITHIN, async { 2 }).await, Some(2), "what ends in time counts");
    }
}
