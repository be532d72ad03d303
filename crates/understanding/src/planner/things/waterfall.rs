//! AppLovin's waterfalls: an ad unit has a default one, and one for each of its segments. They are parts of ad units, so no list has them.
//!
//! This must send a waterfall back whole, as we read it, with only the one price or the states of one network changed, because the list that
//! we send replaces the old one. It must never turn off an ad unit if the message names a network in it.

mod state;

use adagent_contract::{Artifact, Column, ColumnKind, EntityItem, EntityKind, TableArtifact, Value};
use adagent_domain::{Currency, Money, Network, ToolCallId};
use serde_json::{Value as Json, json};

use super::{
    list::{Stuck, known},
    said::Said,
};
use crate::planner::{
    Answer, Call, Step, clarify, demand, desks,
    format::{and, or, plain},
    names,
    read::{Done, Turn},
    spelled, talk,
    writes::wish::Move,
};

/// The most segments of an ad unit whose waterfalls we read.
const MOST_SEGMENTS: usize = 8;

const GET_UNIT: &str = "applovin_get_ad_unit";
const GET_SEGMENT: &str = "applovin_get_waterfall";
const UPDATE_UNIT: &str = "applovin_update_ad_unit";
const UPDATE_SEGMENT: &str = "applovin_update_waterfall";

/// One waterfall of the ad unit. The default one has no segment.
struct Waterfall<'t> {
    segment: Option<(String, String)>,
    item: &'t Json,
    source: ToolCallId,
}

/// A network's placement in a waterfall.
struct Line {
    /// The network's key in the waterfall: `FYBER_NETWORK`.
    key: String,
    network: String,
    placement: String,
    /// `None` for a placement that bids.
    cpm: Option<Money>,
    on: bool,
}

impl Line {
    /// Checks whether the settings' placement is this one.
    fn is(&self, placement: &Json) -> bool {
        placement["ad_network_ad_unit_id"].as_str() == Some(self.placement.as_str())
    }
}

/// Checks whether a change is about a waterfall of AppLovin: it names the waterfall, or a network that can only be a part of one.
pub(super) fn is_changed(turn: &Turn<'_>) -> bool {
    meant(turn) || turn.understood.verb != "create" && super::said::source(turn).is_some()
}

/// Checks whether a question is about a waterfall: it names one, or asks what a network costs in an ad unit.
pub(super) fn is_asked(turn: &Turn<'_>) -> bool {
    let priced = || turn.says(&["cpm", "ecpm", "price", "floor", "bid"]) && super::said::source(turn).is_some();
    let unit = || names::mentioned(turn, EntityKind::AdUnit, &turn.text).iter().any(|u| u.network == Network::AppLovin);
    meant(turn) || priced() && unit()
}

/// Checks whether a question or change is about a waterfall of AppLovin.
fn meant(turn: &Turn<'_>) -> bool {
    turn.says(&["waterfall", "waterfalls"]) || matches!(turn.understood.noun.as_deref(), Some("waterfall" | "bidder"))
}

fn stuck(stuck: Stuck) -> Step {
    match stuck {
        Stuck::First(calls) => Step::Calls { say: "Looking up your AppLovin ad units.".to_owned(), calls },
        Stuck::Ask(answer) => Step::Answer(answer),
        Stuck::Never(why) => Answer::text(why).following(talk::EXAMPLES).into(),
    }
}

/// Words for more than one waterfall.
const MANY: [&str; 6] = ["waterfalls", "lines", "all", "every", "each", "floors"];

/// Returns the ad units that the message means: by name, by most words of the name, by platform and format. Returns all if none fit.
fn meant_units<'t>(turn: &'t Turn<'_>) -> Result<Vec<&'t EntityItem>, Step> {
    let all = known(turn, Network::AppLovin, EntityKind::AdUnit).map_err(stuck)?;
    let mut fits: Vec<&EntityItem> = names::mentioned(turn, EntityKind::AdUnit, &turn.text)
        .into_iter()
        .filter(|item| item.network == Network::AppLovin)
        .collect();
    if fits.is_empty() {
        fits = super::focus::by_words(turn, &all);
    }
    if let Some(platform) = names::platform_in(&turn.lower) {
        let on: Vec<&EntityItem> = fits
            .iter()
            .copied()
            .filter(|item| item.platform.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(platform)))
            .collect();
        if !on.is_empty() {
            fits = on;
        }
    }
    if let Some(format) = names::format_in(&turn.lower).map(str::to_lowercase) {
        let format_of =
            |item: &EntityItem| item.format.as_deref().map(|own| desks::format_word(Network::AppLovin, own));
        let of: Vec<&EntityItem> =
            fits.iter().copied().filter(|item| format_of(item).is_some_and(|own| own == format)).collect();
        if !of.is_empty() {
            fits = of;
        }
    }
    Ok(if fits.is_empty() { super::list::narrowed(turn, Network::AppLovin, all) } else { fits })
}

