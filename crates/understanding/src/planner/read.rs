//! Reads a request into what the planner needs: the question, the entities, and the calls of this run with their results. This must treat a
//! tool's result as nothing but data.

use std::{cell::OnceCell, collections::BTreeSet};

use adagent_contract::{ALREADY_WAITING, CONNECTION, EntityItem, EntityKind, ReportData, ResponseStyle};
use adagent_domain::{Cut as _, Network, ToolCallId};
use adagent_llm::{Entities, ModelMessage, ModelRequest};
use adagent_tools::OUT_OF_TIME;
use jiff::civil::Date;
use serde::Deserialize as _;
use serde_json::Value as Json;

use super::{Call, Step, report::days::Open, ways::Ways};
use crate::{Understood, accounts::Named, wish::Orders};

/// A call of this run with its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done<'a> {
    pub id: ToolCallId,
    pub name: &'a str,
    pub args: &'a Json,
    pub ok: bool,
    pub content: &'a Json,
}

impl Done<'_> {
    /// Returns what went wrong, in words for people.
    pub fn problem(&self) -> String {
        // We refused the call before we sent it. The network had no part in that, and people can't read a schema.
        let said = self.content.pointer("/error/message").and_then(Json::as_str);
        if said.is_some_and(|message| message.starts_with("The arguments do not fit:")) {
            return "I sent a request it doesn't accept. This is my mistake, and we logged it".to_owned();
        }
        let message = ["message", "detail", "error", "reason", "content"]
            .iter()
            .find_map(|key| match self.content.get(key) {
                Some(Json::String(text)) => Some(text.clone()),
                Some(Json::Object(inner)) => inner.get("message").and_then(Json::as_str).map(str::to_owned),
                _ => None,
            })
            .or_else(|| self.content.as_str().map(str::to_owned))
            .unwrap_or_else(|| "it gave no reason".to_owned());
        super::format::plain(message.trim_end_matches('.')).replace('\\', "")
    }

    pub fn guidance(&self) -> Option<&str> {
        let inner = self.content.get("error").unwrap_or(self.content);
        inner.get("guidance").and_then(Json::as_str).filter(|text| !text.is_empty())
    }

    /// Checks whether we refused the call before we sent it, because it names something unknown.
    pub fn names_unknown(&self) -> bool {
        self.content.pointer("/error/code").and_then(Json::as_str) == Some("UNKNOWN_ENTITY")
    }

    /// Checks whether the run had no time left for this call. Then it can read nothing more.
    pub fn out_of_time(&self) -> bool {
        self.content.pointer("/error/code").and_then(Json::as_str) == Some(OUT_OF_TIME)
    }

    /// Checks whether the same change already waits on a card.
    pub fn waits_already(&self) -> bool {
        self.content.pointer("/error/code").and_then(Json::as_str) == Some(ALREADY_WAITING)
    }

    /// Checks whether the network answered that the thing doesn't exist.
    pub fn not_found(&self) -> bool {
        let error = self.content.get("error").unwrap_or(self.content);
        let says = |key: &str, test: &dyn Fn(&str) -> bool| error.get(key).and_then(Json::as_str).is_some_and(test);
        !self.ok
            && (says("code", &|code| code == "NOT_FOUND")
                || says("message", &|text| text.contains("404") || text.to_lowercase().contains("not found")))
    }

    /// Checks whether the change was not sent: a person denied it, nobody answered, or it belongs to another run.
    pub fn denied(&self) -> bool {
        let inner = self.content.get("error").filter(|e| e.is_object()).unwrap_or(self.content);
        let says = |key: &str| {
            inner.get(key).and_then(Json::as_str).is_some_and(|text| {
                matches!(
                    text.to_ascii_lowercase().as_str(),
                    "denied" | "approval_denied" | "rejected_by_user" | "cancelled"
                )
            })
        };
        !self.ok
            && (self.content.get("denied").and_then(Json::as_bool) == Some(true)
                || says("code")
                || says("class")
                || says("status")
                || says("kind"))
    }
}

