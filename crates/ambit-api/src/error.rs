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

/// Makes the codes and their table.
macro_rules! codes {
    ($($code:ident: $status:literal $name:literal $message:literal,)*) => {
        /// A code of the table. Several share an HTTP status.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            $($code,)*
        }

        const TABLE: &[(ErrorCode, u16, &str, &str)] = &[$((ErrorCode::$code, $status, $name, $message),)*];
    };
}

// Code, status, name, usual message. Statuses that the contract's table lacks (405, 413, 415), and a 409 of what does
// not exist twice, carry `BadRequestError`, which every client knows.
codes! {
    BadRequest: 400 "BadRequestError" "The request is malformed",
    InvalidArgument: 400 "InvalidArgumentError" "An argument is wrong",
    // Without the ending that all others have (docs/contract/errors.md §2).
    NotAvailableYet: 400 "NotAvailableYet" "It is not available yet",
    UnselectiveContent: 400 "UnselectiveContentQueryError" "The content is not selective enough",
    UnsupportedContent: 400 "UnsupportedContentQueryError" "The content search is not supported",
    AuthenticationRequired: 401 "AuthenticationRequiredError" "X-Apikey header is missing",
    UserNotActive: 401 "UserNotActiveError" "The account is not active",
    WrongCredentials: 401 "WrongCredentialsError" "Wrong API key",
    Forbidden: 403 "ForbiddenError" "You are not authorized to perform the requested operation",
    NotFound: 404 "NotFoundError" "Not found",
    MethodNotAllowed: 405 "BadRequestError" "Method not allowed",
    AlreadyExists: 409 "AlreadyExistsError" "It exists already",
    Conflict: 409 "BadRequestError" "It is in another state",
    TooLarge: 413 "BadRequestError" "The body is too large",
    UnsupportedMediaType: 415 "BadRequestError" "The body must be JSON: send Content-Type: application/json",
    QuotaExceeded: 429 "QuotaExceededError" "Quota exceeded",
    TooManyRequests: 429 "TooManyRequestsError" "Too many requests",
    Internal: 500 "ServerError" "The server failed; its log says why",
    Transient: 503 "TransientError" "Not available now; try again",
    DeadlineExceeded: 504 "DeadlineExceededError" "It took too long",
}

impl ErrorCode {
    /// Every code, in the order of their statuses.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// The HTTP status.
    pub fn status(self) -> u16 {
        TABLE[self as usize].1
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

    /// Returns the name in `error.code`.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// What is said where nothing more precise is known.
    pub fn message(self) -> &'static str {
        TABLE[self as usize].3
    }
}

/// What a handler answers with, where it names no other error.
pub type Result<T, E = ApiError> = std::result::Result<T, E>;

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

    /// 400 for a request that is not written as it must be.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::with(ErrorCode::BadRequest, message)
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
        assert!(ErrorCode::all().is_sorted_by_key(ErrorCode::status));
    }
}
