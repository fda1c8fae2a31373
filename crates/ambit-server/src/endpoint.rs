//! What a row of the table of endpoints is: method, path, who may call, what it costs, which function answers.

use crate::answer::Answer;
use crate::call::Call;
use crate::mount::Tree;
use crate::parameter::Parameter;
use crate::quota::rules::{self, Rule};
use crate::rights::Right;
use crate::signature::Signature;
use ambit_api::{Result, Shape};
use ambit_model::user::{CollectionRole, ProjectRole};
use futures::future::BoxFuture;

/// What handlers say of themselves, by their path below `routes`.
const SUMMARIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/summaries.rs"));

/// Methods that the table knows. `HEAD` is answered where `GET` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// Returns the name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// The method of a request; `None` for those that no row has.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "GET" | "HEAD" => Some(Self::Get),
            "POST" => Some(Self::Post),
            "PUT" => Some(Self::Put),
            "PATCH" => Some(Self::Patch),
            "DELETE" => Some(Self::Delete),
            _ => None,
        }
    }
}

/// Who may call. What a caller may not see is 404; what it may see but not do is 403.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a key. The list of such rows stands in a test.
    Open,
    /// Any valid key.
    Key,
    /// The administrator of the installation.
    Administrator,
    /// Works in the project that the header names, or the caller's primary one, with at least this role in it.
    InProject(ProjectRole),
    /// An object of a project in which the caller has at least this role.
    OfProject(ProjectRole),
    /// An object of a collection in which the caller has at least this role.
    OfCollection(CollectionRole),
}

/// The function that answers.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// Its path below `routes`: `::projects::list`.
    pub name: &'static str,
    pub(crate) signature: Signature,
    pub(crate) answer: fn(Call) -> BoxFuture<'static, Result<Answer>>,
}

impl Handler {
    /// Returns what its documentation begins with.
    pub(crate) fn summary(&self) -> &'static str {
        SUMMARIES.iter().find(|(name, _)| *name == self.name).map_or("", |(_, summary)| summary)
    }
}

/// Names a handler by its path below `routes`; what stands behind the name are its arguments after the call.
macro_rules! handler {
    ($($name:ident)::+ $(, $argument:expr)*) => {
        $crate::endpoint::Handler {
            name: concat!($("::", stringify!($name)),+),
            signature: $crate::signature::signature(&|call| $crate::routes::$($name)::+(call $(, $argument)*)),
            answer: |call| Box::pin(async move {
                let reply = $crate::routes::$($name)::+(call.into() $(, $argument)*).await;
                reply.map($crate::signature::Reply::answer)
            }),
        }
    };
}
pub(crate) use handler;

/// When a call changes something beside what is counted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    Never,
    Always,
    /// It only reads where nothing is sent.
    WithBody,
}

