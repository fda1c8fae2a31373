//! What happened to the entities of a collection in a run, by the feed.

use crate::discover::Finished;
use crate::failure::Result;
use ambit_model::Uid;
use ambit_model::feed::{Noun, What};
use ambit_store::Store;
use std::collections::BTreeMap;

/// Rows of the feed read at once.
const FEED_PAGE: usize = 500;

/// What happened to the collection's entities since the run began.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) new: usize,
    pub(crate) changed: usize,
    pub(crate) gone: usize,
}

impl Changes {
    /// `another`: another version of it is shown than when the run began.
    pub(crate) fn count(&mut self, course: &Course, another: bool) {
        match course.turns {
            Some((What::Appeared, What::Appeared)) => self.new += 1,
            Some((What::Disappeared, What::Disappeared)) => self.gone += 1,
            // What came and went within the run is neither new nor gone.
            Some((What::Appeared, _)) => {}
            _ => self.changed += usize::from(course.changed && another),
        }
    }
}

/// What happened to an entity since the run began.
#[derive(Default)]
pub(crate) struct Course {
    /// The first and the last time that it appeared or disappeared.
    turns: Option<(What, What)>,
    changed: bool,
}

impl Course {
    fn add(&mut self, what: What) {
        match what {
            What::Appeared | What::Disappeared => {
                let first = self.turns.map_or(what, |(first, _)| first);
                self.turns = Some((first, what));
            }
            What::Changed => self.changed = true,
            What::Seen => {}
        }
    }
}

/// What happened to each entity of the project since the run began (the feed says no collection).
pub(crate) async fn courses(store: &Store, finished: &Finished) -> Result<BTreeMap<Uid, Course>> {
    let mut courses: BTreeMap<Uid, Course> = BTreeMap::new();
    let mut revision = finished.before;
    loop {
        let feed = store.feed_since(revision, FEED_PAGE).await?;
        let Some(end) = feed.last() else { return Ok(courses) };
        revision = end.revision;
        for row in feed.into_iter().filter(|row| row.noun == Noun::Entity && row.project == finished.collection.project)
        {
            courses.entry(row.uid).or_default().add(row.what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_and_goes_within_a_run_is_neither_new_nor_gone() {
        use What::{Appeared, Changed, Disappeared, Seen};
        for (rows, expected) in [
            (&[Appeared, Changed, Seen][..], [1, 0, 0]),
            (&[Changed, Seen][..], [0, 1, 0]),
            (&[Seen][..], [0, 0, 0]),
            (&[Changed, Disappeared][..], [0, 0, 1]),
            (&[Appeared, Changed, Disappeared][..], [0, 0, 0]),
            (&[Appeared, Disappeared, Appeared][..], [1, 0, 0]),
            (&[Disappeared, Appeared][..], [0, 0, 0]),
            (&[Disappeared, Appeared, Changed][..], [0, 1, 0]),
            (&[Disappeared, Appeared, Disappeared][..], [0, 0, 1]),
        ] {
            let (mut course, mut changes) = (Course::default(), Changes::default());
            rows.iter().for_each(|what| course.add(*what));
            changes.count(&course, true);
            assert_eq!([changes.new, changes.changed, changes.gone], expected, "{rows:?}");
        }
        let (mut course, mut changes) = (Course::default(), Changes::default());
        [Changed, Changed].into_iter().for_each(|what| course.add(what));
        changes.count(&course, false);
        assert_eq!(changes.changed, 0, "it was changed back");
    }
}
