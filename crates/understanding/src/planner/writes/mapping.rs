//! Ad unit mappings: new ones, and existing ones that new lines can use.

use adagent_contract::{EntityItem, EntityKind};
use serde_json::{Map, Value as Json, json};

use super::{Prepared, Write, account_of, ask, wish};
use crate::planner::{
    Call, Step, clarify,
    format::{and, or, plain},
    lists, names,
    read::Turn,
};

pub(super) const BATCH: &str = "admob_batch_create_ad_unit_mappings";

/// The most ad units of one group whose mappings we read for its lines.
const MOST_UNITS: usize = 10;

/// The resource names of mappings: ad source, ad unit, name.
pub(super) type Known = Vec<(String, String, String)>;

/// Returns the existing mappings of these ad units, by ad source, and reads them first. If a read is refused, it counts as no mappings.
pub(super) fn of_lines(
    turn: &Turn<'_>,
    account: &str,
    units: &[&EntityItem],
    sources: &[&EntityItem],
) -> Result<Known, Box<Step>> {
    let third: Vec<&EntityItem> = sources.iter().copied().filter(|s| names::stem(s) != "admob").collect();
    if third.is_empty() || units.len() > MOST_UNITS {
        return Ok(Known::new());
    }
    let adapters: Vec<(String, Call)> =
        third.iter().map(|source| (source.id.clone(), lists::adapters_call(account, &source.id))).collect();
    let mappings: Vec<(String, Call)> =
        units.iter().filter_map(|unit| Some((unit.id.clone(), lists::mappings_call(unit)?))).collect();
    let calls: Vec<Call> = adapters.iter().chain(&mappings).map(|(_, call)| call.clone()).collect();
    if let Some(step) =
        turn.missing(&calls, "Looking up adapters and mappings, so the lines use the ones that already exist.")
    {
        return Err(Box::new(step));
    }
    let items = |call: &Call| turn.find(call).filter(|done| done.ok).map(lists::items_of).unwrap_or_default();
    let mut known = Known::new();
    for (unit, call) in &mappings {
        for mapping in items(call) {
            let adapter = mapping.raw.get("adapterId").and_then(Json::as_str).unwrap_or_default();
            let source = adapters.iter().find(|(_, call)| items(call).iter().any(|a| a.id == adapter));
            if let Some((source, _)) = source {
                known.push((source.clone(), unit.clone(), mapping.id.clone()));
            }
        }
    }
    Ok(known)
}

/// Puts the known mappings of a source into its line.
pub(super) fn attach(line: &mut Json, known: &Known, source: &str, units: &[&EntityItem]) {
    let mut map = Map::new();
    for unit in units {
        if let Some((_, _, name)) = known.iter().find(|(s, u, _)| s == source && *u == unit.id) {
            map.insert(unit.id.clone(), name.as_str().into());
        }
    }
    if !map.is_empty() {
        line["adUnitMappings"] = Json::Object(map);
    }
}

