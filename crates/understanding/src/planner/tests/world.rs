//! A small publisher with numbers that add up. It answers the calls that the planner proposes. No network access, no clock.

use std::collections::BTreeMap;

use adagent_contract::{
    AccountChoice, Column, ColumnKind, ContextSettings, EntityItem, EntityKind, ModelTier, Path, ReportData, Value,
};
use adagent_domain::{Currency, Ids as _, Money, Network, SequentialIds, ToolCallId};
use adagent_llm::{ModelMessage, ModelReply, ModelRequest, PlannerContext, ProposedCall};
use jiff::{ToSpan as _, civil::Date};
use serde_json::{Value as Json, json};

use crate::planner::plan;
use crate::{Capability, Filter, FilterValue, Outcome, Slots, Understood};

pub const TODAY: &str = "2026-11-21";
pub const ACME: &str = "pub-1111111111111111";
pub const NORTH: &str = "pub-2222222222222222";
const SOURCES: [(&str, &str); 6] = [
    ("5450213213286189855", "AdMob Network"),
    ("1063618907739174004", "AppLovin"),
    ("1328079684332308356", "AppLovin (bidding)"),
    ("7069338991535737586", "Unity Ads (bidding)"),
    ("7681903010231960328", "InMobi"),
    ("8468954295581492586", "InMobi (SDK) (bidding)"),
];

#[derive(Clone)]
pub struct World {
    pub entities: Vec<EntityItem>,
    /// Varies the daily revenue, so that property tests see different numbers.
    pub seed: i64,
    pub warnings: Vec<String>,
    pub empty: bool,
    /// An ad source that earns a tenth of what the others earn.
    pub cheap: Option<&'static str>,
    /// An app whose impressions earn a tenth of what the others' earn.
    pub poor: Option<&'static str>,
    /// The current day, if it is not [`TODAY`].
    pub today: &'static str,
    /// The reporting time zone.
    pub time_zone: &'static str,
    /// Tools that fail, each with its error.
    pub broken: BTreeMap<String, Json>,
}

fn entity(kind: EntityKind, id: &str, name: &str, account: Option<&str>) -> EntityItem {
    EntityItem {
        network: Network::AdMob,
        kind,
        id: id.into(),
        name: name.into(),
        parent: None,
        account: account.map(Into::into),
        platform: None,
        format: None,
        status: None,
        connection: None,
        raw: Json::Null.into(),
    }
}

impl Default for World {
    fn default() -> Self {
        let mut entities = vec![
            entity(EntityKind::Account, ACME, "Acme Games", Some(ACME)),
            entity(EntityKind::Account, NORTH, "Northwind Studio", Some(NORTH)),
        ];
        for (id, name, account, platform) in [
            ("ca-app-pub-1111111111111111~1000000001", "Puzzle Game", ACME, "android"),
            ("ca-app-pub-1111111111111111~1000000002", "Puzzle Game", ACME, "ios"),
            ("ca-app-pub-2222222222222222~2000000001", "Word Quest", NORTH, "android"),
        ] {
            entities.push(EntityItem {
                platform: Some(platform.into()),
                ..entity(EntityKind::App, id, name, Some(account))
            });
        }
        for (id, name, app, account, format) in [
            ("ca-app-pub-1111111111111111/1100000001", "PG Android banner main", 1, ACME, "banner"),
            ("ca-app-pub-1111111111111111/1100000002", "PG Android banner menu", 1, ACME, "banner"),
            ("ca-app-pub-1111111111111111/1100000003", "PG Android rewarded", 1, ACME, "rewarded"),
            ("ca-app-pub-1111111111111111/1200000001", "PG iOS banner", 2, ACME, "banner"),
        ] {
            entities.push(EntityItem {
                parent: Some(format!("ca-app-pub-1111111111111111~100000000{app}")),
                format: Some(format.into()),
                ..entity(EntityKind::AdUnit, id, name, Some(account))
            });
        }
        for account in [ACME, NORTH] {
            for (id, name) in SOURCES {
                entities.push(entity(EntityKind::AdSource, id, name, Some(account)));
            }
        }
        entities.push(EntityItem {
            platform: Some("ios".into()),
            format: Some("rewarded".into()),
            status: Some("ENABLED".into()),
            connection: None,
            raw: json!({
                "mediationGroupId": "3300000001", "displayName": "iOS Rewarded Global", "state": "ENABLED",
                "targeting": {"platform": "IOS", "format": "BANNER", "adUnitIds": ["ca-app-pub-1111111111111111/1200000001"]},
                "mediationGroupLines": {
                    "9001": {"id": "9001", "displayName": "AppLovin bid", "adSourceId": "1328079684332308356", "cpmMode": "LIVE", "state": "ENABLED"},
                    "9002": {"id": "9002", "displayName": "InMobi high", "adSourceId": "7681903010231960328", "cpmMode": "MANUAL", "cpmMicros": "3000000", "state": "ENABLED"},
                },
            })
            .into(),
            ..entity(EntityKind::MediationGroup, "3300000001", "iOS Rewarded Global", Some(ACME))
        });
        Self {
            entities,
            seed: 0,
            warnings: Vec::new(),
            empty: false,
            cheap: None,
            poor: None,
            today: TODAY,
            time_zone: "",
            broken: BTreeMap::new(),
        }
    }
}

