//! Changes to a mediation group that AdMob's update allows: lines and ad units. For others we say that it can't, and don't try.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Currency, Money};
use serde_json::{Map, Value as Json, json};

use super::{
    Prepared, Write, account_of, ask, group_create, mapping,
    wish::{self, Price},
};
use crate::planner::{
    Answer, Call, Step, clarify, demand,
    format::{and, or, plain},
    lists, names,
    read::Turn,
};
use crate::route::implied::{source_words, unknown_name};
use crate::vocab::spelling::spelled;
use crate::wish::{CHOSEN, NOW};

/// A change to lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineChange {
    Add,
    Remove,
    Disable,
    Enable,
    Price(i64),
}

pub(super) fn update(turn: &Turn<'_>) -> Prepared {
    lists::known(turn, EntityKind::AdSource)?;
    if let Some(answer) = line_unsaid(turn)? {
        return Err(ask(answer));
    }
    let group = the_group(turn)?;
    let account = account_of(turn, &group)?;
    let rest = without(&turn.text, &group);
    let lower = spelled(&rest);
    let says = |words: &[&str]| words.iter().any(|w| crate::planner::read::contains_word(&lower, w));
    let units: Vec<&EntityItem> = names::mentioned(turn, EntityKind::AdUnit, &rest)
        .into_iter()
        .filter(|u| {
            rest.contains(&u.id) || rest.contains(lists::fragment(&u.id)) || says(&["ad unit", "ad units", "unit"])
        })
        .collect();
    let wanted = wish::sources(turn, &rest);
    // "put a $4.50 floor on InMobi" and "put InMobi to $4.50" set the price of the existing line.
    let amount = || !wish::amounts(&rest).is_empty() && !says(&["new", "another", "second"]);
    let puts = says(&["put"]) && (says(&["floor", "cpm", "price"]) || amount());
    let moves = puts || says(&["bring"]) && says(&["down", "up"]);
    let pricing = moves && has_waterfall_line(turn, &group, &wanted);
    let adding = !pricing && says(&["add", "include", "put", "join", "bring", "want", "try"]);
    let removing = says(&["remove", "take", "drop", "delete", "kick", "throw"])
        || (says(&["get", "pull", "bring"]) && says(&["off", "out"]));
    if !units.is_empty() && (adding || removing) {
        return ad_units(&group, &account, &units, removing && !adding);
    }
    if wanted.is_empty()
        && let Some(word) = source_words(&rest).first()
    {
        return Err(ask(no_such_source(turn, &group, word, adding)));
    }
    if let Some(step) = wish::step(&lower) {
        return stepped(turn, &group, &account, &wanted, &rest, step);
    }
    let price = wish::new_price(&rest).or_else(|| wish::bare_amount(&lower));
    let priced = price.filter(|_| {
        says(&[
            "floor", "cpm", "price", "set", "raise", "lower", "drop", "increase", "decrease", "change", "make", "to",
            "bring",
        ])
    });
    let change = if let (Some(micros), false) = (priced, adding) {
        Some(LineChange::Price(micros))
    } else if says(&["disable", "turn off", "switch off", "pause", "deactivate", "stop"])
        || (says(&["turn", "switch"]) && says(&["off"]))
    {
        Some(LineChange::Disable)
    } else if says(&["enable", "turn on", "switch on", "reactivate", "resume", "activate"])
        || (says(&["turn", "switch"]) && says(&["on"]))
    {
        Some(LineChange::Enable)
    } else if removing {
        Some(LineChange::Remove)
    } else if adding || says(&["bidder", "bidding"]) {
        Some(LineChange::Add)
    } else {
        None
    };
    match change {
        Some(LineChange::Add) if !wanted.is_empty() => add(turn, &group, &account, &wanted),
        Some(LineChange::Add) | None if wanted.is_empty() => Err(ask(not_taken(turn, &group, &lower))),
        Some(change) if says(&["all lines", "every line", "all its lines"]) => {
            change_lines(&group, &account, &lists::lines_of(&group), change)
        }
        Some(change) => {
            let lines = lines_meant(turn, &group, &wanted, &rest, change);
            let places = names::countries_in(&rest);
            match (lines, wanted.is_empty()) {
                // "and for Brazil too", at the line's current price: the person wants a separate price for that country.
                (Ok(lines), _) if !places.is_empty() && priced_so(&lines, change) => Err(ask(one_price(&places))),
                (Ok(lines), _) => change_lines(&group, &account, &lines, change),
                (Err(_), true) if !matches!(change, LineChange::Price(_)) => Err(ask(not_taken(turn, &group, &lower))),
                (Err(step), _) => Err(step),
            }
        }
        None => Err(ask(not_taken(turn, &group, &lower))),
    }
}

