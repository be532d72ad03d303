//! Lists and looks up everything that AdMob holds, as tables with names and IDs. This must show only what a list call returned.

mod groups;
mod table;

use std::fmt::Write as _;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Network, ToolCallId};
use serde_json::{Value as Json, json};

use super::{
    Answer, Call, Step, clarify,
    format::{and, count, plain},
    held, names,
    read::{Done, Turn},
    report,
};
use crate::Capability;

use groups::{group_sentence, with_countries, with_sources};
use table::{lines, table};
pub(super) use table::{lines_of, source_name};

/// The condition of a list that holds only the things that the question names.
const AS_NAMED: &str = "by name";

/// How many ad units one answer reads mappings for.
const MOST_UNITS: usize = 12;

pub(super) fn next(turn: &Turn<'_>) -> Step {
    let kind = wanted(turn);
    if let Some(id) = names::unknown_id(turn, kind != EntityKind::App) {
        return clarify::unknown(turn, "anything", &id, &[]).into();
    }
    if kind == EntityKind::Account {
        return accounts(turn);
    }
    if turn.accounts().is_empty() {
        return report::no_accounts(turn);
    }
    let calls = match calls(turn, kind) {
        Ok(calls) => calls,
        Err(step) => return *step,
    };
    if let Some(step) = turn.missing(&calls, &format!("Reading your {}.", plural(kind))) {
        return step;
    }
    show(turn, kind, &calls).into()
}

/// Returns the kind of thing that the question is about.
fn wanted(turn: &Turn<'_>) -> EntityKind {
    const WORDS: [(&[&str], EntityKind); 9] = [
        (&["adapter", "adapters", "config keys", "configuration keys"], EntityKind::AdSourceAdapter),
        (&["mapping", "mappings", "mapped"], EntityKind::AdUnitMapping),
        (
            &[
                "mediation group",
                "mediation groups",
                "groups",
                "group",
                "waterfall",
                "waterfalls",
                "experiment",
                "experiments",
                "ab test",
                "a/b test",
                "a/b tests",
                "grupos",
                "gruppen",
            ],
            EntityKind::MediationGroup,
        ),
        (&["ad source", "ad sources", "sources", "demand sources"], EntityKind::AdSource),
        (&["ad unit", "ad units", "units", "unit", "placements", "placement", "ad slots"], EntityKind::AdUnit),
        (&["currency", "time zone", "timezone"], EntityKind::Account),
        (&["app", "apps", "game", "games"], EntityKind::App),
        (&["account", "accounts", "publisher", "publishers", "publisher id", "publisher ids"], EntityKind::Account),
        (&["lines", "bidders", "mediation"], EntityKind::MediationGroup),
    ];
    if let Some((_, kind)) = WORDS.iter().find(|(words, _)| turn.says(words)) {
        return *kind;
    }
    let offered = turn.request.tools.iter().find_map(|tool| kind_of_tool(&tool.name));
    offered.unwrap_or(match turn.understood.capability {
        Capability::Accounts => EntityKind::Account,
        Capability::Mediation | Capability::Experiments => EntityKind::MediationGroup,
        _ => EntityKind::App,
    })
}

fn kind_of_tool(tool: &str) -> Option<EntityKind> {
    Some(match tool {
        "admob_list_accounts" | "admob_get_account" => EntityKind::Account,
        "admob_list_apps" | "admob_create_app" => EntityKind::App,
        "admob_list_ad_units" | "admob_create_ad_unit" => EntityKind::AdUnit,
        "admob_list_ad_sources" => EntityKind::AdSource,
        "admob_list_ad_source_adapters" => EntityKind::AdSourceAdapter,
        "admob_list_ad_unit_mappings" | "admob_create_ad_unit_mapping" | "admob_batch_create_ad_unit_mappings" => {
            EntityKind::AdUnitMapping
        }
        "admob_list_mediation_groups" | "admob_create_mediation_group" | "admob_update_mediation_group" => {
            EntityKind::MediationGroup
        }
        _ => return None,
    })
}

