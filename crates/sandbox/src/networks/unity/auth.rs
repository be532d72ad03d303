//! The three kinds of credentials: a token for `LevelPlay`, a key for statistics, a service account for projects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::SignedDuration;
use serde_json::json;

use super::{ID, problem, refusal};
use crate::credentials::{self, Standing};
use crate::networks::{Answer, Call, Caller, Request, sealed};
use crate::state::Inner;

/// How many minutes a `LevelPlay` token is valid.
const MINUTES: i64 = 60;

fn caller(credential: &str) -> Caller {
    Caller { email: credentials::owner().to_owned(), credential: credential.to_owned(), scope: String::new() }
}

/// Exchanges a secret key and a refresh token for a token. The answer is a JSON string.
pub fn exchange(inner: &Inner, request: &Request) -> Answer {
    let given = request.header("secretkey").zip(request.header("refreshtoken"));
    let Some((secret, refresh)) = given else {
        return refusal(401, "The headers secretkey and refreshToken are required.");
    };
    let pair = credentials::by_value(ID, "secret_key", secret);
    if pair.and_then(|set| set.field("refresh_token")) != Some(refresh) {
        return refusal(401, "Invalid secret key or refresh token.");
    }
    match credentials::standing(inner, ID, "secret_key", secret) {
        Some(Standing::Valid) => {
            let until = inner.now() + SignedDuration::from_mins(MINUTES);
            let token = sealed::jwt(&json!({
                "iss": "sandbox",
                "sub": "levelplay",
                "gen": inner.store().generation(ID),
                "iat": inner.now().as_millisecond(),
                // The official client expects milliseconds.
                "exp": until.as_millisecond(),
            }));
            Answer::ok(json!(token))
        }
        Some(Standing::Expired) => refusal(401, "The refresh token has expired; create a new one."),
        Some(Standing::NotAllowed) => refusal(403, "This account has no access to the API."),
        _ => refusal(401, "The secret key has been revoked."),
    }
}

pub fn by_token(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let token = request.authorization("bearer").ok_or_else(|| refusal(401, "A bearer token is required."))?;
    let claims = sealed::claims(token).filter(|claims| claims["iss"] == "sandbox" && claims["sub"] == "levelplay");
    let claims = claims.ok_or_else(|| refusal(401, "Invalid bearer token."))?;
    let store = inner.store();
    let current = claims["gen"].as_u64() == Some(store.generation(ID)) && !store.keys_revoked(ID);
    if !current || claims["exp"].as_i64().is_none_or(|exp| exp <= inner.now().as_millisecond()) {
        return Err(refusal(401, "The bearer token has expired."));
    }
    Ok(caller("levelplay"))
}

fn in_organization(call: &Call, key: &str, value: &str) -> bool {
    let named = call.operation.path.contains("/organizations/");
    let set = credentials::by_value(ID, key, value);
    !named || set.and_then(|set| set.field("organization_id")) == call.ids.first().map(String::as_str)
}

pub fn by_stats_key(inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
    let key = request.authorization("token").or_else(|| request.query("apikey"));
    let key = key.ok_or_else(|| problem(401, "An API key is required: Authorization: Token <key>."))?;
    match credentials::standing(inner, ID, "stats_api_key", key) {
        Some(Standing::Valid) if in_organization(call, "stats_api_key", key) => Ok(caller("stats")),
        Some(Standing::Valid) => Err(problem(403, "The API key belongs to another organization.")),
        Some(Standing::Revoked) => Err(problem(401, "The API key has been revoked.")),
        Some(Standing::Expired) => Err(problem(401, "The API key has expired.")),
        Some(Standing::NotAllowed) => Err(problem(403, "The API key has no access to monetization statistics.")),
        None => Err(problem(401, "The API key is not valid.")),
    }
}

pub fn by_service_account(inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer> {
    let pair = request
        .authorization("basic")
        .and_then(|encoded| String::from_utf8(STANDARD.decode(encoded).ok()?).ok())
        .and_then(|pair| pair.split_once(':').map(|(id, secret)| (id.to_owned(), secret.to_owned())));
    let (id, secret) = pair.ok_or_else(|| problem(401, "Service account credentials are required."))?;
    let set = credentials::by_value(ID, "key_id", &id);
    if set.and_then(|set| set.field("service_secret_key")) != Some(secret.as_str()) {
        return Err(problem(401, "The service account key or its secret is wrong."));
    }
    match credentials::standing(inner, ID, "key_id", &id) {
        Some(Standing::Valid) if in_organization(call, "key_id", &id) => Ok(caller("services")),
        Some(Standing::Valid) => Err(problem(403, "The service account does not belong to this organization.")),
        Some(Standing::Expired) => Err(problem(401, "The service account key has expired.")),
        Some(Standing::NotAllowed) => Err(problem(403, "The service account lacks the role for the monetization API.")),
        _ => Err(problem(401, "The service account key has been revoked.")),
    }
}