/// Prepares a mapping of the named ad unit to the given placement, or one for each of several ad units.
pub(super) fn create(turn: &Turn<'_>) -> Prepared {
    lists::known(turn, EntityKind::AdUnit)?;
    lists::known(turn, EntityKind::AdSource)?;
    let units = units(turn)?;
    let account = account_of(turn, units[0])?;
    let sources: Vec<&EntityItem> = names::mentioned(turn, EntityKind::AdSource, &turn.text);
    let wanted = wish::sources(turn, &turn.text);
    let source = match wanted.as_slice() {
        [one] => match one.sources.as_slice() {
            [source] => *source,
            several => return Err(ask(clarify::several(turn, "ad sources", &one.word, several))),
        },
        [] => {
            return Err(ask(clarify::missing(
                "Which ad source's placement should it be mapped to?",
                &["Map it to the Liftoff placement BANNER-88231", "List the AdMob ad sources"],
            )));
        }
        _ => return Err(ask(clarify::several(turn, "ad sources", "the mapping", &sources))),
    };
    let adapters = adapters(turn, &account, source)?;
    let mut requests = Vec::new();
    let placements = placements(turn, &units, source);
    for (at, unit) in units.iter().enumerate() {
        let adapter = fitting(turn, &adapters, unit, source)?;
        let keys = keys(&adapter);
        let given: Option<&String> =
            if placements.len() == units.len() { placements.get(at) } else { placements.first() };
        let Some(configuration) = configure(&keys, given, &turn.text) else {
            let labels: Vec<String> = keys.iter().map(|(_, label)| label.clone()).collect();
            return Err(ask(clarify::missing(
                &format!(
                    "{} needs {} for this mapping. Enter {}, for example: *{}: abc123*.",
                    plain(&source.name),
                    and(&labels),
                    if labels.len() == 1 { "it" } else { "each of them" },
                    labels.first().map_or("Placement ID", String::as_str)
                ),
                &["Which adapters does it have?", "List my AdMob ad units"],
            )));
        };
        let name = format!("{} · {}", unit.name, source.name);
        requests.push((
            lists::fragment(&unit.id).to_owned(),
            json!({"displayName": name.chars().take(80).collect::<String>(), "adapterId": adapter.id, "adUnitConfigurations": configuration}),
        ));
    }
    if let [(fragment, body)] = requests.as_slice() {
        return Ok(Call {
            name: Write::CreateMapping.tool().into(),
            args: json!({"account_id": account, "ad_unit_id": fragment, "body": body}),
        });
    }
    let requests: Vec<Json> = requests
        .into_iter()
        .map(|(fragment, body)| json!({"parent": format!("accounts/{account}/adUnits/{fragment}"), "adUnitMapping": body}))
        .collect();
    Ok(Call { name: BATCH.into(), args: json!({"account_id": account, "body": {"requests": requests}}) })
}

fn units<'t>(turn: &'t Turn<'_>) -> Result<Vec<&'t EntityItem>, Box<Step>> {
    let mut named = names::mentioned(turn, EntityKind::AdUnit, &turn.text);
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    if named.is_empty() || (!apps.is_empty() && !named.iter().any(|u| turn.text.contains(lists::fragment(&u.id)))) {
        let format = names::format_in(&turn.lower);
        let platform = names::platform_in(&turn.lower);
        named = turn
            .of_kind(EntityKind::AdUnit)
            .filter(|u| {
                let app = u.parent.as_deref().and_then(|id| turn.entity(EntityKind::App, id));
                apps.iter().any(|a| Some(a.id.as_str()) == u.parent.as_deref())
                    && format.is_none_or(|f| u.format.as_deref().is_some_and(|uf| uf.eq_ignore_ascii_case(f)))
                    && platform.is_none_or(|p| {
                        app.and_then(|a| a.platform.as_deref()).is_some_and(|ap| ap.eq_ignore_ascii_case(p))
                    })
            })
            .collect();
        if named.len() > 1 {
            return Err(ask(clarify::several(turn, "ad units", "that", &named)));
        }
    }
    if named.is_empty() {
        return Err(ask(clarify::missing(
            "Which ad unit is it for? I can't find one with that ID or name in your accounts.",
            &["List my AdMob ad units", "Show my AdMob apps"],
        )));
    }
    Ok(named)
}

fn adapters(turn: &Turn<'_>, account: &str, source: &EntityItem) -> Result<Vec<EntityItem>, Box<Step>> {
    let call = lists::adapters_call(account, &source.id);
    if let Some(step) =
        turn.missing(std::slice::from_ref(&call), &format!("Looking up the adapters of {}.", source.name))
    {
        return Err(Box::new(step));
    }
    Ok(turn.find(&call).filter(|done| done.ok).map(lists::items_of).unwrap_or_default())
}

