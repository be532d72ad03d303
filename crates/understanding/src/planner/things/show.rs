//! Answers with a list: a sentence with the count, a table of names and IDs, and all fields if the question asks for one thing.

use std::fmt::Write as _;

use adagent_contract::{Artifact, CONNECTION, Column, ColumnKind, EntityKind, TableArtifact, Value};
use adagent_domain::{Network, ToolCallId};

use super::{
    details,
    thing::{Thing, things_of},
};
use crate::planner::{
    Answer, Call, desks,
    format::{and, plain},
    held::{self, Fate},
    names,
    read::Turn,
    talk, ways,
};

/// The most rows of a table. The answer gives the count of all.
const MOST_ROWS: usize = 300;

/// Returns "ad units" or "companies".
pub(in crate::planner) fn plural(noun: &str) -> String {
    let words = noun.replace('_', " ");
    if let Some(stem) = words.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        format!("{stem}ies")
    } else if words.ends_with("data") || words == "content" {
        words
    } else {
        format!("{words}s")
    }
}

#[expect(clippy::too_many_lines, reason = "one plan from top to bottom")]
pub(super) fn answer(turn: &Turn<'_>, networks: &[Network], calls: &[Call], mut problems: Vec<String>) -> Answer {
    let (mut things, mut sources, mut cut): (Vec<Thing>, Vec<ToolCallId>, bool) = (Vec::new(), Vec::new(), false);
    let mut failed: Vec<String> = Vec::new();
    let mut none: Vec<String> = Vec::new();
    for call in calls {
        let Some(done) = turn.find(call) else { continue };
        // If a lookup for a thing finds nothing, the thing has none.
        let looked = done.not_found() && super::tool::Tool::verb_of(done.name) == "get";
        if let Some(name) = looked.then(|| looked_at(turn, done.args)).flatten() {
            none.push(name);
            continue;
        }
        if !done.ok {
            let way = done.args.get(CONNECTION).and_then(serde_json::Value::as_str);
            let who = super::tool::network_of(done.name).map(|network| ways::called(network, way));
            if let Some(who) = who.filter(|who| !failed.contains(who)) {
                problems.push(format!("**I couldn't read {who}**: {}.", done.problem()));
                failed.push(who);
            }
            continue;
        }
        sources.push(done.id);
        cut |= done.content.get("truncated").and_then(serde_json::Value::as_bool) == Some(true);
        for thing in things_of(done) {
            if !things.iter().any(|seen| {
                seen.connection == thing.connection
                    && (seen.network, &seen.id, &seen.noun) == (thing.network, &thing.id, &thing.noun)
            }) {
                things.push(thing);
            }
        }
    }
    problems.splice(0..0, without(&mut none, &calls[0]));
    if sources.is_empty() && failed.is_empty() && !none.is_empty() {
        return Answer::text(problems.join(" ")).following(talk::EXAMPLES);
    }
    if sources.is_empty() {
        return Answer::text(format!("{} I have nothing to show.", problems.join(" "))).following(talk::EXAMPLES);
    }
    for thing in &mut things {
        adopt(turn, thing);
        sources.extend(super::floor_of::adopt(turn, thing));
    }
    let all = things.len();
    let floors = super::floor_of::asked(turn);
    let noun = things.first().map_or_else(|| super::tool::noun_of(&calls[0].name), |thing| thing.noun.clone());
    let mut held_by = Vec::new();
    for held in held::held(turn).iter().filter(|_| all > 0).filter(|held| !held::asked_for(turn, held, calls)) {
        let items: Vec<held::Item<'_>> = things.iter().map(Thing::item).collect();
        match held::fate(turn, held, &noun, &held::Lister::of(networks), &items) {
            Fate::Kept(places, word) => {
                let mut at = 0;
                things.retain(|_| {
                    at += 1;
                    places.contains(&(at - 1))
                });
                held_by.push(word);
            }
            Fate::Nothing(mut text) => {
                if cut {
                    text += " There are more, which I didn't read.";
                }
                for problem in &problems {
                    let _ = write!(text, " {problem}");
                }
                return Answer::text(text).following(super::list::all_of(networks, &noun));
            }
        }
    }
    let unpriced = floors.then(|| unpriced(&things)).flatten();
    if let Some((limit, said)) = super::floor_of::limit(turn) {
        let several = things.iter().any(super::floor_of::several);
        things.retain(|thing| super::floor_of::within(thing, limit));
        held_by.push(if several { format!("{} in any country", plain(&said)) } else { plain(&said) });
    }
    let (mut conditions, unsure) = keep(turn, &mut things);
    conditions.extend(held_by);
    conditions.dedup();
    things.sort_by(|a, b| (a.network, names::simple(&a.name), &a.id).cmp(&(b.network, names::simple(&b.name), &b.id)));
    // Use the question's word, because some networks call ad units placements.
    let word = match noun.as_str() {
        "ad_unit" if turn.says(&["placement", "placements"]) => "placement",
        "ad_unit" if turn.says(&["ad slot", "ad slots", "slot", "slots"]) => "ad_slot",
        other => other,
    };
    let mut text = match states_of(turn, word, &things) {
        Some(states) => states,
        None => sentence(networks, word, &things, all, &conditions),
    };
    let placed = place(turn, &things);
    for line in placed.iter().chain(&selected(turn, &things)).chain(&unsure).chain(&unpriced) {
        let _ = write!(text, " {line}");
    }
    if cut {
        text += " There are more, which I didn't read.";
    }
    for problem in &problems {
        let _ = write!(text, " {problem}");
    }
    let mut answer = Answer::text(text);
    if !things.is_empty() {
        answer.artifacts.push(table(turn, networks, &noun, &things, &sources));
    }
    if let [one] = things.as_slice() {
        answer.artifacts.extend(details::table(&one.name, one.network.display_name(), &one.raw, &sources));
    }
    answer.following(talk::EXAMPLES)
}

