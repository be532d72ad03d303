//! A new mediation group: account, ad units, targeting and lines, from what the message names.

use adagent_contract::{EntityItem, EntityKind};
use serde_json::{Map, Value as Json, json};

use super::{Prepared, Write, account_of, ask, mapping, the_app, wish, wish::Price};
use crate::planner::{
    Call, clarify,
    format::{or, plain},
    lists, names,
    read::Turn,
};

/// The longest name that AdMob takes, in characters.
pub(super) const MAX_NAME: usize = 120;

pub(super) fn create(turn: &Turn<'_>) -> Prepared {
    let units = lists::known(turn, EntityKind::AdUnit)?;
    lists::known(turn, EntityKind::App)?;
    lists::known(turn, EntityKind::AdSource)?;
    let named_units: Vec<&EntityItem> = named_by_id_or_name(turn);
    let (units, app) = if named_units.is_empty() {
        let app = the_app(turn, &turn.lower)?;
        (of_app(turn, &units, app)?, Some(app))
    } else {
        let app = named_units[0].parent.as_deref().and_then(|id| turn.entity(EntityKind::App, id));
        (named_units, app)
    };
    let format = units[0].format.clone().unwrap_or_default().to_uppercase();
    let platform = app
        .and_then(|a| a.platform.clone())
        .or_else(|| units[0].platform.clone())
        .map(|p| p.to_uppercase())
        .or_else(|| names::platform_in(&turn.lower).map(str::to_owned));
    let Some(platform) = platform else {
        return Err(ask(clarify::missing("Is it for Android or iOS?", &["Android", "iOS"])));
    };
    let account = account_of(turn, units[0])?;
    let wanted = wish::sources(turn, &turn.text);
    if wanted.is_empty() {
        let sources: Vec<&EntityItem> = turn.of_kind(EntityKind::AdSource).collect();
        return Err(ask(clarify::missing(
            &format!("Which ad sources should compete in it? AdMob offers {}.", or(&clarify::labels(turn, &sources))),
            &["With AppLovin and Unity bidding", "List the AdMob ad sources"],
        )));
    }
    let mut chosen = Vec::new();
    for (at, want) in wanted.iter().enumerate() {
        chosen.push(line(turn, want, &format!("-{}", at + 1))?);
    }
    let sources: Vec<&EntityItem> = chosen.iter().map(|(source, _)| *source).collect();
    let known = mapping::of_lines(turn, &account, &units, &sources)?;
    let mut lines = Map::new();
    let mut words = Vec::new();
    for (source, mut line) in chosen {
        words.push(short(source));
        mapping::attach(&mut line, &known, &source.id, &units);
        let key = line["id"].as_str().unwrap_or_default().to_owned();
        lines.insert(key, line);
    }
    let mut targeting = json!({
        "platform": platform,
        "format": format,
        "adUnitIds": units.iter().map(|u| u.id.as_str()).collect::<Vec<_>>(),
    });
    let regions = countries(turn, &turn.text);
    if !regions.is_empty() {
        let key = if excludes(&turn.lower) { "excludedRegionCodes" } else { "targetedRegionCodes" };
        targeting[key] = json!(regions);
    }
    let default = free_name(turn, default_name(app, &platform, &format, &regions, &wanted, &words));
    let body = json!({
        "displayName": name_of_another(turn).or(wish::name(turn, MAX_NAME)?).unwrap_or(default),
        "state": "ENABLED",
        "targeting": targeting,
        "mediationGroupLines": lines,
    });
    Ok(Call { name: Write::CreateGroup.tool().into(), args: json!({"account_id": account, "body": body}) })
}

/// Returns a line for a named source. Asks if several sources have that name, or if a price is missing.
pub(super) fn line<'t>(
    turn: &Turn<'_>,
    want: &wish::Wanted<'t>,
    key: &str,
) -> Result<(&'t EntityItem, Json), Box<crate::planner::Step>> {
    let [source] = want.sources.as_slice() else {
        return Err(ask(clarify::several(turn, "ad sources", &want.word, &want.sources)));
    };
    let mut line = json!({"id": key, "displayName": source.name, "adSourceId": source.id, "state": "ENABLED"});
    match want.price {
        Price::Live => line["cpmMode"] = "LIVE".into(),
        Price::Manual(_) if names::simple(&source.name).contains("bidding") => {
            return Err(ask(clarify::missing(
                &format!(
                    "{} is a bidder: the auction sets its price, so it can't have a fixed price.",
                    plain(&source.name)
                ),
                &["Add it as a bidder", "Add it to the waterfall at $2.00"],
            )));
        }
        Price::Manual(micros) => {
            if micros < 10_000 {
                return Err(ask(clarify::missing("AdMob takes waterfall prices of one cent or more.", &["Use $0.50"])));
            }
            line["cpmMode"] = "MANUAL".into();
            line["cpmMicros"] = micros.to_string().into();
        }
        Price::Unsaid => {
            return Err(ask(clarify::missing(
                &format!("What price should {} have in the waterfall?", plain(&source.name)),
                &["At $2.00", "As a bidder instead"],
            )));
        }
    }
    Ok((source, line))
}

