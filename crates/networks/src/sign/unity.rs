//! Unity: LevelPlay exchanges a secret key and a refresh token for a JWT. Unity Ads uses a service account (basic) for its units and a
//! separate key for statistics. The three are never mixed.

use adagent_domain::{Network, Timestamp};
use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use serde_json::{Value as Json, json};

use super::{
    Accounts, Conduct, Material, Membership, Missing, Outgoing, Profile, Proof, S3, Scheme, Session, Window,
    bear_session, fixed, secret,
};
use crate::{SecretFields, catalogue::Method};

pub const PROFILE: Profile = Profile {
    network: Network::Unity,
    host: "platform.ironsrc.com",
    schemes: &[
        ("levelplay_bearer", &LevelPlay),
        ("stats_token", &StatsToken),
        ("service_account_basic", &ServiceAccount),
    ],
    default_scheme: &LevelPlay,
    conduct: Conduct::PLAIN,
    membership: Membership {
        accounts: Accounts::One { field: Some("organization_id"), id: None, name: None },
        proofs: &[
            Proof { tool: "unity_list_applications", needs: &["secret_key", "refresh_token"], args: |_| json!({}) },
            Proof {
                tool: "unity_list_projects",
                needs: &["organization_id", "key_id", "service_secret_key"],
                args: |given| json!({"organization_id": given.field("organization_id")}),
            },
            Proof {
                tool: "unity_get_monetization_stats",
                needs: &["organization_id", "stats_api_key"],
                args: |given| {
                    json!({"organization_id": given.field("organization_id"), "fields": ["start_count"], "scale": "day",
                    "start": format!("{}T00:00:00Z", given.day(2)), "end": format!("{}T00:00:00Z", given.day(1))})
                },
            },
        ],
        reports: None,
        currency: Some("USD"),
        time_zone: None,
    },
    windows: &[Window { calls: 4000, seconds: 1800, schemes: &["levelplay_bearer"] }],
    file_hosts: &["ironsrc.com", "ironsrc.net", "is.com", "unity.com", "unity3d.com", S3, "storage.googleapis.com"],
};

const TOKEN_ENDPOINT: &str = "https://platform.ironsrc.com/partners/publisher/auth";
/// How long we use a token that does not say when it ends. The documentation promises at least 60 minutes.
const UNSAID_LIFETIME: i64 = 50 * 60;
/// We stop using a token this many seconds before its end, so that it does not expire on the way.
const EARLY: i64 = 60;
const LONGEST: i64 = 24 * 3600;
/// A larger number counts milliseconds.
const YEAR_5138: i64 = 100_000_000_000;

struct LevelPlay;

impl Scheme for LevelPlay {
    fn exchanges(&self, fields: &SecretFields) -> Result<Vec<Outgoing>, Missing> {
        let mut out = Outgoing::new(Method::Get, fixed(TOKEN_ENDPOINT));
        out.header("secretkey", secret(fields, "secret_key")?);
        out.header("refreshToken", secret(fields, "refresh_token")?);
        Ok(vec![out])
    }

    fn session(&self, reply: &Json, now: Timestamp) -> Option<Session> {
        let token = reply.as_str().map(str::trim).filter(|token| !token.is_empty())?;
        let seconds =
            expiry(token).map_or(UNSAID_LIFETIME, |end| end.saturating_sub(now.as_seconds()).clamp(0, LONGEST));
        Some(Session::token(token.to_owned().into(), now.plus_seconds(seconds - EARLY)))
    }

    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        bear_session(out, material)
    }
}

/// Returns the `exp` of a JWT in Unix seconds. We use it only for planning; the network decides whether the token is valid.
fn expiry(token: &str) -> Option<i64> {
    let claims = BASE64_URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?.trim_end_matches('=')).ok()?;
    let claims: Json = serde_json::from_slice(&claims).ok()?;
    let exp = claims["exp"].as_i64()?;
    Some(if exp > YEAR_5138 { exp / 1000 } else { exp })
}

struct StatsToken;

impl Scheme for StatsToken {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        out.header("Authorization", format!("Token {}", material.field("stats_api_key")?));
        Ok(())
    }
}

struct ServiceAccount;

impl Scheme for ServiceAccount {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let pair = format!("{}:{}", material.field("key_id")?, material.field("service_secret_key")?);
        out.header("Authorization", format!("Basic {}", BASE64_STANDARD.encode(pair)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sign::testing::{NOW, exchanges, get, session, signed, signed_with};

    const LEVELPLAY: &str = r#"{"method":"GET","path":"/levelPlay/reporting/v1","auth":"levelplay_bearer"}"#;

    fn jwt(exp: &Json) -> String {
        let part = |value: &Json| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        format!("{}.{}.c2ln", part(&json!({"alg": "HS256"})), part(&json!({"exp": exp})))
    }

    #[test]
    fn levelplay_trades_both_secrets_for_a_token() {
        let asked = exchanges(&PROFILE, LEVELPLAY, &[("secret_key", "sk"), ("refresh_token", "rt")]).expect("asked");
        assert_eq!(asked[0].url.as_str(), TOKEN_ENDPOINT);
        assert_eq!(
            (get(&asked[0].headers, "secretkey"), get(&asked[0].headers, "refreshToken")),
            (Some("sk"), Some("rt"))
        );
        assert_eq!(exchanges(&PROFILE, LEVELPLAY, &[("secret_key", "sk")]).expect_err("half").0, "refresh_token");
        let token = jwt(&json!(NOW + 3600));
        let session = session(&PROFILE, LEVELPLAY, &json!(token)).expect("a session");
        let out = signed_with(&PROFILE, LEVELPLAY, &[], Some(&session), |_| {}).expect("signed");
        assert_eq!(get(&out.headers, "Authorization"), Some(format!("Bearer {token}").as_str()));
    }

    #[test]
    fn the_token_is_kept_until_just_before_its_end_whichever_unit_it_is_said_in() {
        let until =
            |exp: Json| session(&PROFILE, LEVELPLAY, &json!(jwt(&exp))).map(|s| s.good_until.as_seconds() - NOW);
        assert_eq!(until(json!(NOW + 3600)), Some(3540));
        assert_eq!(until(json!((NOW + 3600) * 1000)), Some(3540));
        assert_eq!(until(json!(NOW + 90 * 24 * 3600)), Some(LONGEST - EARLY));
        assert_eq!(until(json!(i64::MIN)), Some(-EARLY), "long over");
        assert_eq!(until(json!(i64::MAX)), Some(LONGEST - EARLY));
        assert_eq!(until(Json::Null), Some(UNSAID_LIFETIME - EARLY));
        assert!(session(&PROFILE, LEVELPLAY, &json!({"token": "x"})).is_none());
    }

    #[test]
    fn unity_ads_uses_its_own_credentials() {
        // base64("kid-1:sek-2") by openssl.
        let basic = r#"{"method":"GET","path":"/p","auth":"service_account_basic"}"#;
        let out = signed(&PROFILE, basic, &[("key_id", "kid-1"), ("service_secret_key", "sek-2")]).expect("signed");
        assert_eq!(get(&out.headers, "Authorization"), Some("Basic a2lkLTE6c2VrLTI="));
        let stats = r#"{"method":"GET","path":"/p","auth":"stats_token"}"#;
        let out = signed(&PROFILE, stats, &[("stats_api_key", "st-1")]).expect("signed");
        assert_eq!(get(&out.headers, "Authorization"), Some("Token st-1"));
        assert_eq!(signed(&PROFILE, stats, &[("secret_key", "sk")]).expect_err("optional key").0, "stats_api_key");
    }
}