/// If the question asks which app a single thing is in, returns "It's in the app **Puzzle Game** (Android)."
fn place(turn: &Turn<'_>, things: &[Thing]) -> Option<String> {
    let [one] = things else { return None };
    let above = |id: &str| turn.entities.iter().find(|item| item.network == one.network && item.id == id);
    let app = above(one.parent.as_deref()?).filter(|item| turn.says(&[item.kind.as_str()]))?;
    let platform = app.platform.as_deref().map(|own| format!(" ({})", names::platform_label(own)));
    Some(format!("It's in the {} **{}**{}.", app.kind.as_str(), plain(&app.name), platform.unwrap_or_default()))
}

/// Says which networks list no floor for any of the things, if the question asks for floors.
fn unpriced(things: &[Thing]) -> Option<String> {
    let mut silent: Vec<Network> = things.iter().map(|thing| thing.network).collect();
    silent.sort_by_key(|network| network.id());
    silent.dedup();
    silent.retain(|own| !things.iter().any(|thing| thing.network == *own && super::floor_of::of(thing).is_some()));
    let names: Vec<String> = silent.iter().map(|network| network.display_name().to_owned()).collect();
    (!names.is_empty())
        .then(|| format!("{} {} no floor of these.", and(&names), if names.len() == 1 { "lists" } else { "list" }))
}

/// Says what state the things are in, if the question asks that: each one if they are few, otherwise how many are in each state.
fn states_of(turn: &Turn<'_>, noun: &str, things: &[Thing]) -> Option<String> {
    const FEW: usize = 4;
    let asked = crate::route::reading::asks_state(&crate::text::tokens(turn.question()));
    if !asked || things.is_empty() {
        return None;
    }
    let word =
        |thing: &Thing| thing.status.as_deref().map_or("without a state", |own| own).replace('_', " ").to_lowercase();
    if things.len() <= FEW {
        let each = things.iter().map(|thing| {
            let place = thing.network.display_name();
            format!(
                "The {} **{}** on {place} is **{}**",
                noun.replace('_', " "),
                plain(&thing.name),
                plain(&word(thing))
            )
        });
        return Some(each.collect::<Vec<_>>().join(". ") + ".");
    }
    let mut counts: Vec<(String, usize)> = Vec::new();
    for thing in things {
        let state = word(thing);
        match counts.iter_mut().find(|(known, _)| *known == state) {
            Some((_, count)) => *count += 1,
            None => counts.push((state, 1)),
        }
    }
    let parts: Vec<String> = counts.iter().map(|(state, count)| format!("{count} {}", plain(state))).collect();
    Some(format!("Of {} {}: {}.", things.len(), plural(noun), and(&parts)))
}

/// Says which things have none of what the question asks for.
fn without(none: &mut Vec<String>, call: &Call) -> Option<String> {
    none.dedup();
    let noun = super::tool::noun_of(&call.name).replace('_', " ");
    match none.as_slice() {
        [] => None,
        [one] => Some(format!("{one} has no {noun}.")),
        few if few.len() <= 3 => Some(format!("{} have no {noun}.", and(few))),
        many => Some(format!("{} of them have no {noun}.", many.len())),
    }
}