/// Checks whether the lines already have the new price.
fn priced_so(lines: &[Line<'_>], change: LineChange) -> bool {
    let LineChange::Price(micros) = change else { return false };
    let micros = micros.to_string();
    lines.iter().all(|(_, line)| line.get("cpmMicros").and_then(Json::as_str) == Some(micros.as_str()))
}

/// Says that a line has one price for every country.
fn one_price(places: &[String]) -> Answer {
    let places: Vec<String> = places.iter().map(|code| names::country_label(code)).collect();
    let text = format!(
        "In AdMob, a line has one price for every country its mediation group serves. It already has this price, and I can't set \
         one for {} alone.",
        and(&places)
    );
    clarify::impossible(&text, &["List my mediation groups"])
}

/// Asks which line a price is for if the message names neither its network nor its group, even if only one would fit. A named ad unit or
/// app only narrows the groups.
fn line_unsaid(turn: &Turn<'_>) -> Result<Option<Answer>, Box<Step>> {
    let step = wish::step(&turn.lower);
    let price = wish::new_price(&turn.text).or_else(|| wish::bare_amount(&turn.lower));
    let priced = turn.says(&["floor", "floors", "cpm", "ecpm", "price", "bid"]) && (step.is_some() || price.is_some());
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    let units = names::mentioned(turn, EntityKind::AdUnit, &turn.text);
    let is_app = |name: &String| apps.iter().any(|app| names::simple(name).starts_with(&names::simple(&app.name)));
    let quoted = |name: &String| units.iter().chain(&apps).any(|item| names::simple(&item.name) == names::simple(name));
    let said = !source_words(&turn.text).is_empty()
        || !names::mentioned(turn, EntityKind::AdSource, &turn.text).is_empty()
        || !names::mentioned(turn, EntityKind::MediationGroup, &turn.text).is_empty()
        || names::quoted(&turn.text).iter().any(|name| !quoted(name))
        || units.is_empty() && number(&turn.text).is_some()
        || units.is_empty() && unknown_name(&turn.text).is_some_and(|name| !is_app(&name))
        || turn.says(&["all lines", "every line", "all its lines", "add", "include", "create", "new"]);
    if !priced || said {
        return Ok(None);
    }
    let groups = lists::known(turn, EntityKind::MediationGroup)?;
    let serving = by_what_it_serves(turn, &groups);
    // "the Puzzle Game banner group" does name a group.
    if serving.len() == 1 && turn.says(&["group", "waterfall"]) {
        return Ok(None);
    }
    let of_unit = !units.is_empty() || turn.says(&["ad unit", "ad units", "unit", "units"]);
    let why = match (of_unit, apps.is_empty()) {
        (true, _) => "AdMob ad units have no floor of their own: prices are set on the lines of mediation groups. ",
        (false, false) => FLOORS,
        (false, true) => "",
    };
    if serving.is_empty() && !(apps.is_empty() && units.is_empty()) {
        let named = units.first().or(apps.first()).map(|item| plain(&item.name)).unwrap_or_default();
        let text = format!("{why}No mediation group of yours serves what you named of **{named}**.");
        return Ok(Some(clarify::impossible(&text, &["List my mediation groups"])));
    }
    let candidates = all_fresh(turn, if serving.is_empty() { &groups } else { &serving })?;
    let lines: Vec<Priced<'_>> = candidates.iter().flat_map(|group| Priced::of(turn, group)).collect();
    let becomes = price.map(|micros| format!(" to {}", dollars(micros))).filter(|_| step.is_none()).unwrap_or_default();
    let text = match lines.as_slice() {
        [] => {
            let names: Vec<String> = candidates.iter().map(|group| format!("**{}**", plain(&group.name))).collect();
            if names.is_empty() {
                return Ok(None);
            }
            let text = format!("{why}Every line in {} bids, so none has a price to set.", and(&names));
            return Ok(Some(clarify::impossible(&text, &["List my mediation groups"])));
        }
        [one] => format!("{why}Only one line there has a price: {}. Should I change it{becomes}?", one.words()),
        several => {
            let mut shown: Vec<String> = several.iter().take(clarify::MOST).map(Priced::words).collect();
            if several.len() > clarify::MOST {
                shown.push(format!("{} more", several.len() - clarify::MOST));
            }
            format!("{why}Which line's price should change{becomes}: {}?", or(&shown))
        }
    };
    Ok(Some(clarify::missing(&text, &[]).choosing(lines.iter().take(clarify::MOST).map(Priced::chip))))
}

/// A line whose price is set by hand.
struct Priced<'g> {
    group: &'g EntityItem,
    /// The line's ID, if the group has its source more than once, because nothing else distinguishes the lines.
    id: Option<&'g str>,
    source: String,
    micros: Option<i64>,
}