/// Everything that the planner knows at this step.
#[derive(Debug, Clone)]
pub(super) struct Turn<'a> {
    pub request: &'a ModelRequest,
    pub understood: Understood,
    pub today: Date,
    pub done: Vec<Done<'a>>,
    /// Entities of the workspace, and those that list calls of this run returned.
    pub entities: Entities,
    /// The question in full. If it answers our question about an earlier message, that message comes first.
    pub text: String,
    pub lower: String,
    /// Whether the question answers one that we asked about a change.
    pub goes_on: bool,
    /// Networks whose things the question may name.
    pub view: Vec<Network>,
    /// The connections that we ask, for networks with several.
    pub ways: Ways,
    /// The result of [`super::period::without_names`].
    pub unnamed: OnceCell<String>,
}

/// Keeps the wanted entities. If all of them stay, it leaves the shared list untouched.
fn keep(entities: &mut Entities, mut wanted: impl FnMut(&EntityItem) -> bool) {
    let stay: Vec<bool> = entities.iter().map(&mut wanted).collect();
    if !stay.iter().all(|stays| *stays) {
        let mut stay = stay.into_iter();
        entities.retain(|_| stay.next().unwrap_or(true));
    }
}

impl<'a> Turn<'a> {
    /// Reads the request. `said` holds, for each of the person's messages, the connections that it names; the question's come last.
    pub fn read(request: &'a ModelRequest, said: &[Named]) -> Result<Self, String> {
        let context = &request.planner;
        let mut understood: Understood =
            Understood::deserialize(&context.understood).map_err(|error| error.to_string())?;
        let today: Date = context.today.parse().map_err(|_| format!("{:?} is no date", context.today))?;
        let done = answered(&request.messages);
        let mut entities = context.entities.clone();
        // Ad sources are the same in every account, so one of each is enough to name it.
        let mut sources = BTreeSet::new();
        keep(&mut entities, |e| e.kind != EntityKind::AdSource || sources.insert(e.id.clone()));
        let key = |e: &EntityItem| (e.network, e.kind, e.id.clone(), e.connection.clone());
        let mut known: Option<BTreeSet<_>> = None;
        for call in done.iter().filter(|call| call.ok) {
            let others = || super::things::things_of(call).into_iter().filter_map(|thing| thing.entity());
            let items = if call.name.starts_with("admob_") { super::lists::items_of(call) } else { others().collect() };
            for item in items {
                let item = EntityItem { connection: through(call), ..item };
                if known.get_or_insert_with(|| entities.iter().map(key).collect()).insert(key(&item)) {
                    entities.push(item);
                }
            }
        }
        // We already know which of several orders continues.
        let split = |_: &str| {
            let first = understood.order.clone()?;
            Some(Orders { first, later: Vec::new() })
        };
        let wish = crate::wish::answered(&context.history, &context.question, &split)
            .map(|wish| crate::vocab::languages::to_english(&wish.text));
        let goes_on = wish.is_some();
        let mut named = said.last().cloned().unwrap_or_default();
        for (network, labels) in &understood.accounts {
            named.entry(*network).or_insert_with(|| labels.clone());
        }
        // An answer to our question keeps the account that the earlier message named.
        for (network, labels) in said.iter().rev().skip(1).flatten().filter(|_| goes_on) {
            named.entry(*network).or_insert_with(|| labels.clone());
        }
        let text = match wish {
            Some(wish) => wish,
            None if understood.standalone.trim().is_empty() => context.question.clone(),
            None => understood.standalone.clone(),
        };
        let text = match crate::conditions::taken_off(&text).filter(|_| understood.changes()) {
            Some(order) => order.text,
            None => text,
        };
        let ways = super::ways::of(context, &named, &text);
        // Leave out things of connections that we don't ask.
        keep(&mut entities, |e| match (ways.get(&e.network), &e.connection) {
            (Some(labels), Some(own)) => labels.contains(own),
            _ => true,
        });
        // "In LevelPlay" may answer our question where to turn Liftoff off. Then the change is to a source in LevelPlay.
        if goes_on
            && let Some(found) = crate::route::reading::Reading::new(&text, today, &entities).mediated
            && let Some(place) = found.place
        {
            understood.services = vec![place];
            understood.noun = Some(found.noun().to_owned());
        }
        let lower = text.to_lowercase();
        let view = Vec::new();
        let unnamed = OnceCell::new();
        let mut turn = Self { request, understood, today, done, entities, text, lower, goes_on, view, ways, unnamed };
        turn.view = turn.asked();
        if turn.view.is_empty() {
            turn.view.push(Network::AdMob);
        }
        Ok(turn)
    }

    pub fn question(&self) -> &str {
        &self.request.planner.question
    }

