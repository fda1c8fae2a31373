//! One statement per body. `contract!` makes a struct a body of the contract: serde writes and reads it, and its
//! [`Shape`] (from which schema, example and the check of recorded answers come) is taken from the same members, so
//! that the documentation cannot say something else than the type.
//!
//! A member that may be missing is a [`Maybe`], one that may be null an `Option`, and a word out of a closed list a
//! [`Word`].

use crate::shape::Shape;
use ambit_model::{Timestamp, Uid};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use uuid::Uuid;

/// A type of the contract, with what is documented of its values.
pub trait Contract {
    const SHAPE: &'static Shape;
    /// False where an object may lack a member of this type.
    const REQUIRED: bool = true;

    /// True where an object is written without this member.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Makes structs bodies of the contract, whose members are written in the order in which they stand here.
/// `#[serde(rename = "…")]` spells a member as the contract does, `as "…"` gives the schema another name than the
/// struct's (`""`: it is written where it is used), and a last member under
/// `#[serde(flatten)]` holds members of any name.
#[macro_export]
macro_rules! contract {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(as $schema:literal)? {
            $(
                $(#[doc = $doc:literal])*
                $(#[serde(rename = $wire:literal)])?
                $field_vis:vis $field:ident: $type:ty,
            )*
            $(
                #[serde(flatten)]
                $rest_vis:vis $rest:ident: $rest_type:ty,
            )?
        }
    )*) => {$(
        $(#[$meta])*
        $vis struct $name {
            $(
                $(#[doc = $doc])*
                #[serde($(rename = $wire,)? skip_serializing_if = "ambit_api::Contract::is_absent")]
                $field_vis $field: $type,
            )*
            $(
                #[serde(flatten)]
                $rest_vis $rest: $rest_type,
            )?
        }

        impl $crate::contract::Contract for $name {
            const SHAPE: &'static $crate::Shape = $crate::contract::shape_of! {
                ($($schema,)? stringify!($name),)
                $(($($wire,)? stringify!($field),) $type;)*
                $(open $rest)?
            };
        }
    )*};
}

/// The shape of an object: its name, its members with their types, and whether there may be others. Of the names in
/// brackets the first counts.
#[macro_export]
#[doc(hidden)]
macro_rules! shape_of {
    (($name:expr, $($_name:expr,)?) $(($member:expr, $($_member:expr,)?) $type:ty;)* $(open $open:ident)?) => {
        &$crate::Shape::Object(&$crate::shape::Object {
            name: $name,
            members: &[$($crate::shape::Member {
                name: $member,
                shape: <$type as $crate::contract::Contract>::SHAPE,
                required: <$type as $crate::contract::Contract>::REQUIRED,
            }),*],
            open: false $(|| !stringify!($open).is_empty())?,
        })
    };
}

/// Documents a record of the model that is a body as it is. The compiler holds the list against the record; `=> T`
/// documents a member as another type.
macro_rules! mirror {
    ($(
        $record:ident as $schema:literal {
            $($(#[serde(rename = $wire:literal)])? $field:ident: $type:ty $(=> $documented:ty)?,)*
        }
    )*) => {$(
        impl $crate::contract::Contract for $record {
            const SHAPE: &'static $crate::Shape = $crate::contract::shape_of! {
                ($schema,)
                $(($($wire,)? stringify!($field),) $crate::contract::first_type!($($documented,)? $type);)*
            };
        }

        const _: fn($record) = |$record { $($field),* }| {
            $(let _: $type = $field;)*
        };
    )*};
}

macro_rules! first_type {
    ($type:ty $(, $_type:ty)?) => {
        $type
    };
}

/// A body with the members that are copied from a record under their own names, and with the others.
#[macro_export]
macro_rules! copied {
    ($body:ident from $record:ident { $($same:ident),* $(,)? } $($field:ident $(: $value:expr)?,)*) => {
        $body {
            $($same: $record.$same.to_owned(),)*
            $($field $(: $value)?,)*
        }
    };
}

/// A closed list of words that only the contract knows.
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        pub enum $name:ident { $($word:ident = $text:literal,)* }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[serde(rename = $text)] $word,)*
        }

        impl $name {
            /// As it is written.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }
        }

        impl $crate::contract::Contract for $name {
            const SHAPE: &'static $crate::Shape = &$crate::Shape::OneOf(|| vec![$($text),*]);
        }
    )*};
}

pub use {contract, copied, shape_of};
pub(crate) use {first_type, mirror, words};

/// A member that may be missing; in a request, null and a blank text are as good.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Maybe<T>(pub Option<T>);

impl<T: Contract> Contract for Maybe<T> {
    const SHAPE: &'static Shape = T::SHAPE;
    const REQUIRED: bool = false;

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Contract> Contract for Option<T> {
    const SHAPE: &'static Shape = &Shape::OrNull(T::SHAPE);
}

impl<T: Contract> Contract for Vec<T> {
    const SHAPE: &'static Shape = &Shape::List(T::SHAPE);
}

impl<T: Contract> Contract for BTreeMap<String, T> {
    const SHAPE: &'static Shape = &Shape::Map(T::SHAPE);
}

impl Contract for Map<String, Value> {
    const SHAPE: &'static Shape = &Shape::Map(Value::SHAPE);
}

macro_rules! shapes {
    ($($type:ty: $shape:ident,)*) => {
        $(impl Contract for $type {
            const SHAPE: &'static Shape = &Shape::$shape;
        })*
    };
}

shapes! {
    (): Null,
    bool: Boolean,
    i64: Integer,
    u64: Integer,
    usize: Integer,
    f64: Number,
    String: Text,
    &'static str: Text,
    Uuid: Uuid,
    Uid: Uid,
    Timestamp: Moment,
    Value: Any,
}
