//! Three headers for the inventory, a session for reports.

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{ID, refusal, refused};
use crate::credentials::{self, Standing};
use crate::networks::{Answer, Caller, Request, sealed};
use crate::state::Inner;

/// How many hours a session is valid, and how many sessions may be made in that time.
const HOURS: i64 = 8;
const SESSIONS: usize = 15;

fn caller(credential: &str) -> Caller {
    Caller { email: credentials::owner().to_owned(), credential: credential.to_owned(), scope: String::new() }
}

/// Returns the standing of a user with this key; `None` if they do not belong together.
fn standing(inner: &Inner, user: &str, secret: &str) -> Option<Standing> {
    let set = credentials::by_value(ID, "user_name", user)?;
    (set.field("secret_key") == Some(secret)).then_some(())?;
    credentials::standing(inner, ID, "user_name", user)
}

pub fn by_headers(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let header =
        |name: &str| request.header(name).ok_or_else(|| refusal(401, format!("The header {name} is required.")));
    let (user, account, secret) = (header("x-client-id")?, header("x-account-id")?, header("x-client-secret")?);
    match standing(inner, user, secret) {
        Some(Standing::Valid) => {}
        Some(Standing::Revoked) => return Err(refusal(401, "The API key has been reset.")),
        Some(Standing::Expired) => return Err(refusal(401, "The API key has expired.")),
        Some(Standing::NotAllowed) => return Err(refusal(403, "The user has no permission to use this API.")),
        None => return Err(refusal(401, "Invalid credentials.")),
    }
    let set = credentials::by_value(ID, "user_name", user);
    if set.and_then(|set| set.field("account_id")) != Some(account) {
        return Err(refusal(403, "The user has no permission for this account."));
    }
    Ok(caller("inventory"))
}

/// Counts the recent sessions in the log of requests.
fn made(inner: &Inner) -> usize {
    let since = inner.now() - SignedDuration::from_hours(HOURS);
    let seen = inner.seen();
    let sessions = seen.list().filter(|it| it.operation == "inmobi_auth" && it.status == 200);
    sessions.filter(|it| it.at.parse::<Timestamp>().is_ok_and(|at| at > since)).count()
}

/// Exchanges a user and a key for a session.
pub fn session(inner: &Inner, request: &Request) -> Answer {
    let given = request.header("username").zip(request.header("secretkey"));
    let Some((user, secret)) = given else {
        return refused(5001, "The headers userName and secretKey are required.");
    };
    match standing(inner, user, secret) {
        Some(Standing::Valid) => {}
        Some(Standing::Revoked) => return refused(5001, "Invalid credentials: the API key has been reset."),
        Some(Standing::Expired) => return refused(5001, "Invalid credentials: the API key has expired."),
        Some(Standing::NotAllowed) => return refused(5003, "The user has no permission to use the reporting API."),
        None => return refused(5001, "Invalid credentials."),
    }
    if made(inner) >= SESSIONS {
        return refused(5004, "Too many sessions: at most 15 may be generated in 8 hours.");
    }
    let until = inner.now() + SignedDuration::from_hours(HOURS);
    let session = sealed::jwt(&json!({
        "iss": "sandbox",
        "sub": ID,
        "user": user,
        "gen": inner.store().generation(ID),
        "exp": until.as_second(),
    }));
    let account = credentials::by_value(ID, "user_name", user).and_then(|set| set.field("account_id"));
    let granted = json!({ "sessionId": session, "accountId": account, "subAccounts": null });
    Answer::ok(json!({ "respList": [granted], "error": false, "errorList": [] }))
}

pub fn by_session(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let header =
        |name: &str| request.header(name).ok_or_else(|| refused(5001, format!("The header {name} is required.")));
    let (account, secret, session) = (header("accountid")?, header("secretkey")?, header("sessionid")?);
    let claims = sealed::claims(session).filter(|claims| claims["iss"] == "sandbox" && claims["sub"] == ID);
    let claims = claims.ok_or_else(|| refused(5001, "Invalid session."))?;
    let current = {
        let store = inner.store();
        claims["gen"].as_u64() == Some(store.generation(ID)) && !store.keys_revoked(ID)
    };
    if !current || claims["exp"].as_i64().is_none_or(|exp| exp <= inner.now().as_second()) {
        return Err(refused(5001, "The session has expired."));
    }
    let set = claims["user"].as_str().and_then(|user| credentials::by_value(ID, "user_name", user));
    if set.and_then(|set| set.field("secret_key")) != Some(secret) {
        return Err(refused(5001, "Invalid credentials: the key is not the session's."));
    }
    if set.and_then(|set| set.field("account_id")) != Some(account) {
        return Err(refused(5003, "The user has no permission for this account."));
    }
    Ok(caller("reporting"))
}