/// Returns the call that lists an account's things of one kind.
pub(super) fn list_call(kind: EntityKind, account: &str) -> Option<Call> {
    let name = match kind {
        EntityKind::App => "admob_list_apps",
        EntityKind::AdUnit => "admob_list_ad_units",
        EntityKind::AdSource => "admob_list_ad_sources",
        EntityKind::MediationGroup => "admob_list_mediation_groups",
        _ => return None,
    };
    Some(Call { name: name.into(), args: json!({"account_id": account}) })
}

pub(super) fn mappings_call(unit: &EntityItem) -> Option<Call> {
    let account = unit.account.as_deref()?;
    Some(Call {
        name: "admob_list_ad_unit_mappings".into(),
        args: json!({"account_id": account, "ad_unit_id": fragment(&unit.id)}),
    })
}

pub(super) fn adapters_call(account: &str, source: &str) -> Call {
    Call { name: "admob_list_ad_source_adapters".into(), args: json!({"account_id": account, "ad_source_id": source}) }
}

/// Returns the part of an ad unit ID after the slash, ten digits.
pub(super) fn fragment(ad_unit_id: &str) -> &str {
    ad_unit_id.rsplit('/').next().unwrap_or(ad_unit_id)
}

fn calls(turn: &Turn<'_>, kind: EntityKind) -> Result<Vec<Call>, Box<Step>> {
    let accounts = turn.accounts();
    let named = names::mentioned(turn, EntityKind::Account, turn.question());
    let chosen: Vec<&EntityItem> = if named.is_empty() {
        accounts
    } else {
        accounts.into_iter().filter(|a| named.iter().any(|n| n.id == a.id)).collect()
    };
    match kind {
        EntityKind::AdSourceAdapter => {
            let sources = ad_sources(turn)?;
            let fits = names::mentioned(turn, EntityKind::AdSource, turn.question());
            if fits.is_empty() {
                let all: Vec<&EntityItem> = sources;
                let step = clarify::missing(
                    &format!(
                        "Adapters belong to an ad source; which one do you mean? I know {}.",
                        and(&clarify::labels(turn, &all))
                    ),
                    &["Which adapters does AppLovin have?", "List the AdMob ad sources"],
                );
                return Err(Box::new(step.into()));
            }
            let account = chosen.first().map(|a| a.id.clone()).unwrap_or_default();
            Ok(fits
                .iter()
                .map(|source| adapters_call(source.account.as_deref().unwrap_or(&account), &source.id))
                .collect())
        }
        EntityKind::AdUnitMapping => {
            let units = mapped_units(turn)?;
            Ok(units.iter().filter_map(|unit| mappings_call(unit)).collect())
        }
        _ => Ok(chosen.iter().filter_map(|account| list_call(kind, &account.id)).collect()),
    }
}

/// Returns the ad sources, and lists them first if none are known. They are the same in every account.
fn ad_sources<'t>(turn: &'t Turn<'_>) -> Result<Vec<&'t EntityItem>, Box<Step>> {
    known(turn, EntityKind::AdSource)
}

/// Returns the entities of a kind, and lists them first if none are known.
pub(super) fn known<'t>(turn: &'t Turn<'_>, kind: EntityKind) -> Result<Vec<&'t EntityItem>, Box<Step>> {
    let have: Vec<&EntityItem> = turn.of_kind(kind).collect();
    if !have.is_empty() {
        return Ok(have);
    }
    let calls: Vec<Call> = turn.accounts().iter().filter_map(|account| list_call(kind, &account.id)).collect();
    match turn.missing(&calls, &format!("Looking up your {}.", plural(kind))) {
        Some(step) => Err(Box::new(step)),
        None => Ok(have),
    }
}

