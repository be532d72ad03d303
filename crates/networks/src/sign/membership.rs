//! Which accounts the fields of a connection open, and which read proves each field. Only data; this module sends nothing.

use adagent_domain::Timestamp;
use secrecy::ExposeSecret as _;
use serde_json::Value as Json;

use crate::SecretFields;

/// What we request when a connection is made.
pub struct Membership {
    pub accounts: Accounts,
    /// The cheapest read of each interface that the fields open. A read whose fields were not given is left out. The first one that is sent
    /// names the accounts.
    pub proofs: &'static [Proof],
    /// The cheapest report of a network that has one set of keys for everything. `None` if reports are too scarce to use one for a test.
    pub reports: Option<Proof>,
    /// The currency and the time zone, if all accounts have the same.
    pub currency: Option<&'static str>,
    pub time_zone: Option<&'static str>,
}

pub enum Accounts {
    /// The network lists the accounts.
    Listed,
    /// The fields open a single account. Its ID comes from a field or the reply, its name from the reply. Without them, the network's ID
    /// and name are used.
    One { field: Option<&'static str>, id: Option<&'static str>, name: Option<&'static str> },
}

/// A read that works only with certain fields.
pub struct Proof {
    pub tool: &'static str,
    pub needs: &'static [&'static str],
    pub args: fn(&Given<'_>) -> Json,
}

/// The input for the arguments of a proof. Only fields that are not secret may be used.
pub struct Given<'a> {
    pub fields: &'a SecretFields,
    pub now: Timestamp,
}

impl Membership {
    /// Returns the membership of a network that lists the accounts of a sign-in.
    pub const fn listed(proofs: &'static [Proof]) -> Self {
        Self { accounts: Accounts::Listed, proofs, reports: None, currency: None, time_zone: None }
    }
}

impl Proof {
    pub fn is_possible(&self, fields: &SecretFields) -> bool {
        self.needs.iter().all(|name| fields.get(name).is_some())
    }
}

impl Given<'_> {
    pub fn field(&self, name: &str) -> String {
        self.fields.get(name).map(|value| value.expose_secret().trim().to_owned()).unwrap_or_default()
    }

    /// Returns the date that many days ago, in UTC.
    pub fn day(&self, ago: i64) -> String {
        let then = self.now.plus_seconds(-ago * DAY).to_jiff();
        then.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
    }

    /// Returns the first second of that day.
    pub fn epoch(&self, ago: i64) -> i64 {
        let then = self.now.as_seconds() - ago * DAY;
        then - then.rem_euclid(DAY)
    }
}

const DAY: i64 = 24 * 3600;

#[cfg(test)]
mod tests {
    use adagent_domain::Network;

    use super::*;
    use crate::{catalogue::Catalogue, sign::profile};

    #[test]
    fn every_networks_fields_are_proved_by_reads_it_has() {
        let catalogue = Catalogue::built_in().expect("loads");
        for network in Network::ALL {
            let facts = catalogue.network(network).expect("described");
            let membership = &profile(network).membership;
            let is_field = |name: &str| facts.auth.fields.iter().any(|field| field.name == name);
            let fields = facts.auth.fields.iter().map(|field| (field.name.clone(), "77".to_owned().into())).collect();
            let given = Given { fields: &fields, now: "2026-11-22T09:00:00Z".parse().expect("valid") };
            for proof in membership.proofs {
                let operation = catalogue.get(proof.tool).expect("an operation");
                assert!(operation.info.read_only && operation.network == network, "{}", proof.tool);
                assert_eq!(operation.check(&(proof.args)(&given)), [], "{}", proof.tool);
                assert!(proof.needs.iter().all(|name| is_field(name)) && proof.is_possible(&fields), "{}", proof.tool);
                assert!(!proof.is_possible(&SecretFields::default()), "{}", proof.tool);
            }
            // OAuth uses this field to renew tokens, so no read can prove it.
            let renews = |name: &str| network.uses_oauth() && name == "refresh_token";
            let proved = |name: &str| membership.proofs.iter().any(|proof| proof.needs.contains(&name));
            let names = facts.auth.fields.iter().map(|field| field.name.as_str());
            let unproved: Vec<&str> = names.filter(|name| !renews(name) && !proved(name)).collect();
            assert_eq!(unproved, Vec::<&str>::new(), "{network}");
        }
    }

    #[test]
    fn days_are_counted_in_utc() {
        let fields = SecretFields::default();
        let given = Given { fields: &fields, now: "2026-11-01T00:30:00Z".parse().expect("valid") };
        assert_eq!((given.day(1), given.day(0)), ("2026-10-31".to_owned(), "2026-11-01".to_owned()));
        assert_eq!(given.epoch(1) % DAY, 0);
        assert_eq!(given.epoch(0) - given.epoch(1), DAY);
    }
}