/// One row of what really happened.
pub struct Fact {
    pub account: &'static str,
    pub date: Date,
    pub app: &'static str,
    pub app_name: &'static str,
    pub country: &'static str,
    pub source: (&'static str, &'static str),
    pub revenue: i64,
    pub impressions: i64,
    pub requests: i64,
    pub fills: i64,
    pub clicks: i64,
}

impl World {
    /// Adds a mediation group to the first account.
    pub fn add_group(&mut self, id: &str, name: &str) {
        self.entities.push(entity(EntityKind::MediationGroup, id, name, Some(ACME)));
    }

    pub fn facts(&self, from: Date, to: Date) -> Vec<Fact> {
        let mut out = Vec::new();
        if self.empty {
            return out;
        }
        let apps = [
            (ACME, "ca-app-pub-1111111111111111~1000000001", "Puzzle Game", 5),
            (ACME, "ca-app-pub-1111111111111111~1000000002", "Puzzle Game", 7),
            (NORTH, "ca-app-pub-2222222222222222~2000000001", "Word Quest", 3),
        ];
        let mut date = from;
        while date <= to {
            let day = i64::from(date.day_of_year());
            for (account, app, app_name, weight) in apps {
                for (c, country) in ["US", "DE", "JP"].into_iter().enumerate() {
                    for (s, source) in [SOURCES[0], SOURCES[2], SOURCES[4]].into_iter().enumerate() {
                        let size = (day % 11 + 3) * weight * (5 - i64::try_from(c).unwrap_or(0))
                            + i64::try_from(s).unwrap_or(0);
                        out.push(Fact {
                            account,
                            date,
                            app,
                            app_name,
                            country,
                            source,
                            revenue: size
                                * if self.cheap == Some(source.1) || self.poor == Some(app) {
                                    123_456
                                } else {
                                    1_234_567
                                }
                                + self.seed * (day % 5 + 1),
                            impressions: size * 311,
                            requests: size * 700,
                            fills: size * 420,
                            clicks: size * 4,
                        });
                    }
                }
            }
            date = date.saturating_add(1.day());
        }
        out
    }

    pub fn revenue(&self, from: &str, to: &str) -> i64 {
        self.facts(day(from), day(to)).iter().map(|f| f.revenue).sum()
    }

    fn respond(&self, call: &ProposedCall) -> (bool, Json) {
        if let Some(error) = self.broken.get(&call.name) {
            return (false, error.clone());
        }
        let account = call.args["account_id"].as_str().unwrap_or_default();
        let listed = |kind: EntityKind| {
            let items: Vec<Json> = self
                .entities
                .iter()
                .filter(|e| e.kind == kind && (e.account.as_deref() == Some(account) || kind == EntityKind::AdSource))
                .map(raw)
                .collect();
            json!({"kind": "list", "entity": kind.as_str(), "items": items, "truncated": false})
        };
        let content = match call.name.as_str() {
            "admob_generate_campaign_report" | "admob_generate_mediation_report" | "admob_generate_network_report" => {
                serde_json::to_value(self.report(account, &call.args["body"]["reportSpec"])).unwrap()
            }
            "admob_list_accounts" => {
                let items: Vec<Json> =
                    self.entities.iter().filter(|e| e.kind == EntityKind::Account).map(raw).collect();
                json!({"kind": "list", "entity": "account", "items": items, "truncated": false})
            }
            "admob_list_apps" => listed(EntityKind::App),
            "admob_list_ad_units" => listed(EntityKind::AdUnit),
            "admob_list_ad_sources" => listed(EntityKind::AdSource),
            "admob_list_mediation_groups" => listed(EntityKind::MediationGroup),
            "admob_list_ad_source_adapters" => {
                let id = if call.args["ad_source_id"] == "1328079684332308356" { "500" } else { "600" };
                json!({"kind": "list", "entity": "ad_source_adapter", "items": [{
                    "adapterId": id, "title": "Adapter Android banner", "platform": "ANDROID", "formats": ["BANNER"],
                    "adapterConfigMetadata": [{"adapterConfigMetadataId": "701", "adapterConfigMetadataLabel": "Placement ID", "isRequired": true}],
                }]})
            }
            "admob_list_ad_unit_mappings" => {
                let unit = call.args["ad_unit_id"].as_str().unwrap_or_default();
                json!({"kind": "list", "entity": "ad_unit_mapping", "items": [{
                    "name": format!("accounts/{account}/adUnits/{unit}/adUnitMappings/77"), "adapterId": "500", "displayName": "AL", "state": "ENABLED",
                    "adUnitConfigurations": {"701": "zone-1"},
                }]})
            }
            "admob_create_mediation_group" => {
                let mut item = call.args["body"].clone();
                item["mediationGroupId"] = "3300000099".into();
                json!({"kind": "object", "entity": "mediation_group", "item": item})
            }
            other => panic!("the test world has no {other}"),
        };
        (true, content)
    }

