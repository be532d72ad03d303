//! Decides where a new connection goes: next to the existing ones, or in place of one. This module must never allow a simulated account
//! next to a real one, or one account twice, because sums over them would be wrong.

use adagent_contract::{AccountChoice, ConnectTarget, codes};
use adagent_domain::{Actor, Network};
use adagent_networks::SecretFields;
use adagent_store::Connection;
use secrecy::ExposeSecret as _;

use super::{manage::label_of, source};
use crate::{Service, ServiceError, ServiceResult};

/// How many connections of one network a workspace can have.
const MOST: usize = 20;

#[derive(Debug, Clone)]
pub(super) enum Slot {
    /// An additional connection, or the network's first.
    New,
    /// This connection, with other credentials.
    Anew(Box<Connection>),
}

impl Slot {
    pub fn before(&self) -> Option<&Connection> {
        match self {
            Self::New => None,
            Self::Anew(before) => Some(before),
        }
    }

    /// Returns the connections that stay as they are.
    fn others<'a>(&'a self, all: &'a [Connection]) -> impl Iterator<Item = &'a Connection> {
        all.iter().filter(|one| self.before().is_none_or(|before| before.id != one.id))
    }
}

impl Service {
    /// Lists the workspace's connections of a network, oldest first.
    pub(super) async fn connections_of(&self, actor: &Actor, network: Network) -> ServiceResult<Vec<Connection>> {
        let mut all = self.store.list_connections(actor.workspace).await?;
        all.retain(|connection| connection.network == network);
        Ok(all)
    }

    /// Returns the network's only connection. If there are several, the caller must say which.
    pub(super) async fn only_connection(&self, actor: &Actor, network: Network) -> ServiceResult<Connection> {
        let mut all = self.connections_of(actor, network).await?;
        if all.len() > 1 {
            let name = network.display_name();
            let detail = format!(
                "{name} has several connected accounts: {}. Name one by its ID, under /api/providers/{{id}}.",
                labels(&all)
            );
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
        }
        all.pop().ok_or(ServiceError::NotFound("connection"))
    }

    /// Finds the slot before we ask the network anything, and refuses what must not go there. We check this again when we store the
    /// connection.
    pub(super) async fn slot(
        &self,
        actor: &Actor,
        network: Network,
        sandbox: bool,
        target: &ConnectTarget,
    ) -> ServiceResult<(Slot, Vec<Connection>)> {
        let all = self.connections_of(actor, network).await?;
        let slot = place(&all, network, target)?;
        of_one_kind(&all, network, sandbox, &slot)?;
        Ok((slot, all))
    }

    /// Refuses an account that is already connected, because it would count twice. We know it by its keys, or by the accounts they open.
    pub(super) fn not_among(
        &self,
        all: &[Connection],
        network: Network,
        slot: &Slot,
        (fields, accounts): (Option<&SecretFields>, &[AccountChoice]),
    ) -> ServiceResult<()> {
        let name = network.display_name();
        let secret = match fields {
            Some(_) => self
                .asked(network)?
                .auth
                .fields
                .iter()
                .filter(|field| field.secret)
                .map(|field| field.name.clone())
                .collect(),
            None => Vec::new(),
        };
        for other in slot.others(all) {
            let same_keys = fields.is_some_and(|fields| {
                self.connections
                    .source
                    .open_keys(other)
                    .is_ok_and(|kept| share_a_secret(&secret, &kept.fields(), fields))
            });
            if !same_keys && !same_accounts(network, &source::accounts(other), accounts) {
                continue;
            }
            let what = if network.uses_oauth() { "This sign-in opens" } else { "These keys open" };
            let detail = format!(
                "{what} the same {name} account as “{}”, which is already connected; its numbers would count twice. Reconnect that one \
                 instead.",
                other.label
            );
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
        }
        Ok(())
    }
}

/// Finds the slot that the target means.
pub(super) fn place(all: &[Connection], network: Network, target: &ConnectTarget) -> ServiceResult<Slot> {
    if let Some(label) = &target.label {
        label_of(label)?;
    }
    let name = network.display_name();
    if let Some(id) = target.connection_id {
        if target.add {
            let detail = "Send either `add` or `connection_id`, not both.";
            return Err(ServiceError::field("/add", detail));
        }
        let before = all.iter().find(|connection| connection.id == id).ok_or(ServiceError::NotFound("connection"))?;
        return Ok(Slot::Anew(Box::new(before.clone())));
    }
    if target.add {
        if all.len() >= MOST {
            let detail = format!("{name} already has {MOST} connected accounts, the maximum.");
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
        }
        if let Some(label) = target.label.as_deref().map(str::trim).filter(|label| holds(all, label)) {
            let detail = format!("Another {name} account is already named “{label}”. Choose another name.");
            return Err(ServiceError::field("/label", detail));
        }
        return Ok(Slot::New);
    }
    if all.len() > 1 {
        let detail = format!(
            "{name} has several connected accounts: {}. Say which one to reconnect, or send `add`.",
            labels(all)
        );
        return Err(ServiceError::field("/connection_id", detail));
    }
    Ok(all.first().map_or(Slot::New, |before| Slot::Anew(Box::new(before.clone()))))
}

