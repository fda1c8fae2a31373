//! The names of a zone that is signed with NSEC3: its hashes are gathered by questions for names that it does not have,
//! and those of likely names are computed and compared. What no list tells stays a hash.

use super::together::together;
use crate::read::nsec3::{Ring, Span};
use crate::{Context, Result, TaskError};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, RecordData, RecordType};
use std::collections::{BTreeMap, BTreeSet};

/// Questions of one look: what a zone of a thousand names needs.
const QUESTIONS_MAX: usize = 2_000;
/// Questions that wait for their answers at once.
const AT_ONCE: usize = 16;
/// Names that are hashed to find one that no known record covers, before the ring counts as gathered.
const TRIES: usize = 4_096;
/// Rounds of SHA-1 of one look: a few seconds of one processor.
const ROUNDS_MAX: u64 = 20_000_000;
/// Words that are tried below each name that was told.
const WORDS_BELOW: usize = 500;

/// What a zone told.
pub(crate) struct ZoneNames {
    /// Names that lists told, and those of the known ones that are there, with their types.
    pub(crate) names: BTreeMap<String, BTreeSet<u16>>,
    /// Known names of which what was gathered says nothing.
    pub(crate) untold: BTreeSet<String>,
    /// Hashes that were gathered, those of the names among them.
    pub(crate) hashes: usize,
    /// Every hash of the zone was gathered.
    pub(crate) whole: bool,
}

/// Gathers the hashes of a zone and names those that the word list tells or that are known; `None`: it is not signed in
/// this way.
pub(crate) async fn told(cx: &Context<'_>, zone: &str, known: BTreeSet<String>) -> Result<Option<ZoneNames>> {
    let mut labels = (0..).map(|number: u64| format!("n{number:x}-{number:x}.{zone}"));
    let first = cx.net.lookup_denial(&labels.next().unwrap_or_default()).await?;
    let mut spans = spans(&first);
    let Some(span) = spans.next() else { return Ok(None) };
    let mut ring = Ring::new(span.hashing.clone());
    ring.add(span);
    spans.for_each(|span| ring.add(span));
    let ask = |name: String| async move { cx.net.lookup_denial(&name).await };
    let mut asked = 1;
    while asked < QUESTIONS_MAX && !ring.is_whole() && !ring.is_made_up() {
        let names = uncovered(&ring, &mut labels);
        if names.is_empty() {
            break;
        }
        asked += names.len();
        let (before, mut lost) = (ring.len(), None);
        for answer in together(names.into_iter().map(ask), AT_ONCE).await {
            match answer {
                Ok(answer) => self::spans(&answer).for_each(|span| ring.add(span)),
                Err(error @ NetError::Budget(_)) => return Err(error.into()),
                // Another question may return the same hashes, as long as there are answers.
                Err(error) => lost = Some(error),
            }
        }
        if ring.len() == before {
            match lost {
                Some(error) => return Err(error.into()),
                None => break,
            }
        }
    }
    if ring.is_made_up() {
        return Ok(None);
    }
    // Hashing waits for no wire: it takes no wire time.
    let hold = cx.net.hold();
    let (words, owned) = (cx.settings.words.clone(), zone.to_owned());
    let work = tokio::task::spawn_blocking(move || {
        let mut names = named(&ring, &words, &owned);
        let untold = add_known(&ring, known, &mut names);
        ZoneNames { names, untold, hashes: ring.len(), whole: ring.is_whole() }
    });
    let told =
        work.await.map_err(|error| TaskError::Failed(format!("the hashes of {zone} were not compared: {error}")))?;
    drop(hold);
    Ok(Some(told))
}

/// The NSEC3 records of an answer.
fn spans(answer: &DnsAnswer) -> impl Iterator<Item = Span> {
    answer.denial.iter().filter_map(|record| match &record.data {
        RecordData::Other { rtype, data } if *rtype == RecordType::NSEC3 => Span::read(&record.name, data),
        _ => None,
    })
}

/// Names that no known record covers, as many as are asked for at once; none where the ring has hardly a gap left. They
/// are the same at every look, so that of a zone too large for one look the same part is told.
fn uncovered(ring: &Ring, labels: &mut impl Iterator<Item = String>) -> Vec<String> {
    labels.take(TRIES).filter(|name| !ring.covers(&ring.hashing.of(name))).take(AT_ONCE).collect()
}

/// Adds the known names that the zone has; returns those of which nobody said that it does not have them.
fn add_known(ring: &Ring, known: BTreeSet<String>, names: &mut BTreeMap<String, BTreeSet<u16>>) -> BTreeSet<String> {
    let mut untold = BTreeSet::new();
    for name in known {
        if let Some(types) = ring.types_of(&name) {
            names.insert(name, types.clone());
        } else if !ring.covers(&ring.hashing.of(&name)) {
            untold.insert(name);
        }
    }
    untold
}

/// The names of a list whose hashes the zone has, and names below those.
fn named(ring: &Ring, words: &[String], zone: &str) -> BTreeMap<String, BTreeSet<u16>> {
    let mut left = ROUNDS_MAX / ring.hashing.rounds();
    let mut names = BTreeMap::new();
    let mut levels = vec![(zone.to_owned(), words.len())];
    while let Some((level, count)) = levels.pop() {
        for word in words.iter().take(count) {
            if left == 0 {
                return names;
            }
            left -= 1;
            let name = format!("{word}.{level}");
            if name.len() < 254
                && let Some(types) = ring.types_of(&name)
                && names.insert(name.clone(), types.clone()).is_none()
            {
                levels.push((name, WORDS_BELOW));
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_name_is_gone_only_where_a_record_says_so() {
        // From the hash of zeros to the one in the middle there is one name.
        let middle = [&[0x80][..], &[0; 19]].concat();
        let data = [&[1, 0, 0, 0, 0, 20][..], &middle].concat();
        let first = Span::read(&format!("{}.acme.test", "0".repeat(32)), &data).unwrap();
        let mut ring = Ring::new(first.hashing.clone());
        let hash = |name: &String| first.hashing.of(name);
        let names = || (0..).map(|number| format!("k{number}.acme.test"));
        let mut low = names().filter(|name| hash(name)[0] < 0x80);
        let (there, gone) = (low.next().unwrap(), low.next().unwrap());
        let unknown = names().find(|name| hash(name)[0] > 0x80).unwrap();
        let types = BTreeSet::from([1]);
        ring.add(Span { own: hash(&there), types: types.clone(), ..first.clone() });
        ring.add(Span { next: hash(&there), ..first.clone() });
        let mut names = BTreeMap::new();
        let untold = add_known(&ring, [there.clone(), gone, unknown.clone()].into(), &mut names);
        assert_eq!((names, untold), (BTreeMap::from([(there, types)]), BTreeSet::from([unknown])));
    }
}
