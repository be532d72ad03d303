//! Looks for the outcome of a write to any network except AdMob, by what the catalog says of its entities. A create happened for certain if
//! exactly one new entity has the name; an update, if all values are the new ones; a removal, if the entity is gone. A write failed for
//! certain only if nothing is new, or if no field has its new value. In all other cases we cannot tell.

use adagent_contract::{EntityItem, EntityKind};
use serde_json::{Value as Json, json};

use super::judge::{Baseline, holds};
use crate::{
    Operation, Via,
    catalogue::NetworkFacts,
    entities::Place,
    grounding::parent_kind,
    networks::Networks,
    normalise,
    sketch::any::{
        parts::{self, Act, Part},
        words::{Leaf, leaves},
    },
};
use adagent_tools::{ProbeOutcome, ToolError};

/// We store at most this many IDs with a call; with more, the outcome is less certain.
const MOST_KEPT: usize = 5_000;

/// The entities of the write's kind, in the place that the write is about.
struct Seen {
    items: Vec<EntityItem>,
    /// Whether the list was read to its end.
    whole: bool,
}

impl Networks {
    /// Lists the IDs of all entities of a kind just before one is created. `None` if the list is incomplete or too long, or if the write is
    /// no create.
    pub(super) async fn before_any(
        &self,
        via: Via,
        tool: &Operation,
        args: &Json,
    ) -> Result<Option<Baseline>, ToolError> {
        if parts::act(tool) != Act::Create {
            return Ok(None);
        }
        let seen = self.seen(via, tool, args).await?;
        let kept = seen.filter(|seen| seen.whole && seen.items.len() <= MOST_KEPT);
        Ok(kept.map(|seen| vec![seen.items.into_iter().map(|item| item.id).collect()]))
    }

    pub(super) async fn look_for_any(
        &self,
        via: Via,
        tool: &Operation,
        args: &Json,
        baseline: Option<&Baseline>,
    ) -> Result<ProbeOutcome, ToolError> {
        let facts = self.facts(tool.network)?;
        let operation = self.operation(&tool.name)?;
        let (act, kind) = (parts::act(tool), parts::kind(&operation));
        let parts = parts::parts(tool, args, &facts, act, kind);
        let nothing = || cannot_tell(format!("we have no way to look up the result of “{}”", tool.title));
        let Some(kind) = kind.filter(|_| !parts.is_empty()) else { return Ok(nothing()) };
        if act == Act::Create {
            let Some(seen) = self.seen(via, tool, args).await? else { return Ok(nothing()) };
            let before = baseline.and_then(|lists| lists.first()).map(Vec::as_slice);
            return Ok(made(kind, &parts, &seen, before));
        }
        let Some((account, parent)) = self.where_it_is(via, tool, args, &facts, kind).await? else {
            return Ok(nothing());
        };
        let place = Place { via, network: tool.network, account: &account };
        let mut now = Vec::new();
        for part in &parts {
            let Some(id) = &part.id else { return Ok(nothing()) };
            now.push(self.as_it_is(place, kind, id, parent.as_deref()).await?);
        }
        if act == Act::Remove {
            // An entity that is missing from a cut list may be after the cut.
            let listed = facts.of_kind(kind).is_none_or(|entity| entity.get.is_none());
            let whole = if listed {
                self.all_as_it_is(place, kind, parent.as_deref()).await?.is_some_and(|all| all.1)
            } else {
                true
            };
            return Ok(gone(kind, &now, whole));
        }
        Ok(if act == Act::Update { changed(kind, &parts, &now) } else { acted(tool, kind, &now) })
    }

    async fn seen(&self, via: Via, tool: &Operation, args: &Json) -> Result<Option<Seen>, ToolError> {
        let facts = self.facts(tool.network)?;
        let Some(kind) = parts::kind(&*self.operation(&tool.name)?) else { return Ok(None) };
        let Some((account, parent)) = self.where_it_is(via, tool, args, &facts, kind).await? else {
            return Ok(None);
        };
        let place = Place { via, network: tool.network, account: &account };
        let all = self.all_as_it_is(place, kind, parent.as_deref()).await?;
        Ok(all.map(|(items, whole)| Seen { items, whole }))
    }

