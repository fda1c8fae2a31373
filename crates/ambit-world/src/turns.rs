//! What was counted on a wire: how many connections a port has had, and what was asked of a server within a span. Only
//! what a file says to depend on it does.

use crate::dns::message::{Answer, Rcode};
use crate::draft::{Beyond, Limit};
use crate::serve::request::Response;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A server, and the place of a limit among its limits.
type Limited = (IpAddr, usize);
/// The number of a span, and how many questions it had.
type Span = (u128, u64);

/// The counts of one wire.
#[derive(Clone, Default)]
pub(crate) struct Turns {
    connections: Arc<Mutex<HashMap<SocketAddr, usize>>>,
    /// The span that was counted last.
    asked: Arc<Mutex<HashMap<Limited, Span>>>,
}

impl Turns {
    /// How many connections the port had before this one.
    pub(crate) fn connection(&self, to: SocketAddr) -> usize {
        let mut connections = self.connections.lock();
        let count = connections.entry(to).or_default();
        *count += 1;
        *count - 1
    }

    /// The answer to a question that is one too many.
    pub(crate) fn refusal(&self, server: IpAddr, limits: &[Limit], now: Duration, over_tcp: bool) -> Option<Answer> {
        let counts = |beyond: &Beyond| match beyond {
            Beyond::Refused | Beyond::Silent => true,
            Beyond::Truncated => !over_tcp,
            Beyond::Status(..) => false,
        };
        Some(match self.exceeded(server, limits, now, counts)? {
            Beyond::Silent => Answer::silent(),
            Beyond::Truncated => Answer { truncated: true, ..Answer::new(Rcode::NoError) },
            Beyond::Refused | Beyond::Status(..) => Answer::new(Rcode::Refused),
        })
    }

    /// The answer to a request that is one too many.
    pub(crate) fn too_many(&self, server: IpAddr, limits: &[Limit], now: Duration) -> Option<Response> {
        match self.exceeded(server, limits, now, |beyond| matches!(beyond, Beyond::Status(..)))? {
            Beyond::Status(status, retry) => {
                let response = Response::new(*status, "text/html", "<h1>Too Many Requests</h1>");
                let response = response.header("Server", "nginx");
                Some(match retry {
                    Some(seconds) => response.header("Retry-After", seconds.to_string()),
                    None => response,
                })
            }
            Beyond::Refused | Beyond::Silent | Beyond::Truncated => None,
        }
    }

    /// Counts under each limit that counts this, and returns what the first says that is exceeded.
    fn exceeded<'a>(
        &self,
        server: IpAddr,
        limits: &'a [Limit],
        now: Duration,
        counts: impl Fn(&Beyond) -> bool,
    ) -> Option<&'a Beyond> {
        let mut asked = self.asked.lock();
        let counted = limits.iter().enumerate().filter(|(_, limit)| counts(&limit.beyond));
        let over = counted.filter(|(place, limit)| {
            let span = now.as_nanos() / limit.span.as_nanos().max(1);
            let (last, count) = asked.entry((server, *place)).or_default();
            if *last != span {
                (*last, *count) = (span, 0);
            }
            *count += 1;
            *count > limit.most
        });
        over.map(|(_, limit)| &limit.beyond).collect::<Vec<_>>().into_iter().next()
    }
}
