//! Finds what a new connection can reach, with the cheapest read of each interface that its fields open. If the network does not accept a
//! field, we name the field, never its value.

use adagent_contract::{AccountChoice, EntityKind};
use adagent_domain::Network;
use serde_json::Value as Json;

use super::{Networks, Quiet};
use crate::{
    Credentials,
    catalogue::NetworkFacts,
    entities::{self, Found},
    pipeline::{Call, Follow, SendError},
    sign::{Accounts, Given, Proof},
};
use adagent_tools::{ToolError, ToolErrorClass};

/// Fields that a network did not accept, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproven {
    /// The fields that were tried together.
    pub fields: &'static [&'static str],
    /// The network does not know the fields, or no longer does. If `false`, the error says what went wrong.
    pub refused: bool,
    pub error: ToolError,
}

impl Networks {
    /// Returns the accounts that these credentials reach. Tries every set of fields that was given. The first failure is the error, which
    /// names its fields.
    pub async fn reachable_accounts(
        &self,
        network: Network,
        credentials: &Credentials,
    ) -> Result<Vec<AccountChoice>, ToolError> {
        let failed = match self.try_all(network, credentials).await {
            Ok(accounts) => return Ok(accounts),
            Err(failed) => failed,
        };
        Err(failed.into_iter().next().map_or_else(|| ToolError::auth_failed(network), |first| first.error))
    }

    /// Does what `reachable_accounts` does, but returns every failure. It tries the sets at the same time. The list of failures is never
    /// empty.
    pub async fn try_all(
        &self,
        network: Network,
        credentials: &Credentials,
    ) -> Result<Vec<AccountChoice>, Vec<Unproven>> {
        let of_none = |error| vec![Unproven { fields: &[], refused: false, error }];
        let facts = self.facts(network).map_err(of_none)?;
        let membership = &facts.profile().membership;
        let possible: Vec<&'static Proof> =
            membership.proofs.iter().filter(|proof| proof.is_possible(&credentials.fields)).collect();
        let Some(proof) = possible.first() else {
            return Err(of_none(nothing_to_prove(&facts, membership.proofs)));
        };
        let tried = possible.iter().map(|proof| self.prove(&facts, proof, credentials));
        let (mut replies, mut failed) = (Vec::new(), Vec::new());
        for outcome in futures::future::join_all(tried).await {
            match outcome {
                Ok(reply) => replies.push(reply),
                Err(unproven) => failed.push(unproven),
            }
        }
        let Some(reply) = replies.first().filter(|_| failed.is_empty()) else { return Err(failed) };
        Ok(match membership.accounts {
            Accounts::Listed => listed(&facts, reply),
            Accounts::One { id, name, .. } => {
                let named = std::ptr::eq(*proof, &raw const membership.proofs[0]);
                let said = |at: Option<&str>| at.filter(|_| named).and_then(|at| reply.pointer(at)?.as_str());
                vec![self.one_account(&facts, credentials, said(id), said(name))]
            }
        })
    }

    /// Returns the account of a network whose fields open a single one.
    pub(crate) fn one_account(
        &self,
        facts: &NetworkFacts,
        credentials: &Credentials,
        id: Option<&str>,
        name: Option<&str>,
    ) -> AccountChoice {
        let (network, membership) = (facts.network, &facts.profile().membership);
        let given = Given { fields: &credentials.fields, now: self.now() };
        let field = match membership.accounts {
            Accounts::One { field, .. } => field.map(|field| given.field(field)).filter(|value| !value.is_empty()),
            Accounts::Listed => None,
        };
        let id = id.map(str::to_owned).or(field);
        let shown = network.display_name();
        AccountChoice {
            name: match (name.filter(|name| !name.trim().is_empty()), &id) {
                (Some(name), _) => adagent_domain::text::visible(name).into_owned(),
                (None, Some(id)) => format!("{shown} {id}"),
                (None, None) => shown.to_owned(),
            },
            id: id.unwrap_or_else(|| network.id().to_owned()),
            currency: membership.currency.map(str::to_owned),
            time_zone: membership.time_zone.map(str::to_owned),
            selected: false,
            label: None,
        }
    }

    pub(super) async fn prove(
        &self,
        facts: &NetworkFacts,
        proof: &'static Proof,
        credentials: &Credentials,
    ) -> Result<Json, Unproven> {
        let fields = proof.needs;
        let operation = self.operation(proof.tool).map_err(|error| Unproven { fields, refused: false, error })?;
        let args = (proof.args)(&Given { fields: &credentials.fields, now: self.now() });
        let call = Call { operation: &operation, args: &args, credentials, follow: &Follow::default() };
        let reply = self.transport.call(&call, &mut Quiet).await.map_err(|error| {
            let refused = matches!(error, SendError::Unauthorized);
            let error = match error {
                SendError::Unauthorized if facts.network.uses_oauth() => ToolError::auth_failed(facts.network),
                SendError::Unauthorized => not_accepted(facts, proof),
                SendError::Failed(error) => error,
            };
            Unproven { fields, refused, error }
        })?;
        Ok(reply.body)
    }
}

fn listed(facts: &NetworkFacts, reply: &Json) -> Vec<AccountChoice> {
    let found = Found { account: None, parent: None };
    let raw = reply.as_array().into_iter().flatten();
    let items = raw.filter_map(|raw| entities::item(facts, EntityKind::Account, raw, found));
    items
        .map(|item| {
            let text = |names: [&str; 2]| names.iter().find_map(|name| item.raw[*name].as_str()).map(str::to_owned);
            AccountChoice {
                currency: text(["currencyCode", "currency"]),
                time_zone: text(["reportingTimeZone", "timeZone"]),
                id: item.id,
                name: item.name,
                selected: false,
                label: None,
            }
        })
        .collect()
}

/// Joins labels: "Management key", "Skey (API key) and Secret".
fn labels(facts: &NetworkFacts, names: &[&str]) -> String {
    let label = |name: &&str| {
        let known = facts.auth.fields.iter().find(|field| field.name == *name);
        known.map_or_else(|| (*name).to_owned(), |field| field.label.clone())
    };
    let labels: Vec<String> = names.iter().map(label).collect();
    match labels.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

fn not_accepted(facts: &NetworkFacts, proof: &Proof) -> ToolError {
    let (network, labels) = (facts.network.display_name(), labels(facts, proof.needs));
    ToolError::new(ToolErrorClass::AuthFailed, "AUTH_FAILED", format!("{network} rejected {labels}."))
        .guide("Copy them again from the network's settings; keys from another account or API don't work here.")
}

fn nothing_to_prove(facts: &NetworkFacts, proofs: &[Proof]) -> ToolError {
    let ways: Vec<String> = proofs.iter().map(|proof| labels(facts, proof.needs)).collect();
    let message = format!("{} needs {}.", facts.network.display_name(), ways.join("; or "));
    ToolError::new(ToolErrorClass::NotConnected, "CREDENTIAL_MISSING", message)
        .guide(format!("Enter them under /settings/networks?connect={}.", facts.network.id()))
}
