//! The DNS cache of one run; answers expire in wire time. When several ask the same question at once, one sends it and
//! the others wait for its answer.

use crate::error::{Meaning, Result};
use crate::limits::{DNS_CACHE_MAX, DNS_FAILURE_HOLDS};
use crate::wire::WireTime;
use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers by question.
pub(crate) struct Cache<K, V> {
    generations: Mutex<Generations<K, V>>,
}

type Slot<V> = Arc<tokio::sync::Mutex<Option<Kept<V>>>>;

struct Kept<V> {
    result: Result<Arc<V>>,
    answered_at: WireTime,
    holds_until: WireTime,
}

/// Two generations: when the young one is full it becomes the old one, and the old one is forgotten. What is used moves
/// to the young one.
struct Generations<K, V> {
    young: HashMap<K, Slot<V>>,
    old: HashMap<K, Slot<V>>,
}

impl<K: Eq + Hash + Clone, V> Cache<K, V> {
    pub(crate) fn new() -> Self {
        Self { generations: Mutex::new(Generations { young: HashMap::new(), old: HashMap::new() }) }
    }

    /// The kept value, or the one that `ask` brings with the time until which it holds. Failures of the
    /// network are kept for a short while, refusals of our own never.
    pub(crate) async fn get<F>(&self, key: &K, now: impl Fn() -> WireTime, ask: impl FnOnce() -> F) -> Result<Arc<V>>
    where
        F: Future<Output = Result<(V, WireTime)>>,
    {
        let asked_at = now();
        let slot = self.slot(key);
        let mut kept = slot.lock().await;
        // Those that waited for the answer get it even if it has expired already (a time to live of zero).
        if let Some(kept) = kept.as_ref()
            && (kept.holds_until > now() || kept.answered_at >= asked_at)
        {
            return kept.result.clone();
        }
        let (result, holds_until) = match ask().await {
            Ok((value, holds_until)) => (Ok(Arc::new(value)), holds_until),
            Err(error) if error.meaning() == Meaning::Unknown => (Err(error), now() + DNS_FAILURE_HOLDS),
            Err(error) => return Err(error),
        };
        *kept = Some(Kept { result: result.clone(), answered_at: now(), holds_until });
        result
    }

    fn slot(&self, key: &K) -> Slot<V> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = generations.young.get(key) {
            return slot.clone();
        }
        if generations.young.len() >= DNS_CACHE_MAX / 2 {
            generations.old = mem::take(&mut generations.young);
        }
        let slot = generations.old.remove(key).unwrap_or_default();
        generations.young.insert(key.clone(), slot.clone());
        slot
    }
}
