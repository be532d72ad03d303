//! All nine networks with numbers that add up. Each answers its own report operation. No network access, no clock.

use std::collections::BTreeMap;

use adagent_contract::{
    Column, ColumnKind, ConnectionName, ContextSettings, EntityItem, HistoryEntry, ModelTier, ReportData, Value,
};
use adagent_domain::{Currency, Ids as _, Money, Network, SequentialIds, ToolCallId};
use adagent_llm::{ModelMessage, ModelRequest, Persona, PlannerContext, ProposedCall, ToolSpec};
use jiff::{ToSpan as _, civil::Date};
use serde_json::{Value as Json, json};

use super::world::{Run, TODAY, admit, day};
use crate::planner::{
    desks::{self, Desk},
    plan,
    report::metric::Dim,
};
use crate::{Capability, Outcome, Slots, Understood};

/// The last full day; [`TODAY`] is the day after it.
pub const YESTERDAY: &str = "2026-11-20";

#[derive(Clone, Default)]
pub struct Fleet {
    pub entities: Vec<EntityItem>,
    /// For networks that are connected more than once.
    pub connections: Vec<ConnectionName>,
    /// Networks that don't answer.
    pub silent: Vec<Network>,
    /// Networks that answer only after the answer is due.
    pub late: Vec<Network>,
    /// The day from which a network has numbers.
    pub begins: BTreeMap<Network, &'static str>,
    /// The currency of a network's reports, if it is not US dollars.
    pub currencies: BTreeMap<Network, &'static str>,
    pub zones: BTreeMap<Network, &'static str>,
    /// The saved reports of Ad Manager.
    pub saved: Vec<Json>,
    pub tools: Vec<ToolSpec>,
    pub safe: bool,
    /// Whether a person approves every report that we ask to save.
    pub approves: bool,
    pub made: std::cell::RefCell<Vec<Json>>,
    /// The agent that answers.
    pub agent: Option<Persona>,
    /// The messages of the chat so far.
    pub history: Vec<HistoryEntry>,
}

/// One row of what happened.
struct Fact {
    date: Date,
    country: &'static str,
    app: &'static str,
    format: &'static str,
    /// The demand source that paid. Only mediation has more than one.
    source: &'static str,
    revenue: i64,
    impressions: i64,
}

/// Returns the demand sources in a network's mediation, its own included, each with its weight.
const fn sources(network: Network) -> &'static [(&'static str, i64)] {
    match network {
        Network::AdMob => &[
            ("AdMob Network", 100),
            ("AppLovin (bidding)", 40),
            ("Meta Audience Network", 30),
            ("Unity Ads (bidding)", 20),
        ],
        Network::AppLovin => &[("APPLOVIN_EXCHANGE", 70), ("FACEBOOK_NETWORK", 5)],
        Network::Unity => &[("UnityAds", 60), ("ironSource", 6), ("Mintegral", 9)],
        Network::DtExchange => &[("DT Exchange", 11)],
        Network::AdManager => &[("", 21)],
        Network::Mintegral => &[("", 31)],
        Network::Liftoff => &[("", 41)],
        Network::InMobi => &[("", 51)],
        Network::Pangle => &[("", 13)],
    }
}

fn facts(network: Network, from: Date, to: Date) -> Vec<Fact> {
    let mut out = Vec::new();
    let mut date = from;
    while date <= to {
        for (source, size) in sources(network) {
            for (country, weight) in [("US", 3), ("DE", 1)] {
                for (app, more) in [("Puzzle Game", 2), ("Word Quest", 1)] {
                    for (format, factor) in [("rewarded", 4), ("banner", 1)] {
                        let impressions = size * weight * more * 10;
                        out.push(Fact {
                            date,
                            country,
                            app,
                            format,
                            source,
                            impressions,
                            revenue: impressions * factor * 1_001 + i64::from(date.day()),
                        });
                    }
                }
            }
        }
        date = date.saturating_add(1.day());
    }
    out
}

/// Returns what a network earned, in micros: everything in its report, or only the demand of `source`.
pub fn earned(network: Network, from: &str, to: &str, source: Option<&str>) -> i64 {
    let own = |fact: &&Fact| source.is_none_or(|source| fact.source == source);
    facts(network, day(from), day(to)).iter().filter(own).map(|fact| fact.revenue).sum()
}