fn mapped_units<'t>(turn: &'t Turn<'_>) -> Result<Vec<&'t EntityItem>, Box<Step>> {
    let units = known(turn, EntityKind::AdUnit)?;
    let named = names::mentioned(turn, EntityKind::AdUnit, &turn.text);
    if !named.is_empty() {
        return Ok(named);
    }
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    let of_apps: Vec<&EntityItem> = units
        .iter()
        .copied()
        .filter(|unit| apps.is_empty() || apps.iter().any(|app| unit.parent.as_deref() == Some(app.id.as_str())))
        .filter(|unit| {
            names::format_in(&turn.lower)
                .is_none_or(|f| unit.format.as_deref().is_some_and(|u| u.eq_ignore_ascii_case(f)))
        })
        .collect();
    if of_apps.is_empty() || of_apps.len() > MOST_UNITS {
        let step = clarify::missing(
            "Mappings belong to an ad unit; which one do you mean? Name the ad unit, or the app and format.",
            &[],
        );
        let example = units.first().map(|unit| format!("Show the mappings of {}", super::format::plain(&unit.name)));
        return Err(Box::new(step.following(example).following(["List my AdMob ad units"]).into()));
    }
    Ok(of_apps)
}

/// Returns the objects in a call's result as entities. It reads lists, and also the single objects that creates and lookups return.
pub(super) fn items_of(done: &Done<'_>) -> Vec<EntityItem> {
    let Some(kind) = done
        .content
        .get("entity")
        .and_then(Json::as_str)
        .and_then(EntityKind::parse)
        .or_else(|| kind_of_tool(done.name))
    else {
        return Vec::new();
    };
    let account = done.args.get("account_id").and_then(Json::as_str);
    let parent = match kind {
        EntityKind::AdSourceAdapter => done.args.get("ad_source_id").and_then(Json::as_str),
        EntityKind::AdUnitMapping => done.args.get("ad_unit_id").and_then(Json::as_str),
        _ => None,
    };
    let raw: Vec<&Json> = match (done.content.get("items"), done.content.get("item")) {
        (Some(Json::Array(items)), _) => items.iter().collect(),
        (_, Some(item)) => vec![item],
        _ => Vec::new(),
    };
    raw.into_iter().filter_map(|raw| entity(kind, raw, account, parent)).collect()
}

/// Reads one object of the network as an entity. `None` if it has no ID.
fn entity(kind: EntityKind, raw: &Json, account: Option<&str>, parent: Option<&str>) -> Option<EntityItem> {
    let text = |pointer: &str| raw.pointer(pointer).and_then(Json::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    let first = |pointers: &[&str]| pointers.iter().find_map(|p| text(p));
    let id = match kind {
        EntityKind::Account => text("/publisherId"),
        EntityKind::App => text("/appId"),
        EntityKind::AdUnit => text("/adUnitId"),
        EntityKind::AdSource => text("/adSourceId"),
        EntityKind::AdSourceAdapter => text("/adapterId"),
        EntityKind::AdUnitMapping => text("/name"),
        EntityKind::MediationGroup => text("/mediationGroupId"),
        _ => None,
    }?;
    let name = match kind {
        EntityKind::App => first(&["/linkedAppInfo/displayName", "/manualAppInfo/displayName"]),
        EntityKind::AdSource | EntityKind::AdSourceAdapter => text("/title"),
        EntityKind::Account => first(&["/displayName"]),
        _ => text("/displayName"),
    };
    Some(EntityItem {
        network: Network::AdMob,
        kind,
        name: name.unwrap_or_else(|| id.clone()),
        parent: match kind {
            EntityKind::AdUnit => text("/appId"),
            EntityKind::App | EntityKind::AdSource | EntityKind::MediationGroup => account.map(str::to_owned),
            EntityKind::AdSourceAdapter | EntityKind::AdUnitMapping => parent.map(str::to_owned),
            _ => None,
        },
        account: if kind == EntityKind::Account { Some(id.clone()) } else { account.map(str::to_owned) },
        platform: first(&["/platform", "/targeting/platform"]).map(|p| p.to_lowercase()),
        format: first(&["/adFormat", "/targeting/format"]).map(|f| f.to_lowercase()),
        status: first(&["/state", "/appApprovalState"]),
        connection: None,
        raw: raw.clone().into(),
        id,
    })
}

pub(super) const fn plural(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Account => "publisher accounts",
        other => other.plural(),
    }
}

