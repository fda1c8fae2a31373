//! By whom an address is shared, as its details show it. What that means in a block is decided in `surroundings.rs`.

/// By whom third parties share an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedBy {
    /// Nothing shows that anybody shares it.
    #[default]
    Nobody,
    /// Names of many domains of third parties are there, and nothing else shows it: who holds its block may serve them.
    Names,
    /// A known platform is there: a CDN, a shared host, a provider.
    Platform,
}

impl SharedBy {
    /// The number by which it is stored. 1 is what earlier versions stored of both.
    pub fn number(self) -> i64 {
        match self {
            Self::Nobody => 0,
            Self::Platform => 1,
            Self::Names => 2,
        }
    }

    /// Reads the stored number; `None` where a newer version stored it.
    pub fn from_number(number: i64) -> Option<Self> {
        [Self::Nobody, Self::Names, Self::Platform].into_iter().find(|shared| shared.number() == number)
    }

    /// Returns true where third parties are shown to be there.
    pub fn is_shared(self) -> bool {
        self != Self::Nobody
    }
}
