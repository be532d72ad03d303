//! How each network wants to be asked: its signature schemes, its hosts and limits, and how its replies say yes or no.
//!
//! Everything here is pure: clock and chance are arguments, nothing is sent and nothing kept. A new network is one file with a
//! [`Profile`] and one row in [`registry`].

pub mod admanager;
pub mod admob;
pub mod applovin;
mod conduct;
pub mod digests;
pub mod dtexchange;
pub mod inmobi;
mod keys;
pub mod liftoff;
mod membership;
pub mod mintegral;
mod oauth1;
mod outgoing;
pub mod pangle;
pub mod unity;

use adagent_domain::{Network, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value as Json;

pub use conduct::{Conduct, Mark, Meaning, Window};
pub use membership::{Accounts, Given, Membership, Proof};
pub use outgoing::{Outgoing, Payload};

use crate::{SecretFields, catalogue::HttpBinding, registry};

/// What this program knows of a network beyond its catalogue file.
pub struct Profile {
    pub network: Network,
    /// Host of the operations whose address [`crate::Credentials::base_url`] replaces.
    pub host: &'static str,
    /// The binding's `auth` → scheme.
    pub schemes: &'static [(&'static str, &'static dyn Scheme)],
    /// For operations whose binding names no scheme.
    pub default_scheme: &'static dyn Scheme,
    pub conduct: Conduct,
    /// What proves the fields of a connection, and which accounts they open.
    pub membership: Membership,
    /// The network's own limits, each per connection: networks count by account.
    pub windows: &'static [Window],
    /// Hosts (and what lies below them) that links to report files may name; [`S3`] stands for its regional hosts too.
    pub file_hosts: &'static [&'static str],
}

impl Profile {
    /// The scheme an operation travels with; `None` when its binding names one this program does not have.
    pub fn scheme(&self, binding: &HttpBinding) -> Option<(&'static str, &'static dyn Scheme)> {
        let Some(name) = binding.auth.as_deref() else { return Some(("default", self.default_scheme)) };
        self.schemes.iter().find(|(known, _)| *known == name).copied()
    }
}

/// Where report files often lie: Amazon's storage, whatever the region, and nothing else of Amazon's.
pub const S3: &str = "s3.amazonaws.com";

/// How a network is asked.
pub fn profile(network: Network) -> &'static Profile {
    registry::row(network).profile
}

/// A field of the connection that this scheme needs and that was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the field {0:?} of the connection is missing")]
pub struct Missing(pub &'static str);

/// When, and a number nobody can guess in advance.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub now: Timestamp,
    pub nonce: u64,
}

/// A token or session got in exchange for the fields.
pub struct Session {
    pub values: SecretFields,
    pub good_until: Timestamp,
}

impl Session {
    fn token(token: SecretString, good_until: Timestamp) -> Self {
        Self { values: [(TOKEN, token)].into_iter().collect(), good_until }
    }
}

/// Name of the one value of most sessions.
const TOKEN: &str = "token";

/// What a signature is made of.
pub struct Material<'a> {
    pub fields: &'a SecretFields,
    pub session: Option<&'a Session>,
    pub binding: &'a HttpBinding,
    pub moment: Moment,
}

impl Material<'_> {
    pub fn field(&self, name: &'static str) -> Result<&str, Missing> {
        secret(self.fields, name)
    }

    pub fn session_value(&self, name: &'static str) -> Result<&str, Missing> {
        let value = self.session.and_then(|session| session.values.get(name));
        value.map(ExposeSecret::expose_secret).ok_or(Missing(name))
    }
}

/// One way of proving who asks.
pub trait Scheme: Send + Sync {
    /// The requests that give a session, each tried when the one before is not there (404); none when no session is needed.
    /// Addresses are the network's real ones.
    fn exchanges(&self, _fields: &SecretFields) -> Result<Vec<Outgoing>, Missing> {
        Ok(Vec::new())
    }

    /// Reads the reply to an exchange; `None` when it holds no session.
    fn session(&self, _reply: &Json, _now: Timestamp) -> Option<Session> {
        None
    }

    /// Adds what proves the request. Called again for every attempt, because signatures hold the time.
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing>;
}

/// `Authorization: Bearer` with a field of the connection.
struct Bearer(&'static str);

impl Scheme for Bearer {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        out.header("Authorization", format!("Bearer {}", material.field(self.0)?));
        Ok(())
    }
}

/// Sends the session's token as a bearer; the common end of most exchanges.
fn bear_session(out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
    out.header("Authorization", format!("Bearer {}", material.session_value(TOKEN)?));
    Ok(())
}

/// A field as it was meant: blanks and line ends around it came with pasting.
fn secret<'a>(fields: &'a SecretFields, name: &'static str) -> Result<&'a str, Missing> {
    fields.get(name).map(|value| value.expose_secret().trim()).ok_or(Missing(name))
}

/// An address of this program's own, valid because a test reads them all.
fn fixed(address: &'static str) -> url::Url {
    address.parse().expect("the addresses of exchanges are constants and valid")
}

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_has_its_own_profile_and_a_host() {
        for network in Network::ALL {
            let profile = profile(network);
            assert_eq!(profile.network, network);
            assert!(fixed_url(profile.host), "{network}");
        }
    }

    fn fixed_url(host: &str) -> bool {
        url::Url::parse(&format!("https://{host}/")).is_ok_and(|url| url.host_str() == Some(host))
    }
}