const fn singular(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Account => "publisher account",
        other => other.label(),
    }
}

fn accounts(turn: &Turn<'_>) -> Step {
    let named: Vec<&EntityItem> = names::mentioned(turn, EntityKind::Account, turn.question());
    let calls = match named.as_slice() {
        [one] => vec![Call { name: "admob_get_account".into(), args: json!({"account_id": one.id}) }],
        _ => vec![Call { name: "admob_list_accounts".into(), args: json!({}) }],
    };
    if let Some(step) = turn.missing(&calls, "Reading your publisher accounts.") {
        return step;
    }
    show(turn, EntityKind::Account, &calls).into()
}

fn show(turn: &Turn<'_>, kind: EntityKind, calls: &[Call]) -> Answer {
    let mut items: Vec<EntityItem> = Vec::new();
    let mut sources: Vec<ToolCallId> = Vec::new();
    let mut problems = Vec::new();
    // If several connections were asked, each has its own answer.
    for call in calls.iter().flat_map(|call| turn.spread(call)) {
        match turn.find(&call) {
            Some(done) if done.ok => {
                sources.push(done.id);
                for item in items_of(done) {
                    // Each account lists the ad sources, but they are the same everywhere.
                    if !items.iter().any(|seen| seen.id == item.id) {
                        items.push(item);
                    }
                }
            }
            Some(done) => problems.push(done.problem()),
            None => {}
        }
    }
    if sources.is_empty() {
        return report::could_not_read(&problems);
    }
    for item in &mut items {
        adopt(turn, item);
    }
    let all = items.len();
    let mut conditions = Vec::new();
    for held in held::held(turn).iter().filter(|_| all > 0).filter(|held| !held::asked_for(turn, held, calls)) {
        let seen: Vec<held::Item<'_>> = items.iter().map(item).collect();
        match held::fate(turn, held, kind.as_str(), &held::Lister::of(&[Network::AdMob]), &seen) {
            held::Fate::Kept(places, _) => {
                let mut at = 0;
                items.retain(|_| {
                    at += 1;
                    places.contains(&(at - 1))
                });
            }
            held::Fate::Nothing(text) => {
                return Answer::text(text).following([format!("List my AdMob {}", plural(kind))]);
            }
        }
    }
    keep(turn, kind, &mut items, &mut conditions);
    items.sort_by(|a, b| {
        (names::simple(&a.name), &a.platform, &a.id).cmp(&(names::simple(&b.name), &b.platform, &b.id))
    });
    let mut answer = Answer { text: sentence(turn, kind, &items, all, &conditions), ..Answer::default() };
    if !items.is_empty() {
        answer.artifacts.push(table(turn, kind, &items, &sources));
        if kind == EntityKind::MediationGroup
            && (items.len() == 1 || turn.says(&["lines", "waterfall", "waterfalls", "floors", "bidders", "floor"]))
        {
            answer.artifacts.extend(lines(turn, &items, &sources));
        }
    }
    if !problems.is_empty() {
        problems.dedup();
        let _ = write!(answer.text, " **I couldn't read everything**: {}.", and(&problems));
    }
    answer.following(follow_ups(kind))
}

/// Converts an entity for the search for what a question names.
fn item(item: &EntityItem) -> held::Item<'_> {
    held::Item {
        network: item.network,
        id: &item.id,
        name: &item.name,
        parent: item.parent.as_deref(),
        account: item.account.as_deref(),
        raw: &item.raw,
    }
}