/// Refuses a simulated account next to a real one, because we must never add their numbers, and refuses to replace a real connection by a
/// simulated one, even one that waits to be reconnected.
pub(super) fn of_one_kind(all: &[Connection], network: Network, sandbox: bool, slot: &Slot) -> ServiceResult<()> {
    if sandbox && slot.before().is_some_and(|before| !before.sandbox) {
        return Err(hides_a_real_one(network));
    }
    let Some(other) = slot.others(all).find(|one| one.sandbox != sandbox) else { return Ok(()) };
    let name = network.display_name();
    let (new, there) = if sandbox { ("simulated", "real") } else { ("real", "simulated") };
    let detail = format!(
        "“{}” is a {there} {name} account; adding a {new} one would mix their numbers. Disconnect it first, or use another workspace.",
        other.label
    );
    Err(ServiceError::Conflict { code: codes::CONFLICT, detail })
}

/// Returns the label of a new connection: the person's choice, otherwise the name of the network. Never a name that the network gives,
/// because a label addresses calls.
pub(super) fn label_for(all: &[Connection], network: Network, target: &ConnectTarget) -> ServiceResult<String> {
    match &target.label {
        Some(label) => label_of(label),
        None => Ok(free(all, network.display_name())),
    }
}

pub(super) fn hides_a_real_one(network: Network) -> ServiceError {
    let name = network.display_name();
    let detail = format!("{name} is connected to a real account. Disconnect it to explore sandbox data.");
    ServiceError::Conflict { code: codes::CONFLICT, detail }
}

fn labels(all: &[Connection]) -> String {
    all.iter().map(|one| format!("“{}”", one.label)).collect::<Vec<_>>().join(", ")
}

fn holds(all: &[Connection], label: &str) -> bool {
    all.iter().any(|one| one.label.to_lowercase() == label.to_lowercase())
}

/// Returns `wanted`, or `wanted` with the first free number.
fn free(all: &[Connection], wanted: &str) -> String {
    let numbered = (2..).map(|number| format!("{wanted} {number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !holds(all, name)).unwrap_or_else(|| wanted.to_owned())
}

/// Checks whether two connections share a secret. One shared secret means one shared account, which sums would count twice. Other fields
/// prove nothing: a company's number may be in the keys of all its accounts.
fn share_a_secret(secret: &[String], one: &SecretFields, other: &SecretFields) -> bool {
    secret.iter().any(|name| match (one.get(name), other.get(name)) {
        (Some(one), Some(other)) => one.expose_secret() == other.expose_secret(),
        _ => false,
    })
}

/// Checks whether two connections reach the same accounts, as far as the network names them.
fn same_accounts(network: Network, one: &[AccountChoice], other: &[AccountChoice]) -> bool {
    let ids = |accounts: &[AccountChoice]| {
        let mut ids: Vec<String> = accounts.iter().map(|account| account.id.clone()).collect();
        ids.sort();
        ids
    };
    let (one, other) = (ids(one), ids(other));
    // If keys reveal no account, the account has the network's ID.
    !one.is_empty() && one == other && one != [network.id()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str) -> AccountChoice {
        AccountChoice { id: id.into(), name: id.into(), currency: None, time_zone: None, selected: true, label: None }
    }

    #[test]
    fn the_same_accounts_are_known_again_unless_the_network_names_none() {
        let pair = [account("a"), account("b")];
        assert!(same_accounts(Network::AdMob, &pair, &[account("b"), account("a")]));
        assert!(!same_accounts(Network::AdMob, &pair, &[account("a")]));
        assert!(!same_accounts(Network::AppLovin, &[account("applovin")], &[account("applovin")]));
    }

    #[test]
    fn keys_with_a_secret_in_common_are_one_account() {
        let keys = |pairs: &[(&str, &str)]| -> SecretFields {
            pairs.iter().map(|(name, value)| (*name, (*value).to_owned().into())).collect()
        };
        let secret = ["management_key".to_owned(), "report_key".to_owned()];
        let one = keys(&[("company", "7"), ("management_key", "m"), ("report_key", "r")]);
        let same = |other: &[(&str, &str)]| share_a_secret(&secret, &one, &keys(other));
        assert!(same(&[("report_key", "r"), ("management_key", "m")]));
        assert!(same(&[("report_key", "r")]));
        assert!(same(&[("management_key", "m"), ("report_key", "x")]));
        assert!(!same(&[("company", "7"), ("management_key", "r"), ("report_key", "m")]));
        assert!(!same(&[]));
    }
}
