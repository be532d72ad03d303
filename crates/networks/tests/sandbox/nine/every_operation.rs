//! Calls every operation of the catalog once, through the gateway and over real HTTP, with valid arguments and existing IDs. Compares the
//! reply with what the catalog says about it.

use std::collections::{BTreeMap, BTreeSet};

use adagent_contract::{ColumnKind, EntityItem, EntityKind, FieldHint, ReportData, Risk, Value, Widget, edits};
use adagent_domain::Network;
use adagent_networks::{Catalogue, EntityFacts, NetworkFacts, Operation, ResultKind};
use adagent_tools::{ApprovalSketch, Provider as _, ToolInfo, ToolOutput};
use futures::future::join_all;
use serde_json::{Value as Json, json};

use super::world::{World, world};

/// One entity of each kind. Those that belong to apps all belong to the same app.
pub(super) type Picks = BTreeMap<EntityKind, EntityItem>;

fn above(facts: &NetworkFacts, kind: EntityKind) -> Option<EntityKind> {
    facts.of_kind(kind)?.parent.as_deref().and_then(|parent| facts.entity(parent)).and_then(EntityFacts::kind)
}

/// Picks the root entity with which most other kinds can be picked.
pub(super) fn picks(facts: &NetworkFacts, all: &BTreeMap<EntityKind, Vec<EntityItem>>) -> Picks {
    let mut kinds: Vec<EntityKind> = all.keys().copied().collect();
    kinds.sort_by_key(|kind| std::iter::successors(above(facts, *kind), |kind| above(facts, *kind)).count());
    let root = kinds.iter().copied().find(|kind| {
        let children = kinds.iter().filter(|other| above(facts, **other) == Some(*kind)).count();
        *kind != EntityKind::Account && children > 0
    });
    let choose = |anchor: Option<&EntityItem>| {
        let mut picks: Picks = anchor.map(|anchor| (anchor.kind, anchor.clone())).into_iter().collect();
        for kind in &kinds {
            let parent = above(facts, *kind).and_then(|kind| picks.get(&kind)).map(|parent| parent.id.clone());
            let fits = |item: &&EntityItem| parent.is_none() || item.parent.is_none() || item.parent == parent;
            if !picks.contains_key(kind)
                && let Some(item) = all[kind].iter().find(fits)
            {
                picks.insert(*kind, item.clone());
            }
        }
        picks
    };
    let anchors = root.map(|root| &all[&root][..]).unwrap_or_default();
    let best = anchors.iter().map(|anchor| choose(Some(anchor))).max_by_key(BTreeMap::len);
    best.unwrap_or_else(|| choose(None))
}

/// Replaces an ID with another one, in the same form.
fn put(value: &mut Json, id: &str) {
    *value = match value {
        Json::Number(_) => id.parse::<i64>().map_or_else(|_| json!(id), Json::from),
        Json::String(old) if old.contains('/') => match old.rsplit_once('/') {
            Some((front, _)) => json!(format!("{front}/{id}")),
            None => json!(id),
        },
        _ => json!(id),
    };
}

fn each<'v>(value: &'v mut Json, path: &[&str], out: &mut Vec<&'v mut Json>) {
    let Some((part, rest)) = path.split_first() else { return out.push(value) };
    let (name, list) = part.strip_suffix("[]").map_or((*part, false), |name| (name, true));
    let Some(inner) = value.get_mut(name) else { return };
    if !list {
        return each(inner, rest, out);
    }
    if let Json::Array(items) = inner {
        for item in items {
            each(item, rest, out);
        }
    }
}

/// Returns the example with existing IDs and, for a create, with new names.
pub(super) fn arguments(operation: &Operation, picks: &Picks, all: &BTreeMap<EntityKind, Vec<EntityItem>>) -> Json {
    let mut args = operation.example.clone();
    for (path, kind) in &operation.info.entity_params {
        let (Some(pick), Some(known)) = (picks.get(kind), all.get(kind)) else { continue };
        let parts: Vec<&str> = path.split('.').collect();
        let mut found = Vec::new();
        each(&mut args, &parts, &mut found);
        for value in found {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let bare = text.rsplit('/').next().unwrap_or_default();
            // Google's examples name entities of the sandbox, in the right places.
            let google = operation.network.uses_oauth();
            let belongs = |item: &EntityItem| names(item, bare) && (google || item.parent == pick.parent);
            if !known.iter().any(belongs) {
                put(value, &pick.id);
            }
        }
    }
    if operation.info.name.contains("_create_") {
        rename(&mut args);
    }
    adjust(&operation.info.name, &mut args, all, picks);
    args
}