impl<'g> Priced<'g> {
    fn of(turn: &Turn<'_>, group: &'g EntityItem) -> Vec<Self> {
        let lines: Vec<Line<'g>> = lists::lines_of(group).into_iter().filter(|(_, line)| manual(line)).collect();
        let source = |line: &Json| line.get("adSourceId").and_then(Json::as_str).unwrap_or_default().to_owned();
        let priced = |(id, line): &Line<'g>| Self {
            group,
            id: (lines.iter().filter(|(_, other)| source(other) == source(line)).count() > 1).then_some(*id),
            source: lists::source_name(turn, line),
            micros: line.get("cpmMicros").and_then(Json::as_str).and_then(|micros| micros.parse().ok()),
        };
        lines.iter().map(priced).collect()
    }

    fn now(&self) -> Option<String> {
        self.micros.map(dollars)
    }

    /// Returns "Chartboost in **Android Rewarded Global** (now $6.50)".
    fn words(&self) -> String {
        let now = self.now().map_or_else(String::new, |now| format!(" (now {now})"));
        format!("{} in **{}**{now}", plain(&self.source), plain(&self.group.name))
    }

    fn chip(&self) -> String {
        let now = self.now().map_or_else(String::new, |now| format!("{NOW}{now}"));
        let id = self.id.map_or_else(String::new, |id| format!(", line {id}"));
        format!("{CHOSEN}{} in {} ({}{id}){now}", self.source, self.group.name, self.group.id)
    }
}

fn dollars(micros: i64) -> String {
    Money::new(Currency::USD, micros).display(2)
}

fn manual(line: &Json) -> bool {
    line.get("cpmMode").and_then(Json::as_str) == Some("MANUAL")
}

/// Returns the IDs that a name means. A network may have a bidding and a waterfall source; the group decides which one counts.
fn family(turn: &Turn<'_>, want: &wish::Wanted<'_>) -> Vec<String> {
    turn.of_kind(EntityKind::AdSource)
        .filter(|s| want.sources.iter().any(|w| names::stem(w) == names::stem(s)))
        .map(|s| s.id.clone())
        .collect()
}

fn has_waterfall_line(turn: &Turn<'_>, group: &EntityItem, wanted: &[wish::Wanted<'_>]) -> bool {
    !wanted.is_empty()
        && wanted.iter().all(|want| {
            let family = family(turn, want);
            lists::lines_of(group).iter().any(|(_, line)| {
                manual(line)
                    && line.get("adSourceId").and_then(Json::as_str).is_some_and(|id| family.iter().any(|f| f == id))
            })
        })
}

