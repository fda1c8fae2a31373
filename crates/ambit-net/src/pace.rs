//! The ledger of manners: how fast each target, block, server and provider may be contacted. One per wire and process, shared by all sessions;
//! its time is wire time. It slows down where a peer complains and recovers where it does not.

/// Rates, per second. Defaults are those of the design (§5).
#[derive(Clone, Debug, PartialEq)]
pub struct PaceLimits {
    /// Connections to one address.
    pub connections_per_address: f64,
    /// Connections into one /24 or /48.
    pub connections_per_block: f64,
    /// HTTP requests to one host at one address.
    pub requests_per_host: f64,
    /// Questions to one authoritative name server.
    pub questions_per_server: f64,
    /// Requests to one data provider.
    pub requests_per_provider: f64,
    /// Questions to one resolver; `None`: as fast as its window allows.
    pub questions_per_resolver: Option<f64>,
}

impl Default for PaceLimits {
    fn default() -> Self {
        Self {
            connections_per_address: 50.0,
            connections_per_block: 300.0,
            requests_per_host: 10.0,
            questions_per_server: 100.0,
            requests_per_provider: 2.0,
            questions_per_resolver: None,
        }
    }
}

impl PaceLimits {
    /// Limits for a person's `--rate`: `connections` per second and address, the other rates against targets in proportion. Providers keep theirs:
    /// their rules are not ours to raise.
    pub fn at_rate(connections: f64) -> Self {
        let default = Self::default();
        let factor = connections.max(0.01) / default.connections_per_address;
        Self {
            connections_per_address: default.connections_per_address * factor,
            connections_per_block: default.connections_per_block * factor,
            requests_per_host: default.requests_per_host * factor,
            questions_per_server: default.questions_per_server * factor,
            ..default
        }
    }
}

/// The ledger.
pub struct Pace {
    limits: PaceLimits,
}

impl Pace {
    /// An empty ledger.
    pub fn new(limits: PaceLimits) -> Self {
        Self { limits }
    }

    /// Tells how many engines are alive: what lies outside the work's own partition is paced at the limit divided by it.
    pub fn set_engines(&self, _live: usize) {
        let _ = &self.limits;
    }
}
