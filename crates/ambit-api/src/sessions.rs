//! Sessions of browsers on the wire. Ours.

use crate::contract::{Maybe, contract};
use crate::request::Text;
use ambit_model::Timestamp;
use serde::{Deserialize, Serialize};

contract! {
    /// The body that signs in: an API key, or the token of a link that works once.
    #[derive(Debug, Deserialize)]
    pub struct SignIn {
        pub key: Maybe<Text>,
        pub token: Maybe<Text>,
    }

    /// Who is signed in.
    #[derive(Debug, Serialize)]
    pub struct Session {
        pub username: String,
        pub email: String,
        pub administrator: bool,
    }

    /// The token of a link that signs a browser in once; its text is given this once.
    #[derive(Debug, Serialize)]
    pub struct SignInLink {
        pub token: String,
        pub expires_at: Timestamp,
    }

    /// How people sign in beside keys and links.
    #[derive(Debug, Serialize)]
    pub struct SignInWays {
        /// A provider of OpenID Connect vouches for them, at /sign_in/provider.
        pub provider: bool,
        /// Why this browser was not signed in just now; said once.
        pub trouble: Option<String>,
    }
}