/// Says that AdMob's list has no such source, so a group can't have it or get it.
fn no_such_source(turn: &Turn<'_>, group: &EntityItem, word: &str, adding: bool) -> Answer {
    let name = plain(&group.name);
    if adding {
        let text = format!("AdMob has no ad source called “{}”, so I can't add it to **{name}**.", plain(word));
        return clarify::missing(&text, &["List the AdMob ad sources", "List my mediation groups"]);
    }
    let lines = lists::lines_of(group);
    let present: Vec<String> = lines.iter().map(|(_, line)| plain(&lists::source_name(turn, line))).collect();
    let text = format!("**{name}** has no {} line. Its lines are {}.", plain(word), and(&present));
    clarify::missing(&text, &["List my mediation groups", "List the AdMob ad sources"])
}

/// Prepares "raise it by 10%": the new price comes from the line's current one.
fn stepped(
    turn: &Turn<'_>,
    group: &EntityItem,
    account: &str,
    wanted: &[wish::Wanted<'_>],
    rest: &str,
    step: wish::Move,
) -> Prepared {
    let lines = lines_meant(turn, group, wanted, rest, LineChange::Price(0))?;
    let price = |(_, line): &Line<'_>| line.get("cpmMicros").and_then(Json::as_str)?.parse::<i64>().ok();
    match lines.first() {
        Some(line) if manual(line.1) => match price(line) {
            Some(old) => change_lines(group, account, &lines, LineChange::Price(step.from(old))),
            None => Err(ask(clarify::missing(
                "AdMob shows no price for that line, so I can't work out the new one. Name the price.",
                &["Set it to $0.50"],
            ))),
        },
        // Without a line, or with one that bids, any price gets the answer that there is none to change.
        _ => change_lines(group, account, &lines, LineChange::Price(10_000)),
    }
}

/// The beginning of an answer for a message that asks for the price of an app: prices belong to lines, and an app has none.
const FLOORS: &str = "AdMob sets prices on the lines of mediation groups, not on apps. ";

/// Returns the named app if the message should name a group, because an app's name is not a group's.
fn app_of(turn: &Turn<'_>) -> Option<String> {
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    apps.first().map(|app| format!("**{}**", plain(&app.name)))
}

/// Asks which of several groups the message means. A named app only says whose ad units they serve.
fn which_of(turn: &Turn<'_>, several: &[&EntityItem]) -> Answer {
    let list = or(&clarify::labels(turn, several));
    let which = match app_of(turn) {
        Some(app) => format!("{FLOORS}{} mediation groups serve ad units of {app}: {list}.", several.len()),
        None => format!("{} mediation groups fit: {list}.", several.len()),
    };
    clarify::which(turn, &format!("{which} Which one do you mean?"), several)
}

/// Returns the group that the text names, as it is now, or asks which one.
pub(super) fn the_group(turn: &Turn<'_>) -> Result<EntityItem, Box<Step>> {
    let groups = lists::known(turn, EntityKind::MediationGroup)?;
    let mut named = names::mentioned(turn, EntityKind::MediationGroup, &turn.text);
    if named.is_empty() {
        let unknown =
            || unknown_name(&turn.text).filter(|_| turn.understood.noun.as_deref() == Some("mediation_group"));
        if let Some(wanted) = names::quoted(&turn.text).into_iter().next().or_else(|| number(&turn.text)) {
            match names::find(&groups, &wanted) {
                // We don't ask about a single match, because the card shows which one it is.
                names::Found::One(one) => named = vec![one],
                names::Found::Several(fits) => {
                    return Err(ask(clarify::several(turn, "mediation groups", &wanted, &fits)));
                }
                names::Found::Nothing(close) => {
                    return Err(ask(clarify::unknown(turn, "a mediation group", &wanted, &close)));
                }
            }
        } else {
            named = by_what_it_serves(turn, &groups);
        }
        if named.is_empty()
            && let Some(wanted) = unknown()
        {
            if let Some(app) = app_of(turn) {
                let text = format!("{FLOORS}No mediation group of yours serves ad units of {app}.");
                return Err(ask(clarify::impossible(&text, &["List my mediation groups"])));
            }
            let close = names::close(&groups, &names::simple(&wanted));
            return Err(ask(clarify::unknown(turn, "a mediation group", &wanted, &close)));
        }
    }
    let group = match named.as_slice() {
        [one] => *one,
        // "remove the AppLovin line" can only mean a group that has one.
        [] => match with_line_of_named(turn, &groups)?.as_slice() {
            [one] => *one,
            fits => {
                let fits = if fits.is_empty() { &groups } else { fits };
                let text = format!("Which mediation group do you mean? You have {}.", or(&clarify::labels(turn, fits)));
                return Err(ask(clarify::which(turn, &text, fits)));
            }
        },
        // "pause AppLovin in the Puzzle Game banner group": of the groups that serve it, take the one with the line.
        several => {
            let [one] = with_line_of_named(turn, several)?[..] else { return Err(ask(which_of(turn, several))) };
            one
        }
    };
    fresh(turn, group)
}

/// Returns the groups with a line of the ad source that the text names. Returns none if the text adds a line.
fn with_line_of_named<'t>(turn: &'t Turn<'_>, groups: &[&'t EntityItem]) -> Result<Vec<&'t EntityItem>, Box<Step>> {
    if turn.says(&["add", "put", "include", "new"]) {
        return Ok(Vec::new());
    }
    lists::known(turn, EntityKind::AdSource)?;
    let wanted = wish::sources(turn, &turn.text);
    let has = |group: &&EntityItem| {
        wanted.iter().all(|want| {
            let family = family(turn, want);
            lists::lines_of(group).iter().any(|(_, line)| {
                line.get("adSourceId").and_then(Json::as_str).is_some_and(|id| family.iter().any(|f| f == id))
            })
        })
    };
    Ok(if wanted.is_empty() { Vec::new() } else { groups.iter().copied().filter(has).collect() })
}

