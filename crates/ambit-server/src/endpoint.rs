//! What a row of the table of endpoints is: method, path, who may call, what it costs, which function answers.

use crate::answer::Answer;
use crate::call::Call;
use crate::mount::Tree;
use crate::quota::rules::{self, Rule};
use crate::rights::Right;
use ambit_api::ApiError;
use ambit_api::shape::Shape;
use ambit_model::user::{CollectionRole, ProjectRole};
use futures::future::BoxFuture;

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
    /// As it stands in a request.
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

/// A parameter of the query.
#[derive(Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub shape: &'static Shape,
    pub required: bool,
    pub doc: &'static str,
}

/// The function that answers.
pub type Handler = fn(Call) -> BoxFuture<'static, Result<Answer, ApiError>>;

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
    pub summary: &'static str,
    pub query: &'static [Parameter],
    pub body: Option<&'static Shape>,
    /// False where the body may be left out.
    pub needs_body: bool,
    /// The shape of `result`.
    pub result: &'static Shape,
    pub content_type: &'static str,
    /// It is answered at once, however busy the server is: nothing is read for it but what the program has ready.
    pub light: bool,
}

pub(crate) const fn row(
    method: Method,
    path: &'static str,
    access: Access,
    summary: &'static str,
    result: &'static Shape,
    handler: Handler,
) -> Endpoint {
    Endpoint {
        tree: Tree::Asm,
        method,
        path,
        access,
        right: Right::Any,
        cost: &rules::OUTSIDE,
        handler,
        summary,
        query: &[],
        body: None,
        needs_body: true,
        result,
        content_type: "application/json",
        light: false,
    }
}

/// A row that needs no place among the requests that are worked on.
pub(crate) const fn light(row: Endpoint) -> Endpoint {
    Endpoint { light: true, ..row }
}

/// The same in another tree.
pub(crate) const fn beside(tree: Tree, row: Endpoint) -> Endpoint {
    Endpoint { tree, ..row }
}

pub(crate) const fn with_body(body: &'static Shape, row: Endpoint) -> Endpoint {
    Endpoint { body: Some(body), ..row }
}

/// The same, where nothing need be sent.
pub(crate) const fn with_optional_body(body: &'static Shape, row: Endpoint) -> Endpoint {
    Endpoint {
        body: Some(body),
        needs_body: false,
        ..row
    }
}

pub(crate) const fn with_query(query: &'static [Parameter], row: Endpoint) -> Endpoint {
    Endpoint { query, ..row }
}

pub(crate) const fn as_type(content_type: &'static str, row: Endpoint) -> Endpoint {
    Endpoint { content_type, ..row }
}