/// Checks whether an ID names this item. AdMob's ad units are named by their last digits.
fn names(item: &EntityItem, bare: &str) -> bool {
    item.id.rsplit('/').next() == Some(bare)
}

/// Adds what the network requires beyond the schema of its arguments.
fn adjust(name: &str, args: &mut Json, all: &BTreeMap<EntityKind, Vec<EntityItem>>, picks: &Picks) {
    let of = |kind: EntityKind| all.get(&kind).map(Vec::as_slice).unwrap_or_default();
    let pick = |kind: EntityKind| picks.get(&kind).unwrap_or_else(|| panic!("{name}: no {kind:?}"));
    let group = |fits: &dyn Fn(&EntityItem) -> bool| {
        of(EntityKind::MediationGroup).iter().find(|group| fits(group)).unwrap_or_else(|| panic!("{name}: no group"))
    };
    match name {
        "admob_create_ad_unit_mapping" | "admob_batch_create_ad_unit_mappings" => {
            let adapters = of(EntityKind::AdSourceAdapter);
            let takes =
                |item: &&EntityItem| item.platform.as_deref() == Some("android") && item.raw["formats"][0] == "BANNER";
            let adapter = adapters.iter().find(takes).expect("an adapter for banners");
            let settings = adapter.raw["adapterConfigMetadata"].as_array().expect("settings").iter();
            let settings: serde_json::Map<String, Json> = settings
                .map(|one| (one["adapterConfigMetadataId"].as_str().expect("an id").to_owned(), json!("x")))
                .collect();
            let single = name == "admob_create_ad_unit_mapping";
            let at = if single { "/body" } else { "/body/requests/0/adUnitMapping" };
            let mapping = args.pointer_mut(at).expect("a mapping");
            mapping["adapterId"] = json!(adapter.id);
            mapping["adUnitConfigurations"] = settings.into();
        }
        "admob_create_mediation_group" => {
            let unit = of(EntityKind::AdUnit)
                .iter()
                .find(|unit| (unit.platform.as_deref(), unit.format.as_deref()) == (Some("android"), Some("rewarded")));
            args["body"]["targeting"]["adUnitIds"] = json!([unit.expect("a unit").id]);
        }
        "admob_update_mediation_group" => {
            let group = group(&|group| group.raw["targeting"]["adUnitIds"].as_array().is_some_and(|ids| ids.len() > 1));
            args["mediation_group_id"] = json!(group.id);
            args["body"]["targeting"]["adUnitIds"] = json!([group.raw["targeting"]["adUnitIds"][0]]);
        }
        "admob_create_mediation_ab_experiment" => {
            let group = group(&|group| group.raw["mediationAbExperimentState"] != "RUNNING");
            args["mediation_group_id"] = json!(group.id);
        }
        "admob_stop_mediation_ab_experiment" => {
            let group = group(&|group| group.raw["mediationAbExperimentState"] == "RUNNING");
            args["mediation_group_id"] = json!(group.id);
        }
        "applovin_get_user_ad_revenue" => {
            args["application"] = pick(EntityKind::AdUnit).raw["package_name"].clone();
            args["platform"] = pick(EntityKind::AdUnit).raw["platform"].clone();
        }
        "applovin_update_ad_unit" | "applovin_update_waterfall" => {
            for field in ["id", "platform", "package_name", "ad_format"] {
                args["body"][field] = pick(EntityKind::AdUnit).raw[field].clone();
            }
        }
        // Every sandbox starts with these experiments.
        "applovin_manage_experiment" => args["body"]["id"] = json!("30071"),
        "applovin_manage_segment_experiment" => args["body"]["id"] = json!("30072"),
        "applovin_create_test_device" => args["body"]["device_id"] = json!("7a1b0000-8cf0-11bd-b23e-10b96e40000d"),
        "unity_create_mediation_groups" => args["body"][0]["adFormat"] = json!(pick(EntityKind::Instance).format),
        _ => {}
    }
    // Files for single days exist for two weeks, so use a recent day.
    if args["date"].is_string() {
        args["date"] = json!("2026-11-18");
    }
}

const NAMES: [&str; 10] = [
    "name",
    "app_name",
    "appName",
    "displayName",
    "mediationAdUnitName",
    "groupName",
    "instanceName",
    "placement_name",
    "unit_name",
    "placementName",
];

fn rename(value: &mut Json) {
    match value {
        Json::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Json::String(text) if NAMES.contains(&name.as_str()) && !text.contains('/') => text.push_str(" 7"),
                    Json::String(text) => *text = text.replace("com.example.puzzle", "com.example.seventh"),
                    other => rename(other),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(rename),
        _ => {}
    }
}

