//! DT Exchange and FairBid: one pair of client credentials for management, another for reports, and OAuth 1 for the older report. Each pair
//! is sent only to its own token endpoint.

use adagent_domain::{Network, Timestamp};
use serde_json::{Value as Json, json};

use super::{
    Accounts, Conduct, Material, Membership, Missing, Outgoing, Payload, Profile, Proof, S3, Scheme, Session,
    bear_session, fixed,
    oauth1::{self, Consumer},
    secret,
};
use crate::{SecretFields, catalogue::Method};

pub const PROFILE: Profile = Profile {
    network: Network::DtExchange,
    host: "console.fyber.com",
    schemes: &[("management_bearer", &MANAGEMENT), ("reporting_bearer", &REPORTING), ("oauth1_query", &OlderReport)],
    default_scheme: &MANAGEMENT,
    conduct: Conduct::PLAIN,
    membership: Membership {
        accounts: Accounts::One { field: Some("publisher_id"), id: None, name: None },
        proofs: &[
            Proof {
                tool: "dtexchange_list_apps",
                needs: &["client_id", "client_secret", "publisher_id"],
                args: |given| json!({"publisherId": given.field("publisher_id")}),
            },
            Proof {
                tool: "dtexchange_create_report",
                needs: &["reporting_client_id", "reporting_client_secret"],
                args: |given| {
                    json!({"body": {"source": "mediation", "metrics": ["Impressions"],
                    "dateRange": {"start": given.day(1), "end": given.day(1)}}})
                },
            },
            Proof {
                tool: "dtexchange_get_performance_report",
                needs: &["consumer_key", "consumer_secret", "publisher_id"],
                args: |given| {
                    json!({"publisher_id": given.field("publisher_id"),
                    "start_epoch": given.epoch(2), "end_epoch": given.epoch(1)})
                },
            },
        ],
        reports: None,
        currency: None,
        time_zone: None,
    },
    windows: &[],
    file_hosts: &["fyber.com", "inner-active.com", "digitalturbine.com", S3, "storage.googleapis.com"],
};

/// Tokens of both kinds are valid for an hour unless the reply says otherwise.
const LIFETIME: i64 = 3600;
const EARLY: i64 = 60;

const MANAGEMENT: ClientCredentials = ClientCredentials {
    endpoint: "https://console.fyber.com/api/v2/management/auth",
    grant: "management_client_credentials",
    id: "client_id",
    secret: "client_secret",
};
const REPORTING: ClientCredentials = ClientCredentials {
    endpoint: "https://reporting.fyber.com/auth/v1/token",
    grant: "client_credentials",
    id: "reporting_client_id",
    secret: "reporting_client_secret",
};

struct ClientCredentials {
    endpoint: &'static str,
    grant: &'static str,
    id: &'static str,
    secret: &'static str,
}

impl Scheme for ClientCredentials {
    fn exchanges(&self, fields: &SecretFields) -> Result<Vec<Outgoing>, Missing> {
        let mut out = Outgoing::new(Method::Post, fixed(self.endpoint));
        out.payload = Payload::Json(json!({
            "grant_type": self.grant,
            "client_id": secret(fields, self.id)?,
            "client_secret": secret(fields, self.secret)?,
        }));
        Ok(vec![out])
    }

    fn session(&self, reply: &Json, now: Timestamp) -> Option<Session> {
        let token = reply["accessToken"].as_str().filter(|token| !token.is_empty())?;
        let lifetime = &reply["expiresIn"];
        let lifetime = lifetime.as_i64().or_else(|| lifetime.as_str()?.parse().ok()).unwrap_or(LIFETIME);
        Some(Session::token(token.to_owned().into(), now.plus_seconds(lifetime.clamp(0, 24 * 3600) - EARLY)))
    }

    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        bear_session(out, material)
    }
}

struct OlderReport;

impl Scheme for OlderReport {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let consumer = Consumer { key: material.field("consumer_key")?, secret: material.field("consumer_secret")? };
        let url = out.url.clone();
        oauth1::sign(out.method.as_str(), &url, &mut out.query, &consumer, material.moment);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::testing::{NOW, exchanges, get, session, signed, signed_with};

    const FIELDS: [(&str, &str); 6] = [
        ("client_id", "m-id"),
        ("client_secret", "m-secret"),
        ("reporting_client_id", "r-id"),
        ("reporting_client_secret", "r-secret"),
        ("consumer_key", "ck 1"),
        ("consumer_secret", "cs&1"),
    ];

    fn binding(auth: &str) -> String {
        json!({"method": "GET", "path": "/iamp/services/performance/1234", "auth": auth}).to_string()
    }

    #[test]
    fn each_pair_goes_to_its_own_endpoint() {
        for (auth, endpoint, grant, id) in [
            ("management_bearer", MANAGEMENT.endpoint, "management_client_credentials", "m-id"),
            ("reporting_bearer", REPORTING.endpoint, "client_credentials", "r-id"),
        ] {
            let asked = exchanges(&PROFILE, &binding(auth), &FIELDS).expect("asked");
            let Payload::Json(body) = &asked[0].payload else { panic!("json") };
            assert_eq!(asked[0].url.as_str(), endpoint);
            assert_eq!((&body["grant_type"], &body["client_id"]), (&json!(grant), &json!(id)));
        }
    }

    #[test]
    fn the_token_is_kept_for_as_long_as_the_reply_says() {
        let session =
            session(&PROFILE, &binding("reporting_bearer"), &json!({"accessToken": "at-1", "expiresIn": 600}))
                .expect("a session");
        assert_eq!(session.good_until.as_seconds(), NOW + 540);
        let out = signed_with(&PROFILE, &binding("reporting_bearer"), &[], Some(&session), |_| {}).expect("signed");
        assert_eq!(get(&out.headers, "Authorization"), Some("Bearer at-1"));
    }

    #[test]
    fn the_older_report_is_signed_in_the_query() {
        let out = signed(&PROFILE, &binding("oauth1_query"), &FIELDS).expect("signed");
        assert_eq!(get(&out.query, "oauth_consumer_key"), Some("ck 1"));
        assert!(get(&out.query, "oauth_signature").is_some_and(|signature| signature.ends_with('=')));
        assert!(out.headers.is_empty());
    }
}