/// Finds groups by app, platform and format: "the Puzzle Game Android banner group".
fn by_what_it_serves<'t>(turn: &'t Turn<'_>, groups: &[&'t EntityItem]) -> Vec<&'t EntityItem> {
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    let own = names::mentioned(turn, EntityKind::AdUnit, &turn.text);
    let (format, platform) = (names::format_in(&turn.lower), names::platform_in(&turn.lower));
    if apps.is_empty() && own.is_empty() && format.is_none() && platform.is_none() {
        return Vec::new();
    }
    groups
        .iter()
        .copied()
        .filter(|g| {
            let units: Vec<&str> = g
                .raw
                .pointer("/targeting/adUnitIds")
                .and_then(Json::as_array)
                .map(|a| a.iter().filter_map(Json::as_str).collect())
                .unwrap_or_default();
            let serves = |app: &&EntityItem| {
                units.iter().any(|id| {
                    turn.entity(EntityKind::AdUnit, id).is_some_and(|u| u.parent.as_deref() == Some(app.id.as_str()))
                })
            };
            (apps.is_empty() || apps.iter().any(serves))
                && (own.is_empty() || own.iter().any(|unit| units.contains(&unit.id.as_str())))
                && format.is_none_or(|f| g.format.as_deref().is_some_and(|gf| gf.eq_ignore_ascii_case(f)))
                && platform.is_none_or(|p| g.platform.as_deref().is_some_and(|gp| gp.eq_ignore_ascii_case(p)))
        })
        .collect()
}

fn groups_call(account: &str, ids: &[&str]) -> Call {
    let ids: Vec<String> = ids.iter().map(|id| format!("\"{id}\"")).collect();
    let filter = format!("IN(MEDIATION_GROUP_ID,{})", ids.join(","));
    Call { name: "admob_list_mediation_groups".into(), args: json!({"account_id": account, "filter": filter}) }
}

