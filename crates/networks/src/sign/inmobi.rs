//! InMobi: keys in headers for the inventory, a session for reports. The network allows at most fifteen new sessions in eight hours, so we
//! keep a session as long as it is valid and renew it only when the network refuses it.

use adagent_domain::{Network, Timestamp};
use serde_json::{Value as Json, json};

use super::{
    Accounts, Conduct, Mark, Material, Meaning, Membership, Missing, Outgoing, Profile, Proof, Scheme, Session, Window,
    fixed, secret,
};
use crate::{SecretFields, catalogue::Method};

pub const PROFILE: Profile = Profile {
    network: Network::InMobi,
    host: "publisher.inmobi.com",
    schemes: &[("header_key", &HeaderKey), ("session", &Reporting)],
    default_scheme: &HeaderKey,
    conduct: Conduct {
        marks: &[Mark { at: "/error", yes: &["false"] }, Mark { at: "/success", yes: &["true"] }],
        marked: true,
        codes: &["/errorList/0/code", "/error/code", "/code"],
        words: &["/errorList/0/message", "/error/message", "/message", "/errorMessage"],
        by_code: &[("5001", Meaning::Credentials), ("5002", Meaning::Credentials)],
        ..Conduct::PLAIN
    },
    membership: Membership {
        accounts: Accounts::One { field: Some("account_id"), id: None, name: None },
        // Reports need sessions, and the network allows only fifteen new ones in eight hours, so testing the keys uses none.
        proofs: &[Proof {
            tool: "inmobi_list_apps",
            needs: &["user_name", "account_id", "secret_key"],
            args: |_| json!({"pageNum": 1, "pageLength": 1}),
        }],
        reports: None,
        currency: None,
        time_zone: None,
    },
    windows: &[
        Window { calls: 500, seconds: 15 * 60, schemes: &["header_key", "default"] },
        Window { calls: 15, seconds: 8 * 3600, schemes: &["exchange"] },
    ],
    file_hosts: &["inmobi.com"],
};

const TOKEN_ENDPOINT: &str = "https://api.inmobi.com/v1.0/generatesession/generate";
const LIFETIME: i64 = 8 * 3600 - 5 * 60;

struct HeaderKey;

impl Scheme for HeaderKey {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        out.header("x-client-id", material.field("user_name")?);
        out.header("x-account-id", material.field("account_id")?);
        out.header("x-client-secret", material.field("secret_key")?);
        Ok(())
    }
}

struct Reporting;

impl Scheme for Reporting {
    fn exchanges(&self, fields: &SecretFields) -> Result<Vec<Outgoing>, Missing> {
        let mut out = Outgoing::new(Method::Get, fixed(TOKEN_ENDPOINT));
        out.header("userName", secret(fields, "user_name")?);
        out.header("secretKey", secret(fields, "secret_key")?);
        Ok(vec![out])
    }

    fn session(&self, reply: &Json, now: Timestamp) -> Option<Session> {
        let given = &reply["respList"][0];
        let text = |name: &str| match &given[name] {
            Json::String(text) if !text.is_empty() => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let values = [("session_id", text("sessionId")?), ("account", text("accountId")?)];
        let values = values.into_iter().map(|(name, value)| (name, value.into())).collect();
        Some(Session { values, good_until: now.plus_seconds(LIFETIME) })
    }

    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        // The account that the person entered counts before the one in the session.
        let account = material.field("account_id").or_else(|_| material.session_value("account"))?;
        out.header("accountId", account);
        out.header("secretKey", material.field("secret_key")?);
        out.header("sessionId", material.session_value("session_id")?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sign::testing::{NOW, exchanges, get, session, signed, signed_with};

    const FIELDS: [(&str, &str); 3] = [("user_name", "me@x.com"), ("account_id", "acc-1"), ("secret_key", "key-2")];
    const REPORT: &str = r#"{"method":"POST","path":"/v3.0/reporting/publisher","body":true,"auth":"session"}"#;

    #[test]
    fn the_inventory_takes_three_headers() {
        let out = signed(&PROFILE, r#"{"method":"GET","path":"/rest/api/v2/apps","auth":"header_key"}"#, &FIELDS)
            .expect("signed");
        let header = |name| get(&out.headers, name);
        assert_eq!(
            (header("x-client-id"), header("x-account-id"), header("x-client-secret")),
            (Some("me@x.com"), Some("acc-1"), Some("key-2"))
        );
    }

    #[test]
    fn reports_make_a_session_and_send_it_with_the_key() {
        let asked = exchanges(&PROFILE, REPORT, &FIELDS).expect("asked");
        assert_eq!(asked[0].url.as_str(), TOKEN_ENDPOINT);
        assert_eq!(
            (get(&asked[0].headers, "userName"), get(&asked[0].headers, "secretKey")),
            (Some("me@x.com"), Some("key-2"))
        );
        let reply = json!({"error": false, "respList": [{"sessionId": "s-9", "accountId": "acc-0"}]});
        let session = session(&PROFILE, REPORT, &reply).expect("a session");
        assert!(session.good_until.as_seconds() > NOW + 7 * 3600);
        let out = signed_with(&PROFILE, REPORT, &FIELDS, Some(&session), |_| {}).expect("signed");
        let header = |name| get(&out.headers, name);
        assert_eq!(
            (header("accountId"), header("secretKey"), header("sessionId")),
            (Some("acc-1"), Some("key-2"), Some("s-9"))
        );
    }

    #[test]
    fn an_empty_list_is_no_session() {
        assert!(session(&PROFILE, REPORT, &json!({"error": true, "respList": []})).is_none());
    }
}
