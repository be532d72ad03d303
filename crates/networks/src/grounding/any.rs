//! Checks the IDs of every network except AdMob, by what the catalog says of its entities: the pattern of their IDs, how to list or read
//! them, and their parents. If a network can neither list nor read them, we can check only the pattern.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::Value as Json;

use super::{Grounded, near, short};
use crate::{
    Operation,
    catalogue::{EntityFacts, LookUp, NetworkFacts},
    entities::{Items, Place},
    networks::Networks,
    paths,
};
use adagent_tools::ToolError;

/// How many parents we follow from an entity to its app.
const STEPS: usize = 3;

/// An ID in the arguments.
struct Named {
    kind: EntityKind,
    pointer: String,
    /// The value as the arguments give it.
    value: String,
}

impl Networks {
    pub(super) async fn resolve_any(
        &self,
        place: Place<'_>,
        tool: &Operation,
        args: &Json,
        accounts: &[EntityItem],
        grounded: &mut Grounded,
    ) -> Result<(), ToolError> {
        let facts = self.facts(place.network)?;
        let mut named: Vec<Named> = tool
            .entity_params
            .iter()
            .flat_map(|(path, kind)| {
                let ids = paths::ids(args, path).into_iter();
                ids.map(|(pointer, value)| Named { kind: *kind, pointer, value })
            })
            .collect();
        // Look parents up before their children: the list of children cannot be loaded when the parent is unknown.
        named.sort_by_key(|one| depth(&facts, one.kind));
        for one in &named {
            match ids_in(&facts, place.account, one) {
                Said::Ids(ids) => {
                    for id in ids {
                        self.look_up(&facts, place, one, &id, &named, grounded).await?;
                    }
                }
                Said::NoId(message) => {
                    let pool = match one.kind {
                        EntityKind::Account => Items::new(accounts.to_vec()),
                        kind => self.candidates(place, kind, self.inside_of(place.network, kind, &named)).await?,
                    };
                    grounded.issue(&one.pointer, message, near(&one.value, &pool));
                }
            }
        }
        self.climb(&facts, place, grounded).await
    }

    async fn look_up(
        &self,
        facts: &NetworkFacts,
        place: Place<'_>,
        one: &Named,
        id: &str,
        all: &[Named],
        grounded: &mut Grounded,
    ) -> Result<(), ToolError> {
        let kind = one.kind;
        let never = facts.of_kind(kind).is_some_and(|entity| entity.look_up == LookUp::Never);
        if never || !(self.is_asked_for(place.network, kind) || self.can_list(place.network, kind)) {
            // The network cannot tell whether the entity exists; the pattern of its ID was checked.
            return Ok(());
        }
        let inside = self.inside_of(place.network, kind, all);
        let item = if self.is_asked_for(place.network, kind) {
            self.one(place, kind, id).await?
        } else {
            let pool = match inside {
                // An unknown parent is already an issue, and its children cannot be listed.
                Some(parent) if grounded.unknown.iter().any(|(_, unknown)| unknown == parent) => return Ok(()),
                Some(parent) => self.inside(place, kind, parent).await?,
                None => self.of_account(place, kind).await?,
            };
            pool.iter().find(|item| item.id == id).cloned()
        };
        let Some(item) = item else {
            grounded.unknown.push((kind, id.to_owned()));
            let within = match inside {
                Some(parent) => {
                    let above = self.listed_for(place.network, kind);
                    format!("{} {}", above.map_or("", EntityKind::label), short(parent))
                }
                None => format!("account {}", place.account),
            };
            let message = format!("isn't in {within}: there is no {} {}", kind.label(), short(id));
            let pool = self.candidates(place, kind, inside).await?;
            grounded.issue(&one.pointer, message, near(id, &pool));
            return Ok(());
        };
        belongs(facts, &item, one, all, grounded);
        grounded.resolved.push(item);
        Ok(())
    }

    /// Returns the ID of the parent in the arguments that this kind is listed for.
    fn inside_of<'n>(&self, network: Network, kind: EntityKind, all: &'n [Named]) -> Option<&'n String> {
        let above = self.listed_for(network, kind)?;
        all.iter().find(|other| other.kind == above).map(|other| &other.value)
    }

    async fn candidates(
        &self,
        place: Place<'_>,
        kind: EntityKind,
        inside: Option<&String>,
    ) -> Result<Items, ToolError> {
        match inside {
            Some(parent) => self.inside(place, kind, parent).await,
            None if self.is_asked_for(place.network, kind) => self.some(place, kind).await,
            None => self.of_account(place, kind).await,
        }
    }

    /// Loads the parents of the named entities, up to their apps, so that a selection of apps can be checked.
    async fn climb(&self, facts: &NetworkFacts, place: Place<'_>, grounded: &mut Grounded) -> Result<(), ToolError> {
        let mut above: Vec<EntityItem> = Vec::new();
        for item in &grounded.resolved {
            let mut at = item.clone();
            for _ in 0..STEPS {
                let parent = parent_kind(facts, at.kind).filter(|kind| leads_to_app(facts, *kind));
                let (Some(kind), Some(id)) = (parent, at.parent.clone()) else { break };
                let known = grounded.resolved.iter().chain(&above).find(|known| known.kind == kind && known.id == id);
                if let Some(known) = known {
                    at = known.clone();
                    continue;
                }
                let found = if self.is_asked_for(place.network, kind) {
                    self.one(place, kind, &id).await?
                } else {
                    self.of_account(place, kind).await?.iter().find(|item| item.id == id).cloned()
                };
                let Some(found) = found else { break };
                above.push(found.clone());
                at = found;
            }
        }
        grounded.resolved.extend(above);
        Ok(())
    }
}

