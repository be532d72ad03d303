//! Checks an ID token before we trust what it says about a person, after OpenID Connect Core 3.1.3.7. This module is pure and does no I/O.
//!
//! We accept only signatures of the provider's public keys (RS256, ES256); `none` and shared secrets prove nothing here.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

/// How far two clocks may differ, in seconds.
const SKEW: i64 = 60;
/// The greatest age of a token, in seconds. The provider makes it just before the browser comes back, so somebody must have kept an older
/// one.
const OLDEST: i64 = 600;
const LONGEST: usize = 16 * 1024;

/// Why an ID token proves nothing. It holds no part of the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    #[error("it is not a signed token in compact form")]
    Malformed,
    #[error("its signature algorithm is not RS256 or ES256")]
    Algorithm,
    #[error("no key of the provider has its key id")]
    UnknownKey,
    #[error("its signature is wrong")]
    Signature,
    #[error("it is from another issuer")]
    Issuer,
    #[error("it is for another client")]
    Audience,
    #[error("it has expired, or its times are impossible")]
    Time,
    #[error("its nonce is not the one of this sign-in")]
    Nonce,
    #[error("it belongs to another access token")]
    AccessToken,
    #[error("it names nobody")]
    Subject,
}

/// A public key of the provider (RFC 7517), with only the fields that we need.
#[derive(Debug, Clone, Deserialize)]
pub struct Key {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// What the token must contain.
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
    pub access_token: Option<&'a str>,
    pub now_seconds: i64,
}

/// A person, as the provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    pub subject: String,
    pub email: Option<String>,
    pub email_verified: bool,
    pub name: Option<String>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<Json>,
}

#[derive(Deserialize)]
struct Payload {
    iss: String,
    sub: String,
    aud: Json,
    azp: Option<String>,
    exp: i64,
    iat: i64,
    nbf: Option<i64>,
    nonce: Option<String>,
    at_hash: Option<String>,
    #[serde(flatten)]
    person: Person,
}

/// The claims about a person, from the token or from the provider's user information.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Person {
    pub email: Option<String>,
    /// A boolean; some providers write it as text.
    #[serde(default)]
    pub email_verified: Json,
    pub name: Option<String>,
}

impl Person {
    pub(super) fn is_verified(&self) -> bool {
        self.email_verified == true || self.email_verified == "true"
    }
}

impl Key {
    fn fits(&self, header: &Header) -> bool {
        let kind = if header.alg == "RS256" { "RSA" } else { "EC" };
        self.kty == kind
            && self.usage.as_deref().is_none_or(|usage| usage == "sig")
            && self.alg.as_deref().is_none_or(|alg| alg == header.alg)
            && header.kid.as_ref().is_none_or(|kid| self.kid.as_ref() == Some(kid))
    }

    fn verifies(&self, message: &[u8], given: &[u8]) -> bool {
        let part = |value: &Option<String>| B64.decode(value.as_deref()?.trim_end_matches('=')).ok();
        match self.kty.as_str() {
            "RSA" => {
                let (Some(n), Some(e)) = (part(&self.n), part(&self.e)) else { return false };
                RsaPublicKeyComponents { n: &n, e: &e }
                    .verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, given)
                    .is_ok()
            }
            "EC" if self.crv.as_deref() == Some("P-256") => {
                let (Some(x), Some(y)) = (part(&self.x), part(&self.y)) else { return false };
                // The byte 4 marks an uncompressed point.
                let point = [&[4], &x[..], &y[..]].concat();
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point).verify(message, given).is_ok()
            }
            _ => false,
        }
    }
}

/// Checks whether a token names a key that is not among these. If so, we should read the provider's keys again.
pub(super) fn names_unknown_key(token: &str, keys: &[Key]) -> bool {
    header(token).is_ok_and(|header| !keys.iter().any(|key| key.fits(&header)))
}

fn header(token: &str) -> Result<Header, Unproven> {
    let first = token.split('.').next().unwrap_or_default();
    let bytes = B64.decode(first).map_err(|_| Unproven::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| Unproven::Malformed)
}

/// Checks a token and returns its claims, or says why it proves nothing.
pub fn verify(token: &str, keys: &[Key], expected: &Expected<'_>) -> Result<Claims, Unproven> {
    if token.len() > LONGEST {
        return Err(Unproven::Malformed);
    }
    let parts: Vec<&str> = token.split('.').collect();
    let &[_, payload, signature] = parts.as_slice() else { return Err(Unproven::Malformed) };
    let header = header(token)?;
    if !matches!(header.alg.as_str(), "RS256" | "ES256") {
        return Err(Unproven::Algorithm);
    }
    if header.crit.is_some() {
        return Err(Unproven::Malformed);
    }
    let given = B64.decode(signature).map_err(|_| Unproven::Malformed)?;
    let message = &token.as_bytes()[..token.len() - signature.len() - 1];
    let fitting: Vec<&Key> = keys.iter().filter(|key| key.fits(&header)).collect();
    // Without a key ID, only one key may fit.
    if fitting.is_empty() || (header.kid.is_none() && fitting.len() > 1) {
        return Err(Unproven::UnknownKey);
    }
    if !fitting.iter().any(|key| key.verifies(message, &given)) {
        return Err(Unproven::Signature);
    }
    let payload = B64.decode(payload).map_err(|_| Unproven::Malformed)?;
    let payload: Payload = serde_json::from_slice(&payload).map_err(|_| Unproven::Malformed)?;
    check(payload, expected)
}

fn check(payload: Payload, expected: &Expected<'_>) -> Result<Claims, Unproven> {
    if payload.iss != expected.issuer {
        return Err(Unproven::Issuer);
    }
    let audiences: Vec<&str> = match &payload.aud {
        Json::String(one) => vec![one],
        Json::Array(many) => many.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let party = payload.azp.as_deref();
    let ours = audiences.contains(&expected.client_id)
        && party.map_or(audiences.len() == 1, |party| party == expected.client_id);
    if !ours {
        return Err(Unproven::Audience);
    }
    let now = expected.now_seconds;
    let in_time = payload.exp > now.saturating_sub(SKEW)
        && payload.iat <= now.saturating_add(SKEW)
        && payload.iat >= now.saturating_sub(OLDEST)
        && payload.nbf.is_none_or(|from| from <= now.saturating_add(SKEW));
    if !in_time {
        return Err(Unproven::Time);
    }
    if payload.nonce.as_deref() != Some(expected.nonce) {
        return Err(Unproven::Nonce);
    }
    if let (Some(hash), Some(token)) = (&payload.at_hash, expected.access_token)
        && *hash != B64.encode(&Sha256::digest(token)[..16])
    {
        return Err(Unproven::AccessToken);
    }
    if payload.sub.is_empty() || payload.sub.len() > 255 || payload.sub.chars().any(char::is_control) {
        return Err(Unproven::Subject);
    }
    let email_verified = payload.person.is_verified();
    Ok(Claims { subject: payload.sub, email: payload.person.email, email_verified, name: payload.person.name })
}

pub(super) fn base64url(bytes: &[u8]) -> String {
    B64.encode(bytes)
}
