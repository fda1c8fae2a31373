//! Tokens that are seeds of the collection: they are looked for in texts, whatever form they have. Pure.

use ambit_model::{Facts, Kind};
use sha2::{Digest, Sha256};

/// The provider of a token that no rule recognises, because a person gave it.
pub(crate) const PROVIDER: &str = "seed";

/// Characters of a hash that tell one set of tokens from another.
const HASH_CHARS: usize = 16;

/// The tokens that are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeedTokens(Vec<String>);

impl SeedTokens {
    /// Returns those of the collection that the facts belong to.
    pub(crate) fn of(facts: &Facts) -> Self {
        Self(facts.seeds.of_kind(Kind::UniqueToken).map(str::to_owned).collect())
    }

    /// Returns the tokens that occur in a text.
    pub(crate) fn in_text<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a String> {
        self.0.iter().filter(move |token| text.contains(token.as_str()))
    }

    pub(crate) fn contains(&self, token: &str) -> bool {
        self.0.iter().any(|wanted| wanted == token)
    }

    /// Returns the edition of the rules with these tokens added. If it changes, everything is searched again.
    pub(crate) fn beside(&self, edition: String) -> String {
        if self.0.is_empty() {
            return edition;
        }
        let hash = hex::encode(Sha256::digest(self.0.join("\n")));
        format!("{edition} {}", &hash[..HASH_CHARS])
    }
}
