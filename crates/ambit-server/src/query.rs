//! The parameters of queries. `query!` says each once: its name, what may be written there, and what that means. The
//! signature of a handler names those that it takes, and they are read by their names from there.

use crate::call::{Call, CallWith};
use crate::parameter::{In, Parameters};
use ambit_api::{ApiError, KEY_NAME, Result};

/// Makes a type of parameters that are asked together, with a function for each that finds what is written in it.
macro_rules! query {
    ($name:ident: $($parameter:ident: $shape:tt $($required:ident)? = $doc:literal),* $(,)?) => {
        pub(crate) enum $name {}

        impl $name {
            $(pub(crate) fn $parameter(call: &$crate::call::Call) -> $crate::query::Written<'_> {
                $crate::query::Written::of(call, stringify!($parameter))
            })*
        }

        impl $crate::parameter::Parameters for $name {
            fn list() -> Vec<$crate::parameter::Parameter> {
                vec![$($crate::parameter::Parameter {
                    place: $crate::parameter::In::Query,
                    name: stringify!($parameter),
                    shape: $crate::query::query!(@$shape),
                    required: false $(|| stringify!($required) == "required")?,
                    doc: $doc,
                }),*]
            }
        }
    };
    (@($type:ty)) => { <$type as ambit_api::Contract>::SHAPE };
    (@$shape:ident) => { &ambit_api::Shape::$shape };
}
pub(crate) use query;

impl<Body, Asked: Parameters> CallWith<Body, Asked> {
    /// Refuses parameters of the query beside those of its type and the key.
    pub(crate) fn takes_only_asked(&self) -> Result<()> {
        let asked = Asked::list();
        let known: Vec<&str> = asked.iter().filter(|one| one.place == In::Query).map(|one| one.name).collect();
        let is_known = |name: &str| known.contains(&name) || name.eq_ignore_ascii_case(KEY_NAME);
        match self.query.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => {
                Err(ApiError::invalid(format!("there is no parameter {name} here: give {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }
}

query! { Limit: limit: Count = "Number of rows at most: 100 by default, and no more than 1,000." }

/// Rows of an answer where the caller does not say.
const ROWS: usize = 100;
/// Most rows of an answer.
pub(crate) const ROWS_MAX: usize = 1_000;

impl Limit {
    /// How many rows are answered.
    pub(crate) fn rows(call: &Call) -> Result<usize> {
        let rows = Self::limit(call).whole_number()?;
        Ok(rows.map_or(ROWS, |rows| usize::try_from(rows).unwrap_or(ROWS_MAX).min(ROWS_MAX)))
    }
}

/// What is written in a parameter.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    pub(crate) name: &'static str,
    /// `None`: it is not there.
    pub(crate) text: Option<&'a str>,
}

/// What clients write for a value that they have not.
const NOTHING: &[&str] = &["", "None", "null", "undefined"];
/// The greatest number that clients of other languages read.
const COUNT_MAX: u64 = i64::MAX as u64;

impl<'a> Written<'a> {
    /// The last one where it stands twice. Each that is read is documented: in a build for tests it is a panic to read
    /// one that the signature of the handler does not name, and tests call every handler.
    pub(crate) fn of(call: &'a Call, name: &'static str) -> Self {
        debug_assert!((call.names)(In::Query, name), "{} reads {name}, which its signature does not name", call.path);
        Self::of_key(call, name)
    }

    /// A parameter that holds a key, which the document lists among the ways to send one.
    pub(crate) fn of_key(call: &'a Call, name: &'static str) -> Self {
        let found = call.query.iter().rev().find(|(known, _)| known == name);
        Self { name, text: found.map(|(_, value)| value.as_str()) }
    }

    /// The text, empty where it is not there.
    pub(crate) fn or_empty(self) -> &'a str {
        self.text.unwrap_or_default()
    }

    /// A value, unless there is none, or what clients write for none.
    pub(crate) fn value(self) -> Option<&'a str> {
        self.text.map(str::trim).filter(|text| !NOTHING.contains(text))
    }

    /// A whole number of a page, as clients write one that they have not (`None`), or have as another type (`50.0`).
    pub(crate) fn page_number(self) -> Result<Option<u64>> {
        let whole = |text: &'a str| match text.split_once('.') {
            Some((whole, fraction)) if !whole.is_empty() && fraction.bytes().all(|byte| byte == b'0') => whole,
            Some(_) | None => text,
        };
        self.value().map(whole).filter(|text| !NOTHING.contains(text)).map(|text| self.number(text)).transpose()
    }

    /// A whole number from 0; empty is the same as absent.
    pub(crate) fn whole_number(self) -> Result<Option<u64>> {
        self.text.filter(|text| !text.is_empty()).map(|text| self.number(text)).transpose()
    }

    fn number(self, text: &str) -> Result<u64> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // Beyond every count is the same as just beyond the window; answers repeat it as a number of 64 bits with a
        // sign.
        let number = digits.then(|| text.parse().unwrap_or(COUNT_MAX).min(COUNT_MAX));
        number.ok_or_else(|| ApiError::invalid(format!("{} must be a whole number from 0", self.name)))
    }
}