/// Checks whether the answer is what the catalog promises.
fn holds(operation: &Operation, output: &ToolOutput) -> Result<(), String> {
    let result = &output.result;
    let kind = if operation.info.read_only { operation.result.kind } else { ResultKind::Object };
    if output.summary.is_empty() {
        return Err("no summary".into());
    }
    match kind {
        ResultKind::List => {
            let items = result["items"].as_array().ok_or("no list")?;
            let field = operation.result.id_field.as_deref().filter(|_| operation.yields.is_some());
            match field.and_then(|field| items.iter().find(|item| item.get(field).is_none())) {
                // Google's ad unit sizes do not have this field.
                Some(item) if operation.info.name != "admanager_list_ad_unit_sizes" => {
                    Err(format!("without {field:?}: {item}"))
                }
                _ => Ok(()),
            }
        }
        ResultKind::Report if result["kind"] == "object" => Ok(()),
        ResultKind::Report | ResultKind::Operation if result.get("rows").is_some() => {
            let data: ReportData = serde_json::from_value(result.clone()).map_err(|error| error.to_string())?;
            for row in &data.rows {
                if row.len() != data.columns.len() {
                    return Err(format!("{} cells for {} columns", row.len(), data.columns.len()));
                }
                for (cell, column) in row.iter().zip(&data.columns) {
                    let fits = match cell {
                        Value::Missing => true,
                        Value::Money { .. } => column.kind == ColumnKind::Money,
                        Value::Count { .. } => column.kind == ColumnKind::Count,
                        Value::Percent { .. } => column.kind == ColumnKind::Percent,
                        Value::Number { .. } => column.kind == ColumnKind::Number,
                        Value::Date { .. } => column.kind == ColumnKind::Date,
                        Value::Text { .. } | Value::Entity { .. } => {
                            matches!(column.kind, ColumnKind::Text | ColumnKind::Entity)
                        }
                    };
                    if !fits {
                        return Err(format!("{cell:?} in column {column:?}"));
                    }
                }
            }
            Ok(())
        }
        ResultKind::Object | ResultKind::Operation | ResultKind::Report => {
            let item = result.get("item").ok_or("no object")?;
            match item {
                Json::Null => Err("nothing".into()),
                _ => Ok(()),
            }
        }
    }
}

/// Checks what every approval must show: names instead of IDs, rows, a risk, and what to type if it is destructive.
fn described(tool: &ToolInfo, sketch: &ApprovalSketch, picks: &Picks) -> Option<String> {
    let bare = picks.values().find(|item| {
        let told = item.name != item.id && item.id.len() > 4;
        told && sketch.title.contains(&item.id)
    });
    let no_change = sketch.warnings.iter().any(|warning| warning.contains("nothing would change"));
    let risk = if tool.destructive { Risk::Destructive } else { Risk::Write };
    let typed = sketch.ui_hints.confirm_text.as_deref().is_some_and(|text| !text.is_empty());
    match () {
        () if sketch.title.is_empty() || sketch.title.len() > 400 => Some("no title".into()),
        () if bare.is_some() => Some(format!("an id in the title: {bare:?}")),
        () if sketch.preview.changes.iter().all(|row| row.before.is_some() && row.before == row.after)
            && !no_change =>
        {
            Some("no rows".into())
        }
        () if sketch.risk != risk => Some("another risk".into()),
        () if typed != tool.destructive => Some("what to type".into()),
        () if sketch.ui_hints.fields.is_empty() => Some("no form".into()),
        () => None,
    }
}

/// Finds a label of the card, its form or its record that is still a field name.
fn raw_label(sketch: &ApprovalSketch, args: &Json) -> Option<String> {
    fn of_form(fields: &[FieldHint], out: &mut Vec<String>) {
        for field in fields {
            out.push(field.label.clone());
            of_form(&field.fields, out);
        }
    }
    let mut labels = Vec::new();
    of_form(&sketch.ui_hints.fields, &mut labels);
    // Compare with nothing in both directions, as if a person added every field in the form, or removed every field.
    let (nothing, body) = (json!({}), json!({"body": {}}));
    let edited = [(&nothing, args), (args, &nothing), (&body, args), (args, &body)];
    let rows = edited.into_iter().flat_map(|(before, after)| edits(before, after, &sketch.ui_hints));
    labels.extend(rows.chain(sketch.preview.changes.clone()).map(|row| row.label));
    let raw = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        let camel = letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
        word.contains('_') || (camel && !["eCPM", "iOS"].contains(&word))
    };
    // Names that people chose are before the dot.
    let own = |label: &String| label.rsplit(" · ").next().unwrap_or_default().to_owned();
    labels
        .iter()
        .map(own)
        .find(|label| label.is_empty() || label.split(|c: char| !c.is_alphanumeric() && c != '_').any(raw))
}

