//! Networks that are connected by API keys: what each will ask for. None can be connected in this build, and every use case says so.

use adagent_contract::{KeyField, KeyNetworkView, NetworkState, codes};
use adagent_domain::{Actor, Network, Permission};

use crate::{Service, ServiceError, ServiceResult};

const fn secret(name: &'static str, label: &'static str) -> KeyField {
    KeyField { name, label, secret: true, required: true }
}

const fn plain(name: &'static str, label: &'static str) -> KeyField {
    KeyField { name, label, secret: false, required: true }
}

const fn optional(field: KeyField) -> KeyField {
    KeyField { required: false, ..field }
}

/// In the order in which a form asks for them.
const fn fields(network: Network) -> &'static [KeyField] {
    match network {
        Network::AdMob | Network::AdManager => &[],
        Network::AppLovin => {
            const { &[secret("management_key", "Management key"), secret("report_key", "Report key")] }
        }
        Network::Unity => {
            const {
                &[
                    secret("secret_key", "LevelPlay secret key"),
                    secret("refresh_token", "LevelPlay refresh token"),
                    optional(plain("organization_id", "Unity organization ID")),
                    optional(plain("key_id", "Unity service account key ID")),
                    optional(secret("service_secret_key", "Unity service account secret key")),
                    optional(secret("stats_api_key", "Unity Ads statistics API key")),
                ]
            }
        }
        Network::Mintegral => const { &[secret("skey", "Skey"), secret("secret", "Secret")] },
        Network::Liftoff => {
            const { &[secret("secret_token", "Secret token (management)"), secret("reporting_api_key", "Reporting API key")] }
        }
        Network::InMobi => {
            const {
                &[
                    plain("user_name", "Account e-mail (client ID)"),
                    plain("account_id", "Account ID"),
                    secret("secret_key", "API key (client secret)"),
                ]
            }
        }
        Network::Pangle => {
            const {
                &[
                    plain("user_id", "User ID (account ID)"),
                    plain("role_id", "Role ID"),
                    secret("security_key", "Security key"),
                ]
            }
        }
        Network::DtExchange => {
            const {
                &[
                    plain("client_id", "Management client ID"),
                    secret("client_secret", "Management client secret"),
                    plain("publisher_id", "Publisher ID"),
                    plain("reporting_client_id", "Reporting client ID"),
                    secret("reporting_client_secret", "Reporting client secret"),
                    optional(plain("consumer_key", "Consumer key (older reports)")),
                    optional(secret("consumer_secret", "Consumer secret (older reports)")),
                ]
            }
        }
    }
}

impl Service {
    /// Every network that asks for keys, with its state in this workspace.
    pub fn key_networks(&self, actor: &Actor) -> ServiceResult<Vec<KeyNetworkView>> {
        Self::require(actor, Permission::ViewConnections, "see connections")?;
        let keyed = Network::ALL.into_iter().filter(|network| !network.uses_oauth());
        Ok(keyed
            .map(|network| KeyNetworkView {
                network,
                display_name: network.display_name(),
                state: NetworkState::ComingSoon,
                fields: fields(network),
                last_verified_at: None,
            })
            .collect())
    }

    /// Connecting, testing and removing keys: refused in words, before anything of the request is read or kept.
    pub fn change_key_network(&self, actor: &Actor, network: Network) -> ServiceResult<()> {
        Self::require(actor, Permission::ManageConnections, "connect networks")?;
        let name = network.display_name();
        Err(if network.uses_oauth() {
            let detail = format!("{name} asks for no keys: sign in at the network with POST /api/providers/connect.");
            ServiceError::Conflict { code: codes::CONFLICT, detail }
        } else {
            let detail = format!("{name} cannot be connected yet. Nothing you sent was kept.");
            ServiceError::Conflict { code: codes::NETWORK_COMING_SOON, detail }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_network_asks_for_a_secret_and_no_name_twice() {
        for network in Network::ALL {
            let fields = fields(network);
            assert_eq!(network.uses_oauth(), fields.is_empty(), "{network}");
            assert_eq!(network.uses_oauth(), !fields.iter().any(|field| field.secret && field.required), "{network}");
            for (place, field) in fields.iter().enumerate() {
                assert!(fields[place + 1..].iter().all(|other| other.name != field.name), "{network}: {}", field.name);
            }
        }
    }
}
