//! A row of the table of a kind's members: the name, the value where nobody said it, and the task that says it.

use super::Member;
use crate::TaskName;

/// The value of a member that was not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Empty {
    Null,
    False,
    List,
    Zero,
}

/// A member of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Its value where nobody said it; `None` for one beyond the contract, which then is not there.
    pub(super) empty: Option<Empty>,
    /// The task that says it.
    pub(super) owner: Option<TaskName>,
}

/// A member that the contract lists.
pub(super) const fn contract<T>(member: Member<T>, empty: Empty) -> Row {
    unseen(member.name(), empty)
}

/// A member that the contract lists and no task says.
pub(super) const fn unseen(name: &'static str, empty: Empty) -> Row {
    Row { name, empty: Some(empty), owner: None }
}

/// A member beyond the contract, which a task sees.
pub(super) const fn seen<T>(member: Member<T>, owner: TaskName) -> Row {
    Row { name: member.name(), empty: None, owner: Some(owner) }
}

impl Row {
    pub(super) const fn by(mut self, owner: TaskName) -> Self {
        self.owner = Some(owner);
        self
    }
}
