//! Two pairs of client credentials for two tokens, and OAuth 1 signatures for the older report.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::SignedDuration;
use serde_json::json;
use sha1::{Digest as _, Sha1};

use super::{ID, OLDER, bad, refusal};
use crate::credentials::{self, Standing};
use crate::networks::{Answer, Caller, Request, sealed};
use crate::state::Inner;

/// How many seconds a token is valid, and how far the time of a signature may deviate.
const LIFETIME: i64 = 3600;
const SKEW: i64 = 300;

fn caller(credential: &str) -> Caller {
    Caller { email: credentials::owner().to_owned(), credential: credential.to_owned(), scope: String::new() }
}

fn standing(inner: &Inner, field: &str, value: &str) -> Result<(), Answer> {
    match credentials::standing(inner, ID, field, value) {
        Some(Standing::Valid) => Ok(()),
        Some(Standing::Revoked) => Err(refusal(401, "The client has been revoked.")),
        Some(Standing::Expired) => Err(refusal(401, "The client secret has expired.")),
        Some(Standing::NotAllowed) => Err(refusal(403, "The publisher has no permission to use this API.")),
        None => Err(refusal(401, "Invalid client credentials.")),
    }
}

/// Exchanges a client ID and secret for a token, for management or for reports.
pub fn exchange(inner: &Inner, request: &Request, reports: bool) -> Answer {
    let (grant, scope, id_field, secret_field) = if reports {
        ("client_credentials", "reporting", "reporting_client_id", "reporting_client_secret")
    } else {
        ("management_client_credentials", "management", "client_id", "client_secret")
    };
    let Ok(body) = request.json() else { return bad("The body is no JSON.") };
    if body["grant_type"] != grant {
        return bad(format!("grant_type must be {grant}."));
    }
    let (Some(id), Some(secret)) = (body["client_id"].as_str(), body["client_secret"].as_str()) else {
        return bad("client_id and client_secret are required.");
    };
    let set = credentials::by_value(ID, id_field, id);
    if set.and_then(|set| set.field(secret_field)) != Some(secret) {
        return refusal(401, "Invalid client credentials.");
    }
    if let Err(refused) = standing(inner, id_field, id) {
        return refused;
    }
    let token = sealed::jwt(&json!({
        "iss": "sandbox",
        "sub": ID,
        "scope": scope,
        "gen": inner.store().generation(ID),
        "exp": (inner.now() + SignedDuration::from_secs(LIFETIME)).as_second(),
    }));
    Answer::ok(json!({ "accessToken": token, "tokenType": "bearer", "expiresIn": LIFETIME }))
}

pub fn by_token(inner: &Inner, request: &Request, scope: &str) -> Result<Caller, Answer> {
    let token = request.authorization("bearer").ok_or_else(|| refusal(401, "A bearer token is required."))?;
    let claims = sealed::claims(token).filter(|claims| claims["sub"] == ID && claims["scope"] == scope);
    let claims = claims.ok_or_else(|| refusal(401, "Invalid token."))?;
    let store = inner.store();
    let current = claims["gen"].as_u64() == Some(store.generation(ID)) && !store.keys_revoked(ID);
    if !current || claims["exp"].as_i64().is_none_or(|exp| exp <= inner.now().as_second()) {
        return Err(refusal(401, "Token expired."));
    }
    Ok(caller(scope))
}

/// Encodes everything except letters, digits, `-`, `.`, `_` and `~` (RFC 5849, 3.6).
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// Returns the HMAC (RFC 2104) with SHA-1.
fn hmac(key: &str, text: &str) -> Vec<u8> {
    let mut block = [0_u8; 64];
    let short = if key.len() > block.len() { Sha1::digest(key).to_vec() } else { key.as_bytes().to_vec() };
    block[..short.len()].copy_from_slice(&short);
    let pad = |with: u8| block.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
    let inside = Sha1::digest([pad(0x36), text.as_bytes().to_vec()].concat());
    Sha1::digest([pad(0x5c), inside.to_vec()].concat()).to_vec()
}

/// Returns the signature of a request without a token.
fn signature(method: &str, address: &str, query: &[(String, String)], secret: &str) -> String {
    let signed = query.iter().filter(|(name, _)| name != "oauth_signature");
    let mut pairs: Vec<(String, String)> = signed.map(|(name, value)| (encoded(name), encoded(value))).collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let base = format!("{method}&{}&{}", encoded(address), encoded(&pairs.join("&")));
    STANDARD.encode(hmac(&format!("{}&", encoded(secret)), &base))
}

pub fn by_oauth1(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let need = |name: &str| request.query(name).ok_or_else(|| refusal(401, format!("{name} is required.")));
    let (key, sign) = (need("oauth_consumer_key")?, need("oauth_signature")?);
    need("oauth_nonce")?;
    if need("oauth_signature_method")? != "HMAC-SHA1" {
        return Err(refusal(401, "oauth_signature_method must be HMAC-SHA1."));
    }
    let off = need("oauth_timestamp")?.parse::<i64>().map(|at| (at - inner.now().as_second()).abs());
    if !off.is_ok_and(|off| off <= SKEW) {
        return Err(refusal(401, "timestamp_refused: the signature's time is more than 300 seconds off."));
    }
    let set = credentials::by_value(ID, "consumer_key", key).ok_or_else(|| refusal(401, "Invalid consumer key."))?;
    let secret = set.field("consumer_secret").unwrap_or_default();
    // Clients sign either the network's real address or the sandbox address that they call.
    let own = format!("https://{OLDER}{}", request.path);
    let here = format!("{}/{ID}/@{OLDER}{}", request.origin(), request.path);
    let fits = |address: &String| signature(request.method.as_str(), address, &request.query, secret) == sign;
    if ![own, here].iter().any(fits) {
        return Err(refusal(401, "Invalid signature."));
    }
    standing(inner, "consumer_key", key)?;
    Ok(caller("older"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_rfc_5849() {
        // RFC 2202, test case 2 of HMAC-SHA-1.
        let code = hmac("Jefe", "what do ya want for nothing?");
        assert_eq!(hex::encode(code), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        assert_eq!(encoded("a b&ü~"), "a%20b%26%C3%BC~");
    }
}