/// Adds what we know from elsewhere: an ad unit has its app's platform, and an account may have a better name.
fn adopt(turn: &Turn<'_>, item: &mut EntityItem) {
    if let Some(known) = turn.request.planner.entities.iter().find(|e| e.kind == item.kind && e.id == item.id)
        && item.name == item.id
    {
        item.name.clone_from(&known.name);
    }
    if item.kind == EntityKind::AdUnit && item.platform.is_none() {
        item.platform = item
            .parent
            .as_deref()
            .and_then(|app| turn.entity(EntityKind::App, app))
            .and_then(|app| app.platform.clone());
    }
}

/// Keeps the items that meet the conditions in the question: platform, format, state, app, own name.
fn keep(turn: &Turn<'_>, kind: EntityKind, items: &mut Vec<EntityItem>, conditions: &mut Vec<String>) {
    let named: Vec<String> = names::mentioned(turn, kind, &turn.text).into_iter().map(|e| e.id.clone()).collect();
    let own: Vec<EntityItem> = items.iter().filter(|i| named.contains(&i.id)).cloned().collect();
    // Words of a name are not conditions: "iOS Rewarded Global" is a group, not a platform and a format.
    if !own.is_empty() && kind != EntityKind::Account {
        *items = own;
        conditions.push(AS_NAMED.to_owned());
        return;
    }
    if let Some(platform) = names::platform_in(&turn.lower)
        && items.iter().any(|i| i.platform.is_some())
    {
        items.retain(|i| i.platform.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(platform)));
        conditions.push(names::platform_label(platform).to_owned());
    }
    if let Some(format) = names::format_in(&turn.lower)
        && matches!(kind, EntityKind::AdUnit | EntityKind::MediationGroup)
    {
        items.retain(|i| i.format.as_deref().is_some_and(|f| f.eq_ignore_ascii_case(format)));
        conditions.push(names::format_label(format).to_lowercase());
    }
    if kind == EntityKind::AdUnit {
        let apps: Vec<&EntityItem> = names::mentioned(turn, EntityKind::App, &turn.text);
        if !apps.is_empty() {
            items.retain(|i| apps.iter().any(|app| i.parent.as_deref() == Some(app.id.as_str())));
            conditions.push(format!("in {}", plain(&apps[0].name)));
        }
    }
    if kind == EntityKind::MediationGroup {
        with_countries(turn, items, conditions);
        with_sources(turn, items, conditions);
    }
    let state = |items: &mut Vec<EntityItem>, wanted: &str| {
        items.retain(|i| i.status.as_deref().is_some_and(|s| s.eq_ignore_ascii_case(wanted)));
    };
    if kind == EntityKind::App
        && turn.says(&["not approved", "unapproved", "not yet approved", "action required", "in review"])
    {
        items.retain(|i| i.status.as_deref().is_none_or(|s| !s.eq_ignore_ascii_case("APPROVED")));
        conditions.push("not approved".to_owned());
    } else if matches!(kind, EntityKind::MediationGroup | EntityKind::AdUnitMapping) {
        if turn.says(&["disabled", "inactive", "switched off", "turned off", "paused", "desactivados", "off"]) {
            state(items, "DISABLED");
            conditions.push("disabled".to_owned());
        } else if turn.says(&["enabled", "active", "running", "switched on"])
            && !turn.says(&["experiment", "experiments"])
        {
            state(items, "ENABLED");
            conditions.push("enabled".to_owned());
        }
        if turn.says(&["experiment", "experiments", "a/b test", "a/b tests", "ab test", "split test"]) {
            items.retain(|i| experiment_state(i).is_some());
            conditions.push("with an A/B experiment".to_owned());
        }
    }
}