    pub fn detailed(&self) -> bool {
        self.request.planner.settings.response_style == ResponseStyle::Detailed
    }

    /// Checks whether AdMob is among the asked networks. If the question names none, it means all connected ones.
    pub fn serves_admob(&self) -> bool {
        let services = &self.understood.services;
        services.contains(&Network::AdMob)
            || (services.is_empty() && self.request.planner.connected.contains(&Network::AdMob))
    }

    /// Checks whether AdMob is the only network that could do it.
    pub fn only_admob(&self) -> bool {
        let context = &self.request.planner;
        let usable = context.connected.iter().filter(|n| !context.disabled.contains(n)).eq([&Network::AdMob]);
        match self.understood.services.as_slice() {
            [] => usable,
            [one] => *one == Network::AdMob && context.connected.contains(one),
            _ => false,
        }
    }

    pub fn of_kind(&self, kind: EntityKind) -> impl Iterator<Item = &EntityItem> {
        self.entities.iter().filter(move |e| e.kind == kind && self.view.contains(&e.network))
    }

    /// Returns the networks that we can ask.
    pub fn usable(&self) -> Vec<Network> {
        let context = &self.request.planner;
        context.connected.iter().copied().filter(|network| !context.disabled.contains(network)).collect()
    }

    /// Returns the networks to ask: those that the question is about, or all usable ones if it names none.
    pub fn asked(&self) -> Vec<Network> {
        let (usable, services) = (self.usable(), &self.understood.services);
        if services.is_empty() {
            usable
        } else {
            services.iter().copied().filter(|network| usable.contains(network)).collect()
        }
    }

    /// Returns the same turn, for one network only.
    pub fn only(&self, network: Network) -> Self {
        let mut one = self.clone();
        one.understood.services = vec![network];
        one.view = vec![network];
        one.unnamed = OnceCell::new();
        one
    }

    /// Returns the first day that is not over in all of the networks.
    pub fn open(&self, networks: &[Network]) -> Open {
        let days = networks.iter().map(|network| self.day_of(*network));
        days.min_by_key(|open| open.day).unwrap_or(Open { day: self.today, zone: None })
    }

    /// Returns the last day that has begun in any of the networks.
    pub fn latest(&self, networks: &[Network]) -> Open {
        let days = networks.iter().map(|network| self.day_of(*network));
        days.max_by_key(|open| open.day).unwrap_or(Open { day: self.today, zone: None })
    }

    /// Returns the day in progress in the network's own time zone if that is earlier than the workspace's day, and the workspace's day
    /// otherwise.
    fn day_of(&self, network: Network) -> Open {
        let there = self.request.planner.days.get(&network);
        let earlier = there.and_then(|there| Some((there.date.parse::<Date>().ok()?, there.zone.clone())));
        match earlier.filter(|(day, _)| *day < self.today) {
            Some((day, zone)) => Open { day, zone: Some(zone) },
            None => Open { day: self.today, zone: None },
        }
    }

    /// Returns "AdMob and Unity".
    pub fn network_words(&self) -> String {
        let names: Vec<String> = self.view.iter().map(|network| network.display_name().to_owned()).collect();
        super::format::and(&names)
    }

    /// Checks whether the question is about AdMob alone.
    pub fn admob_alone(&self) -> bool {
        matches!(self.asked().as_slice(), [] | [Network::AdMob])
    }

    /// Returns the accounts of a network that we can reach, within the context settings.
    pub fn accounts_of(&self, network: Network) -> Vec<&EntityItem> {
        let chosen = self.request.planner.settings.enabled_accounts.get(&network);
        let mut all: Vec<&EntityItem> =
            self.entities.iter().filter(|e| e.kind == EntityKind::Account && e.network == network).collect();
        // If two sign-ins reach the same account, it is one account. Connections by key name no account, so theirs may all have the
        // network's name.
        if network.uses_oauth() {
            let mut seen = BTreeSet::new();
            all.retain(|account| seen.insert(account.id.as_str()));
        }
        match chosen {
            Some(ids) if all.iter().any(|a| ids.contains(&a.id)) => {
                // With a flexible scope, a selection is only a preference, so an account that the question itself names still counts. With
                // a strict one, the entities hold nothing else.
                let named = self.named_accounts(network);
                if named.iter().any(|id| !ids.contains(id)) {
                    return all.into_iter().filter(|account| named.contains(&account.id)).collect();
                }
                all.into_iter().filter(|a| ids.contains(&a.id)).collect()
            }
            _ => all,
        }
    }

