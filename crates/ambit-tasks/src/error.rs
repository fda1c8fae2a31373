//! The failures of tasks: why a probe tells nothing, and the reason under which a run counts that.

use crate::settings::SealedElsewhere;
use ambit_model::run::NotDoneReason;
use ambit_net::{Meaning, NetError};

/// The result of what may fail as a probe does, where it names no other error.
pub type Result<T, E = TaskError> = std::result::Result<T, E>;

/// Why a probe failed. Nothing is known then: the outcome is `unknown`, never `absent`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// A contact failed, or was not allowed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// What came back is of no use.
    #[error("{0}")]
    Failed(String),
    /// The run's budget is used up.
    #[error("{0}")]
    OutOfBudget(String),
    /// A data provider does not answer as it should.
    #[error("{0}")]
    SourceDown(String),
    /// The credential that was given does not suffice.
    #[error("{0}")]
    Denied(String),
}

impl From<SealedElsewhere> for TaskError {
    fn from(sealed: SealedElsewhere) -> Self {
        Self::Denied(sealed.to_string())
    }
}

impl TaskError {
    /// Returns the reason under which the run counts this failure.
    pub fn reason(&self) -> NotDoneReason {
        match self {
            Self::Net(NetError::Budget(_)) | Self::OutOfBudget(_) => NotDoneReason::OutOfBudget,
            Self::Net(NetError::OutOfScope(refused)) if refused.in_doubt => NotDoneReason::NameUnanswered,
            Self::Net(error) if error.meaning() == Meaning::NotAsked => NotDoneReason::RefusedByScope,
            Self::Net(_) | Self::Failed(_) => NotDoneReason::NoAnswer,
            Self::SourceDown(_) => NotDoneReason::SourceDown,
            Self::Denied(_) => NotDoneReason::Denied,
        }
    }

    /// Returns true where the peer, or the path to it, failed: another question may still be answered.
    pub(crate) fn is_no_answer(&self) -> bool {
        self.reason() == NotDoneReason::NoAnswer
    }

    /// A failed call to a data provider.
    pub(crate) fn source(provider: &str, error: &NetError) -> Self {
        let error = Self::from(error.clone());
        if error.is_no_answer() { Self::SourceDown(format!("{provider}: {error}")) } else { error }
    }
}
