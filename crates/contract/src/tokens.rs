//! Personal access tokens: with one, a program says for whom it acts. Only the answer that creates a token contains its secret.

use std::fmt;

use adagent_domain::{AccessTokenId, Timestamp};
use serde::{Deserialize, Serialize};

/// What a token can be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenScope {
    /// The routes of this API, with the rights of the token's person.
    Api,
    /// The Model Context Protocol at `/mcp`.
    Mcp,
}

impl TokenScope {
    pub const ALL: [Self; 2] = [Self::Api, Self::Mcp];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Mcp => "mcp",
        }
    }
}

impl fmt::Display for TokenScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A secret that a person typed. `Debug` hides it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Typed(pub String);

impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[typed]")
    }
}

/// The body of POST `/api/tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    pub name: String,
    pub scopes: Vec<TokenScope>,
    /// If absent, the token never expires.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// The person's password, if they have one.
    #[serde(default)]
    pub password: Option<Typed>,
}

/// A token as its person's list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenView {
    pub id: AccessTokenId,
    pub name: String,
    /// The beginning of the token, which tells it from others and gives no access.
    pub hint: String,
    pub scopes: Vec<TokenScope>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// When the token was last used, accurate to a minute.
    pub last_used_at: Option<Timestamp>,
}

/// The one answer that contains the secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedToken {
    pub token: String,
    #[serde(flatten)]
    pub view: TokenView,
}

impl fmt::Debug for CreatedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreatedToken").field("token", &"[secret]").field("view", &self.view).finish()
    }
}