/// Reads several groups as they are now, so that we show current prices. Leaves out a group that the network did not return.
fn all_fresh(turn: &Turn<'_>, groups: &[&EntityItem]) -> Result<Vec<EntityItem>, Box<Step>> {
    let mut accounts: Vec<&str> = groups.iter().filter_map(|group| group.account.as_deref()).collect();
    accounts.sort_unstable();
    accounts.dedup();
    let of = |account: &&str| {
        let own = groups.iter().filter(|group| group.account.as_deref() == Some(account));
        groups_call(account, &own.map(|group| group.id.as_str()).collect::<Vec<_>>())
    };
    let calls: Vec<Call> = accounts.iter().map(of).collect();
    if let Some(step) = turn.missing(&calls, "Reading the prices as they are now.") {
        return Err(Box::new(step));
    }
    let read = calls.iter().filter_map(|call| turn.find(call)).filter(|done| done.ok).flat_map(lists::items_of);
    let read: Vec<EntityItem> = read.collect();
    let now = |group: &&EntityItem| read.iter().find(|own| own.id == group.id).cloned();
    Ok(groups.iter().filter_map(now).collect())
}

/// Reads the group as it is now. The cached one may be minutes old, and a change must start from the current values.
fn fresh(turn: &Turn<'_>, group: &EntityItem) -> Result<EntityItem, Box<Step>> {
    let Some(account) = group.account.clone() else { return Ok(group.clone()) };
    let call = groups_call(&account, &[&group.id]);
    if let Some(step) = turn.missing(std::slice::from_ref(&call), &format!("Reading {} as it is now.", group.name)) {
        return Err(Box::new(step));
    }
    let found = turn.find(&call).filter(|done| done.ok).map(lists::items_of).unwrap_or_default();
    Ok(found.into_iter().find(|g| g.id == group.id).unwrap_or_else(|| group.clone()))
}

fn number(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_ascii_digit()).find(|digits| digits.len() >= 7).map(str::to_owned)
}

/// Returns the text without the group's name and ID, so that words in the name don't count.
pub(super) fn without(text: &str, group: &EntityItem) -> String {
    let mut out = text.replace(&group.id, " ");
    let lower = out.to_lowercase();
    let name = group.name.to_lowercase();
    if lower.len() == out.len()
        && let Some(at) = lower.find(&name)
        // Lower case may lengthen one character and shorten another. Then the lengths are equal, but the places are not.
        && out.get(at..at + name.len()).is_some()
    {
        out.replace_range(at..at + name.len(), " ");
    }
    out
}

fn call(group: &EntityItem, account: &str, mask: &[String], body: &Json) -> Call {
    Call {
        name: Write::UpdateGroup.tool().into(),
        args: json!({"account_id": account, "mediation_group_id": group.id, "updateMask": mask.join(","), "body": body}),
    }
}

