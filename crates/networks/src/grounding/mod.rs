//! Grounding: looks up every ID in the arguments before we send anything. For an unknown ID, it suggests similar ones.

mod admob;
mod any;

use std::time::Duration;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::Value as Json;

use crate::{
    Operation, Via,
    catalogue::NetworkFacts,
    entities::{Place, RENEW_PAUSE_MILLIS, Renewal},
    networks::Networks,
    paths,
    sign::Accounts,
};
use adagent_tools::{GroundingIssue, ToolError};

pub use any::{leads_to_app, parent_kind};

const MAX_CANDIDATES: usize = 5;
/// A name with a lower similarity score is not suggested.
const NEAR: f64 = 0.72;

/// What grounding found.
#[derive(Debug, Default)]
pub struct Grounded {
    pub issues: Vec<GroundingIssue>,
    /// Every entity that the arguments name, directly or through another one (a mapping's ad unit, a group's ad units).
    pub resolved: Vec<EntityItem>,
    /// IDs that no list contains. A stale registry could be the cause of these issues.
    pub unknown: Vec<(EntityKind, String)>,
}

impl Grounded {
    fn issue(&mut self, pointer: &str, message: String, candidates: Vec<(String, String)>) {
        self.issues.push(GroundingIssue { pointer: pointer.to_owned(), message, candidates });
    }
}

impl Networks {
    /// Looks every ID up. If a list lacks an ID, this loads the list again and looks once more, because another server may have created the
    /// entity a moment ago. We reload each kind at most once per pause, however many wrong IDs arrive. A caller that arrives during the
    /// pause waits until it ends.
    pub(crate) async fn resolve(&self, via: Via, tool: &Operation, args: &Json) -> Result<Grounded, ToolError> {
        let (registry, network) = (self.registry(), tool.network);
        let seen: Vec<_> =
            EntityKind::ALL.iter().map(|kind| (*kind, registry.generation_of(via, network, *kind))).collect();
        let first = self.resolve_once(via, tool, args).await?;
        let missing: Vec<EntityKind> = seen
            .iter()
            .map(|(kind, _)| *kind)
            .filter(|kind| {
                let mut of_kind = first.unknown.iter().filter(|(unknown, _)| unknown == kind);
                of_kind.any(|(_, id)| !registry.is_absent(via, network, *kind, id))
            })
            .collect();
        if missing.is_empty() {
            return Ok(first);
        }
        for (kind, seen) in seen.into_iter().filter(|(kind, _)| missing.contains(kind)) {
            let now = self.now();
            if let Renewal::NotBefore(at) = registry.renew(via, network, kind, seen, now) {
                let wait = at.millis_since(now).clamp(0, RENEW_PAUSE_MILLIS);
                tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
                // If several callers waited together, the first one reloads for all of them.
                registry.renew(via, network, kind, seen, at);
            }
        }
        let again = self.resolve_once(via, tool, args).await?;
        for (kind, id) in again.unknown.iter().filter(|(kind, _)| missing.contains(kind)) {
            registry.note_absent(via, network, *kind, id).await;
        }
        if again.unknown.len() < first.unknown.len() {
            // Somebody else changed this network, so the cached answers may be as stale as the lists. Drop them all.
            registry.forget(via, network, self.now());
        }
        Ok(again)
    }

    async fn resolve_once(&self, via: Via, tool: &Operation, args: &Json) -> Result<Grounded, ToolError> {
        let mut grounded = Grounded::default();
        let network = tool.network;
        let about = about(&*self.facts(network)?, tool, args);
        if matches!(about, About::None) {
            return Ok(grounded);
        }
        let accounts = self.accounts(via, network).await?;
        let account = match &about {
            About::Named(_, id) => accounts.iter().find(|account| account.id == *id),
            About::TheOne | About::None => accounts.first(),
        };
        let Some(account) = account else {
            if let About::Named(pointer, id) = about {
                let message = format!("isn't an account of this connection: {}", short(&id));
                grounded.issue(&pointer, message, near(&id, &accounts));
                grounded.unknown.push((EntityKind::Account, id));
            }
            return Ok(grounded);
        };
        grounded.resolved.push(account.clone());
        let place = Place { via, network, account: &account.id };
        if network == Network::AdMob {
            self.resolve_admob(place, tool, args, &mut grounded).await?;
        } else {
            self.resolve_any(place, tool, args, &accounts, &mut grounded).await?;
        }
        Ok(grounded)
    }
}

/// The account that a call is about.
enum About {
    /// The account that the arguments name, and its JSON pointer.
    Named(String, String),
    /// The only account of the connection.
    TheOne,
    /// No account, so there is nothing to check IDs against.
    None,
}

fn about(facts: &NetworkFacts, tool: &Operation, args: &Json) -> About {
    let mut of_accounts =
        tool.entity_params.iter().filter(|(path, kind)| *kind == EntityKind::Account && !path.contains('.'));
    match of_accounts.find_map(|(path, _)| paths::ids(args, path).into_iter().next()) {
        Some((pointer, id)) => About::Named(pointer, id),
        None if matches!(facts.profile().membership.accounts, Accounts::Listed) => About::None,
        None => About::TheOne,
    }
}

/// Returns the existing entities that resemble the value, nearest first, or all of them if there are only a few.
pub fn near(value: &str, pool: &[EntityItem]) -> Vec<(String, String)> {
    let value = value.to_lowercase();
    let mut scored: Vec<(f64, &EntityItem)> = pool
        .iter()
        .map(|item| {
            let score = |text: &str| strsim::jaro_winkler(&value, &text.to_lowercase());
            let name =
                if item.name.to_lowercase().contains(&value) && value.len() > 2 { 0.95 } else { score(&item.name) };
            // All IDs of one network look similar, so only nearly equal ones count.
            let id = strsim::normalized_damerau_levenshtein(&value, &item.id.to_lowercase());
            (name.max(if id >= 0.9 { id } else { 0.0 }), item)
        })
        .filter(|(score, _)| *score >= NEAR || pool.len() <= MAX_CANDIDATES)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(MAX_CANDIDATES).map(|(_, item)| (item.id.clone(), item.name.clone())).collect()
}

fn short(value: &str) -> String {
    value.chars().take(80).collect()
}

/// Returns the issues as an error, for calls that are sent without earlier grounding.
pub fn to_error(network: Network, issues: &[GroundingIssue]) -> ToolError {
    let errors = issues
        .iter()
        .map(|issue| {
            let near =
                issue.candidates.iter().map(|(id, name)| format!("{name} ({id})")).collect::<Vec<_>>().join(", ");
            let message =
                if near.is_empty() { issue.message.clone() } else { format!("{}; did you mean {near}", issue.message) };
            adagent_contract::FieldError::new(issue.pointer.clone(), message)
        })
        .collect();
    ToolError::invalid(
        format!("The arguments name something {} doesn't have. Nothing was sent.", network.display_name()),
        errors,
    )
    .guide("Use ids from the list operations.")
}
