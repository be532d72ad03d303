//! Accounts, browser sessions, proofs of identity, and the vault that seals the secrets of connections.
//!
//! Only this crate turns passwords into Argon2id hashes. The vault opens a secret only for the owner it was sealed for. This crate must
//! never print or log a password, a key or an opened secret, or put one into an error.

mod access_token;
mod account;
mod common;
mod hasher;
mod invite_token;
mod openid;
mod password;
mod secret;
mod session_store;
mod totp;
mod vault;

pub use access_token::{NoRandomness, TOKEN_PREFIX, TokenSecret, token_hash};
pub use account::{AccountError, email_key, validate_email, validate_name};
pub use hasher::{HashError, HashParams, PasswordHasher, Verdict};
pub use invite_token::{InviteToken, invite_hash};
pub use openid::{Claims, Departure, OpenId, OpenIdError, OpenIdSettings, Unproven};
pub use password::{Whose, validate_password};
pub use secret::{random_secret, recovery_codes, recovery_hash, secret_hash};
pub use session_store::{DbSessionStore, SESSION_COOKIE, SESSION_DAYS, SIGNED_IN, SignedIn, is_unavailable};
pub use totp::TotpSecret;
pub use vault::{KeyRing, KeyRingError, Owner, Purpose, Resealed, Vault, VaultError, Weakness, weakness_of_secret};
