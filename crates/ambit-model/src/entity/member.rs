//! A member of an entity's details as a constant: the name under which it is stored and sent, and the type of its
//! value. Whoever says it and whoever reads it use the same constant, so neither can misspell the name or change the
//! shape alone.

use crate::Details;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;

/// A member of details whose value is a `T`; `Value` where nobody but its task knows more.
#[derive(Debug)]
pub struct Member<T = Value> {
    name: &'static str,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for Member<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Member<T> {}

impl<T> Member<T> {
    pub(super) const fn named(name: &'static str) -> Self {
        Self { name, value: PhantomData }
    }

    /// Returns the name under which it is stored and sent.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the value as it is stored; `None` where nobody said it or it is null.
    pub fn raw(self, details: &Details) -> Option<&Value> {
        details.get(self.name).filter(|value| !value.is_null())
    }
}

impl<T: Serialize> Member<T> {
    /// Returns name and value as they stand in details; no value is said as null.
    pub fn is(self, value: impl Into<Option<T>>) -> (String, Value) {
        let value =
            value.into().map(|value| serde_json::to_value(value).expect("values of members have texts for names"));
        (self.name.to_owned(), value.unwrap_or(Value::Null))
    }
}

impl<T: DeserializeOwned> Member<T> {
    /// Returns the value; `None` where nobody said it, and where a newer version said something of another shape.
    pub fn of(self, details: &Details) -> Option<T> {
        T::deserialize(self.raw(details)?).ok()
    }
}

impl Member<bool> {
    /// Returns true where the member was said to be true.
    pub fn is_true(self, details: &Details) -> bool {
        self.of(details) == Some(true)
    }
}

impl Member<String> {
    /// Returns the text of the member; `None` if it is not set.
    pub fn text(self, details: &Details) -> Option<&str> {
        self.raw(details)?.as_str()
    }
}

impl<T: DeserializeOwned> Member<Vec<T>> {
    /// Returns the items of the list; one of another shape is left out.
    pub fn items(self, details: &Details) -> impl Iterator<Item = T> {
        let list = self.raw(details).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|item| T::deserialize(item).ok())
    }
}

impl Member<Vec<String>> {
    /// Returns the texts of the list in their place.
    pub fn texts(self, details: &Details) -> impl Iterator<Item = &str> {
        let list = self.raw(details).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_said_is_read_again_and_what_has_another_shape_is_not_there() {
        let (flag, list): (Member<bool>, Member<Vec<String>>) = (Member::named("flag"), Member::named("list"));
        let said = Details::from_iter([flag.is(true), list.is(vec!["a".to_owned()])]);
        assert!(flag.is_true(&said));
        assert_eq!(list.texts(&said).collect::<Vec<_>>(), ["a"]);
        assert_eq!(list.is(None), ("list".to_owned(), Value::Null));
        let strange = json!({"flag": "yes", "list": ["a", 7]}).as_object().cloned().unwrap();
        assert_eq!((flag.of(&strange), list.of(&strange)), (None, None));
        assert_eq!(list.items(&strange).collect::<Vec<_>>(), ["a"]);
        let empty = json!({"flag": null}).as_object().cloned().unwrap();
        assert_eq!((flag.of(&empty), flag.raw(&empty)), (None, None));
    }
}
