//! Grants, codes and access tokens of the simulated sign-in. The tokens open nothing but this sandbox.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::OFFICIAL_CLIENT_TOKEN;
use crate::networks::Caller;
use crate::world::accounts::IDENTITIES;

pub const SCOPES: [&str; 3] = [
    "https://www.googleapis.com/auth/admob.readonly",
    "https://www.googleapis.com/auth/admob.report",
    "https://www.googleapis.com/auth/admob.monetization",
];

/// The scopes of Ad Manager: full access, then read-only.
pub const AD_MANAGER_SCOPES: [&str; 2] =
    ["https://www.googleapis.com/auth/admanager", "https://www.googleapis.com/auth/admanager.readonly"];

/// A consent, which is valid until it is revoked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Grant {
    pub id: String,
    pub email: String,
    pub client_id: String,
    pub scope: String,
    pub refresh_token: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Access {
    pub token: String,
    pub grant: String,
    pub expires_at: Timestamp,
}

/// A code between the consent page and the token endpoint; in memory only, because it expires after a minute.
#[derive(Debug, Clone)]
pub struct Code {
    pub email: String,
    pub client_id: String,
    pub redirect_uri: String,
    pub scope: String,
    pub challenge: String,
    pub offline: bool,
    pub expires_at: Timestamp,
    /// The grant made from this code. A second use of the code revokes the grant.
    pub used_for: Option<String>,
}

pub struct Tokens {
    pub grants: HashMap<String, Grant>,
    pub access: HashMap<String, Access>,
    pub codes: HashMap<String, Code>,
    /// How many seconds a new access token is valid.
    pub lifetime: i64,
    made: u64,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { grants: HashMap::new(), access: HashMap::new(), codes: HashMap::new(), lifetime: 3600, made: 0 }
    }
}

impl Tokens {
    /// Returns a new text that looks like a secret. Its counter and the time make it unique. It can be guessed, which is fine for a
    /// simulation.
    pub fn fresh(&mut self, prefix: &str, now: Timestamp) -> String {
        self.made += 1;
        let count = self.made + (self.grants.len() + self.access.len()) as u64;
        let seed = format!("{prefix}|{count}|{}", now.as_nanosecond());
        format!("{prefix}{}", &hex::encode(Sha256::digest(seed))[..40])
    }

    pub fn new_grant(&mut self, email: &str, client_id: &str, scope: &str, offline: bool, now: Timestamp) -> Grant {
        let id = self.fresh("g-", now);
        let refresh_token = offline.then(|| self.fresh("1//sandbox-", now));
        Grant { id, email: email.to_owned(), client_id: client_id.to_owned(), scope: scope.to_owned(), refresh_token }
    }

    pub fn new_access(&mut self, grant: &str, now: Timestamp) -> Access {
        let token = self.fresh("ya29.sandbox-", now);
        Access { token, grant: grant.to_owned(), expires_at: now + SignedDuration::from_secs(self.lifetime) }
    }

    pub fn by_refresh_token(&self, token: &str) -> Option<&Grant> {
        self.grants.values().find(|grant| grant.refresh_token.as_deref() == Some(token))
    }

    pub fn caller(&self, token: &str, now: Timestamp) -> Option<Caller> {
        if token == OFFICIAL_CLIENT_TOKEN {
            let grant = OFFICIAL_CLIENT_TOKEN.to_owned();
            let scope = format!("{} {}", SCOPES.join(" "), AD_MANAGER_SCOPES[0]);
            return Some(Caller { email: IDENTITIES[0].email.to_owned(), scope, credential: grant });
        }
        let access = self.access.get(token).filter(|access| access.expires_at > now)?;
        let grant = self.grants.get(&access.grant)?;
        Some(Caller { email: grant.email.clone(), scope: grant.scope.clone(), credential: grant.id.clone() })
    }

    /// Checks whether a grant is for this network.
    pub fn is_for(grant: &Grant, network: &str) -> bool {
        let other = grant.scope.contains("/auth/admanager");
        if network == "admob" { grant.scope.contains("/auth/admob") || !other } else { other }
    }

    pub fn revoke(&mut self, grant: &str) {
        self.grants.remove(grant);
        self.access.retain(|_, access| access.grant != grant);
    }
}
