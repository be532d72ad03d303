//! Where a new connection goes: beside those there are, or in the place of one. Must never put a simulated account beside a real
//! one, nor one account twice: the sums over them would be wrong.

use adagent_contract::{AccountChoice, ConnectTarget, codes};
use adagent_domain::{Actor, Network};
use adagent_networks::SecretFields;
use adagent_store::{Connection, StoreError};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::{
    manage::{MOST_LABEL, label_of, taken_label},
    source,
};
use crate::{Service, ServiceError, ServiceResult, idempotency::Keyed, validate};

/// Connections of one network a workspace may have.
const MOST: usize = 20;

/// How often a label that somebody else took first is chosen anew.
const TRIES: usize = 5;

#[derive(Debug, Clone)]
pub(super) enum Slot {
    /// One more, or the first.
    New,
    /// This one, with other credentials.
    Anew(Box<Connection>),
}

impl Slot {
    pub fn before(&self) -> Option<&Connection> {
        match self {
            Self::New => None,
            Self::Anew(before) => Some(before),
        }
    }
}

impl Service {
    /// The workspace's connections of a network, oldest first.
    pub(super) async fn connections_of(&self, actor: &Actor, network: Network) -> ServiceResult<Vec<Connection>> {
        let mut all = self.store.list_connections(actor.workspace).await?;
        all.retain(|connection| connection.network == network);
        Ok(all)
    }

    /// The network's only connection; of several the caller must say which.
    pub(super) async fn only_connection(&self, actor: &Actor, network: Network) -> ServiceResult<Connection> {
        let mut all = self.connections_of(actor, network).await?;
        if all.len() > 1 {
            let name = network.display_name();
            let detail = format!(
                "{name} is connected with several accounts: {}. Name one by its id, under /api/providers/{{id}}.",
                labels(&all)
            );
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
        }
        all.pop().ok_or(ServiceError::NotFound("connection"))
    }

    /// Which place is meant, before anything is asked of the network.
    pub(super) async fn slot(&self, actor: &Actor, network: Network, target: &ConnectTarget) -> ServiceResult<Slot> {
        if let Some(label) = &target.label {
            label_of(label)?;
        }
        let all = self.connections_of(actor, network).await?;
        let name = network.display_name();
        if let Some(id) = target.connection_id {
            if target.add {
                return Err(ServiceError::field(
                    "/add",
                    "One more is added, or one is made anew: leave one of them out.",
                ));
            }
            let before = all.into_iter().find(|connection| connection.id == id);
            return Ok(Slot::Anew(Box::new(before.ok_or(ServiceError::NotFound("connection"))?)));
        }
        if target.add {
            if all.len() >= MOST {
                let detail = format!("{name} is connected with {MOST} accounts; more are not possible.");
                return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
            }
            if let Some(label) = target.label.as_deref().map(str::trim).filter(|label| holds(&all, label)) {
                let label = label.to_owned();
                return Err(ServiceError::field(
                    "/label",
                    format!("Another {name} account is called “{label}”; choose another name."),
                ));
            }
            return Ok(Slot::New);
        }
        if all.len() > 1 {
            return Err(ServiceError::field(
                "/connection_id",
                format!(
                    "{name} is connected with several accounts: {}. Say which one is made anew, or `add`.",
                    labels(&all)
                ),
            ));
        }
        Ok(all.into_iter().next().map_or(Slot::New, |before| Slot::Anew(Box::new(before))))
    }

    /// Figures of a simulated account and of a real one are never added up, so they are never connected side by side; and a real
    /// connection is never replaced by a simulated one, also not one that waits to be connected again.
    pub(super) async fn of_one_kind(
        &self,
        actor: &Actor,
        network: Network,
        sandbox: bool,
        slot: &Slot,
    ) -> ServiceResult<()> {
        if sandbox && slot.before().is_some_and(|before| !before.sandbox) {
            return Err(hides_a_real_one(network));
        }
        let all = self.connections_of(actor, network).await?;
        let mut others = all.iter().filter(|one| slot.before().is_none_or(|before| before.id != one.id));
        let Some(other) = others.find(|one| one.sandbox != sandbox) else { return Ok(()) };
        let name = network.display_name();
        let (new, there) = if sandbox { ("simulated", "real") } else { ("real", "simulated") };
        let detail = format!(
            "“{}” of {name} is a {there} account; a {new} one beside it would mix their figures. Disconnect it first, or use another \
             workspace.",
            other.label
        );
        Err(ServiceError::Conflict { code: codes::CONFLICT, detail })
    }

