//! Accounts at cloud providers: how their interfaces are asked, as bytes, and how their answers are read. It opens no
//! connection: a task sends what it makes, through the door. What a provider gives out is data: a file for each of its
//! services, of each forge of code and of each store of apps, and what states of Terraform hold of providers.

pub mod app_store;
pub mod aws;
pub mod form;
pub mod kubeconfig;
pub mod provider;
pub mod terraform;
mod xml;

/// Why an answer is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The keys lack a permission, or the organisation takes it away.
    #[error("denied: {0}")]
    Denied(String),
    /// The keys are wrong, revoked or run out.
    #[error("the credential is not accepted: {0}")]
    BadKeys(String),
    /// Too many requests: the same may be asked later.
    #[error("too many requests: {0}")]
    Throttled(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Refusal {
    /// Returns whether it is no usual one and says one of these words: a status or a code.
    fn has_word(&self, words: &[impl AsRef<str>]) -> bool {
        let Self::Other(said) = self else { return false };
        said.split([' ', ',']).any(|word| words.iter().any(|known| known.as_ref() == word))
    }
}
