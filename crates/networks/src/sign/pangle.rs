//! Pangle: management requests carry a SHA-1 over key, time and a random number inside their JSON body. Reports 2.0 sign their sorted query
//! with MD5; older reports carry the SHA-1 signature in the query. Errors also come with HTTP status 200; a code in the body tells them
//! apart.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{
    Accounts, Conduct, Mark, Material, Meaning, Membership, Missing, Outgoing, Payload, Profile, Proof, Scheme,
    digests::{md5_hex, sha1_hex},
};

pub const PROFILE: Profile = Profile {
    network: Network::Pangle,
    host: "open-api.pangleglobal.com",
    schemes: &[("sha1_body", &Sha1Body), ("md5_query", &Md5Query), ("sha1_query", &Sha1Query)],
    default_scheme: &Sha1Body,
    conduct: Conduct {
        // Management replies have 0 in `code`. Report replies have 100 in `Code`, or PD0004 if there is no data for the day.
        marks: &[Mark { at: "/code", yes: &["0"] }, Mark { at: "/Code", yes: &["100", "PD0004"] }],
        marked: true,
        codes: &["/code", "/Code"],
        words: &["/message", "/Message", "/msg"],
        by_code: &[("50007", Meaning::NotAllowed)],
        ..Conduct::PLAIN
    },
    membership: Membership {
        accounts: Accounts::One { field: Some("user_id"), id: None, name: None },
        proofs: &[Proof {
            tool: "pangle_query_apps",
            needs: &["user_id", "role_id", "security_key"],
            args: |_| json!({"body": {"page": 1, "page_size": 1}}),
        }],
        reports: Some(Proof {
            tool: "pangle_get_report",
            needs: &["user_id", "role_id", "security_key"],
            args: |given| json!({"date": given.day(1), "time_zone": 0, "currency": "usd"}),
        }),
        currency: None,
        time_zone: None,
    },
    windows: &[super::Window { calls: 5, seconds: 1, schemes: &["md5_query", "sha1_query"] }],
    file_hosts: &["pangleglobal.com"],
};

/// The network accepts random numbers of at most 31 bits.
const NONCES: u64 = (1 << 31) - 1;

fn integer(material: &Material<'_>, name: &'static str) -> Result<Json, Missing> {
    let text = material.field(name)?.trim();
    Ok(text.parse::<u64>().map_or_else(|_| Json::from(text), Json::from))
}

/// Returns the SHA-1 of the three texts, sorted and joined.
fn three(key: &str, time: &str, nonce: &str) -> String {
    let mut parts = [key, time, nonce];
    parts.sort_unstable();
    sha1_hex(&parts.concat())
}

struct Sha1Body;

impl Scheme for Sha1Body {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let (time, nonce) = (material.moment.now.as_seconds(), material.moment.nonce % NONCES);
        let sign = three(material.field("security_key")?, &time.to_string(), &nonce.to_string());
        let signed = [
            ("user_id", integer(material, "user_id")?),
            ("role_id", integer(material, "role_id")?),
            ("timestamp", time.into()),
            ("nonce", nonce.into()),
            ("sign", sign.into()),
            ("version", "1.0".into()),
        ];
        let Payload::Json(Json::Object(body)) = &mut out.payload else { return Err(Missing("a JSON body")) };
        for (name, value) in signed {
            body.insert(name.to_owned(), value);
        }
        Ok(())
    }
}

struct Md5Query;

impl Scheme for Md5Query {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let key = material.field("security_key")?;
        out.parameter("user_id", material.field("user_id")?.trim());
        out.parameter("role_id", material.field("role_id")?.trim());
        out.parameter("timestamp", material.moment.now.as_seconds().to_string());
        out.parameter("version", "2.0");
        out.parameter("sign_type", "MD5");
        let sign = sorted_query(&out.query, key);
        out.parameter("sign", sign);
        Ok(())
    }
}

/// Returns the MD5 of `name=value` pairs, sorted by name and joined by `&`, followed by the key. Leaves out empty values and the signature
/// itself.
fn sorted_query(query: &[(String, String)], key: &str) -> String {
    let mut pairs: Vec<&(String, String)> =
        query.iter().filter(|(name, value)| name != "sign" && !value.is_empty()).collect();
    pairs.sort_unstable();
    let text: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    md5_hex(&format!("{}{key}", text.join("&")))
}

struct Sha1Query;

impl Scheme for Sha1Query {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let time = material.moment.now.as_seconds().to_string();
        let nonce = (material.moment.nonce % NONCES).to_string();
        let sign = three(material.field("security_key")?, &time, &nonce);
        out.parameter("user_id", material.field("user_id")?.trim());
        out.parameter("timestamp", time);
        out.parameter("nonce", nonce);
        out.parameter("sign", sign);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sign::testing::{get, signed, signed_with};

    /// The key of the network's own examples. The network publishes no signature made with it, so the expected ones come from Python's
    /// hashlib.
    const KEY: &str = "Zes6ctYcPJoW4O16Yj85zg==";
    const FIELDS: [(&str, &str); 3] = [("user_id", "45745"), ("role_id", "45746"), ("security_key", KEY)];
    const SHA1: &str = "abb486a0ec82bb6253006a6f0012c06c9d31643e";

    #[test]
    fn management_signs_inside_the_body() {
        let binding = r#"{"method":"POST","path":"/union/media/open_api/site/query","body":true,"auth":"sha1_body"}"#;
        let out = signed_with(&PROFILE, binding, &FIELDS, None, |out| {
            out.payload = Payload::Json(json!({"page": 1, "sign": "forged"}));
        })
        .expect("signed");
        let Payload::Json(body) = &out.payload else { panic!("json") };
        let expected = json!({"page": 1, "sign": SHA1, "user_id": 45745, "role_id": 45746, "timestamp": 1_795_338_000,
            "nonce": 1_629_896_970, "version": "1.0"});
        assert_eq!(*body, expected);
        assert!(!body.to_string().contains(KEY));
    }

    #[test]
    fn reports_sign_the_sorted_query() {
        let binding = r#"{"method":"GET","path":"/union_pangle/open/api/rt/income","auth":"md5_query"}"#;
        let fields = [("user_id", "459"), ("role_id", "460"), ("security_key", "key-1==")];
        let out = signed_with(&PROFILE, binding, &fields, None, |out| {
            for (name, value) in
                [("date", "2026-11-20"), ("dimensions", "region,ad_slot_type"), ("currency", "usd"), ("region", "")]
            {
                out.query.push((name.into(), value.into()));
            }
        })
        .expect("signed");
        assert_eq!(get(&out.query, "sign"), Some("59634d052d0e23dd6db7459a4e8f39df"));
    }

    #[test]
    fn older_reports_carry_the_three_part_signature() {
        let out = signed(
            &PROFILE,
            r#"{"method":"GET","path":"/union/media/open_api/report/app","auth":"sha1_query"}"#,
            &FIELDS,
        )
        .expect("signed");
        assert_eq!((get(&out.query, "sign"), get(&out.query, "nonce")), (Some(SHA1), Some("1629896970")));
    }
}
