//! SIGINT and SIGTERM: the first asks the program to end in order, the second ends it at once.

use crate::failure::{Failure, INTERRUPTED};
use tokio::sync::watch;

/// Becomes true when the program is asked to end.
#[derive(Clone)]
pub(crate) struct Stop {
    receiver: watch::Receiver<bool>,
}

impl Stop {
    /// Listens for the signals. Must be called inside the runtime.
    pub(crate) fn listen() -> Result<Self, Failure> {
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

    /// Has it been asked?
    pub(crate) fn asked(&self) -> bool {
        *self.receiver.borrow()
    }

    /// Waits until it is asked.
    pub(crate) async fn wait(&self) {
        let mut receiver = self.receiver.clone();
        // An error means that the listener is gone, which happens only at the end.
        receiver.wait_for(|asked| *asked).await.ok();
    }
}