/// What a value means.
enum Said {
    Ids(Vec<String>),
    /// The value cannot be an ID, but it may be a name.
    NoId(String),
}

/// Returns the bare IDs in one value; some operations take several, separated by commas.
fn ids_in(facts: &NetworkFacts, account: &str, one: &Named) -> Said {
    let Some(entity) = facts.of_kind(one.kind) else { return Said::Ids(Vec::new()) };
    let bare = match bare(entity, &one.value, account) {
        Ok(bare) => bare,
        Err(message) => return Said::NoId(message),
    };
    if one.kind == EntityKind::Account {
        let other = format!("must be account {account}, not {}", short(&bare));
        return if bare == account { Said::Ids(Vec::new()) } else { Said::NoId(other) };
    }
    let fits = |id: &str| facts.has_form(entity, id);
    let parts: Vec<&str> = if fits(&bare) { vec![&bare] } else { bare.split(',').map(str::trim).collect() };
    match parts.iter().find(|part| !fits(part)) {
        Some(wrong) => Said::NoId(format!("isn't a valid {} ID: {}", one.kind.label(), short(wrong))),
        None => Said::Ids(parts.into_iter().map(str::to_owned).collect()),
    }
}

pub fn parent_kind(facts: &NetworkFacts, kind: EntityKind) -> Option<EntityKind> {
    let parent = facts.of_kind(kind)?.parent.as_deref()?;
    facts.entity(parent).and_then(EntityFacts::kind)
}

/// Checks whether entities of this kind are apps or belong to one.
pub fn leads_to_app(facts: &NetworkFacts, kind: EntityKind) -> bool {
    let mut at = Some(kind);
    for _ in 0..=STEPS {
        match at {
            Some(EntityKind::App) => return true,
            Some(kind) => at = parent_kind(facts, kind),
            None => return false,
        }
    }
    false
}

fn depth(facts: &NetworkFacts, kind: EntityKind) -> usize {
    std::iter::successors(parent_kind(facts, kind), |kind| parent_kind(facts, *kind)).take(STEPS + 1).count()
}

/// Returns the ID in a resource name, which must belong to the account of the call.
fn bare(entity: &EntityFacts, value: &str, account: &str) -> Result<String, String> {
    let Some(template) = entity.resource_name.as_deref().filter(|_| value.contains('/')) else {
        return Ok(value.to_owned());
    };
    let mut id = None;
    let mut parts = value.split('/');
    // Some operations have two forms of a name and accept either.
    let template = template.split(" or ").find(|form| form.split('/').count() == value.split('/').count());
    for form in template.unwrap_or_default().split('/') {
        let Some(part) = parts.next().filter(|part| !part.is_empty()) else { break };
        match form {
            "{id}" => id = Some(part.to_owned()),
            "{network_code}" if part != account => {
                return Err(format!("belongs to account {}, not to {account}", short(part)));
            }
            form if form.starts_with('{') || form == part => {}
            _ => return Err(format!("isn't a valid {} name: {}", entity.name.replace('_', " "), short(value))),
        }
    }
    id.filter(|_| parts.next().is_none())
        .ok_or_else(|| format!("must be a name such as {}", entity.resource_name.as_deref().unwrap_or_default()))
}

/// Checks whether an entity lies in the parent that the arguments name. Skipped if they name several parents, because we cannot know which
/// one is meant.
fn belongs(facts: &NetworkFacts, item: &EntityItem, one: &Named, all: &[Named], grounded: &mut Grounded) {
    let Some(kind) = parent_kind(facts, item.kind).filter(|kind| leads_to_app(facts, *kind)) else { return };
    let beside: Vec<&Named> = all.iter().filter(|other| other.kind == kind).collect();
    let ([other], Some(parent)) = (beside.as_slice(), &item.parent) else { return };
    if other.value != *parent {
        let (label, wanted) = (kind.label(), short(&other.value));
        let message = format!("{} belongs to {label} {parent}, not to {wanted}", item.name);
        grounded.issue(&one.pointer, message, Vec::new());
    }
}