pub(super) fn experiment_state(item: &EntityItem) -> Option<&str> {
    item.raw
        .get("mediationAbExperimentState")
        .and_then(Json::as_str)
        .filter(|state| !matches!(*state, "NOT_RUNNING" | "EXPERIMENT_STATE_UNSPECIFIED" | "EXPIRED" | "DISABLED"))
}

fn sentence(turn: &Turn<'_>, kind: EntityKind, items: &[EntityItem], all: usize, conditions: &[String]) -> String {
    let what = if conditions.is_empty() { String::new() } else { format!(" ({})", conditions.join(", ")) };
    let named = conditions.iter().any(|c| c == AS_NAMED);
    match items {
        [] if all == 0 => format!("AdMob lists no {} in your connected accounts.", plural(kind)),
        [] if all == 1 => format!("Your only {} doesn't match{what}.", singular(kind)),
        [] => format!("None of your {} match{what}.", plural(kind)),
        [one] if named && kind == EntityKind::MediationGroup => group_sentence(turn, one),
        [one]
            if named
                && kind == EntityKind::App
                && turn.says(&["approved", "approval", "approve", "state", "status"]) =>
        {
            let state = one
                .status
                .as_deref()
                .map_or_else(|| "not stated".to_owned(), |s| names::format_label(s).to_lowercase());
            format!("**{}** (`{}`): its approval state in AdMob is **{state}**.", plain(&one.name), one.id)
        }
        [one] if named => format!("The {} **{}** has the id `{}`.", singular(kind), plain(&one.name), one.id),
        [one] if kind == EntityKind::Account => {
            let get = |key: &str| one.raw.get(key).and_then(Json::as_str).unwrap_or("not stated");
            format!(
                "The publisher account **{}** (`{}`) reports in **{}**, time zone **{}**.",
                plain(&one.name),
                one.id,
                get("currencyCode"),
                get("reportingTimeZone")
            )
        }
        [one] => {
            let which = if items.len() < all {
                format!("One of your {} matches{what}", plural(kind))
            } else {
                format!("You have one {}{what}", singular(kind))
            };
            format!("{which}: **{}** (`{}`).", plain(&one.name), one.id)
        }
        several => {
            let mut firsts: Vec<String> = Vec::new();
            for item in several {
                let name = format!("**{}**", plain(&item.name));
                if !firsts.contains(&name) && firsts.len() < 3 {
                    firsts.push(name);
                }
            }
            let across = match turn.accounts().len() {
                n if n > 1 && kind != EntityKind::Account && kind != EntityKind::AdSource => " across your accounts",
                _ => "",
            };
            let more = if several.len() > firsts.len() { ", including " } else { ": " };
            format!("**{}**{what}{across}{more}{}.", count(several.len(), singular(kind), plural(kind)), and(&firsts))
        }
    }
}

fn follow_ups(kind: EntityKind) -> [&'static str; 3] {
    match kind {
        EntityKind::Account => ["Show my AdMob apps", "What was my revenue yesterday?", "List my mediation groups"],
        EntityKind::App => ["List my AdMob ad units", "Revenue by app, last 30 days", "List my mediation groups"],
        EntityKind::AdUnit => ["Revenue by ad unit, last 7 days", "List my mediation groups", "Show my AdMob apps"],
        EntityKind::AdSource => {
            ["eCPM by ad source, last 7 days", "List my mediation groups", "Which adapters does AppLovin have?"]
        }
        EntityKind::AdSourceAdapter => {
            ["List the AdMob ad sources", "List my mediation groups", "List my AdMob ad units"]
        }
        EntityKind::AdUnitMapping => {
            ["List my AdMob ad units", "List my mediation groups", "eCPM by ad source, last 7 days"]
        }
        EntityKind::MediationGroup => {
            ["Revenue by mediation group, last 7 days", "Optimize my AdMob mediation", "eCPM by ad source, last 7 days"]
        }
        _ => ["What was my revenue yesterday?", "Revenue by app, last 30 days", "Which networks are connected?"],
    }
}