fn named_by_id_or_name<'t>(turn: &'t Turn<'_>) -> Vec<&'t EntityItem> {
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    names::mentioned(turn, EntityKind::AdUnit, &turn.text)
        .into_iter()
        // "Banner" may be an ad unit's name, but it means the format first. If the message names an app, a unit counts only by its ID.
        .filter(|unit| {
            turn.text.contains(&unit.id) || (names::format_in(&names::simple(&unit.name)).is_none() && apps.is_empty())
        })
        .collect()
}

/// Returns the app's ad units of the requested format.
fn of_app<'t>(
    turn: &Turn<'_>,
    units: &[&'t EntityItem],
    app: &EntityItem,
) -> Result<Vec<&'t EntityItem>, Box<crate::planner::Step>> {
    let mine: Vec<&EntityItem> =
        units.iter().copied().filter(|u| u.parent.as_deref() == Some(app.id.as_str())).collect();
    let mut formats: Vec<String> = mine.iter().filter_map(|u| u.format.clone()).map(|f| f.to_uppercase()).collect();
    formats.sort();
    formats.dedup();
    let words: Vec<String> = formats.iter().map(|f| names::format_label(f).to_lowercase()).collect();
    let wanted = match (names::format_in(&turn.lower), formats.as_slice()) {
        (Some(format), _) => format.to_owned(),
        (None, [one]) => one.clone(),
        (None, []) => {
            return Err(ask(clarify::missing(
                &format!("{} has no ad units yet, so a mediation group has nothing to serve there.", plain(&app.name)),
                &["List my AdMob ad units", "Show my AdMob apps"],
            )));
        }
        (None, _) => {
            let text = format!("Which format is it for? {} has {}.", plain(&app.name), or(&words));
            let chips = formats.iter().map(|format| names::format_label(format));
            return Err(ask(clarify::missing(&text, &[]).choosing(chips)));
        }
    };
    let fits: Vec<&EntityItem> =
        mine.into_iter().filter(|u| u.format.as_deref().is_some_and(|f| f.eq_ignore_ascii_case(&wanted))).collect();
    if fits.is_empty() {
        let label = names::format_label(&wanted).to_lowercase();
        let has =
            if words.is_empty() { "it has no ad units at all".to_owned() } else { format!("it has {}", or(&words)) };
        return Err(ask(clarify::missing(
            &format!("{} has no {label} ad unit: {has}.", plain(&app.name)),
            &["Create the ad unit first", "List my AdMob ad units"],
        )));
    }
    Ok(fits)
}

/// Returns "Unity" for "Unity Ads (bidding)".
fn short(source: &EntityItem) -> String {
    let words: Vec<&str> = source
        .name
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))
        .filter(|w| {
            !w.is_empty() && !matches!(w.to_lowercase().as_str(), "bidding" | "ads" | "network" | "sdk" | "waterfall")
        })
        .collect();
    if words.is_empty() { source.name.clone() } else { words.join(" ") }
}

/// Returns a name in quotes that another group already has. We use it anyway, and the card says so.
fn name_of_another(turn: &Turn<'_>) -> Option<String> {
    let has = |name: &str| {
        turn.of_kind(EntityKind::MediationGroup).any(|group| names::simple(&group.name) == names::simple(name))
    };
    names::quoted(&turn.text).into_iter().find(|name| has(name))
}

/// AdMob refuses a second group of the same name, so a name that we made up gets a number.
fn free_name(turn: &Turn<'_>, name: String) -> String {
    let taken =
        |name: &str| turn.of_kind(EntityKind::MediationGroup).any(|group| group.name.trim().eq_ignore_ascii_case(name));
    if !taken(&name) {
        return name;
    }
    let numbered = |number: u32| {
        let end = format!(" ({number})");
        let start: String = name.chars().take(MAX_NAME - end.chars().count()).collect();
        format!("{}{end}", start.trim_end())
    };
    (2..100).map(numbered).find(|name| !taken(name)).unwrap_or(name)
}

fn default_name(
    app: Option<&EntityItem>,
    platform: &str,
    format: &str,
    regions: &[String],
    wanted: &[wish::Wanted<'_>],
    words: &[String],
) -> String {
    let label = names::platform_label(platform);
    let first = app.map_or_else(
        || label.to_owned(),
        |app| {
            if names::simple(&app.name).contains(&label.to_lowercase()) {
                app.name.clone()
            } else {
                format!("{} {label}", app.name)
            }
        },
    );
    let bidding = wanted.iter().all(|w| w.price == Price::Live);
    let sources = format!("{}{}", words.join(" + "), if bidding { " bidding" } else { "" });
    let mut parts = vec![first, names::format_label(format)];
    if !regions.is_empty() && regions.len() <= 4 {
        parts.push(regions.join(", "));
    }
    parts.push(sources);
    parts.join(" · ").chars().take(MAX_NAME).collect()
}

pub(super) fn excludes(lower: &str) -> bool {
    ["except", "excluding", "exclude", "out of", "without", "not in"]
        .iter()
        .any(|w| crate::planner::read::contains_word(lower, w))
}

/// Returns the region codes of the countries that a text names. A country inside an entity's name doesn't count.
pub(super) fn countries(turn: &Turn<'_>, text: &str) -> Vec<String> {
    let mut rest = text.to_owned();
    for item in turn.entities.iter().filter(|e| e.name.chars().count() > 2) {
        while let Some(at) = rest.find(item.name.as_str()) {
            rest.replace_range(at..at + item.name.len(), " ");
        }
    }
    crate::planner::names::countries_in(&rest)
}
