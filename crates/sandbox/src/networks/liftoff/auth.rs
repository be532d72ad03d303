//! The token exchange of the management API, and the key of the reporting API.

use jiff::SignedDuration;
use serde_json::json;

use super::{ID, bad, refusal};
use crate::credentials::{self, Standing};
use crate::networks::{Answer, Caller, Request, sealed};
use crate::state::Inner;

/// How many minutes a token is valid.
const MINUTES: i64 = 60;

fn caller(credential: &str) -> Caller {
    Caller { email: credentials::owner().to_owned(), credential: credential.to_owned(), scope: String::new() }
}

/// Exchanges the secret token for a JWT.
pub fn exchange(inner: &Inner, request: &Request) -> Answer {
    let Some(secret) = request.header("x-api-key") else {
        return refusal(401, "The header x-api-key is required.");
    };
    match credentials::standing(inner, ID, "secret_token", secret) {
        Some(Standing::Valid) => {
            let now = inner.now();
            let token = sealed::jwt(&json!({
                "iss": "sandbox",
                "sub": "liftoff",
                "gen": inner.store().generation(ID),
                "iat": now.as_second(),
                "exp": (now + SignedDuration::from_mins(MINUTES)).as_second(),
            }));
            Answer::ok(json!({ "token": token }))
        }
        Some(Standing::Revoked) => refusal(401, "The secret token has been revoked."),
        Some(Standing::Expired) => refusal(401, "The secret token has expired."),
        Some(Standing::NotAllowed) => refusal(
            403,
            "This account has no permission to use the Publisher Management API; ask your account manager.",
        ),
        None => refusal(401, "The secret token is not valid."),
    }
}

pub fn by_token(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let token = request.authorization("bearer").ok_or_else(|| refusal(401, "A bearer token is required."))?;
    let claims = sealed::claims(token).filter(|claims| claims["iss"] == "sandbox" && claims["sub"] == ID);
    let claims = claims.ok_or_else(|| refusal(401, "Invalid token."))?;
    let store = inner.store();
    let current = claims["gen"].as_u64() == Some(store.generation(ID)) && !store.keys_revoked(ID);
    if !current || claims["exp"].as_i64().is_none_or(|exp| exp <= inner.now().as_second()) {
        return Err(refusal(401, "Token expired."));
    }
    Ok(caller("management"))
}

pub fn by_reporting_key(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let key = request.authorization("bearer").ok_or_else(|| refusal(401, "A reporting API key is required."))?;
    match credentials::standing(inner, ID, "reporting_api_key", key) {
        Some(Standing::Valid) => {}
        Some(Standing::Revoked) => return Err(refusal(401, "The reporting API key has been revoked.")),
        Some(Standing::Expired) => return Err(refusal(401, "The reporting API key has expired.")),
        Some(Standing::NotAllowed) => {
            return Err(refusal(403, "This account has no permission to use the reporting API."));
        }
        None => return Err(refusal(401, "Invalid API key.")),
    }
    match request.header("vungle-version") {
        Some("1") => Ok(caller("reporting")),
        _ => Err(bad("The header Vungle-Version: 1 is required.")),
    }
}