/// Returns the one ad unit that the message means, or asks which one.
fn unit<'t>(turn: &'t Turn<'_>) -> Result<&'t EntityItem, Step> {
    let shown = meant_units(turn)?;
    match shown.as_slice() {
        [one] => Ok(one),
        several => {
            let labels = clarify::labels(turn, several);
            let ask = clarify::missing(&format!("Which ad unit's waterfall do you mean: {}?", or(&labels)), &[]);
            let chip = |item: &&EntityItem| format!("The waterfall of {}", item.name);
            Err(ask.choosing(several.iter().take(clarify::MOST).map(chip)).into())
        }
    }
}

fn get(tool: &'static str, unit: &str, segment: Option<&str>, parts: &[&str]) -> Call {
    let mut args = json!({"ad_unit_id": unit, "fields": parts});
    if let Some(segment) = segment {
        args["segment_id"] = segment.into();
    }
    Call { name: tool.into(), args }
}

fn item<'t>(done: &'t Done<'_>) -> &'t Json {
    &done.content["item"]
}

/// Returns every waterfall of the ad unit. `Err` holds the calls that must come first, or the failure.
fn waterfalls<'t>(turn: &'t Turn<'_>, unit: &EntityItem) -> Result<Vec<Waterfall<'t>>, Step> {
    let failed = |done: &Done<'_>| -> Step {
        Answer::text(format!("**I couldn't read AppLovin**: {}.", done.problem())).following(talk::EXAMPLES).into()
    };
    let first = get(GET_UNIT, &unit.id, None, &["ad_network_settings", "segments"]);
    let Some(done) = turn.find(&first) else {
        return Err(Step::Calls { say: "Reading the waterfall.".to_owned(), calls: vec![first] });
    };
    if !done.ok {
        return Err(failed(done));
    }
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let segments: Vec<(String, String)> = item(done)["segments"]
        .as_array()
        .into_iter()
        .flatten()
        .take(MOST_SEGMENTS)
        .map(|segment| (text(&segment["id"]), text(&segment["name"])))
        .collect();
    let calls: Vec<Call> =
        segments.iter().map(|(id, _)| get(GET_SEGMENT, &unit.id, Some(id), &["ad_network_settings"])).collect();
    if let Some(step) = turn.missing(&calls, "Reading the waterfalls of its segments.") {
        return Err(step);
    }
    let mut out = vec![Waterfall { segment: None, item: item(done), source: done.id }];
    for (call, segment) in calls.iter().zip(segments) {
        if let Some(done) = turn.find(call) {
            if !done.ok {
                return Err(failed(done));
            }
            out.push(Waterfall { segment: Some(segment), item: item(done), source: done.id });
        }
    }
    Ok(out)
}

/// Turns `UNITY_NETWORK` into "Unity".
fn called(key: &str) -> String {
    let stem = key.trim_end_matches("_NETWORK").trim_end_matches("_BIDDING").trim_end_matches("_NATIVE");
    let known = Network::ALL.into_iter().find(|network| network.id().eq_ignore_ascii_case(&stem.replace('_', "")));
    known.map_or_else(|| names::format_label(stem), |network| network.display_name().to_owned())
}

fn lines(item: &Json) -> Vec<Line> {
    let mut out = Vec::new();
    for setting in item["ad_network_settings"].as_array().into_iter().flatten() {
        for (key, own) in setting.as_object().into_iter().flatten() {
            let off = own["disabled"].as_bool() == Some(true);
            for placement in own["ad_network_ad_units"].as_array().into_iter().flatten() {
                let cpm = placement["cpm"].as_str().unwrap_or_default();
                let cpm = Money::parse_amount(Currency::USD, cpm).ok().filter(|money| money.micros > 0);
                out.push(Line {
                    key: key.clone(),
                    network: called(key),
                    placement: placement["ad_network_ad_unit_id"].as_str().unwrap_or_default().to_owned(),
                    cpm,
                    on: !off && placement["disabled"].as_bool() != Some(true),
                });
            }
        }
    }
    // In the order in which AppLovin calls them: bidders first, then by price, the highest first.
    out.sort_by_key(|line| (line.cpm.is_some(), std::cmp::Reverse(line.cpm.map_or(0, |money| money.micros))));
    out
}