/// Returns the adapter for the platform and format of an ad unit.
fn fitting(
    turn: &Turn<'_>,
    adapters: &[EntityItem],
    unit: &EntityItem,
    source: &EntityItem,
) -> Result<EntityItem, Box<Step>> {
    let platform = unit.platform.clone().or_else(|| {
        unit.parent.as_deref().and_then(|id| turn.entity(EntityKind::App, id)).and_then(|app| app.platform.clone())
    });
    let format = unit.format.clone().unwrap_or_default();
    let fits = |adapter: &&EntityItem| {
        let platform_fits =
            platform.as_deref().is_none_or(|p| adapter.platform.as_deref().is_none_or(|a| a.eq_ignore_ascii_case(p)));
        let formats = adapter.raw.get("formats").and_then(Json::as_array);
        platform_fits
            && formats.is_none_or(|all| all.iter().filter_map(Json::as_str).any(|f| f.eq_ignore_ascii_case(&format)))
    };
    let fitting: Vec<&EntityItem> = adapters.iter().filter(fits).collect();
    if let [first, ..] = fitting.as_slice() {
        return Ok((*first).clone());
    }
    let names: Vec<String> = adapters.iter().take(6).map(|a| plain(&a.name)).collect();
    let have = if names.is_empty() { "no adapters".to_owned() } else { or(&names) };
    Err(ask(clarify::missing(
        &format!(
            "{} has no adapter for {} on {}. It has {have}.",
            plain(&source.name),
            names::format_label(&format).to_lowercase(),
            platform.as_deref().map_or("this platform", names::platform_label)
        ),
        &["List the AdMob ad sources"],
    )))
}

/// Returns the IDs and labels of the values that a mapping requires.
fn keys(adapter: &EntityItem) -> Vec<(String, String)> {
    let all = adapter.raw.get("adapterConfigMetadata").and_then(Json::as_array);
    all.into_iter()
        .flatten()
        .filter(|key| key.get("isRequired").and_then(Json::as_bool) != Some(false))
        .filter_map(|key| {
            Some((
                key.get("adapterConfigMetadataId")?.as_str()?.to_owned(),
                key.get("adapterConfigMetadataLabel")?.as_str()?.to_owned(),
            ))
        })
        .collect()
}

/// Returns each key with its value: by its label, as in "Game ID: 123", or the placement, if there is only one key or the label is about a
/// placement.
fn configure(keys: &[(String, String)], placement: Option<&String>, text: &str) -> Option<Json> {
    let mut out = Map::new();
    for (id, label) in keys {
        let by_label = labelled(text, label);
        let is_placement = keys.len() == 1
            || ["placement", "zone", "slot", "spot", "instance"].iter().any(|w| label.to_lowercase().contains(w));
        let value = by_label.or_else(|| placement.filter(|_| is_placement).cloned())?;
        out.insert(id.clone(), value.into());
    }
    (!out.is_empty()).then_some(Json::Object(out))
}

/// Reads "Game ID: 123", "game id 123", "game id = 123".
fn labelled(text: &str, label: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let at = lower.find(&label.to_lowercase())? + label.len();
    let rest = text.get(at..)?.trim_start_matches([' ', ':', '=', '\'', '"']);
    let word: String =
        rest.chars().take_while(|c| !c.is_whitespace() && !matches!(c, ',' | ';' | '\'' | '"')).collect();
    let word = word.trim_end_matches(['.', ')']).to_owned();
    (!word.is_empty() && word.chars().any(|c| c.is_ascii_digit())).then_some(word)
}

/// Returns texts in quotes and words that look like IDs, except those of the ad units and the source.
fn placements(turn: &Turn<'_>, units: &[&EntityItem], source: &EntityItem) -> Vec<String> {
    let own = |word: &str| {
        units.iter().any(|u| u.id.contains(word) || names::simple(&u.name) == names::simple(word))
            || names::simple(&source.name) == names::simple(word)
            || word.starts_with("ca-app-pub")
            || word.starts_with("pub-")
    };
    let quoted: Vec<String> = names::quoted(&turn.text).into_iter().filter(|q| !own(q)).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    turn.text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
        .map(|word| word.trim_end_matches(['.', '?', '!', ':']))
        .filter(|word| {
            word.len() >= 4 && word.chars().any(|c| c.is_ascii_digit()) && !own(word) && !word.starts_with('$')
        })
        .map(str::to_owned)
        .collect()
}
