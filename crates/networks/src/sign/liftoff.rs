//! Liftoff Monetize (Vungle): we exchange the secret token for a JWT at a separate host; reports use a separate key.

use adagent_domain::{Network, Timestamp};
use serde_json::{Value as Json, json};

use super::{
    Accounts, Bearer, Conduct, Material, Membership, Missing, Outgoing, Profile, Proof, Scheme, Session, bear_session,
    fixed, secret,
};
use crate::{SecretFields, catalogue::Method};

pub const PROFILE: Profile = Profile {
    network: Network::Liftoff,
    host: "publisher-api.vungle.com",
    schemes: &[("bearer_jwt", &TokenHost), ("reporting_key", &Bearer("reporting_api_key"))],
    default_scheme: &TokenHost,
    conduct: Conduct::PLAIN,
    membership: Membership {
        accounts: Accounts::One { field: None, id: Some("/id"), name: Some("/name") },
        proofs: &[
            Proof { tool: "liftoff_get_account", needs: &["secret_token"], args: |_| json!({}) },
            Proof {
                tool: "liftoff_get_performance_report",
                needs: &["reporting_api_key"],
                args: |given| json!({"start": given.day(1), "end": given.day(1), "dimensions": ["date"], "aggregates": ["impressions"]}),
            },
        ],
        reports: None,
        currency: None,
        time_zone: None,
    },
    windows: &[],
    file_hosts: &["vungle.com", "liftoff.io"],
};

/// The second is the older address, which is sure to answer.
const TOKEN_ENDPOINTS: [&str; 2] = ["https://auth-api.vungle.com/v2/auth", "https://auth-api.vungle.com/auth"];
/// A token is valid for about an hour.
const LIFETIME: i64 = 55 * 60;

struct TokenHost;

impl Scheme for TokenHost {
    fn exchanges(&self, fields: &SecretFields) -> Result<Vec<Outgoing>, Missing> {
        let key = secret(fields, "secret_token")?;
        let ask = |address| {
            let mut out = Outgoing::new(Method::Get, fixed(address));
            out.header("x-api-key", key);
            out
        };
        Ok(TOKEN_ENDPOINTS.into_iter().map(ask).collect())
    }

    fn session(&self, reply: &Json, now: Timestamp) -> Option<Session> {
        let token = reply["token"].as_str().filter(|token| !token.is_empty())?;
        Some(Session::token(token.to_owned().into(), now.plus_seconds(LIFETIME)))
    }

    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        bear_session(out, material)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sign::testing::{NOW, exchanges, get, session, signed, signed_with};

    const MANAGEMENT: &str = r#"{"method":"GET","path":"/applications","auth":"bearer_jwt"}"#;
    const REPORT: &str = r#"{"method":"GET","path":"/ext/pub/reports/performance","auth":"reporting_key"}"#;

    #[test]
    fn the_secret_token_goes_to_the_token_host_and_the_jwt_to_the_api() {
        let asked = exchanges(&PROFILE, MANAGEMENT, &[("secret_token", "st-1")]).expect("asked");
        assert_eq!(asked.iter().map(|out| out.url.as_str()).collect::<Vec<_>>(), TOKEN_ENDPOINTS);
        assert_eq!(get(&asked[0].headers, "x-api-key"), Some("st-1"));
        let session = session(&PROFILE, MANAGEMENT, &json!({"token": "ey.j.w"})).expect("a session");
        assert_eq!(session.good_until.as_seconds(), NOW + LIFETIME);
        let out = signed_with(&PROFILE, MANAGEMENT, &[], Some(&session), |_| {}).expect("signed");
        assert_eq!(get(&out.headers, "Authorization"), Some("Bearer ey.j.w"));
    }

    #[test]
    fn reports_use_the_reporting_key_and_no_session() {
        let fields = [("secret_token", "st-1"), ("reporting_api_key", "rk-2")];
        assert!(exchanges(&PROFILE, REPORT, &fields).expect("fine").is_empty());
        let out = signed(&PROFILE, REPORT, &fields).expect("signed");
        assert_eq!(get(&out.headers, "Authorization"), Some("Bearer rk-2"));
    }

    #[test]
    fn a_reply_without_a_token_is_no_session() {
        assert!(session(&PROFILE, MANAGEMENT, &json!({"token": ""})).is_none());
        assert!(session(&PROFILE, MANAGEMENT, &json!("ey.j.w")).is_none());
    }
}