/// The filters of this operation nest without end. No form can draw them, so the card shows them.
const NESTED_WITHOUT_END: [&str; 1] = ["admanager_create_report"];

/// Finds a field that shows several values but lets nobody change them, or one with rows but without fields.
fn locked(fields: &[FieldHint], args: &Json) -> Option<String> {
    let first = |value: &Json| match value {
        Json::Array(items) => items.first().map(|_| "0".to_owned()),
        Json::Object(map) => map.keys().next().cloned(),
        _ => None,
    };
    fields.iter().find_map(|field| {
        let value = args.pointer(&field.pointer)?;
        let whole = value.is_object() && value.as_object().is_some_and(|map| !map.is_empty());
        let several = value.as_array().is_some_and(|items| items.iter().any(Json::is_object)) || whole;
        match field.widget {
            Widget::ReadOnly | Widget::Rows | Widget::Text if several => {
                Some(format!("{} as {:?}", field.pointer, field.widget))
            }
            Widget::Objects | Widget::Entries if field.fields.is_empty() => {
                Some(format!("no fields in {}", field.pointer))
            }
            _ => locked(&field.of_row(&first(value)?), args),
        }
    })
}

/// Lists all entities of the network, by kind.
pub(super) async fn things(world: &World, facts: &NetworkFacts) -> BTreeMap<EntityKind, Vec<EntityItem>> {
    let mut all = BTreeMap::new();
    for kind in facts.entities.iter().filter_map(EntityFacts::kind) {
        let items = world.all(facts.network, kind).await;
        if !items.is_empty() {
            all.insert(kind, items);
        }
    }
    all
}

/// Calls the reads first. The changes of each write are undone, so that every call starts from the same state.
async fn call_all(network: Network) -> (BTreeSet<String>, Vec<String>) {
    let world = world().await;
    let catalogue = Catalogue::built_in().expect("loads");
    let facts = catalogue.network(network).expect("described");
    let all = things(&world, facts).await;
    let picks = picks(facts, &all);
    let (mut done, mut wrong) = (BTreeSet::new(), Vec::new());
    let tools: Vec<_> = catalogue.of_network(network).collect();
    for tool in tools.iter().filter(|tool| tool.read_only).chain(tools.iter().filter(|tool| !tool.read_only)) {
        let operation = catalogue.get(&tool.name).expect("there");
        let args = arguments(operation, &picks, &all);
        let before = world.writes(network).await.len();
        if !tool.read_only {
            match world.networks.sketch(&world.scope, tool, &args).await {
                Ok(sketch) => {
                    wrong.extend(
                        locked(&sketch.ui_hints.fields, &args)
                            .filter(|_| !NESTED_WITHOUT_END.contains(&tool.name.as_str()))
                            .map(|why| format!("{}: nobody can edit {why}", tool.name)),
                    );
                    wrong.extend(raw_label(&sketch, &args).map(|label| format!("{}: the label “{label}”", tool.name)));
                    wrong.extend(
                        described(tool, &sketch, &picks).map(|why| format!("{}: {why} {sketch:#?}", tool.name)),
                    );
                }
                Err(error) => wrong.push(format!("{} {args}: no sketch: {error:?}", tool.name)),
            }
        }
        let outcome = world.run(&tool.name, &args).await;
        match outcome.map_err(|error| format!("{error:?}")).and_then(|output| holds(operation, &output)) {
            Ok(()) => drop(done.insert(tool.name.clone())),
            Err(why) => wrong.push(format!("{} {args}: {why}", tool.name)),
        }
        if !tool.read_only {
            let written = world.writes(network).await.len() - before;
            if written != 1 {
                wrong.push(format!("{}: {written} writes", tool.name));
            }
            world.control("reset", &json!({})).await;
            world.networks.forget(world.via(), network);
        }
        // The limits use the clock of the test, so advance it.
        world.clock.advance_millis(1500);
    }
    (done, wrong)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_is_called_once_and_answers_what_it_should() {
    let outcomes = join_all(Network::ALL.map(|network| tokio::spawn(call_all(network)))).await;
    let (mut done, mut wrong) = (BTreeSet::new(), Vec::new());
    for outcome in outcomes {
        let (called, failed) = outcome.expect("no panic");
        done.extend(called);
        wrong.extend(failed);
    }
    assert!(wrong.is_empty(), "{} failed: {wrong:#?}", wrong.len());
    let catalogue = Catalogue::built_in().expect("loads");
    let known: BTreeSet<String> = catalogue.tools().iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(known.difference(&done).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(done.len(), 323);
}