    /// Returns the account and the parent of the entity that the arguments name.
    async fn where_it_is(
        &self,
        via: Via,
        tool: &Operation,
        args: &Json,
        facts: &NetworkFacts,
        kind: EntityKind,
    ) -> Result<Option<(String, Option<String>)>, ToolError> {
        let of = |kind: EntityKind| {
            let params = tool.entity_params.iter().filter(move |(_, of)| *of == kind);
            params.flat_map(|(path, _)| crate::paths::ids(args, path)).map(|(_, id)| id).next()
        };
        let account = match of(EntityKind::Account) {
            Some(id) => Some(id.rsplit('/').next().unwrap_or_default().to_owned()),
            None => self.selected_accounts(via, tool.network).await?.into_iter().next(),
        };
        let parent = parent_kind(facts, kind).and_then(of);
        Ok(account.map(|account| (account, parent.map(|id| id.rsplit('/').next().unwrap_or_default().to_owned()))))
    }
}

const fn cannot_tell(why: String) -> ProbeOutcome {
    ProbeOutcome::CannotTell { why }
}

fn made(kind: EntityKind, parts: &[Part<'_>], seen: &Seen, before: Option<&[String]>) -> ProbeOutcome {
    let label = kind.label();
    let names: Vec<&str> = parts.iter().filter_map(|part| part.name.as_deref()).collect();
    if names.len() < parts.len() {
        return cannot_tell(format!("the change doesn't name the {label}, so we can't find it"));
    }
    let is_called = |item: &&EntityItem, name: &str| item.name.trim().eq_ignore_ascii_case(name.trim());
    let fresh: Vec<&EntityItem> =
        seen.items.iter().filter(|item| before.is_none_or(|ids| !ids.contains(&item.id))).collect();
    let equal: Vec<Vec<&EntityItem>> =
        names.iter().map(|name| fresh.iter().copied().filter(|item| is_called(item, name)).collect()).collect();
    let all_once = equal.iter().all(|found| found.len() == 1);
    match before {
        Some(_) if all_once => {
            let made: Vec<&Json> = equal.iter().map(|found| &*found[0].raw).collect();
            let (summary, item) = match made.as_slice() {
                [one] => (format!("The {label} exists"), (*one).clone()),
                many => (format!("{} exist", normalise::counted(Some(kind), many.len())), json!(many)),
            };
            ProbeOutcome::Happened { result: normalise::object(Some(kind), &item), summary }
        }
        _ if !seen.whole => cannot_tell(format!("there are too many {} to check them all", kind.plural())),
        // There is nothing new at all.
        Some(_) if fresh.is_empty() => ProbeOutcome::DidNotHappen { looked_at: looked_at(kind, seen.items.len()) },
        // A network may store a name in a different form, and without a baseline nothing shows what is new.
        None if equal.iter().all(Vec::is_empty) => {
            cannot_tell(format!("no {label} has that name, and we can't tell which ones are new"))
        }
        _ => {
            let there: Vec<String> = fresh
                .iter()
                .filter(|item| before.is_some() || names.iter().any(|name| is_called(item, name)))
                .take(3)
                .map(|item| format!("“{}” ({})", item.name, item.id))
                .collect();
            cannot_tell(format!("we found {}, but can't tell whether this change created it", there.join(", ")))
        }
    }
}

fn looked_at(kind: EntityKind, count: usize) -> String {
    format!("{}, none of them new or with that name", normalise::counted(Some(kind), count))
}

fn gone(kind: EntityKind, now: &[Option<EntityItem>], whole: bool) -> ProbeOutcome {
    let there: Vec<&EntityItem> = now.iter().flatten().collect();
    match there.len() {
        0 if whole => ProbeOutcome::Happened {
            summary: format!("{} no longer listed", normalise::counted(Some(kind), now.len())),
            result: normalise::object(Some(kind), &Json::Null),
        },
        0 => cannot_tell(format!("there are too many {} to check them all", kind.plural())),
        count if count == now.len() => ProbeOutcome::DidNotHappen {
            looked_at: format!("{} (still listed)", normalise::counted(Some(kind), count)),
        },
        count => cannot_tell(format!("{count} of {} {} are still listed", now.len(), kind.plural())),
    }
}

fn changed(kind: EntityKind, parts: &[Part<'_>], now: &[Option<EntityItem>]) -> ProbeOutcome {
    let (mut equal, mut other) = (0, 0);
    for (part, now) in parts.iter().zip(now) {
        let (Some(said), Some(now)) = (part.said, now) else {
            return cannot_tell(format!("we can't read the {}", kind.label()));
        };
        for Leaf { at, value, label } in leaves(said) {
            match now.raw.pointer(&at).filter(|there| !there.is_null()) {
                Some(there) if same(there, value) => equal += 1,
                Some(_) => other += 1,
                // The network does not return the field, or the value is the ID that only the path holds.
                None if part.id.as_deref() == value.as_str() => {}
                None => {
                    return cannot_tell(format!("the network doesn't report {}'s {}", now.name, label.to_lowercase()));
                }
            }
        }
    }
    match (equal, other) {
        (0, 0) => cannot_tell("the network doesn't return any of the values we sent".to_owned()),
        (_, 0) => {
            let items: Vec<&Json> = now.iter().flatten().map(|item| &*item.raw).collect();
            let item = if let [one] = items.as_slice() { (*one).clone() } else { json!(items) };
            let summary = format!("{} updated", normalise::counted(Some(kind), parts.len()));
            ProbeOutcome::Happened { result: normalise::object(Some(kind), &item), summary }
        }
        (_, _) => {
            let differs = format!("the {}, which isn't as we sent it", kind.label());
            // With several entities or fields, some may have changed, and some equal values may come from this change.
            if parts.len() == 1 && equal == 0 {
                ProbeOutcome::DidNotHappen { looked_at: differs }
            } else {
                cannot_tell(differs)
            }
        }
    }
}

/// Compares two values; the order of lists does not matter.
fn same(there: &Json, wanted: &Json) -> bool {
    let as_long = there.as_array().map(Vec::len) == wanted.as_array().map(Vec::len);
    as_long && (holds(there, wanted) || number(there).is_some() && number(there) == number(wanted))
}

fn number(value: &Json) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Verbs of operations, and the states that they lead to.
const STATES: [(&str, &str); 5] = [
    ("pause", "paused"),
    ("activate", "active"),
    ("deactivate", "inactive"),
    ("archive", "archived"),
    ("block", "blocked"),
];

fn acted(tool: &Operation, kind: EntityKind, now: &[Option<EntityItem>]) -> ProbeOutcome {
    let leads = STATES.iter().find(|(verb, _)| tool.name.split('_').any(|word| word == *verb)).map(|(_, state)| *state);
    let states: Vec<Option<&str>> = now.iter().map(|item| item.as_ref()?.status.as_deref()).collect();
    if leads.is_some() && states.iter().all(|state| *state == leads) {
        return ProbeOutcome::Happened {
            summary: format!("{} {}", normalise::counted(Some(kind), now.len()), leads.unwrap_or_default()),
            result: normalise::object(
                Some(kind),
                &json!(now.iter().flatten().map(|item| &item.raw).collect::<Vec<_>>()),
            ),
        };
    }
    let said: Vec<String> = now
        .iter()
        .flatten()
        .take(3)
        .map(|item| format!("“{}” is {}", item.name, item.status.as_deref().unwrap_or("there")))
        .collect();
    cannot_tell(if said.is_empty() { format!("we can't read the {}", kind.plural()) } else { said.join(", ") })
}

#[cfg(test)]
mod tests {
    use adagent_domain::Network;

    use super::*;

    fn item(id: &str, name: &str, raw: Json) -> EntityItem {
        EntityItem {
            network: Network::Liftoff,
            kind: EntityKind::App,
            id: id.into(),
            name: name.into(),
            parent: None,
            account: None,
            platform: None,
            format: None,
            status: None,
            connection: None,
            raw: raw.into(),
        }
    }

    fn word(outcome: &ProbeOutcome) -> &'static str {
        match outcome {
            ProbeOutcome::Happened { .. } => "happened",
            ProbeOutcome::DidNotHappen { .. } => "did not",
            ProbeOutcome::CannotTell { .. } => "cannot tell",
        }
    }

    fn created(there: &[(&str, &str)], whole: bool, before: Option<&[&str]>) -> &'static str {
        let part = Part { id: None, name: Some("New".into()), said: None, pointer: String::new() };
        let items = there.iter().map(|(id, name)| item(id, name, Json::Null)).collect();
        let before: Option<Vec<String>> = before.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
        word(&made(EntityKind::App, &[part], &Seen { items, whole }, before.as_deref()))
    }

    #[test]
    fn what_was_made_is_certain_only_when_it_is_new() {
        assert_eq!(created(&[("1", "Old"), ("2", "New")], true, Some(&["1"])), "happened");
        assert_eq!(created(&[("1", "New")], true, Some(&["1"])), "did not");
        assert_eq!(created(&[("1", "Old")], true, Some(&["1"])), "did not");
        assert_eq!(created(&[("1", "Old"), ("2", "new ")], true, Some(&["1"])), "happened");
        // Something is new under another name, and it may be this one.
        assert_eq!(created(&[("1", "Old"), ("2", "NEW-2")], true, Some(&["1"])), "cannot tell");
        assert_eq!(created(&[("2", "New"), ("3", "New")], true, Some(&[])), "cannot tell");
        assert_eq!(created(&[("1", "New")], true, None), "cannot tell");
        // The network may store the name in a different form.
        assert_eq!(created(&[("1", "Old")], true, None), "cannot tell");
        assert_eq!(created(&[("1", "Old")], false, Some(&["1"])), "cannot tell");
    }

    fn update(now: Option<Json>, said: &Json) -> &'static str {
        let part = Part { id: Some("1".into()), name: None, said: Some(said), pointer: "/body".into() };
        word(&changed(EntityKind::App, &[part], &[now.map(|raw| item("1", "App", raw))]))
    }

    #[test]
    fn a_change_is_certain_only_where_every_field_is_shown() {
        let said = json!({"name": "N", "cpmFloor": {"default": 4.5}, "tags": ["b", "a"]});
        let there = json!({"name": "N", "cpmFloor": {"default": "4.50"}, "tags": ["a", "b"], "other": 1});
        assert_eq!(update(Some(there), &said), "happened");
        assert_eq!(
            update(Some(json!({"name": "N", "cpmFloor": {"default": 4}, "tags": ["a", "b"]})), &said),
            "cannot tell"
        );
        assert_eq!(update(Some(json!({"name": "N", "tags": ["a", "b"]})), &said), "cannot tell");
        assert_eq!(
            update(Some(json!({"name": "N", "cpmFloor": {"default": 4.5}, "tags": ["a", "b", "c"]})), &said),
            "cannot tell"
        );
        // The entity has none of the values that we sent, so it was not changed.
        assert_eq!(update(Some(json!({"name": "Old", "cpmFloor": {"default": 4}, "tags": []})), &said), "did not");
        assert_eq!(update(None, &said), "cannot tell");
    }

    #[test]
    fn what_is_gone_is_gone_only_when_all_of_it_was_looked_through() {
        let there = || Some(item("1", "App", Json::Null));
        assert_eq!(word(&gone(EntityKind::App, &[None, None], true)), "happened");
        assert_eq!(word(&gone(EntityKind::App, &[None], false)), "cannot tell");
        assert_eq!(word(&gone(EntityKind::App, &[there()], true)), "did not");
        assert_eq!(word(&gone(EntityKind::App, &[there(), None], true)), "cannot tell");
    }
}