    /// Returns the accounts that the question names, directly or by something in them: an app, an ad unit, a group. If a thing is also in a
    /// selected account, the question means that one.
    fn named_accounts(&self, network: Network) -> BTreeSet<String> {
        let chosen = self.request.planner.settings.enabled_accounts.get(&network);
        let selected = |id: &String| chosen.is_none_or(|ids| ids.contains(id));
        let mut out: BTreeSet<String> = super::names::mentioned(self, EntityKind::Account, self.question())
            .into_iter()
            .filter(|account| account.network == network)
            .map(|account| account.id.clone())
            .collect();
        for kind in [EntityKind::App, EntityKind::AdUnit, EntityKind::MediationGroup] {
            let things = super::names::mentioned(self, kind, &self.text);
            let owners: BTreeSet<String> =
                things.iter().filter(|item| item.network == network).filter_map(|item| item.account.clone()).collect();
            if !owners.iter().any(selected) {
                out.extend(owners);
            }
        }
        out
    }

    /// Counts the accounts of a network, selected or not.
    pub fn all_accounts(&self, network: Network) -> usize {
        let planner = &self.request.planner;
        let ids: BTreeSet<&str> = self
            .entities
            .iter()
            .chain(&planner.entities)
            .chain(&planner.outside)
            .filter(|item| item.network == network && item.kind == EntityKind::Account)
            .map(|item| item.id.as_str())
            .collect();
        ids.len()
    }

    /// Returns the publisher accounts that we can reach, within the context settings.
    pub fn accounts(&self) -> Vec<&EntityItem> {
        self.accounts_of(Network::AdMob)
    }

    pub fn entity(&self, kind: EntityKind, id: &str) -> Option<&EntityItem> {
        self.of_kind(kind).find(|e| e.id == id)
    }

    /// Returns the latest answered call with this name and these arguments.
    pub fn find(&self, call: &Call) -> Option<&Done<'a>> {
        let one =
            |call: &Call| self.done.iter().rev().find(|done| done.name == call.name && same(done.args, &call.args));
        if self.ways.is_empty() {
            return one(call);
        }
        // If several connections are asked, there is an answer once each of them has replied. We return a success if there is one,
        // otherwise a failure.
        let all: Option<Vec<&Done<'a>>> = self.spread(call).iter().map(one).collect();
        all?.into_iter().min_by_key(|done| !done.ok)
    }

    /// Makes the calls that have no answer yet the next step. `None` if all are answered.
    pub fn missing(&self, calls: &[Call], say: &str) -> Option<Step> {
        let open: Vec<Call> = calls.iter().filter(|call| self.find(call).is_none()).cloned().collect();
        (!open.is_empty()).then(|| Step::Calls { say: say.to_owned(), calls: open })
    }

    /// Checks whether the question contains one of these words or phrases, at word boundaries.
    pub fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| contains_word(&self.lower, word))
    }
}

/// A report with the call that it came from.
#[derive(Clone)]
pub(super) struct Fetched {
    pub source: ToolCallId,
    pub report: ReportData,
}

pub(super) fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.cut(..at).chars().next_back();
        let after = text.cut(at + word.len()..).chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Returns the connection that a call used, if it names one.
fn through(call: &Done<'_>) -> Option<String> {
    call.args.get(CONNECTION).and_then(Json::as_str).map(str::to_owned)
}

fn answered(messages: &[ModelMessage]) -> Vec<Done<'_>> {
    let mut open = std::collections::HashMap::new();
    let mut done = Vec::new();
    for message in messages {
        match message {
            ModelMessage::Assistant { calls, .. } => {
                for call in calls {
                    if let Some(id) = call.id {
                        open.insert(id, &call.args);
                    }
                }
            }
            ModelMessage::Tool { call_id, name, ok, content } => {
                let args = open.get(call_id).copied().unwrap_or(&Json::Null);
                done.push(Done { id: *call_id, name, args, ok: *ok, content });
            }
            ModelMessage::User { .. } | ModelMessage::Guidance { .. } => {}
        }
    }
    done
}

/// Compares two sets of arguments, whatever the order of their keys.
pub(super) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => a == b,
    }
}
