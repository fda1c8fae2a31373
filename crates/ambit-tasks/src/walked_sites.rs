//! What pages of a site hand out, for all sites of a run that are the same.

use crate::TaskError;
use crate::read::handed_out::HandedOut;

/// Names that are remembered of a site for others that are the same.
const SHARED_MAX: usize = 100;

/// What pages behind a front page hand out.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) handed: HandedOut,
    /// Pages, scripts and maps beyond those that are read, and those that were sent in part.
    pub(crate) unread: usize,
    /// Why the first one could not be read that was asked for.
    pub(crate) failure: Option<TaskError>,
}

impl Walked {
    /// True where it says as much of other sites that are the same, and takes little room.
    pub(crate) fn is_for_all(&self) -> bool {
        let HandedOut { text, tokens, .. } = &self.handed;
        let names = [text.hosts.len(), text.maybe_hosts.len(), text.mailboxes.len(), text.buckets.len(), tokens.len()];
        self.failure.is_none() && names.into_iter().sum::<usize>() <= SHARED_MAX
    }
}
