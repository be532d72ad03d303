//! Mintegral: each request carries `skey`, the time, and a signature over the time alone, in the query or the form. Errors also come with
//! HTTP status 200; `code` in the body tells them apart.

use adagent_domain::Network;

use serde_json::json;

use super::{
    Accounts, Conduct, Mark, Material, Meaning, Membership, Missing, Outgoing, Profile, Proof, Scheme,
    conduct::COMMON_SAYINGS, digests::md5_hex,
};

pub const PROFILE: Profile = Profile {
    network: Network::Mintegral,
    host: "dev.mintegral.com",
    schemes: &[("md5_time", &Md5Time)],
    default_scheme: &Md5Time,
    conduct: Conduct {
        marks: &[Mark { at: "/code", yes: &["200", "ok", "0"] }],
        marked: true,
        codes: &["/code"],
        words: &["/msg", "/message"],
        by_code: &[("401", Meaning::Credentials), ("403", Meaning::NotAllowed), ("429", Meaning::RateLimited)],
        by_saying: SAYINGS,
        ..Conduct::PLAIN
    },
    membership: Membership {
        accounts: Accounts::One { field: None, id: None, name: None },
        proofs: &[Proof {
            tool: "mintegral_list_apps",
            needs: &["skey", "secret"],
            args: |_| json!({"page": 1, "per_page": 1}),
        }],
        reports: Some(Proof {
            tool: "mintegral_get_report",
            needs: &["skey", "secret"],
            args: |given| {
                let day = given.day(1).replace('-', "");
                json!({"start": day, "end": day})
            },
        }),
        currency: None,
        time_zone: None,
    },
    windows: &[],
    file_hosts: &["mintegral.com", "rayjump.com"],
};

/// The sayings that we know: first those of Mintegral, then the common ones.
const SAYINGS: &[(&str, Meaning)] = &{
    const OWN: [(&str, Meaning); 6] = [
        ("time error", Meaning::ClockSkew),
        ("skey error", Meaning::Credentials),
        ("skey expired", Meaning::Credentials),
        ("skey has expired", Meaning::Credentials),
        ("skey has been reset", Meaning::Credentials),
        ("no access", Meaning::NotAllowed),
    ];
    let mut all = [("", Meaning::Temporary); OWN.len() + COMMON_SAYINGS.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < OWN.len() { OWN[i] } else { COMMON_SAYINGS[i - OWN.len()] };
        i += 1;
    }
    all
};

struct Md5Time;

impl Scheme for Md5Time {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let time = material.moment.now.as_seconds().to_string();
        let sign = signature(material.field("secret")?, &time);
        out.field("skey", material.field("skey")?);
        out.field("time", time);
        out.field("sign", sign);
        Ok(())
    }
}

/// Returns the MD5 of the secret followed by the MD5 of the time.
fn signature(secret: &str, time: &str) -> String {
    md5_hex(&format!("{secret}{}", md5_hex(time)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::{
        Payload,
        testing::{get, signed, signed_with},
    };

    const FIELDS: [(&str, &str); 2] = [("skey", "sk-1"), ("secret", "s3cr3t")];
    /// Computed with Python's hashlib for "s3cr3t" at 2026-11-22 09:00:00 UTC. The network publishes no test vector.
    const SIGN: &str = "552efa3895044182e9c9dfe1d5999d4a";

    #[test]
    fn a_get_is_signed_in_the_query() {
        let out = signed(&PROFILE, r#"{"method":"GET","path":"/v2/app/open_api_list","auth":"md5_time"}"#, &FIELDS)
            .expect("signed");
        assert_eq!(get(&out.query, "sign"), Some(SIGN));
        assert_eq!((get(&out.query, "skey"), get(&out.query, "time")), (Some("sk-1"), Some("1795338000")));
    }

    #[test]
    fn a_post_is_signed_in_the_form() {
        let binding =
            r#"{"method":"POST","path":"/app/open_api_create","body":true,"body_encoding":"form","auth":"md5_time"}"#;
        let out = signed_with(&PROFILE, binding, &FIELDS, None, |out| {
            out.payload = Payload::Form(vec![("app_name".into(), "Puzzle".into()), ("sign".into(), "forged".into())]);
        })
        .expect("signed");
        let Payload::Form(form) = &out.payload else { panic!("a form") };
        assert_eq!((get(form, "app_name"), get(form, "sign")), (Some("Puzzle"), Some(SIGN)));
        assert!(out.query.is_empty());
    }

    #[test]
    fn what_it_says_beside_a_200_is_understood() {
        let meaning = |code, words| PROFILE.conduct.meaning(code, words);
        assert_eq!(meaning("-1", "Sign error"), Some(Meaning::Credentials));
        assert_eq!(meaning("-1", "time error: more than 300s"), Some(Meaning::ClockSkew));
        assert_eq!(meaning("-1", "app not exist"), Some(Meaning::NotFound));
        assert_eq!(meaning("-1", "app_name too long"), None);
    }
}
