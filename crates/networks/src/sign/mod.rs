//! How to send requests to each network: its signature schemes, hosts and limits, and how its replies say yes or no.
//!
//! Everything here is pure: the clock and random numbers are arguments, and nothing is sent or stored. A new network is one file with a
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

/// What this program knows of a network besides its catalog file.
pub struct Profile {
    pub network: Network,
    /// The network's first host. [`crate::Credentials::base_url`] replaces it.
    pub host: &'static str,
    /// The `auth` of a binding → its scheme.
    pub schemes: &'static [(&'static str, &'static dyn Scheme)],
    /// The scheme for operations whose binding names none.
    pub default_scheme: &'static dyn Scheme,
    pub conduct: Conduct,
    /// Which reads prove the fields of a connection, and which accounts the fields open.
    pub membership: Membership,
    /// The network's own limits. We count them per connection, because networks count per account.
    pub windows: &'static [Window],
    /// Hosts that links to report files may use, with their subdomains. [`S3`] includes its regional hosts.
    pub file_hosts: &'static [&'static str],
}

impl Profile {
    /// Returns the scheme of an operation; `None` if its binding names one that this program does not have.
    pub fn scheme(&self, binding: &HttpBinding) -> Option<(&'static str, &'static dyn Scheme)> {
        let Some(name) = binding.auth.as_deref() else { return Some(("default", self.default_scheme)) };
        self.schemes.iter().find(|(known, _)| *known == name).copied()
    }
}

/// Amazon's storage in every region, where many report files are; no other host of Amazon.
pub const S3: &str = "s3.amazonaws.com";

/// Returns the profile of a network.
pub fn profile(network: Network) -> &'static Profile {
    registry::row(network).profile
}

/// A field of the connection that this scheme needs but that was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the field {0:?} of the connection is missing")]
pub struct Missing(pub &'static str);

/// The time, and a number that nobody can guess in advance.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub now: Timestamp,
    pub nonce: u64,
}

/// A token or session that we got in exchange for the fields.
pub struct Session {
    pub values: SecretFields,
    pub good_until: Timestamp,
}

impl Session {
    fn token(token: SecretString, good_until: Timestamp) -> Self {
        Self { values: [(TOKEN, token)].into_iter().collect(), good_until }
    }
}

/// The name of the only value in most sessions.
const TOKEN: &str = "token";

/// The input of a signature.
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

/// One way to prove who sends a request.
pub trait Scheme: Send + Sync {
    /// Returns the requests that create a session, with the network's real addresses. If one does not exist (404), the next one is tried.
    /// Empty if the scheme needs no session.
    fn exchanges(&self, _fields: &SecretFields) -> Result<Vec<Outgoing>, Missing> {
        Ok(Vec::new())
    }

    /// Reads the reply to an exchange; `None` if it contains no session.
    fn session(&self, _reply: &Json, _now: Timestamp) -> Option<Session> {
        None
    }

    /// Adds the proof to the request. Called again for every attempt, because signatures contain the time.
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing>;
}

/// A scheme that sends a field of the connection as `Authorization: Bearer`.
struct Bearer(&'static str);

impl Scheme for Bearer {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        out.header("Authorization", format!("Bearer {}", material.field(self.0)?));
        Ok(())
    }
}

/// Sends the session's token as a bearer token, as most schemes with an exchange do.
fn bear_session(out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
    out.header("Authorization", format!("Bearer {}", material.session_value(TOKEN)?));
    Ok(())
}

/// Returns a field without the spaces and line ends around it, which come from pasting.
fn secret<'a>(fields: &'a SecretFields, name: &'static str) -> Result<&'a str, Missing> {
    fields.get(name).map(|value| value.expose_secret().trim()).ok_or(Missing(name))
}

/// Parses an address of this program. It is always valid, because a test reads all of them.
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