impl Fleet {
    fn respond(&self, call: &ProposedCall) -> (bool, Json) {
        let network: Network = call.name.split('_').next().unwrap().parse().unwrap();
        if self.silent.contains(&network) {
            return (false, json!({"error": {"message": "the service is unavailable"}}));
        }
        if self.late.contains(&network) {
            return (false, json!({"error": {"code": adagent_tools::OUT_OF_TIME, "message": "it took too long"}}));
        }
        match call.name.as_str() {
            "admob_list_accounts" => (
                true,
                json!({"kind": "list", "entity": "account", "items": [
                    {"publisherId": "pub-1", "currencyCode": "USD"},
                ]}),
            ),
            "admanager_list_networks" => (
                true,
                json!({"kind": "list", "entity": "account", "items": [
                    {"name": "networks/217", "networkCode": "217", "displayName": "Acme", "currencyCode": "USD"},
                ]}),
            ),
            "admanager_list_reports" => (true, json!({"kind": "list", "items": self.saved})),
            "admanager_create_report" => {
                let mut made = self.made.borrow_mut();
                let mut report = call.args["body"].clone();
                report["reportId"] = format!("9{}", made.len()).into();
                made.push(report.clone());
                (true, json!({"kind": "object", "item": report}))
            }
            "admanager_run_report" => {
                let id = call.args["report_id"].as_str().unwrap();
                let made = self.made.borrow();
                let report = self.saved.iter().chain(made.iter()).find(|report| report["reportId"] == id).cloned();
                let definition = report.unwrap_or_else(|| panic!("no report {id}"))["reportDefinition"].clone();
                (true, serde_json::to_value(self.report(network, &desks::of(network)[0], &definition)).unwrap())
            }
            name => {
                let desk = desks::of(network).iter().find(|desk| desk.tool == name);
                let desk = desk.unwrap_or_else(|| panic!("the fleet has no {name}"));
                (true, serde_json::to_value(self.report(network, desk, &call.args)).unwrap())
            }
        }
    }