/// Returns the lines of one network. If the person's spelling is the name of some of them, only those are meant: "Unity" does not mean
/// ironSource, although both are Unity's.
fn lines_of(item: &Json, source: &str) -> Vec<Line> {
    let all: Vec<Line> = lines(item).into_iter().filter(|line| spelled::same(&line.network, source)).collect();
    let spelled = |line: &Line| names::holds(&names::simple(source), &names::simple(&line.network));
    let exact = all.iter().any(spelled);
    all.into_iter().filter(|line| !exact || spelled(line)).collect()
}

fn name(waterfall: &Waterfall<'_>) -> String {
    waterfall.segment.as_ref().map_or_else(|| "Default".to_owned(), |(_, name)| name.clone())
}

fn column(key: &str, label: &str) -> Column {
    Column { key: key.into(), label: label.into(), kind: ColumnKind::Text, unit: None }
}

/// Builds a table with the lines of waterfalls. `first` is the column that distinguishes the waterfalls.
fn table(title: String, first: Column, rows: Vec<Vec<Value>>, sources: Vec<ToolCallId>) -> Artifact {
    Artifact::Table {
        title,
        subtitle: "AppLovin".to_owned(),
        table: TableArtifact {
            columns: vec![
                first,
                column("network", "Network"),
                column("cpm", "CPM"),
                column("state", "State"),
                column("placement", "Placement"),
            ],
            row_count: rows.len() as u64,
            rows,
            total: None,
            sorted_by: None,
        },
        sources,
    }
}

/// The most ad units whose waterfalls one list shows.
const MOST_UNITS: usize = 40;