    /// The same account connected twice would count twice.
    pub(super) async fn not_twice(
        &self,
        actor: &Actor,
        network: Network,
        slot: &Slot,
        fields: Option<&SecretFields>,
        accounts: &[AccountChoice],
    ) -> ServiceResult<()> {
        let all = self.connections_of(actor, network).await?;
        let others = all.iter().filter(|one| slot.before().is_none_or(|before| before.id != one.id));
        let name = network.display_name();
        for other in others {
            let same_keys = fields.is_some_and(|fields| {
                self.connections.source.open_keys(other).is_ok_and(|kept| same_fields(&kept.fields(), fields))
            });
            if !same_keys && !same_accounts(network, &source::accounts(other), accounts) {
                continue;
            }
            let what = if network.uses_oauth() { "This sign-in opens" } else { "These keys open" };
            let detail = format!(
                "{what} the same {name} account as “{}”, which is connected already; its figures would count twice. Renew it there \
                 instead.",
                other.label
            );
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
        }
        Ok(())
    }

    /// What a new one is called: as somebody said, else as its only account, else as its network.
    pub(super) async fn label_for(
        &self,
        actor: &Actor,
        network: Network,
        target: &ConnectTarget,
        accounts: &[AccountChoice],
    ) -> ServiceResult<String> {
        if let Some(label) = &target.label {
            return label_of(label);
        }
        let all = self.connections_of(actor, network).await?;
        let name = network.display_name();
        let own = match accounts {
            [one] => {
                let cut: String = one.name.trim().chars().take(MOST_LABEL - 4).collect();
                validate::line(&cut, "A name", MOST_LABEL).ok()
            }
            _ => None,
        };
        Ok(free(&all, own.as_deref().unwrap_or(name)))
    }

    /// Stores it, and with a key the answer that a repetition gets, in one transaction. `None` when that key was answered by
    /// another request meanwhile: then nothing is kept.
    pub(super) async fn put_connection(
        &self,
        actor: &Actor,
        mut connection: Connection,
        mut slot: Slot,
        target: &ConnectTarget,
        keyed: Option<&Keyed>,
    ) -> ServiceResult<Option<Connection>> {
        for _ in 0..TRIES {
            let mut work = self.store.begin_in(actor.workspace).await?;
            let put = match &slot {
                Slot::New => work.insert_connection(&connection).await.map(|()| true),
                Slot::Anew(_) => work.remake_connection(&connection).await,
            };
            match put {
                Ok(true) => {
                    let accounts = source::accounts(&connection).len();
                    let detail = json!({
                        "network": connection.network,
                        "label": connection.label,
                        "sandbox": connection.sandbox,
                        "accounts": accounts,
                    });
                    self.audit(&mut *work, actor, "connection.connected", connection.id, detail).await?;
                    if let Some(keyed) = keyed {
                        let answer = self.key_network(self.view(connection.network, Some(&connection)))?;
                        if !self.keep_answer(&mut *work, actor, keyed, &answer).await? {
                            return Ok(None);
                        }
                    }
                    work.commit().await?;
                    self.connections.networks.forget(source::via_of(&connection), connection.network);
                    return Ok(Some(connection));
                }
                // Somebody took the label first, or removed or replaced what was to be made anew.
                Ok(false) => {}
                Err(StoreError::Taken { column, .. }) if target.label.is_none() && column.ends_with("label_key") => {}
                Err(error) => return Err(taken_label(error, connection.network, &connection.label)),
            }
            drop(work);
            slot = self.moved(actor, &mut connection, target).await?;
        }
        let detail =
            format!("{} was connected by others at the same time; try again.", connection.network.display_name());
        Err(ServiceError::Conflict { code: codes::CONFLICT, detail })
    }

