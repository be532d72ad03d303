//! Three kinds of signature: in the body, over the sorted query, and in the query.

use md5::{Digest as _, Md5};
use serde_json::Value;
use sha1::Sha1;

use super::{Code, ID, refusal, refused};
use crate::credentials::{self, Credential, Standing};
use crate::networks::{Answer, Caller, Request};
use crate::state::Inner;

/// How many seconds the time of a signature may be off.
const SKEW: i64 = 600;

/// What is wrong with a signature, before one of the two error forms words it.
type Wrong = (Code, &'static str);

/// Returns the SHA-1 of key, time and nonce, sorted as texts and joined.
fn three(key: &str, time: &str, nonce: &str) -> String {
    let mut parts = [key, time, nonce];
    parts.sort_unstable();
    hex::encode(Sha1::digest(parts.concat()))
}

/// Returns the MD5 of the sorted `name=value` pairs, joined by `&` and followed by the key. Leaves out empty values and the signature.
fn sorted(query: &[(String, String)], key: &str) -> String {
    let mut pairs: Vec<String> = query
        .iter()
        .filter(|(name, value)| name != "sign" && !value.is_empty())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.sort_unstable();
    hex::encode(Md5::digest(format!("{}{key}", pairs.join("&"))))
}

fn in_time(inner: &Inner, time: &str) -> Result<(), Wrong> {
    let off = time.parse::<i64>().map(|at| (at - inner.now().as_second()).abs());
    if off.is_ok_and(|off| off <= SKEW) {
        Ok(())
    } else {
        Err((Code::Time, "timestamp error: more than 600 seconds off"))
    }
}

fn user(id: &str) -> Result<&'static Credential, Wrong> {
    credentials::by_value(ID, "user_id", id).ok_or((Code::User, "invalid credential: user_id is unknown"))
}

fn role(set: &Credential, id: &str) -> Result<(), Wrong> {
    let fits = set.field("role_id") == Some(id);
    if fits { Ok(()) } else { Err((Code::NoAccess, "no permission: role_id does not belong to user_id")) }
}

fn holds(inner: &Inner, set: &Credential, expected: &str, sign: &str) -> Result<Caller, Wrong> {
    if expected != sign {
        return Err((Code::Sign, "invalid signature"));
    }
    match credentials::standing(inner, ID, "user_id", set.field("user_id").unwrap_or_default()) {
        Some(Standing::Valid) => Ok(Caller {
            email: credentials::owner().to_owned(),
            credential: "security_key".to_owned(),
            scope: String::new(),
        }),
        Some(Standing::Expired) => Err((Code::User, "invalid credential: security_key has expired")),
        Some(Standing::NotAllowed) => Err((Code::NoAccess, "no permission to use this API")),
        _ => Err((Code::User, "invalid credential: security_key has been reset")),
    }
}

/// Returns a field of a body as the text that was signed.
fn text(body: &Value, name: &str) -> String {
    body[name].as_str().map_or_else(|| body[name].to_string(), str::to_owned)
}

pub fn by_body(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let check = || -> Result<Caller, Wrong> {
        let body = request.json().map_err(|_| (Code::Parameter, "parameter error: the body is no JSON"))?;
        if ["user_id", "role_id", "timestamp", "nonce", "sign"].iter().any(|name| body[*name].is_null()) {
            return Err((Code::Sign, "invalid signature: user_id, role_id, timestamp, nonce and sign are required"));
        }
        let (time, nonce) = (text(&body, "timestamp"), text(&body, "nonce"));
        in_time(inner, &time)?;
        let set = user(&text(&body, "user_id"))?;
        role(set, &text(&body, "role_id"))?;
        let key = set.field("security_key").unwrap_or_default();
        holds(inner, set, &three(key, &time, &nonce), &text(&body, "sign"))
    };
    check().map_err(|(code, message)| refusal(code, message))
}

pub fn by_sorted_query(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let need = |name: &str| request.query(name).ok_or((Code::Parameter, "parameter error: a signing field is missing"));
    let check = || -> Result<Caller, Wrong> {
        in_time(inner, need("timestamp")?)?;
        if need("version")? != "2.0" || need("sign_type")? != "MD5" {
            return Err((Code::Parameter, "parameter error: version 2.0 and sign_type MD5 are expected"));
        }
        let set = user(need("user_id")?)?;
        role(set, need("role_id")?)?;
        let key = set.field("security_key").unwrap_or_default();
        holds(inner, set, &sorted(&request.query, key), need("sign")?)
    };
    check().map_err(|(code, message)| refused(code, message))
}

pub fn by_query(inner: &Inner, request: &Request) -> Result<Caller, Answer> {
    let need = |name: &str| request.query(name).ok_or((Code::Sign, "invalid signature: a signing field is missing"));
    let check = || -> Result<Caller, Wrong> {
        let (time, nonce) = (need("timestamp")?, need("nonce")?);
        in_time(inner, time)?;
        let set = user(need("user_id")?)?;
        let key = set.field("security_key").unwrap_or_default();
        holds(inner, set, &three(key, time, nonce), need("sign")?)
    };
    check().map_err(|(code, message)| refusal(code, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_documents() {
        // From `printf 109k | sha1sum` and `printf 'a=1&b=2key' | md5sum`.
        assert_eq!(three("k", "10", "9"), "214b59cbc38c98439248661f3ed0b07ae0a50fe0");
        let query = [("b", "2"), ("a", "1"), ("empty", ""), ("sign", "x")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(sorted(&query, "key"), "1c123a5dc12e90deeaa1cd94681f0d88");
    }
}