/// Returns the name of the thing that a lookup was for.
fn looked_at(turn: &Turn<'_>, args: &serde_json::Value) -> Option<String> {
    let mut leaves = Vec::new();
    held::walk(args, "", &mut leaves);
    let named: Vec<String> = leaves
        .iter()
        .filter_map(|(_, id)| turn.entities.iter().find(|item| item.id == *id && item.kind != EntityKind::Account))
        .map(|item| format!("**{}**", plain(&item.name)))
        .collect();
    named.into_iter().next_back()
}

/// Adds what we know about the thing beyond this list: a name, a platform, our word for its format.
fn adopt(turn: &Turn<'_>, thing: &mut Thing) {
    let known = turn.request.planner.entities.iter().find(|e| {
        e.network == thing.network
            && e.id == thing.id
            && (e.kind.as_str() == thing.noun || EntityKind::parse(&thing.noun).is_none())
    });
    let Some(known) = known else { return };
    if thing.name == thing.id {
        thing.name.clone_from(&known.name);
    }
    let above = known
        .parent
        .as_deref()
        .and_then(|id| turn.request.planner.entities.iter().find(|e| e.network == thing.network && e.id == id));
    // A thing in an app has the app's platform.
    let platform = known.platform.clone().or_else(|| above?.platform.clone());
    let format = known.format.as_deref().map(|own| desks::format_word(thing.network, own));
    for (own, other) in [
        (&mut thing.platform, &platform),
        (&mut thing.format, &format),
        (&mut thing.status, &known.status),
        (&mut thing.parent, &known.parent),
    ] {
        if other.is_some() {
            own.clone_from(other);
        }
    }
}

/// Says how many things belong to selected apps, if the list also shows others.
fn selected(turn: &Turn<'_>, things: &[Thing]) -> Option<String> {
    let settings = &turn.request.planner.settings;
    let apps = things.iter().map(|thing| {
        let app = if thing.noun == "app" { Some(&thing.id) } else { thing.parent.as_ref() };
        Some((settings.apps_of(thing.network)?, app?))
    });
    let apps: Vec<(&[String], &String)> = apps.flatten().collect();
    let chosen = apps.iter().filter(|(chosen, app)| chosen.contains(app)).count();
    let all = things.len();
    (!apps.is_empty() && apps.len() == all && chosen < all).then(|| format!("{chosen} of {all} selected."))
}

