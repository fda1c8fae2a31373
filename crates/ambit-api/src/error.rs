//! Errors as clients see them: one table of codes with their HTTP status and usual message (docs/contract/errors.md
//! §2), inside the envelope (docs/contract/errors.md §1).

use crate::contract::contract;
use crate::envelope::{ErrorBody, Failure};
use serde::Serialize;
use std::fmt;

contract! {
    /// A failure.
    #[derive(Debug, Serialize)]
    pub struct FailureObject {
        pub error: ErrorObject,
    }

    /// What went wrong.
    #[derive(Clone, Debug, Default, Serialize)]
    pub struct ErrorObject as "" {
        pub code: &'static str,
        pub message: String,
    }

    /// A failure in version 2.
    #[derive(Debug, Serialize)]
    pub struct FailureOfV2 {
        pub response_code: i64,
        pub verbose_msg: String,
    }
}

/// A code of the table. Several share an HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    BadRequest,
    InvalidArgument,
    NotAvailableYet,
    UnselectiveContent,
    UnsupportedContent,
    AuthenticationRequired,
    UserNotActive,
    WrongCredentials,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    AlreadyExists,
    Conflict,
    TooLarge,
    UnsupportedMediaType,
    QuotaExceeded,
    TooManyRequests,
    Internal,
    Transient,
    DeadlineExceeded,
}

struct Row(ErrorCode, u16, &'static str, &'static str);

/// Code, status, name, usual message. Statuses that the contract's table lacks (405, 413, 415), and a 409 of what does
/// not exist twice, carry `BadRequestError`, which every client knows.
const TABLE: &[Row] = &[
    Row(ErrorCode::BadRequest, 400, "BadRequestError", "The request is malformed"),
    Row(ErrorCode::InvalidArgument, 400, "InvalidArgumentError", "An argument is wrong"),
    // Without the ending that all others have (docs/contract/errors.md §2).
    Row(ErrorCode::NotAvailableYet, 400, "NotAvailableYet", "It is not available yet"),
    Row(ErrorCode::UnselectiveContent, 400, "UnselectiveContentQueryError", "The content is not selective enough"),
    Row(ErrorCode::UnsupportedContent, 400, "UnsupportedContentQueryError", "The content search is not supported"),
    Row(ErrorCode::AuthenticationRequired, 401, "AuthenticationRequiredError", "X-Apikey header is missing"),
    Row(ErrorCode::UserNotActive, 401, "UserNotActiveError", "The account is not active"),
    Row(ErrorCode::WrongCredentials, 401, "WrongCredentialsError", "Wrong API key"),
    Row(ErrorCode::Forbidden, 403, "ForbiddenError", "You are not authorized to perform the requested operation"),
    Row(ErrorCode::NotFound, 404, "NotFoundError", "Not found"),
    Row(ErrorCode::MethodNotAllowed, 405, "BadRequestError", "Method not allowed"),
    Row(ErrorCode::AlreadyExists, 409, "AlreadyExistsError", "It exists already"),
    Row(ErrorCode::Conflict, 409, "BadRequestError", "It is in another state"),
    Row(ErrorCode::TooLarge, 413, "BadRequestError", "The body is too large"),
    Row(
        ErrorCode::UnsupportedMediaType,
        415,
        "BadRequestError",
        "The body must be JSON: send Content-Type: application/json",
    ),
    Row(ErrorCode::QuotaExceeded, 429, "QuotaExceededError", "Quota exceeded"),
    Row(ErrorCode::TooManyRequests, 429, "TooManyRequestsError", "Too many requests"),
    Row(ErrorCode::Internal, 500, "ServerError", "The server failed; its log says why"),
    Row(ErrorCode::Transient, 503, "TransientError", "Not available now; try again"),
    Row(ErrorCode::DeadlineExceeded, 504, "DeadlineExceededError", "It took too long"),
];

impl ErrorCode {
    /// Every code, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.0 == self).expect("every code has a row, see the test")
    }

    /// The HTTP status.
    pub fn status(self) -> u16 {
        self.row().1
    }

    /// The HTTP status in version 2: whoever has no right is 403, whoever has no calls left gets nothing
    /// (docs/contract/errors.md §3).
    pub fn v2_status(self) -> u16 {
        match self {
            Self::AuthenticationRequired | Self::UserNotActive | Self::WrongCredentials => 403,
            Self::QuotaExceeded | Self::TooManyRequests => 204,
            _ => self.status(),
        }
    }

    /// As it stands in `error.code`.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// What is said where nothing more precise is known.
    pub fn message(self) -> &'static str {
        self.row().3
    }
}

/// An answer that says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: String,
    /// `Retry-After`, in seconds.
    pub retry_after_s: Option<u32>,
    /// `Allow`, for 405.
    pub allow: Option<String>,
}

impl ApiError {
    /// An error with its usual message.
    pub fn new(code: ErrorCode) -> Self {
        Self::with(code, code.message())
    }

    /// An error with a message of its own.
    pub fn with(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after_s: None, allow: None }
    }

    /// 404 that names what was asked for, the same for what does not exist and what the caller may not see.
    pub fn not_found(noun: &str) -> Self {
        Self::with(ErrorCode::NotFound, format!("{noun} not found"))
    }

    /// 400 for a value that cannot be read.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::with(ErrorCode::InvalidArgument, message)
    }

    /// The same with `Retry-After`.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// The body.
    pub fn body(&self) -> Failure {
        Failure {
            success: false,
            message: self.message.clone(),
            result: (),
            error: ErrorBody { code: self.code.name(), message: self.message.clone() },
        }
    }

    /// The body in the wider API: the error object alone (docs/contract/errors.md §2).
    pub fn object_body(&self) -> FailureObject {
        FailureObject { error: ErrorObject { code: self.code.name(), message: self.message.clone() } }
    }

    /// The body in version 2; `None`: it is empty.
    pub fn v2_body(&self) -> Option<FailureOfV2> {
        (self.code.v2_status() != 204).then(|| FailureOfV2 { response_code: 0, verbose_msg: self.message.clone() })
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code.status(), self.code.name(), self.message)
    }
}

impl std::error::Error for ApiError {}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_401_objects_are_those_that_clients_compare() {
        assert_eq!(
            json!(ApiError::new(ErrorCode::WrongCredentials).body().error),
            json!({"code": "WrongCredentialsError", "message": "Wrong API key"})
        );
        assert_eq!(
            json!(ApiError::new(ErrorCode::AuthenticationRequired).body().error),
            json!({"code": "AuthenticationRequiredError", "message": "X-Apikey header is missing"})
        );
    }

    #[test]
    fn version_2_says_by_the_status_what_is_wrong() {
        let said = |code: ErrorCode| (code.v2_status(), ApiError::new(code).v2_body().is_some());
        assert_eq!(said(ErrorCode::QuotaExceeded), (204, false));
        assert_eq!(said(ErrorCode::TooManyRequests), (204, false));
        for code in [ErrorCode::AuthenticationRequired, ErrorCode::WrongCredentials, ErrorCode::Forbidden] {
            assert_eq!(said(code), (403, true));
        }
        assert_eq!(said(ErrorCode::BadRequest), (400, true));
    }

    #[test]
    fn every_error_is_a_failure_by_its_status() {
        for code in ErrorCode::all() {
            assert!((400..600).contains(&code.status()));
        }
        assert_eq!(ErrorCode::all().count(), 20, "a new code needs its row");
    }
}
