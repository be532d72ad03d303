//! Signs a bare request, for the tests of the signers.

use adagent_domain::Timestamp;
use serde_json::Value as Json;

use super::{Material, Missing, Moment, Outgoing, Payload, Profile, Scheme, Session};
use crate::{SecretFields, catalogue::HttpBinding};

/// 2026-11-22 09:00:00 UTC.
pub const NOW: i64 = 1_795_338_000;
pub const NONCE: u64 = 8_072_347_911;

pub fn at(seconds: i64) -> Moment {
    Moment { now: Timestamp::from_micros(seconds * 1_000_000), nonce: NONCE }
}

pub fn fields(pairs: &[(&str, &str)]) -> SecretFields {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned().into())).collect()
}

pub fn binding(text: &str) -> HttpBinding {
    serde_json::from_str(text).expect("a binding")
}

fn scheme(profile: &Profile, binding: &HttpBinding) -> &'static dyn Scheme {
    profile.scheme(binding).expect("known").1
}

pub fn signed(profile: &Profile, text: &str, pairs: &[(&str, &str)]) -> Result<Outgoing, Missing> {
    signed_with(profile, text, pairs, None, |_| {})
}

/// Signs with a session, after `prepare` has changed the request.
pub fn signed_with(
    profile: &Profile,
    text: &str,
    pairs: &[(&str, &str)],
    session: Option<&Session>,
    prepare: impl FnOnce(&mut Outgoing),
) -> Result<Outgoing, Missing> {
    let binding = binding(text);
    let url = format!("https://{}{}", profile.host, binding.path).parse().expect("valid");
    let mut out = Outgoing::new(binding.method, url);
    if binding.body {
        out.payload = Payload::Json(Json::Object(serde_json::Map::new()));
    }
    prepare(&mut out);
    let material = Material { fields: &fields(pairs), session, binding: &binding, moment: at(NOW) };
    scheme(profile, &binding).sign(&mut out, &material).map(|()| out)
}

pub fn exchanges(profile: &Profile, text: &str, pairs: &[(&str, &str)]) -> Result<Vec<Outgoing>, Missing> {
    scheme(profile, &binding(text)).exchanges(&fields(pairs))
}

pub fn session(profile: &Profile, text: &str, reply: &Json) -> Option<Session> {
    scheme(profile, &binding(text)).session(reply, at(NOW).now)
}

pub fn get<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