    fn report(&self, account: &str, spec: &Json) -> ReportData {
        let date = |key: &str| {
            let d = &spec["dateRange"][key];
            let part = |k: &str| i8::try_from(d[k].as_i64().unwrap()).unwrap();
            Date::new(i16::try_from(d["year"].as_i64().unwrap()).unwrap(), part("month"), part("day")).unwrap()
        };
        let (from, to) = (date("startDate"), date("endDate"));
        let words = |key: &str| -> Vec<String> {
            spec[key].as_array().map(|a| a.iter().map(|v| v.as_str().unwrap().to_owned()).collect()).unwrap_or_default()
        };
        let (dims, metrics) = (words("dimensions"), words("metrics"));
        let allowed = |dim: &str, value: &str| {
            spec["dimensionFilters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|f| f["dimension"] == dim)
                .all(|f| f["matchesAny"]["values"].as_array().unwrap().iter().any(|v| v == value))
        };
        let mut rows: BTreeMap<Vec<String>, (Vec<Value>, [i64; 5])> = BTreeMap::new();
        for fact in self.facts(from, to).into_iter().filter(|f| f.account == account) {
            if !allowed("APP", fact.app) || !allowed("COUNTRY", fact.country) || !allowed("AD_SOURCE", fact.source.0) {
                continue;
            }
            let cells: Vec<Value> = dims.iter().map(|dim| dimension(&fact, dim)).collect();
            let key = cells.iter().map(crate::planner::report::merge::identity).collect();
            let entry = rows.entry(key).or_insert_with(|| (cells, [0; 5]));
            for (sum, more) in
                entry.1.iter_mut().zip([fact.revenue, fact.impressions, fact.requests, fact.fills, fact.clicks])
            {
                *sum += more;
            }
        }
        let column = |key: &str, kind| Column { key: key.into(), label: key.into(), kind, unit: None };
        let mut columns: Vec<Column> = dims
            .iter()
            .map(|d| {
                column(
                    d.to_lowercase().trim_end_matches("_id"),
                    if matches!(d.as_str(), "DATE" | "MONTH") { ColumnKind::Date } else { ColumnKind::Entity },
                )
            })
            .collect();
        let name = |wire: &str| match wire {
            "ESTIMATED_EARNINGS" => "revenue",
            "IMPRESSIONS" => "impressions",
            "AD_REQUESTS" => "requests",
            "MATCHED_REQUESTS" => "fills",
            "CLICKS" => "clicks",
            "OBSERVED_ECPM" | "IMPRESSION_RPM" => "ecpm",
            "MATCH_RATE" => "match_rate",
            "SHOW_RATE" => "show_rate",
            "IMPRESSION_CTR" | "CLICK_THROUGH_RATE" => "ctr",
            "INSTALLS" => "installs",
            "AD_LOAD_LATENCY" => "latency",
            other => panic!("no metric {other}"),
        };
        columns.extend(metrics.iter().map(|m| column(name(m), ColumnKind::Count)));
        let rows: Vec<Vec<Value>> = rows
            .into_values()
            .map(|(mut cells, [revenue, impressions, requests, fills, clicks])| {
                for metric in &metrics {
                    cells.push(match name(metric) {
                        "revenue" => Value::Money { money: Money::new(Currency::USD, revenue) },
                        "impressions" => Value::Count { value: impressions },
                        "requests" => Value::Count { value: requests },
                        "fills" => Value::Count { value: fills },
                        "clicks" | "installs" => Value::Count { value: clicks },
                        // Deliberately absurd: an answer that averages instead of summing would show it.
                        _ => Value::Percent { value: -1.0 },
                    });
                }
                cells
            })
            .collect();
        ReportData {
            columns,
            row_count: rows.len() as u64,
            rows,
            truncated: false,
            currency: Some("USD".into()),
            time_zone: Some("Etc/UTC".into()),
            date_from: from.to_string(),
            date_to: to.to_string(),
            account: Some(AccountChoice {
                id: account.into(),
                name: account.into(),
                currency: None,
                time_zone: None,
                selected: true,
                label: None,
            }),
            warnings: self.warnings.clone(),
        }
    }
}

/// Returns a fact's value for a dimension, in the form that reports use.
fn dimension(fact: &Fact, dim: &str) -> Value {
    match dim {
        "DATE" => Value::Date { value: fact.date.to_string() },
        "MONTH" => Value::Date { value: format!("{}-{:02}", fact.date.year(), fact.date.month()) },
        "APP" => Value::Entity { id: fact.app.into(), name: fact.app_name.into() },
        "COUNTRY" => Value::Entity { id: fact.country.into(), name: fact.country.into() },
        "AD_SOURCE" => Value::Entity { id: fact.source.0.into(), name: fact.source.1.into() },
        "AD_UNIT" => Value::Entity { id: format!("{}/unit", fact.app), name: "A unit".into() },
        "FORMAT" => Value::Entity { id: "BANNER".into(), name: "Banner".into() },
        "PLATFORM" => Value::Entity { id: "Android".into(), name: "Android".into() },
        "MEDIATION_GROUP" => {
            let (id, name) =
                if fact.app.ends_with("~1000000002") { (1, "iOS Rewarded Global") } else { (2, "The rest") };
            Value::Entity { id: format!("ca-app-pub-1111111111111111:mg:330000000{id}"), name: name.into() }
        }
        "CAMPAIGN_ID" => Value::Entity { id: "77".into(), name: "77".into() },
        "CAMPAIGN_NAME" => Value::Text { value: "Cross promo".into() },
        "GMA_SDK_VERSION" | "MOBILE_OS_VERSION" | "APP_VERSION_NAME" | "AD_SOURCE_INSTANCE" => {
            Value::Text { value: "1.2".into() }
        }
        other => panic!("no dimension {other}"),
    }
}

fn raw(item: &EntityItem) -> Json {
    if !item.raw.is_null() {
        return Json::clone(&item.raw);
    }
    match item.kind {
        EntityKind::Account => json!({"publisherId": item.id, "currencyCode": "USD", "reportingTimeZone": "Etc/UTC"}),
        EntityKind::App => {
            json!({"appId": item.id, "manualAppInfo": {"displayName": item.name}, "platform": item.platform.as_deref().unwrap_or("").to_uppercase(), "appApprovalState": "APPROVED"})
        }
        EntityKind::AdUnit => {
            json!({"adUnitId": item.id, "appId": item.parent, "displayName": item.name, "adFormat": item.format.as_deref().unwrap_or("").to_uppercase()})
        }
        EntityKind::AdSource => json!({"adSourceId": item.id, "title": item.name}),
        _ => json!({}),
    }
}

pub fn day(text: &str) -> Date {
    text.parse().unwrap()
}

pub fn slots(metrics: &[&str], dims: &[&str], from: &str, to: &str) -> Slots {
    Slots {
        metrics: metrics.iter().map(|m| (*m).to_owned()).collect(),
        dimensions: dims.iter().map(|d| (*d).to_owned()).collect(),
        date_from: (!from.is_empty()).then(|| from.to_owned()),
        date_to: (!to.is_empty()).then(|| to.to_owned()),
        ..Slots::default()
    }
}

pub fn only(field: &str, values: &[&str]) -> Filter {
    Filter { field: field.into(), value: FilterValue::In(values.iter().map(|v| (*v).to_owned()).collect()) }
}

pub fn understood(capability: Capability, outcome: Outcome, slots: impl Into<Option<Slots>>, text: &str) -> Understood {
    // Goes through JSON, as it reaches the planner, so that fields that are added later get their defaults.
    serde_json::from_value(json!({
        "services": [Network::AdMob],
        "capability": capability,
        "path": if outcome == Outcome::Approval { Path::Workflow } else { Path::Reactive },
        "outcome": outcome,
        "confidence": 0.95,
        "thinking": "",
        "slots": slots.into(),
        "standalone": text,
    }))
    .unwrap()
}

pub fn request(world: &World, text: &str, understood: &Understood) -> ModelRequest {
    ModelRequest {
        tier: ModelTier::Fast,
        system: String::new(),
        messages: vec![ModelMessage::User { content: text.into() }],
        tools: Vec::new(),
        max_output_tokens: 4096,
        planner: PlannerContext {
            today: world.today.into(),
            time_zone: world.time_zone.into(),
            days: std::collections::BTreeMap::new(),
            question: text.into(),
            history: Vec::new(),
            connected: vec![Network::AdMob],
            disabled: Vec::new(),
            understood: serde_json::to_value(understood).unwrap(),
            entities: world.entities.clone().into(),
            outside: Vec::new(),
            settings: ContextSettings::default(),
            connections: Vec::new(),
            agent: None,
            not_granted: std::collections::BTreeMap::new(),
            plan: None,
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        },
    }
}

/// What the planner did until it answered or proposed a write.
pub struct Run {
    pub reply: ModelReply,
    /// Every call in order, by round.
    pub rounds: Vec<Vec<ProposedCall>>,
    pub request: ModelRequest,
}

/// Fails on what the engine refuses: the same call twice, or too many calls at once.
pub fn admit(rounds: &[Vec<ProposedCall>], calls: &[ProposedCall]) {
    assert!(calls.len() <= crate::planner::MOST_READS, "the engine refuses more: {calls:?}");
    for (at, call) in calls.iter().enumerate() {
        let mut earlier = rounds.iter().flatten().chain(&calls[..at]);
        assert!(!earlier.any(|other| other.name == call.name && other.args == call.args), "proposed twice: {call:?}");
    }
}

impl Run {
    /// Returns the answer, with how it was counted.
    pub fn said(&self) -> String {
        adagent_contract::with_method(&self.reply.text, &self.reply.method)
    }

