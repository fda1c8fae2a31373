//! A timer that outlives the wait for it.

use super::Door;
use crate::wire::WireTime;
use futures::future::BoxFuture;

/// A timer that is kept where the wait for it is broken off and begun again: who waits for many things sets one.
#[derive(Default)]
pub(crate) struct Timer(Option<(WireTime, BoxFuture<'static, ()>)>);

impl Timer {
    /// Waits until the wire's clock shows `at`, or until an earlier moment for which it was set before.
    pub(crate) async fn wait(&mut self, door: &Door, at: WireTime) {
        let (_, timer) = match &mut self.0 {
            Some(timer) if timer.0 <= at => timer,
            timer => timer.insert((at, door.outside.wire.sleep_until(at))),
        };
        timer.await;
        self.0 = None;
    }
}