/// Reads one property of a thing; the second field is its name.
type Trait = (fn(&Thing) -> Option<&str>, &'static str);

const PLATFORM: Trait = (|thing| thing.platform.as_deref(), "platform");
const FORMAT: Trait = (|thing| thing.format.as_deref(), "format");
const STATE: Trait = (|thing| thing.status.as_deref(), "state");

/// Keeps the things whose property passes the test, and says how many don't have it.
fn leave(things: &mut Vec<Thing>, (of, what): Trait, test: &dyn Fn(&str) -> bool) -> Option<String> {
    let silent = things.iter().filter(|thing| of(thing).is_none()).count();
    things.retain(|thing| of(thing).is_some_and(test));
    match silent {
        0 => None,
        1 => Some(format!("1 item has no {what} and isn't included.")),
        count => Some(format!("{count} items have no {what} and aren't included.")),
    }
}

fn on_platform(own: &str, platform: &str) -> bool {
    names::platform_in(&own.to_lowercase().replace('_', " ")) == Some(platform)
}

/// Compares whole formats: "rewarded interstitial" is not "rewarded".
fn of_format(own: &str, format: &str) -> bool {
    names::format_in(&own.to_lowercase().replace('_', " ")) == Some(format)
}

/// Keeps what the question restricts the list to. Returns the conditions, and notes on things that lack the property.
fn keep(turn: &Turn<'_>, things: &mut Vec<Thing>) -> (Vec<String>, Vec<String>) {
    let (mut conditions, mut unsure) = (Vec::new(), Vec::new());
    let mut told = |things: &mut Vec<Thing>, word: String, own: Trait, test: &dyn Fn(&str) -> bool| {
        // If no thing has the property, a filter would only hide them all.
        if things.iter().any(|thing| own.0(thing).is_some()) {
            unsure.extend(leave(things, own, test));
            conditions.push(word);
        } else if !things.is_empty() {
            unsure.push(format!("The list doesn't include the {}, so I didn't filter by it.", own.1));
        }
    };
    if let Some(platform) = names::platform_in(&turn.lower) {
        told(things, names::platform_label(platform).to_owned(), PLATFORM, &|own| on_platform(own, platform));
    }
    if let Some(format) = names::format_in(&turn.lower) {
        told(things, names::format_label(format).to_lowercase(), FORMAT, &|own| of_format(own, format));
    }
    let states: [(&[&str], &[&str]); 5] = [
        (&["paused"], &["paused", "inactive", "disabled"]),
        (&["inactive", "disabled", "off"], &["inactive", "disabled", "paused"]),
        (&["archived"], &["archived"]),
        (&["draft", "drafts"], &["draft"]),
        (&["active", "live", "running", "enabled"], &["active", "live", "enabled", "delivering", "approved", "ready"]),
    ];
    // If the question asks for the state, the state is not a filter.
    let asked = crate::route::reading::asks_state(&crate::text::tokens(turn.question()));
    if let Some((words, own)) = states.iter().find(|(words, _)| !asked && turn.says(words)) {
        told(things, words[0].to_owned(), STATE, &|status| own.contains(&status));
    }
    let mut restrict = |things: &mut Vec<Thing>, word: String, test: &dyn Fn(&Thing) -> bool| {
        things.retain(|thing| test(thing));
        conditions.push(word);
    };
    let named = names::quoted(&turn.text);
    let hits = |thing: &Thing| {
        let name = names::simple(&thing.name);
        named.iter().any(|want| name.contains(&names::simple(want)))
            || name.len() > 3 && names::simple(&turn.text).contains(&name)
            || thing.id.len() > 4 && turn.text.contains(&thing.id)
    };
    if things.iter().any(hits) {
        let words: Vec<String> = named.iter().map(|want| format!("“{}”", plain(want))).collect();
        let word = if words.is_empty() { "by name".to_owned() } else { and(&words) };
        restrict(things, word, &hits);
    }
    // "ad units of Puzzle Game": keep what is in the named app.
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    if !apps.is_empty() && things.iter().any(|thing| thing.noun != "app" && thing.parent.is_some()) {
        // If the network doesn't say which app its ad units belong to, their names may.
        let inside = |thing: &Thing| {
            let above =
                |id: &str| turn.entities.iter().find(|e| e.network == thing.network && e.id == id)?.parent.as_deref();
            let parents = [thing.parent.as_deref(), thing.parent.as_deref().and_then(above)];
            let own = ["app_id", "appId"].iter().find_map(|key| thing.raw.get(*key)).map(ToString::to_string);
            let lies = |id: &str| parents.contains(&Some(id)) || own.as_deref() == Some(id);
            apps.iter().any(|app| app.network == thing.network && lies(&app.id))
                || thing.parent.is_none() && apps.iter().any(|app| held::name_holds(&thing.name, &app.name))
        };
        if things.iter().any(inside) {
            restrict(things, format!("in {}", plain(&apps[0].name)), &inside);
        }
    }
    (conditions, unsure)
}

fn sentence(networks: &[Network], noun: &str, things: &[Thing], all: usize, conditions: &[String]) -> String {
    let on = and(&networks.iter().map(|network| network.display_name().to_owned()).collect::<Vec<_>>());
    let words = if things.len() == 1 { noun.replace('_', " ") } else { plural(noun) };
    let only =
        if conditions.is_empty() { String::new() } else { format!(" ({}; {all} in total)", conditions.join(", ")) };
    if things.is_empty() {
        return format!("There are no {} on {on}{only}.", plural(noun));
    }
    let mut text = format!("**{}** {words} on {on}{only}", things.len());
    let mut shown: Vec<String> = Vec::new();
    for thing in things {
        let twice = things.iter().filter(|other| other.name == thing.name).count() > 1;
        let more = thing.platform.as_deref().filter(|_| twice).map(names::platform_label);
        let more = more.map_or_else(String::new, |platform| format!(" ({platform})"));
        let name = format!("**{}**{more}", plain(&thing.name));
        if shown.len() < 5 && !shown.contains(&name) {
            shown.push(name);
        }
    }
    let rest = things.len() - shown.len();
    let _ = write!(text, ": {}", if rest > 0 { shown.join(", ") } else { and(&shown) });
    if rest > 0 {
        let _ = write!(text, " and {rest} more");
    }
    text + "."
}

/// Returns the heading of the column that shows the things' parents.
fn lies_in(turn: &Turn<'_>, noun: &str, things: &[Thing]) -> &'static str {
    let is_app = |thing: &Thing| {
        thing.parent.as_deref().is_none_or(|id| {
            turn.entities.iter().any(|e| e.network == thing.network && e.kind == EntityKind::App && e.id == id)
        })
    };
    match noun {
        "line_item" => "Order",
        _ if things.iter().all(is_app) => "App",
        _ => "In",
    }
}

fn table(turn: &Turn<'_>, networks: &[Network], noun: &str, things: &[Thing], sources: &[ToolCallId]) -> Artifact {
    let text =
        |key: &str, label: &str| Column { key: key.into(), label: label.into(), kind: ColumnKind::Text, unit: None };
    let any = |of: fn(&Thing) -> bool| things.iter().any(of);
    let several = networks.len() > 1;
    let (parents, platforms) = (any(|t| t.parent.is_some()), any(|t| t.platform.is_some()));
    let (formats, states) = (any(|t| t.format.is_some()), any(|t| t.status.is_some()));
    let floors = super::floor_of::asked(turn) && any(|t| super::floor_of::of(t).is_some());
    let mut columns = vec![Column { key: "name".into(), label: "Name".into(), kind: ColumnKind::Entity, unit: None }];
    columns.extend(several.then(|| text("network", "Network")));
    let accounts = any(|t| t.connection.is_some());
    columns.extend(accounts.then(|| text("connection", "Account")));
    columns.extend(parents.then(|| text("parent", lies_in(turn, noun, things))));
    columns.extend(platforms.then(|| text("platform", "Platform")));
    columns.extend(formats.then(|| text("format", "Format")));
    columns.extend(states.then(|| text("status", "State")));
    columns.extend(floors.then(|| text("floor", "Floor")));
    columns.push(text("id", "ID"));
    let cell = |value: Option<String>| value.map_or(Value::Missing, |value| Value::Text { value });
    let label = |value: &Option<String>| value.as_deref().map(|word| names::format_label(names::platform_label(word)));
    let rows = things.iter().take(MOST_ROWS).map(|thing| {
        let parent = thing.parent.as_deref().map(|id| {
            let above = turn.entities.iter().find(|e| e.network == thing.network && e.id == id);
            above.map_or_else(|| id.to_owned(), |item| item.name.clone())
        });
        let mut row = vec![Value::Entity { id: thing.id.clone(), name: thing.name.clone() }];
        row.extend(several.then(|| cell(Some(thing.network.display_name().to_owned()))));
        row.extend(accounts.then(|| cell(thing.connection.clone())));
        row.extend(parents.then(|| cell(parent)));
        row.extend(platforms.then(|| cell(thing.platform.as_deref().map(|p| names::platform_label(p).to_owned()))));
        row.extend(formats.then(|| cell(label(&thing.format))));
        row.extend(states.then(|| cell(label(&thing.status))));
        row.extend(floors.then(|| cell(super::floor_of::of(thing))));
        row.push(Value::Text { value: thing.id.clone() });
        row
    });
    let names: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
    Artifact::Table {
        title: names::format_label(&plural(noun)),
        subtitle: and(&names),
        table: TableArtifact {
            columns,
            rows: rows.collect(),
            total: None,
            sorted_by: None,
            row_count: u64::try_from(things.len()).unwrap_or(u64::MAX),
        },
        sources: sources.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_told_apart_is_counted_and_words_are_whole() {
        let thing = |format: Option<&str>| Thing {
            network: Network::Liftoff,
            noun: "placement".into(),
            id: "1".into(),
            name: "One".into(),
            account: None,
            parent: None,
            platform: Some("iOS".into()),
            format: format.map(str::to_owned),
            status: None,
            connection: None,
            raw: serde_json::Value::Null.into(),
        };
        let formats = [Some("rewarded"), Some("rewarded_interstitial"), Some("rewarded_video"), None];
        let mut things: Vec<Thing> = formats.into_iter().map(thing).collect();
        let unsure = leave(&mut things, FORMAT, &|own| of_format(own, "REWARDED"));
        assert_eq!(things.len(), 2);
        assert_eq!(unsure.as_deref(), Some("1 item has no format and isn't included."));
        assert_eq!(leave(&mut things, PLATFORM, &|own| on_platform(own, "IOS")), None);
        assert_eq!(things.len(), 2);
        let unsure = leave(&mut things, STATE, &|_| true);
        assert_eq!(unsure.as_deref(), Some("2 items have no state and aren't included."));
    }
}