    pub fn write(&self) -> &ProposedCall {
        let [write] = self.reply.calls.as_slice() else { panic!("not one write but: {}", self.reply.text) };
        write
    }
}

impl Run {
    /// Returns what was read: tool, arguments, result.
    pub fn results(&self) -> Vec<(&str, &Json, &Json)> {
        let mut args = BTreeMap::new();
        let mut out = Vec::new();
        for message in &self.request.messages {
            match message {
                ModelMessage::Assistant { calls, .. } => args.extend(calls.iter().map(|c| (c.id, &c.args))),
                ModelMessage::Tool { call_id, name, content, .. } => {
                    out.push((name.as_str(), args[&Some(*call_id)], &**content));
                }
                _ => {}
            }
        }
        out
    }
}

pub fn is_write(name: &str) -> bool {
    !name.contains("_list_") && !name.contains("_get_") && !name.contains("_generate_")
}

/// Plays the engine: the world answers reads, and a write ends the run.
pub fn run(world: &World, request: ModelRequest) -> Run {
    run_within(world, request, 10)
}

/// Like [`run`], in at most `turns` turns.
pub fn run_within(world: &World, mut request: ModelRequest, turns: usize) -> Run {
    let ids = SequentialIds::default();
    let mut rounds = Vec::new();
    for _ in 0..turns {
        let reply = plan(&request);
        if reply.calls.is_empty() || reply.calls.iter().any(|c| is_write(&c.name)) {
            return Run { reply, rounds, request };
        }
        admit(&rounds, &reply.calls);
        rounds.push(reply.calls.clone());
        answer(world, &mut request, &ids, &reply.calls);
    }
    panic!("the planner does not come to an end: {rounds:?}");
}

pub fn answer(world: &World, request: &mut ModelRequest, ids: &SequentialIds, calls: &[ProposedCall]) {
    let calls: Vec<ProposedCall> =
        calls.iter().map(|c| ProposedCall { id: Some(ToolCallId(ids.next_uuid())), ..c.clone() }).collect();
    request.messages.push(ModelMessage::Assistant { content: String::new(), calls: calls.clone() });
    for call in calls {
        let (ok, content) = world.respond(&call);
        request.messages.push(ModelMessage::Tool {
            call_id: call.id.unwrap(),
            name: call.name,
            ok,
            content: content.into(),
        });
    }
}

/// Adds a write and its result to the request.
pub fn ended(request: &mut ModelRequest, call: &ProposedCall, ok: bool, content: Json) {
    let id: ToolCallId = format!("019aa5c4-9a3e-7000-8000-{:012}", request.messages.len()).parse().unwrap();
    let call = ProposedCall { id: Some(id), ..call.clone() };
    request.messages.push(ModelMessage::Assistant { content: String::new(), calls: vec![call.clone()] });
    request.messages.push(ModelMessage::Tool { call_id: id, name: call.name, ok, content: content.into() });
}
