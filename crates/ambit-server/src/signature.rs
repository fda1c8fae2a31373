//! What the signature of a handler says: the parameters and the body that it takes, and what it answers with. The table
//! of endpoints has them from there, and says none of them.

use crate::answer::{Answer, EVENTS, JSON, TEXT};
use crate::call::{Call, CallWith, NoBody};
use crate::parameter::{Names, Parameter, Parameters};
use ambit_api::shape::ANY;
use ambit_api::{Contract, Result, Shape};
use serde::Serialize;

/// What is documented of the parameters and bodies of a handler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub(crate) parameters: fn() -> Vec<Parameter>,
    /// Says whether a parameter is among them.
    pub(crate) names: Names,
    pub(crate) body: Option<(&'static Shape, bool)>,
    pub(crate) result: &'static Shape,
    pub(crate) content_type: &'static str,
}

/// Reads the signature of a handler; one that takes or answers with anything else does not compile.
pub(crate) const fn signature<A, F, O, R>(_handler: &F) -> Signature
where
    A: Given,
    F: Fn(A) -> O,
    O: Future<Output = Result<R>>,
    R: Reply,
{
    Signature {
        parameters: A::Asked::list,
        names: A::Asked::has,
        body: A::BODY,
        result: R::SHAPE,
        content_type: R::CONTENT_TYPE,
    }
}

/// What a handler is given.
#[diagnostic::on_unimplemented(message = "a handler is given a `Call`, or a `CallWith` what it takes, not `{Self}`")]
pub(crate) trait Given: From<Call> {
    /// Parameters of the query and headers.
    type Asked: Parameters;
    /// The body, and whether it must be sent.
    const BODY: Option<(&'static Shape, bool)> = None;
}

impl Given for Call {
    type Asked = ();
}

impl<Asked: Parameters> Given for CallWith<NoBody, Asked> {
    type Asked = Asked;
}

impl<Body: Contract, Asked: Parameters> Given for CallWith<Body, Asked> {
    type Asked = Asked;
    const BODY: Option<(&'static Shape, bool)> = Some((Body::SHAPE, Body::REQUIRED));
}

/// What a handler answers with.
#[diagnostic::on_unimplemented(message = "what a handler answers with is not documented: make `{Self}` by `contract!`")]
pub(crate) trait Reply {
    const SHAPE: &'static Shape;
    const CONTENT_TYPE: &'static str = JSON;

    fn answer(self) -> Answer;
}

impl<Body: Contract + Serialize> Reply for Body {
    const SHAPE: &'static Shape = Body::SHAPE;

    fn answer(self) -> Answer {
        Answer::json(&self)
    }
}

/// Makes the types of answers that are no JSON of a known shape.
macro_rules! media {
    ($($(#[doc = $doc:literal])* $name:ident: $content_type:expr,)*) => {$(
        $(#[doc = $doc])*
        pub(crate) struct $name(pub(crate) Answer);

        impl Reply for $name {
            const SHAPE: &'static Shape = ANY;
            const CONTENT_TYPE: &'static str = $content_type;

            fn answer(self) -> Answer {
                self.0
            }
        }
    )*};
}

media! {
    /// A file of any type, which a browser saves.
    File: "application/octet-stream",
    Zip: "application/zip",
    Png: "image/png",
    Csv: "text/csv; charset=utf-8",
    Text: TEXT,
    /// The text format of Prometheus.
    Exposition: "text/plain; version=0.0.4; charset=utf-8",
    Events: EVENTS,
    Html: "text/html; charset=utf-8",
    Script: "text/javascript; charset=utf-8",
    Style: "text/css; charset=utf-8",
    /// A JSON document that was made before.
    Json: JSON,
}

/// A body, and the cookie that a browser keeps.
pub(crate) struct WithCookie<Body>(pub(crate) Body, pub(crate) Option<String>);

impl<Body: Reply> Reply for WithCookie<Body> {
    const SHAPE: &'static Shape = Body::SHAPE;
    const CONTENT_TYPE: &'static str = Body::CONTENT_TYPE;

    fn answer(self) -> Answer {
        let answer = self.0.answer();
        match self.1 {
            Some(cookie) => answer.with_cookie(cookie),
            None => answer,
        }
    }
}

/// A body that is declared as plain text.
pub(crate) struct Plain<Body>(pub(crate) Body);

impl<Body: Contract + Serialize> Reply for Plain<Body> {
    const SHAPE: &'static Shape = Body::SHAPE;
    const CONTENT_TYPE: &'static str = TEXT;

    fn answer(self) -> Answer {
        Answer::json_as(TEXT, &self.0)
    }
}

/// An answer without a body.
pub(crate) struct Empty;

impl Reply for Empty {
    const SHAPE: &'static Shape = ANY;
    const CONTENT_TYPE: &'static str = TEXT;

    fn answer(self) -> Answer {
        Answer::empty()
    }
}