    /// Builds a report as the pipeline would normalize it: split by what the arguments name, and restricted to the countries in them.
    fn report(&self, network: Network, desk: &Desk, args: &Json) -> ReportData {
        let (mut words, mut dates) = (Vec::new(), Vec::new());
        texts(args, &mut words, &mut dates);
        dates.sort();
        let (from, to) = (*dates.first().expect("dated"), *dates.last().expect("dated"));
        let split =
            |dim: Dim| desk.split(dim).filter(|s| s.wire.iter().all(|wire| words.iter().any(|word| word == wire)));
        let dims: Vec<(Dim, &'static str)> = [Dim::Date, Dim::App, Dim::Country, Dim::Format, Dim::AdSource]
            .into_iter()
            .filter_map(|dim| Some((dim, split(dim)?.column)))
            .collect();
        let countries: Vec<String> = words.iter().filter(|w| w.len() == 2).map(|w| w.to_uppercase()).collect();
        let currency: Currency = self.currencies.get(&network).copied().unwrap_or("USD").to_owned().try_into().unwrap();
        let mut rows: BTreeMap<String, (Vec<Value>, i64, i64)> = BTreeMap::new();
        let first = self.begins.get(&network).map_or(from, |begins| day(begins).max(from));
        for fact in facts(network, first, to) {
            if !countries.is_empty() && !countries.iter().any(|code| code == fact.country) {
                continue;
            }
            let entity = |id: &str| Value::Entity { id: id.to_owned(), name: id.to_owned() };
            let cells: Vec<Value> = dims
                .iter()
                .map(|(dim, _)| match dim {
                    Dim::Date => Value::Date { value: fact.date.to_string() },
                    Dim::App => entity(fact.app),
                    Dim::Country => entity(&fact.country.to_lowercase()),
                    Dim::Format => entity(desk.format_wires(fact.format)[0]),
                    _ => entity(fact.source),
                })
                .collect();
            let key = serde_json::to_string(&cells).unwrap();
            let row = rows.entry(key).or_insert((cells, 0, 0));
            row.1 += fact.revenue;
            row.2 += fact.impressions;
        }
        let column = |key: &str, kind| Column { key: key.to_owned(), label: key.to_owned(), kind, unit: None };
        let mut columns: Vec<Column> = dims.iter().map(|(_, key)| column(key, ColumnKind::Entity)).collect();
        columns.push(column("revenue", ColumnKind::Money));
        columns.push(column("impressions", ColumnKind::Count));
        columns.push(column("ecpm", ColumnKind::Percent));
        let rows: Vec<Vec<Value>> = rows
            .into_values()
            .map(|(mut cells, revenue, impressions)| {
                cells.push(Value::Money { money: Money::new(currency, revenue) });
                cells.push(Value::Count { value: impressions });
                // Deliberately absurd: an answer that averages instead of summing would show it.
                cells.push(Value::Percent { value: -1.0 });
                cells
            })
            .collect();
        ReportData {
            columns,
            row_count: rows.len() as u64,
            rows,
            truncated: false,
            currency: Some(currency.code().to_owned()),
            time_zone: Some(self.zones.get(&network).copied().unwrap_or("Etc/UTC").to_owned()),
            date_from: from.to_string(),
            date_to: to.to_string(),
            account: None,
            warnings: Vec::new(),
        }
    }
}

/// Collects every text and every day in the arguments, in any form that a network uses.
fn texts(args: &Json, words: &mut Vec<String>, dates: &mut Vec<Date>) {
    match args {
        Json::String(text) => {
            for part in text.split([':', ',']) {
                let dashed = match part.len() {
                    8 if part.bytes().all(|b| b.is_ascii_digit()) => {
                        format!("{}-{}-{}", &part[..4], &part[4..6], &part[6..])
                    }
                    _ => part.to_owned(),
                };
                match dashed.parse::<Date>() {
                    Ok(date) => dates.push(date),
                    Err(_) => words.push(part.to_owned()),
                }
            }
        }
        Json::Array(list) => list.iter().for_each(|one| texts(one, words, dates)),
        Json::Object(map) => match (&map.get("year"), &map.get("month"), &map.get("day")) {
            (Some(year), Some(month), Some(number)) => {
                let text = format!(
                    "{:04}-{:02}-{:02}",
                    year.as_i64().unwrap(),
                    month.as_i64().unwrap(),
                    number.as_i64().unwrap()
                );
                dates.push(day(&text));
            }
            _ => map.values().for_each(|one| texts(one, words, dates)),
        },
        _ => {}
    }
}

pub fn asks(
    services: &[Network],
    capability: Capability,
    outcome: Outcome,
    slots: impl Into<Option<Slots>>,
    text: &str,
) -> Understood {
    serde_json::from_value(json!({
        "services": services, "capability": capability, "path": "reactive", "outcome": outcome, "confidence": 0.95,
        "thinking": "", "slots": slots.into(), "standalone": text,
    }))
    .unwrap()
}

/// Plays the engine until the planner answers or proposes a change.
pub fn play(fleet: &Fleet, text: &str, understood: &Understood) -> Run {
    let ids = SequentialIds::default();
    let mut rounds = Vec::new();
    let mut request = ModelRequest {
        tier: ModelTier::Fast,
        system: String::new(),
        messages: vec![ModelMessage::User { content: text.into() }],
        tools: fleet.tools.clone(),
        max_output_tokens: 4096,
        planner: PlannerContext {
            today: TODAY.into(),
            time_zone: String::new(),
            days: std::collections::BTreeMap::new(),
            question: text.into(),
            history: fleet.history.clone(),
            connected: Network::ALL.to_vec(),
            disabled: Vec::new(),
            understood: serde_json::to_value(understood).unwrap(),
            entities: fleet.entities.clone().into(),
            outside: Vec::new(),
            settings: ContextSettings { safe_mode: fleet.safe, ..ContextSettings::default() },
            connections: fleet.connections.clone(),
            agent: fleet.agent.clone(),
            not_granted: std::collections::BTreeMap::new(),
            plan: None,
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        },
    };
    for _ in 0..14 {
        let reply = plan(&request);
        let writes = |call: &ProposedCall| {
            (call.name == "admanager_create_report" && !fleet.approves)
                || fleet.tools.iter().any(|tool| tool.name == call.name && !tool.read_only)
        };
        if reply.calls.is_empty() || reply.calls.iter().any(writes) {
            return Run { reply, rounds, request };
        }
        admit(&rounds, &reply.calls);
        rounds.push(reply.calls.clone());
        let calls: Vec<ProposedCall> = reply
            .calls
            .into_iter()
            .map(|call| ProposedCall { id: Some(ToolCallId(ids.next_uuid())), ..call })
            .collect();
        request.messages.push(ModelMessage::Assistant { content: String::new(), calls: calls.clone() });
        for call in calls {
            let (ok, content) = fleet.respond(&call);
            request.messages.push(ModelMessage::Tool {
                call_id: call.id.unwrap(),
                name: call.name,
                ok,
                content: content.into(),
            });
        }
    }
    panic!("the planner does not come to an end: {rounds:?}");
}

/// Formats an amount as answers show it: `$1,234.56`.
pub fn dollars(micros: i64) -> String {
    Money::new(Currency::USD, micros).display(2)
}