/// Shows the lines of the default waterfalls of several ad units, the highest price first.
fn show_all(turn: &Turn<'_>, units: &[&EntityItem]) -> Step {
    let calls: Vec<Call> =
        units.iter().map(|unit| get(GET_UNIT, &unit.id, None, &["ad_network_settings", "segments"])).collect();
    if let Some(step) = turn.missing(&calls, "Reading the waterfalls.") {
        return step;
    }
    let read: Vec<(&EntityItem, &Done<'_>)> =
        units.iter().copied().zip(&calls).filter_map(|(unit, call)| Some((unit, turn.find(call)?))).collect();
    let (mut all, mut sources, mut segments, mut failed): (Vec<(&EntityItem, Line)>, Vec<ToolCallId>, usize, usize) =
        (Vec::new(), Vec::new(), 0, 0);
    for (unit, done) in &read {
        if !done.ok {
            failed += 1;
            continue;
        }
        sources.push(done.id);
        segments += usize::from(item(done)["segments"].as_array().is_some_and(|own| !own.is_empty()));
        all.extend(lines(item(done)).into_iter().map(|line| (*unit, line)));
    }
    all.sort_by_key(|(unit, line)| (std::cmp::Reverse(line.cpm.map_or(0, |money| money.micros)), unit.name.clone()));
    let text = |value: String| Value::Text { value };
    let row = |(unit, line): &(&EntityItem, Line)| {
        vec![
            Value::Entity { id: unit.id.clone(), name: unit.name.clone() },
            text(line.network.clone()),
            line.cpm.map_or_else(|| text("Bidding".to_owned()), |money| Value::Money { money }),
            text(if line.on { "On" } else { "Off" }.to_owned()),
            text(line.placement.clone()),
        ]
    };
    let priced: Vec<&(&EntityItem, Line)> = all.iter().filter(|(_, line)| line.cpm.is_some()).collect();
    let top = |(unit, line): &&(&EntityItem, Line)| {
        let price = line.cpm.map_or_else(String::new, |money| money.display(2));
        format!("{} in **{}** at {price}", plain(&line.network), plain(&unit.name))
    };
    let highest: Vec<String> = priced.iter().take(3).map(top).collect();
    let highest = if highest.is_empty() { String::new() } else { format!(" The highest: {}.", and(&highest)) };
    let own = match segments {
        0 => String::new(),
        1 => " The segments of 1 ad unit have waterfalls of their own: ask for that ad unit.".to_owned(),
        many => format!(" The segments of {many} ad units have waterfalls of their own: ask for one ad unit."),
    };
    let missing = if failed == 0 { String::new() } else { format!(" I couldn't read {failed} of them.") };
    let mut answer = Answer::text(format!(
        "The default waterfalls of {} AppLovin ad units call {} bidding and {} priced placements.{highest}{own}{missing}",
        read.len(),
        all.len() - priced.len(),
        priced.len()
    ));
    let rows: Vec<Vec<Value>> = all.iter().map(row).collect();
    let unit = Column { key: "unit".into(), label: "Ad unit".into(), kind: ColumnKind::Entity, unit: None };
    answer.artifacts.push(table("Waterfalls".to_owned(), unit, rows, sources));
    answer.following(talk::EXAMPLES).into()
}

pub(super) fn show(turn: &Turn<'_>) -> Step {
    let several = match meant_units(turn) {
        Ok(units) if units.len() > 1 && units.len() <= MOST_UNITS && turn.says(&MANY) => Some(units),
        Ok(_) => None,
        Err(step) => return step,
    };
    if let Some(units) = several {
        return show_all(turn, &units);
    }
    let unit = match unit(turn) {
        Ok(unit) => unit,
        Err(step) => return step,
    };
    let all = match waterfalls(turn, unit) {
        Ok(all) => all,
        Err(step) => return step,
    };
    let text = |value: String| Value::Text { value };
    let source = super::said::source(turn);
    let rows: Vec<Vec<Value>> = all
        .iter()
        .flat_map(|waterfall| {
            let own =
                source.as_deref().map_or_else(|| lines(waterfall.item), |source| lines_of(waterfall.item, source));
            own.into_iter().map(move |line| {
                vec![
                    text(name(waterfall)),
                    text(line.network),
                    line.cpm.map_or_else(|| text("Bidding".to_owned()), |money| Value::Money { money }),
                    text(if line.on { "On" } else { "Off" }.to_owned()),
                    text(line.placement),
                ]
            })
        })
        .collect();
    let priced = lines(all[0].item).into_iter().filter(|line| line.cpm.is_some()).count();
    let bidding = lines(all[0].item).len() - priced;
    let segments: Vec<String> = all.iter().skip(1).map(|own| format!("**{}**", plain(&name(own)))).collect();
    let more = match segments.len() {
        0 => String::new(),
        1 => format!(" The segment {} has its own.", segments[0]),
        _ => format!(" The segments {} have their own.", and(&segments)),
    };
    let whole = format!(
        "The default waterfall of **{}** on AppLovin calls {bidding} bidding and {priced} priced placements.{more}",
        plain(&unit.name)
    );
    let mut answer = Answer::text(source.map_or(whole, |source| of_source(&source, &unit.name, &all)));
    if rows.is_empty() {
        return answer.following(talk::EXAMPLES).into();
    }
    let sources = all.iter().map(|own| own.source).collect();
    answer.artifacts.push(table(
        format!("Waterfall of {}", unit.name),
        column("waterfall", "Waterfall"),
        rows,
        sources,
    ));
    answer.following(talk::EXAMPLES).into()
}

/// Says what one network costs in the default waterfall, and in those of segments.
fn of_source(source: &str, unit: &str, all: &[Waterfall<'_>]) -> String {
    let price = |line: &Line| {
        let price = line.cpm.map_or_else(|| "bids".to_owned(), |money| format!("has a CPM of {}", money.display(2)));
        let off = if line.on { "" } else { " (off)" };
        format!("**{}** {price}{off}", plain(&line.network))
    };
    let unit = plain(unit);
    let said = |(at, waterfall): (usize, &Waterfall<'_>)| {
        let prices: Vec<String> = lines_of(waterfall.item, source).iter().map(price).collect();
        let place = format!("{} waterfall", plain(&name(waterfall).to_lowercase()));
        let of = if at == 0 { format!(" of **{unit}** on AppLovin") } else { String::new() };
        (!prices.is_empty()).then(|| format!("{} in the {place}{of}", and(&prices)))
    };
    let all: Vec<String> = all.iter().enumerate().filter_map(said).collect();
    if all.is_empty() {
        let source = plain(&demand::written(source));
        return format!("**{source}** isn't in the waterfall of **{unit}** on AppLovin.");
    }
    format!("{}.", and(&all))
}

/// Prepares the change of one price in a waterfall, or of a network's state there. `None` if the message names no demand source, or no
/// change to one.
pub(super) fn change(turn: &Turn<'_>, said: &Said) -> Option<Step> {
    let source = said.source.as_deref()?;
    let new = match (said.active, said.micros, said.step) {
        // An amount next to a state says which placement it is: "disable the Facebook placement at $3.92".
        (Some(on), at, _) => New::Turns { on, at },
        (None, Some(micros), _) => New::Is(micros),
        (None, None, Some(step)) => New::Moves(step),
        (None, None, None) => return None,
    };
    Some(prepare(turn, source, new).map_or_else(
        |step| step,
        |call| Step::Calls { say: "Here is the change, for your approval.".to_owned(), calls: vec![call] },
    ))
}

fn ask(text: &str) -> Step {
    clarify::missing(text, &[]).into()
}

/// What changes: a price, or a state.
#[derive(Clone, Copy)]
enum New {
    Is(i64),
    Moves(Move),
    Turns { on: bool, at: Option<i64> },
}

fn prepare(turn: &Turn<'_>, source: &str, new: New) -> Result<Call, Step> {
    let unit = unit(turn)?;
    let all = waterfalls(turn, unit)?;
    let waterfall = all.iter().rev().find(|own| {
        own.segment.as_ref().is_none_or(|(_, name)| names::holds(&names::simple(&turn.text), &names::simple(name)))
    });
    let waterfall = waterfall.unwrap_or(&all[0]);
    let own = lines_of(waterfall.item, source);
    let place = format!("{} waterfall of **{}**", name(waterfall).to_lowercase(), plain(&unit.name));
    if own.is_empty() {
        return Err(ask(&format!("The {place} has no {} placement.", plain(source))));
    }
    let mut body = json!({});
    for field in ["name", "platform", "package_name", "ad_format", "ad_network_settings"] {
        body[field] = waterfall.item[field].clone();
    }
    match new {
        New::Turns { on, at } => state::set(turn, (source, &place), (on, at), &own, &mut body)?,
        New::Is(micros) => priced(turn, (source, &place), &own, |_| micros, &mut body)?,
        New::Moves(step) => priced(turn, (source, &place), &own, |now| step.from(now), &mut body)?,
    }
    body["id"] = unit.id.clone().into();
    let mut args = json!({"ad_unit_id": unit.id, "body": body});
    let tool = match &waterfall.segment {
        Some((id, _)) => {
            args["segment_id"] = id.clone().into();
            UPDATE_SEGMENT
        }
        None => UPDATE_UNIT,
    };
    Ok(Call { name: tool.into(), args })
}

/// Sets the price of the source's one placement.
fn priced(
    turn: &Turn<'_>,
    (source, place): (&str, &str),
    own: &[Line],
    new: impl Fn(i64) -> i64,
    body: &mut Json,
) -> Result<(), Step> {
    let priced: Vec<&Line> = own.iter().filter(|line| line.cpm.is_some()).collect();
    let line = match priced.as_slice() {
        [] => return Err(ask(&format!("{} bids in the {place}, so it has no price to set.", plain(source)))),
        [one] => *one,
        several => {
            let Some(named) = several.iter().find(|line| turn.text.contains(&line.placement)) else {
                return Err(ask(&format!(
                    "{} has several placements there: {}. Which one do you mean?",
                    plain(source),
                    placements(several)
                )));
            };
            *named
        }
    };
    let micros = new(line.cpm.map_or(0, |money| money.micros));
    if line.cpm.is_some_and(|money| money.micros == micros) {
        return Err(ask(&format!("{} is already at that price in the {place}.", plain(source))));
    }
    for placement in settings(body, &line.key).flat_map(placements_of).filter(|placement| line.is(placement)) {
        placement["cpm"] = super::amount::amount(micros, &json!({"type": "string"}));
    }
    Ok(())
}

/// Lists placements with their prices.
fn placements(lines: &[&Line]) -> String {
    let said = |line: &&Line| {
        let price = line.cpm.map_or_else(|| "bidding".to_owned(), |money| money.display(2));
        format!("`{}` ({price})", line.placement.replace('`', ""))
    };
    and(&lines.iter().map(said).collect::<Vec<_>>())
}

/// Returns the settings of a network, by its key. A network that also bids has a second key.
fn settings<'b>(body: &'b mut Json, key: &'b str) -> impl Iterator<Item = &'b mut Json> {
    let all = body["ad_network_settings"].as_array_mut().into_iter().flatten();
    all.filter_map(Json::as_object_mut).filter_map(move |setting| setting.get_mut(key))
}

fn placements_of(setting: &mut Json) -> impl Iterator<Item = &mut Json> {
    setting["ad_network_ad_units"].as_array_mut().into_iter().flatten()
}
