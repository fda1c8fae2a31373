//! What has a spelling of its own. Enumerations whose members have names that are stored and shown: strum derives both
//! directions (decision 51), and `names!` gives all of them the same three words for it. Values that are stored as the
//! text that a person writes: `as_text!`.

/// `names! { RunState }`, for an enumeration that derives `EnumString`, `IntoStaticStr` and `VariantArray`.
macro_rules! names {
    ($($type:ident),+ $(,)?) => {$(
        impl $type {
            /// Every one, in the order of the declaration.
            pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

            /// Returns the name that is stored and shown.
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// Returns the one of a name; `None` for any other text.
            pub fn from_name(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )+};
}
pub(crate) use names;

/// `as_text! { Window }`, for a type with `Display` and `parse`: serde stores it as its text (`into` and `try_from`
/// `String`).
macro_rules! as_text {
    ($type:ident) => {
        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }

        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::parse(&text)
            }
        }
    };
}
pub(crate) use as_text;
