//! Trying credentials before they are kept: one small read with each set of keys a network has.
//!
//! Must never change anything at a network, and keeps nothing: sessions that come of it are dropped.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Networks, Quiet};
use crate::{
    Credentials, NetworkFacts, ToolError,
    pipeline::{Call, Follow, SendError},
};

/// Keys that a network did not take, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproven {
    /// The fields that were tried together.
    pub fields: &'static [&'static str],
    /// The network does not know them, or not any more. Otherwise the error says what stood in the way.
    pub refused: bool,
    pub error: ToolError,
}

/// A read, and the fields that it needs; it is made when all of them were given.
struct Proof {
    operation: &'static str,
    fields: &'static [&'static str],
    args: fn(&Day<'_>) -> Json,
}

/// What the reads are about: as little as they take.
struct Day<'a> {
    /// Yesterday, which every network has closed.
    day: jiff::civil::Date,
    field: &'a dyn Fn(&str) -> String,
}

const fn proofs(network: Network) -> &'static [Proof] {
    match network {
        // What sign-in gave is tried by asking for its accounts.
        Network::AdMob | Network::AdManager => &[],
        Network::AppLovin => &[
            Proof { operation: "applovin_list_ad_units", fields: &["management_key"], args: |_| json!({"limit": 1}) },
            Proof {
                operation: "applovin_get_max_report",
                fields: &["report_key"],
                args: |on| json!({"start": on.day, "end": on.day, "columns": ["day", "impressions"], "format": "json", "limit": 1}),
            },
        ],
        Network::Unity => &[
            Proof {
                operation: "unity_list_applications",
                fields: &["secret_key", "refresh_token"],
                args: |_| json!({}),
            },
            Proof {
                operation: "unity_list_projects",
                fields: &["key_id", "service_secret_key", "organization_id"],
                args: |on| json!({"organization_id": (on.field)("organization_id")}),
            },
            Proof {
                operation: "unity_get_monetization_stats",
                fields: &["stats_api_key", "organization_id"],
                args: |on| {
                    json!({
                        "organization_id": (on.field)("organization_id"), "fields": ["start_count"], "scale": "day",
                        "start": format!("{}T00:00:00Z", on.day), "end": format!("{}T00:00:00Z", on.day.tomorrow().unwrap_or(on.day))
                    })
                },
            },
        ],
        Network::Mintegral => {
            &[Proof { operation: "mintegral_list_apps", fields: &["skey", "secret"], args: |_| json!({"per_page": 1}) }]
        }
        Network::Liftoff => &[
            Proof {
                operation: "liftoff_list_applications",
                fields: &["secret_token"],
                args: |_| json!({"per_page": 1}),
            },
            Proof {
                operation: "liftoff_get_performance_report",
                fields: &["reporting_api_key"],
                args: |on| json!({"start": on.day, "end": on.day, "aggregates": ["impressions"]}),
            },
        ],
        // Reports use the same key, and only so many sessions may be made in a day.
        Network::InMobi => &[Proof {
            operation: "inmobi_list_apps",
            fields: &["user_name", "account_id", "secret_key"],
            args: |_| json!({}),
        }],
        Network::Pangle => &[Proof {
            operation: "pangle_query_apps",
            fields: &["user_id", "role_id", "security_key"],
            args: |_| json!({"body": {"page": 1, "page_size": 1}}),
        }],
        Network::DtExchange => &[
            Proof {
                operation: "dtexchange_list_apps",
                fields: &["client_id", "client_secret", "publisher_id"],
                args: |on| json!({"publisherId": (on.field)("publisher_id")}),
            },
            Proof {
                operation: "dtexchange_create_report",
                fields: &["reporting_client_id", "reporting_client_secret"],
                args: |on| json!({"body": {"source": "mediation", "dateRange": {"start": on.day, "end": on.day}, "metrics": ["Impressions"]}}),
            },
            Proof {
                operation: "dtexchange_get_performance_report",
                fields: &["consumer_key", "consumer_secret", "publisher_id"],
                args: |on| {
                    let start = on.day.to_zoned(jiff::tz::TimeZone::UTC).map_or(0, |at| at.timestamp().as_second());
                    json!({"publisher_id": (on.field)("publisher_id"), "start_epoch": start, "end_epoch": start + 86_400})
                },
            },
        ],
    }
}

impl Networks {
    /// What is known of a network beside its operations.
    pub fn facts(&self, network: Network) -> Option<&NetworkFacts> {
        self.catalogue.network(network).map(|facts| &**facts)
    }

    /// Tries every set of keys that was given, side by side, and says which the network did not take.
    pub async fn prove(&self, network: Network, credentials: &Credentials) -> Vec<Unproven> {
        let today = self.clock.now().to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date();
        let given = |name: &str| credentials.fields.get(name).is_some();
        let tried = proofs(network).iter().filter(|proof| proof.fields.iter().all(|field| given(field)));
        let all = tried.map(async |proof| {
            let failed = self.try_one(proof, today.yesterday().unwrap_or(today), credentials).await.err()?;
            let (refused, error) = match failed {
                SendError::Unauthorized => (true, ToolError::auth_failed(network)),
                SendError::Failed(error) => (false, error),
            };
            Some(Unproven { fields: proof.fields, refused, error })
        });
        futures::future::join_all(all).await.into_iter().flatten().collect()
    }

    async fn try_one(&self, proof: &Proof, day: jiff::civil::Date, credentials: &Credentials) -> Result<(), SendError> {
        use secrecy::ExposeSecret as _;
        // Not a secret where it is used: an id that the address of the read names.
        let field = |name: &str| {
            credentials.fields.get(name).map(|value| value.expose_secret().trim().to_owned()).unwrap_or_default()
        };
        let operation = self.catalogue.get(proof.operation).ok_or_else(|| {
            SendError::Failed(ToolError::invalid(format!("There is no operation {:?}.", proof.operation), Vec::new()))
        })?;
        let args = (proof.args)(&Day { day, field: &field });
        let follow = Follow::default();
        let call = Call { workspace: None, operation, args: &args, credentials, follow: &follow };
        self.transport.call(&call, &mut Quiet).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[test]
    fn every_field_a_network_asks_for_is_tried_by_a_read_with_valid_arguments() {
        let catalogue = Catalogue::built_in().expect("loads");
        let field = |name: &str| if name.ends_with("_id") { "104001".to_owned() } else { "x".to_owned() };
        let on = Day { day: jiff::civil::date(2026, 11, 21), field: &field };
        for network in Network::ALL.into_iter().filter(|network| !network.uses_oauth()) {
            for asked in &catalogue.network(network).expect("known").auth.fields {
                let tried = proofs(network).iter().any(|proof| proof.fields.contains(&asked.name.as_str()));
                assert!(tried, "{network}: {}", asked.name);
            }
            for proof in proofs(network) {
                let operation = catalogue.get(proof.operation).expect("there");
                assert_eq!(operation.info.network, network);
                assert!(operation.info.read_only, "{}", proof.operation);
                assert_eq!(operation.check(&(proof.args)(&on)), [], "{}", proof.operation);
            }
        }
    }
}