    /// The place as it is now; what was sealed for another does not open in it, and is handed over.
    async fn moved(&self, actor: &Actor, connection: &mut Connection, target: &ConnectTarget) -> ServiceResult<Slot> {
        let network = connection.network;
        let slot = self.slot(actor, network, target).await?;
        self.of_one_kind(actor, network, connection.sandbox, &slot).await?;
        let given = source::owner(connection);
        match &slot {
            Slot::Anew(before) => {
                connection.id = before.id;
                connection.label.clone_from(&before.label);
            }
            Slot::New => {
                connection.id = adagent_domain::ConnectionId::new(&*self.ids);
                connection.label = self.label_for(actor, network, target, &source::accounts(connection)).await?;
            }
        }
        let sealed = std::mem::take(&mut connection.sealed);
        let moved = self.connections.source.vault.hand_over(&given, &source::owner(connection), &sealed);
        connection.sealed = moved.map_err(|error| ServiceError::Internal(error.to_string()))?;
        Ok(slot)
    }
}

pub(super) fn hides_a_real_one(network: Network) -> ServiceError {
    let name = network.display_name();
    let detail = format!("{name} is connected to a real account; disconnect it to explore sandbox data.");
    ServiceError::Conflict { code: codes::CONFLICT, detail }
}

fn labels(all: &[Connection]) -> String {
    all.iter().map(|one| format!("“{}”", one.label)).collect::<Vec<_>>().join(", ")
}

fn holds(all: &[Connection], label: &str) -> bool {
    all.iter().any(|one| one.label.to_lowercase() == label.to_lowercase())
}

/// `wanted`, or with the first number that is free.
fn free(all: &[Connection], wanted: &str) -> String {
    let numbered = (2..).map(|number| format!("{wanted} {number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !holds(all, name)).unwrap_or_else(|| wanted.to_owned())
}

fn same_fields(one: &SecretFields, other: &SecretFields) -> bool {
    let secret = |fields: &SecretFields, name: &str| fields.get(name).map(|value| value.expose_secret().to_owned());
    let mut names: Vec<&str> = one.names().chain(other.names()).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().all(|name| secret(one, name) == secret(other, name))
}

/// Whether two connections reach the same accounts, as far as the network names them.
fn same_accounts(network: Network, one: &[AccountChoice], other: &[AccountChoice]) -> bool {
    let ids = |accounts: &[AccountChoice]| {
        let mut ids: Vec<String> = accounts.iter().map(|account| account.id.clone()).collect();
        ids.sort();
        ids
    };
    let (one, other) = (ids(one), ids(other));
    // Where keys say no account, the network's name stands for it.
    !one.is_empty() && one == other && one != [network.id()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str) -> AccountChoice {
        AccountChoice { id: id.into(), name: id.into(), currency: None, time_zone: None, selected: true }
    }

    #[test]
    fn the_same_accounts_are_known_again_unless_the_network_names_none() {
        let pair = [account("a"), account("b")];
        assert!(same_accounts(Network::AdMob, &pair, &[account("b"), account("a")]));
        assert!(!same_accounts(Network::AdMob, &pair, &[account("a")]));
        assert!(!same_accounts(Network::AppLovin, &[account("applovin")], &[account("applovin")]));
    }

    #[test]
    fn equal_keys_are_known_again() {
        let keys = |pairs: &[(&str, &str)]| -> SecretFields {
            pairs.iter().map(|(name, value)| (*name, (*value).to_owned().into())).collect()
        };
        let one = keys(&[("management_key", "m"), ("report_key", "r")]);
        assert!(same_fields(&one, &keys(&[("report_key", "r"), ("management_key", "m")])));
        assert!(!same_fields(&one, &keys(&[("report_key", "r")])));
        assert!(!same_fields(&one, &keys(&[("management_key", "m"), ("report_key", "x")])));
    }
}