fn ad_units(group: &EntityItem, account: &str, units: &[&EntityItem], remove: bool) -> Prepared {
    let mut ids: Vec<String> = group
        .raw
        .pointer("/targeting/adUnitIds")
        .and_then(Json::as_array)
        .map(|all| all.iter().filter_map(Json::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let before = ids.clone();
    for unit in units {
        if remove {
            ids.retain(|id| *id != unit.id);
        } else if !ids.contains(&unit.id) {
            ids.push(unit.id.clone());
        }
    }
    if ids == before {
        let state = if remove { "is not in" } else { "is already in" };
        return Err(ask(clarify::missing(
            &format!("{} {state} {}.", plain(&units[0].name), plain(&group.name)),
            &["List my mediation groups"],
        )));
    }
    Ok(call(group, account, &["targeting.ad_unit_ids".to_owned()], &json!({"targeting": {"adUnitIds": ids}})))
}

fn add(turn: &Turn<'_>, group: &EntityItem, account: &str, wanted: &[wish::Wanted<'_>]) -> Prepared {
    let ids: Vec<&str> = group
        .raw
        .pointer("/targeting/adUnitIds")
        .and_then(Json::as_array)
        .map(|a| a.iter().filter_map(Json::as_str).collect())
        .unwrap_or_default();
    let units: Vec<&EntityItem> = ids.iter().filter_map(|id| turn.entity(EntityKind::AdUnit, id)).collect();
    let mut chosen = Vec::new();
    for (at, want) in wanted.iter().enumerate() {
        let (source, line) = group_create::line(turn, want, &format!("-{}", at + 1))?;
        let twice = lists::lines_of(group).into_iter().any(|(_, old)| {
            want.price == Price::Live
                && old.get("adSourceId").and_then(Json::as_str) == Some(source.id.as_str())
                && old.get("state").and_then(Json::as_str) == Some("ENABLED")
        });
        if twice {
            return Err(ask(clarify::missing(
                &format!("{} is already a bidder in {}.", plain(&source.name), plain(&group.name)),
                &["List my mediation groups"],
            )));
        }
        chosen.push((source, line));
    }
    let sources: Vec<&EntityItem> = chosen.iter().map(|(s, _)| *s).collect();
    let known = mapping::of_lines(turn, account, &units, &sources)?;
    let mut lines = Map::new();
    let mut mask = Vec::new();
    for (source, mut line) in chosen {
        mapping::attach(&mut line, &known, &source.id, &units);
        let key = line["id"].as_str().unwrap_or_default().to_owned();
        mask.push(format!("mediation_group_lines[\"{key}\"]"));
        lines.insert(key, line);
    }
    Ok(call(group, account, &mask, &json!({"mediationGroupLines": lines})))
}

type Line<'g> = (&'g str, &'g Json);

/// Returns the lines of the named sources, or the one that the words fit, or asks.
fn lines_meant<'g>(
    turn: &Turn<'_>,
    group: &'g EntityItem,
    wanted: &[wish::Wanted<'_>],
    rest: &str,
    change: LineChange,
) -> Result<Vec<Line<'g>>, Box<Step>> {
    let lines = lists::lines_of(group);
    let text = |line: &Json, key: &str| line.get(key).and_then(Json::as_str).unwrap_or("").to_owned();
    // An ID says which one the message means, if a source has several lines.
    let mut fits: Vec<Line<'g>> = lines.iter().copied().filter(|(id, _)| rest.contains(id)).collect();
    let named = !fits.is_empty();
    if wanted.is_empty() && !named {
        let simple = names::simple(rest);
        fits = lines
            .iter()
            .copied()
            .filter(|(_, line)| {
                let name = names::simple(&text(line, "displayName"));
                !name.is_empty() && simple.contains(&name)
            })
            .collect();
        if fits.is_empty() && matches!(change, LineChange::Price(_)) {
            fits = lines.iter().copied().filter(|(_, line)| manual(line)).collect();
        }
    } else if !named {
        for want in wanted {
            let family = family(turn, want);
            let mut own: Vec<Line<'g>> =
                lines.iter().copied().filter(|(_, line)| family.contains(&text(line, "adSourceId"))).collect();
            if matches!(change, LineChange::Price(_)) && own.iter().any(|(_, line)| manual(line)) {
                own.retain(|(_, line)| manual(line));
            }
            if own.is_empty() {
                let present: Vec<String> =
                    lines.iter().map(|(_, line)| plain(&lists::source_name(turn, line))).collect();
                return Err(ask(clarify::missing(
                    &format!(
                        "**{}** has no {} line. Its lines are {}.",
                        plain(&group.name),
                        demand::written(&want.word),
                        and(&present)
                    ),
                    &["List my mediation groups"],
                )));
            }
            fits.extend(own);
        }
    }
    let priced = matches!(change, LineChange::Price(_));
    if fits.is_empty() || (priced && fits.len() > 1) {
        let choices = if fits.is_empty() { &lines } else { &fits };
        let now = |line: &Json| {
            let micros = line.get("cpmMicros").and_then(Json::as_str).and_then(|micros| micros.parse().ok());
            micros.filter(|_| manual(line)).map(dollars)
        };
        let words = |(id, line): &Line<'_>| {
            let price = now(line).map_or_else(|| "bidding".to_owned(), |now| format!("now {now}"));
            format!("{} ({price}, `{id}`)", plain(&lists::source_name(turn, line)))
        };
        let chip = |(id, line): &Line<'_>| {
            let now = now(line).map_or_else(String::new, |now| format!("{NOW}{now}"));
            format!("{CHOSEN}{} ({id}){now}", lists::source_name(turn, line))
        };
        let shown: Vec<String> = choices.iter().take(clarify::MOST).map(words).collect();
        let more = choices.len().saturating_sub(clarify::MOST);
        let more = (more > 0).then(|| format!("{more} more"));
        let present: Vec<String> = shown.into_iter().chain(more).collect();
        let text = format!("Which line of {} do you mean: {}?", plain(&group.name), or(&present));
        return Err(ask(clarify::missing(&text, &[]).choosing(choices.iter().take(clarify::MOST).map(chip))));
    }
    Ok(fits)
}