impl Changes {
    /// Returns true for a call that changes something, by whether a body has come with it.
    pub(crate) fn applies(self, has_body: bool) -> bool {
        self == Self::Always || self == Self::WithBody && has_body
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    pub tree: Tree,
    pub method: Method,
    /// Below the mount; `{name}` is a parameter, `{*name}` the rest of the path, which may be empty.
    pub path: &'static str,
    pub access: Access,
    /// What the caller must be allowed to do with the object of the path, beyond `access`.
    pub right: Right,
    /// What a call costs. Everything outside the wider API is free (docs/contract/quotas.md §4, A12).
    pub cost: &'static Rule,
    pub handler: Handler,
    /// What the call does, where the handler is that of several rows; elsewhere its documentation says it.
    pub(crate) said: Option<&'static str>,
    /// The body, and whether it must be sent.
    pub body: Option<(&'static Shape, bool)>,
    /// The shape of the answer.
    pub result: &'static Shape,
    pub content_type: &'static str,
    /// Where a call changes something, keys that can only read are refused.
    pub changes: Changes,
    /// A key of one project may call it.
    pub in_one_project: bool,
    /// The project header says where the call works, or narrows what it finds by its id. Elsewhere it is not looked at:
    /// clients set it once for all that they ask (docs/contract/asm.md §1.3).
    pub reads_project: bool,
    /// It is answered at once, however busy the server is: nothing is read for it but what the program has ready.
    pub light: bool,
}

const fn row(method: Method, path: &'static str, access: Access, handler: Handler) -> Endpoint {
    let Signature { body, result, content_type, .. } = handler.signature;
    Endpoint {
        tree: Tree::Asm,
        method,
        path,
        access,
        right: Right::Any,
        cost: &rules::OUTSIDE,
        handler,
        said: None,
        body: if matches!(method, Method::Get) { None } else { body },
        result,
        content_type,
        changes: if matches!(method, Method::Get) { Changes::Never } else { Changes::Always },
        in_one_project: matches!(
            access,
            Access::Open | Access::InProject(_) | Access::OfProject(_) | Access::OfCollection(_)
        ),
        reads_project: matches!(access, Access::InProject(_)),
        light: false,
    }
}

/// Begins a row for `GET`.
pub(crate) const fn get(path: &'static str, access: Access, handler: Handler) -> Endpoint {
    row(Method::Get, path, access, handler)
}

/// Begins a row for `POST`.
pub(crate) const fn post(path: &'static str, access: Access, handler: Handler) -> Endpoint {
    row(Method::Post, path, access, handler)
}

/// Begins a row for `PUT`.
pub(crate) const fn put(path: &'static str, access: Access, handler: Handler) -> Endpoint {
    row(Method::Put, path, access, handler)
}

/// Begins a row for `PATCH`.
pub(crate) const fn patch(path: &'static str, access: Access, handler: Handler) -> Endpoint {
    row(Method::Patch, path, access, handler)
}

/// Begins a row for `DELETE`.
pub(crate) const fn delete(path: &'static str, access: Access, handler: Handler) -> Endpoint {
    row(Method::Delete, path, access, handler)
}

impl Endpoint {
    /// Returns what the call does, in a sentence: what the documentation of its handler begins with, unless the row
    /// says otherwise.
    pub fn summary(&self) -> &'static str {
        self.said.unwrap_or_else(|| self.handler.summary())
    }

    /// Sets what the call does, in a sentence.
    pub(crate) const fn says(self, said: &'static str) -> Self {
        Self { said: Some(said), ..self }
    }

    /// Sets what the call costs.
    pub(crate) const fn costs(self, cost: &'static Rule) -> Self {
        Self { cost, ..self }
    }

    /// Sets what the caller must be allowed to do with the object of the path.
    pub(crate) const fn needs(self, right: Right) -> Self {
        Self { right, ..self }
    }

    /// Returns the parameters of the query, the headers and the cookies that its handler reads.
    pub fn parameters(&self) -> Vec<Parameter> {
        (self.handler.signature.parameters)()
    }

    /// Marks a call that changes nothing, whatever its method.
    pub(crate) const fn only_reads(self) -> Self {
        Self { changes: Changes::Never, ..self }
    }

    /// Says of a call that changes something only by what is sent.
    pub(crate) const fn reads_without_body(self) -> Self {
        Self { changes: Changes::WithBody, ..self }
    }

    /// Lets keys of one project call: it tells of nothing beyond what the caller's projects have.
    pub(crate) const fn in_one_project(self) -> Self {
        Self { in_one_project: true, ..self }
    }

    /// Lets the project header say in which project the call looks, or for whose people it makes something.
    pub(crate) const fn reads_project(self) -> Self {
        Self { reads_project: true, ..self }
    }

    /// Lets the call be answered at once, without a place among the requests that are worked on.
    pub(crate) const fn at_once(self) -> Self {
        Self { light: true, ..self }
    }

    /// Moves the row into a tree.
    pub(crate) const fn in_tree(self, tree: Tree) -> Self {
        Self { tree, ..self }
    }
}
