//! Walks through the pages of graphs: each is of the moment of its first page. Reading a graph counts a view and
//! changing it moves its date, so that a walk in such an order would otherwise meet the same graphs for ever.

use crate::embedded::GraphMoment;
use ambit_model::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// How long a walk may pause, and how long it is kept at most, in milliseconds: as walks by tokens elsewhere.
const PAUSE_MS: u64 = 5 * 60 * 1_000;
const KEPT_MS: u64 = 60 * 60 * 1_000;
/// Walks kept at once, of one user and of all: each may hold replaced segments on disk, and the views of all graphs.
const WALKS_OF_USER_MAX: usize = 16;
const WALKS_MAX: usize = 64;

/// Views by the number of the graph.
pub(super) type Views = Arc<HashMap<i64, i64>>;

/// Names a walk, also in a cursor that outlives the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphWalk {
    begun: i64,
    number: u64,
}

struct Walk {
    id: GraphWalk,
    user: String,
    moment: GraphMoment,
    views: Views,
    served: Timestamp,
}

/// Those that are kept; the one that rests longest is the first.
#[derive(Default)]
pub(super) struct Walks {
    walks: Vec<Walk>,
    begun: u64,
}

impl Walks {
    /// The moment of a walk of a user; `None` where it is no longer kept.
    pub(super) fn resume(&mut self, id: GraphWalk, user: &str, now: Timestamp) -> Option<(GraphMoment, Views)> {
        let age = |from: i64| now.0.abs_diff(from);
        self.walks.retain(|walk| age(walk.id.begun) < KEPT_MS && age(walk.served.0) < PAUSE_MS);
        let at = self.walks.iter().position(|walk| walk.id == id && walk.user == user)?;
        let mut walk = self.walks.remove(at);
        walk.served = now;
        let found = (walk.moment.clone(), walk.views.clone());
        self.walks.push(walk);
        Some(found)
    }

    /// Keeps the moment of a first page behind which there are more.
    pub(super) fn begin(&mut self, user: &str, moment: GraphMoment, views: Views, now: Timestamp) -> GraphWalk {
        self.begun += 1;
        let id = GraphWalk { begun: now.0, number: self.begun };
        let of_user = |walk: &Walk| walk.user == user;
        if self.walks.iter().filter(|walk| of_user(walk)).count() >= WALKS_OF_USER_MAX {
            let rests = self.walks.iter().position(of_user).expect("there are some");
            self.walks.remove(rests);
        }
        if self.walks.len() >= WALKS_MAX {
            self.walks.remove(0);
        }
        self.walks.push(Walk { id, user: user.to_owned(), moment, views, served: now });
        id
    }

    /// The last page was given: it is the next to go.
    pub(super) fn end(&mut self, id: GraphWalk) {
        if let Some(at) = self.walks.iter().position(|walk| walk.id == id) {
            let walk = self.walks.remove(at);
            self.walks.insert(0, walk);
        }
    }

    /// Lets go of all of them: what they show is of a database that is no more.
    pub(super) fn clear(&mut self) {
        self.walks.clear();
    }
}
