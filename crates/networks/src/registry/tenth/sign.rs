//! Signs requests to the made-up network: three headers; the last is a hash over the secret and the time.

use serde_json::json;

use crate::sign::{Accounts, Conduct, Mark, Material, Meaning, Membership, Missing, Outgoing, Profile, Proof, Scheme};

pub const PROFILE: Profile = Profile {
    network: super::LENT,
    host: "api.tenth.example",
    schemes: &[],
    default_scheme: &Proven,
    conduct: Conduct {
        marks: &[Mark { at: "/ok", yes: &["true"] }],
        marked: true,
        codes: &["/no"],
        words: &["/why"],
        by_code: &[("7", Meaning::Credentials)],
        ..Conduct::PLAIN
    },
    membership: Membership {
        accounts: Accounts::One { field: Some("stall_id"), id: None, name: None },
        proofs: &[Proof { tool: "tenth_list_games", needs: &["stall_id", "stall_secret"], args: |_| json!({}) }],
        reports: None,
        currency: Some("EUR"),
        time_zone: Some("Etc/UTC"),
    },
    windows: &[],
    file_hosts: &[],
};

struct Proven;

impl Scheme for Proven {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let time = material.moment.now.as_seconds().to_string();
        out.header("X-Proof", proof(material.field("stall_secret")?, &time));
        out.header("X-Stall", material.field("stall_id")?);
        out.header("X-Time", time);
        Ok(())
    }
}

pub fn proof(secret: &str, time: &str) -> String {
    crate::sign::digests::sha1_hex(&format!("{secret}{time}"))
}