fn change_lines(group: &EntityItem, account: &str, lines: &[Line<'_>], change: LineChange) -> Prepared {
    let mut body = Map::new();
    let mut mask = Vec::new();
    for (id, line) in lines {
        let path = format!("mediation_group_lines[\"{id}\"]");
        let bids = line.get("cpmMode").and_then(Json::as_str) == Some("LIVE");
        let (field, value) = match change {
            LineChange::Price(_) if bids => {
                return Err(ask(clarify::missing(
                    "That line bids: its price is set by the auction at each request, so it has no floor to change.",
                    &["Show its waterfall lines", "List my mediation groups"],
                )));
            }
            LineChange::Price(micros) if micros < 10_000 => {
                return Err(ask(clarify::missing(
                    "AdMob takes waterfall prices of one cent or more.",
                    &["Set it to $0.50"],
                )));
            }
            LineChange::Price(micros) => {
                let same = line.get("cpmMicros").and_then(Json::as_str) == Some(micros.to_string().as_str());
                if same {
                    let price = Money::new(Currency::USD, micros).display(2);
                    return Err(ask(clarify::missing(
                        &format!("It's already at {price}."),
                        &["List my mediation groups"],
                    )));
                }
                (".cpm_micros", json!({"cpmMicros": micros.to_string()}))
            }
            LineChange::Disable => (".state", json!({"state": "DISABLED"})),
            LineChange::Enable => (".state", json!({"state": "ENABLED"})),
            LineChange::Remove | LineChange::Add => (".state", json!({"state": "REMOVED"})),
        };
        mask.push(format!("{path}{field}"));
        body.insert((*id).to_owned(), value);
    }
    if mask.is_empty() {
        return Err(ask(clarify::missing(
            &format!("{} has no lines to change.", plain(&group.name)),
            &["List my mediation groups"],
        )));
    }
    Ok(call(group, account, &mask, &json!({"mediationGroupLines": body})))
}

/// AdMob's API can't change a group's name, state or countries. Says so before anybody approves such a change in vain.
fn not_taken(turn: &Turn<'_>, group: &EntityItem, lower: &str) -> Answer {
    let says = |words: &[&str]| words.iter().any(|w| crate::planner::read::contains_word(lower, w));
    let name = plain(&group.name);
    let what = if says(&["rename", "name", "call it"]) {
        Some("the name")
    } else if says(&["disable", "enable", "pause", "resume", "turn", "switch", "deactivate", "activate", "stop"]) {
        Some("the state")
    } else if !group_create::countries(turn, lower).is_empty()
        || says(&["country", "countries", "region", "regions", "target", "geo"])
    {
        Some("the countries")
    } else {
        None
    };
    match what {
        Some(what) => clarify::missing(
            &format!(
                "AdMob's API can't change {what} of an existing mediation group, only its lines and ad units. In **{name}**, I can add, remove, disable or enable lines, set the price of a waterfall line, or add and remove ad units. A new group can have any name and countries. Make other changes in the AdMob console."
            ),
            &[&format!("What is in {}?", group.name), "Disable all its lines", "List my mediation groups"],
        ),
        None => clarify::missing(
            &format!(
                "What should change in **{name}**? I can add, remove, disable or enable lines, set the price of a waterfall line, or add \
                 and remove ad units."
            ),
            &["Add Pangle as a bidder to it", "Set the InMobi floor to $5.00", "List my mediation groups"],
        ),
    }
}
