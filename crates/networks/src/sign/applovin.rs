//! AppLovin MAX: a management key in a header, or a report key in the query, as the operation's binding says. Errors may also come as
//! headers with status 200. Each key is only for its own interface and is never sent to the other one.

use adagent_domain::Network;

use serde_json::json;

use super::{Accounts, Conduct, Mark, Meaning, Membership, Profile, Proof, S3, Window, keys::Keys};

pub const PROFILE: Profile = Profile {
    network: Network::AppLovin,
    host: "o.applovin.com",
    schemes: &[],
    default_scheme: &Keys { fields: &["management_key", "report_key"] },
    conduct: Conduct {
        marks: &[Mark { at: "/code", yes: &["200"] }],
        codes: &["/code", "/error_code", "/status"],
        words: &["/message", "/error_message", "/error", "/description"],
        error_headers: Some(("x-al-error-code", "x-al-error-message")),
        by_code: &[("401", Meaning::Credentials), ("429", Meaning::RateLimited)],
        ..Conduct::PLAIN
    },
    membership: Membership {
        accounts: Accounts::One { field: None, id: None, name: None },
        proofs: &[
            Proof { tool: "applovin_list_ad_units", needs: &["management_key"], args: |_| json!({"limit": 1}) },
            Proof {
                tool: "applovin_get_max_report",
                needs: &["report_key"],
                args: |given| json!({"start": given.day(1), "end": given.day(1), "columns": ["day", "impressions"], "format": "json"}),
            },
        ],
        reports: None,
        currency: Some("USD"),
        time_zone: Some("Etc/UTC"),
    },
    windows: &[Window { calls: 2000, seconds: 3600, schemes: &[] }],
    file_hosts: &["applovin.com", S3, "storage.googleapis.com"],
};

#[cfg(test)]
mod tests {
    use crate::sign::testing::signed;

    const FIELDS: [(&str, &str); 2] = [("management_key", "m-1"), ("report_key", "r-2")];

    #[test]
    fn management_calls_carry_the_management_key_in_a_header_only() {
        let binding = r#"{"method":"GET","path":"/ad_units","header_auth":{"Api-Key":"management_key"}}"#;
        let out = signed(&super::PROFILE, binding, &FIELDS).expect("signed");
        assert_eq!(out.headers, [("Api-Key".to_owned(), "m-1".to_owned())]);
        assert!(out.query.is_empty());
    }

    #[test]
    fn reports_carry_the_report_key_in_the_query_only() {
        let binding = r#"{"method":"GET","path":"/maxReport","query_auth":{"api_key":"report_key"}}"#;
        let out = signed(&super::PROFILE, binding, &FIELDS).expect("signed");
        assert_eq!(out.query, [("api_key".to_owned(), "r-2".to_owned())]);
        assert!(out.headers.is_empty());
    }

    #[test]
    fn a_binding_without_a_key_or_with_an_unknown_one_is_refused() {
        assert!(signed(&super::PROFILE, r#"{"method":"GET","path":"/x"}"#, &FIELDS).is_err());
        let unknown = r#"{"method":"GET","path":"/x","header_auth":{"Api-Key":"other"}}"#;
        assert!(signed(&super::PROFILE, unknown, &[("other", "o")]).is_err());
    }
}
