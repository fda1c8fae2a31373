//! Headers that one handler reads. `headers!` says each once: its name, and what it means. The signature of the handler
//! names those that it takes, as it names the parameters of the query.

/// Makes a type of headers that are read together, with a function for each that finds what was sent.
macro_rules! headers {
    ($name:ident: $($header:ident $spelling:literal $($required:ident)? = $doc:literal),* $(,)?) => {
        pub(crate) enum $name {}

        impl $name {
            $(pub(crate) fn $header(call: &$crate::call::Call) -> Option<&::http::HeaderValue> {
                call.headers.with($crate::parameter::In::Header, $spelling).get($spelling)
            })*
        }

        impl $crate::parameter::Parameters for $name {
            fn list() -> Vec<$crate::parameter::Parameter> {
                vec![$($crate::parameter::Parameter {
                    place: $crate::parameter::In::Header,
                    name: $spelling,
                    shape: &ambit_api::Shape::Text,
                    required: false $(|| stringify!($required) == "required")?,
                    doc: $doc,
                }),*]
            }
        }
    };
}
pub(crate) use headers;

/// The text of a header; `None` for what is not ASCII.
pub(crate) fn text(sent: &http::HeaderValue) -> Option<&str> {
    sent.to_str().ok()
}
