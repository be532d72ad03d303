//! Changes to what a network has: which operation, which thing, the arguments by the operation's schema, and how the change ended. This
//! must propose one change at a time, never the same one twice, and ask for what the message doesn't say.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Cut as _, Network};
use serde_json::Value as Json;

use super::{
    fill::{Filler, Missing},
    focus,
    label::ONE_MORE,
    list::{Stuck, known, narrowed},
    said::{Said, bare, known_names, named},
    show::plural,
    tool::{Tool, bound, fit, own_kind, snake},
    waterfall, words,
};
use crate::planner::{
    Answer, Call, Step, clarify, demand, desks,
    format::{and, or, plain},
    granted, leftover, names, object,
    read::{Done, Turn, contains_word},
    spelled, talk,
    undo::DONE,
    unsent,
};

/// Words for a change, and the operations that make it.
const VERBS: [(&[&str], &[&str]); 10] = [
    (&["retract", "back to draft", "to draft"], &["retract"]),
    (&["unarchive"], &["unarchive"]),
    (&["archive"], &["archive", "update"]),
    (&["approve"], &["approve", "update"]),
    (
        &[
            "pause",
            "disable",
            "deactivate",
            "switch off",
            "turn off",
            "suspend",
            "turned off",
            "switched off",
            "shut off",
            "shut down",
            "take offline",
            "kill off",
        ],
        &["pause", "deactivate", "update", "manage"],
    ),
    (
        &["resume", "enable", "activate", "switch on", "turn on", "unpause", "run again"],
        &["resume", "activate", "update", "manage"],
    ),
    (
        &["delete", "remove", "get rid of", "throw out", "throw away", "erase", "wipe", "purge", "kill", "can go"],
        &["delete", "remove", "deactivate", "archive"],
    ),
    (&["submit"], &["submit"]),
    (&["create", "make", "add", "register", "new", "set up", "build", "save"], &["create"]),
    (
        &["set", "change", "update", "raise", "lower", "rename", "increase", "decrease", "edit", "move", "start"],
        &["update", "manage"],
    ),
];

pub(in crate::planner) fn next(turn: &Turn<'_>, network: Network) -> Step {
    let name = network.display_name();
    if turn.request.planner.settings.safe_mode {
        return Answer::text("Safe mode is on, so I can't draft changes. Turn it off under Context, then ask again.")
            .following(talk::EXAMPLES)
            .into();
    }
    let writes: Vec<Tool<'_>> = bound(turn, network).into_iter().filter(|tool| !tool.spec.read_only).collect();
    let tried: Vec<&Done<'_>> =
        turn.done.iter().filter(|done| writes.iter().any(|tool| tool.spec.name == done.name)).collect();
    if let Some(done) = tried.iter().rev().find(|done| done.ok || done.denied() || !done.names_unknown()) {
        if let Some(step) = unsent::instead(turn, &tried, |turn| next(turn, network)) {
            return step;
        }
        return ended(network, done, tried.len() > 1).into();
    }
    if network == Network::AppLovin && waterfall::is_changed(turn) {
        match Said::of(turn, false).map(|said| waterfall::change(turn, &said)) {
            Ok(Some(step)) => return step,
            Ok(None) => {}
            Err(step) => return *step,
        }
    }
    let Some(tool) = wanted(turn, &writes) else {
        return nothing_fits(turn, network, &writes).into();
    };
    if matches!(tool.verb, "delete" | "remove")
        && is_listed(turn, network, tool)
        && let Some(answer) = object::missing(turn, &[network])
    {
        return answer.into();
    }
    if let Some(answer) = granted::withheld(turn, &tool.spec.name).or_else(|| not_whole(turn, network, tool)) {
        return answer.into();
    }
    let said = match Said::of(turn, tool.verb == "create") {
        Ok(said) => said,
        Err(step) => return *step,
    };
    let prepared = prepare(turn, network, tool, &said);
    match prepared {
        Ok(call) if turn.find(&call).is_none() && tried.is_empty() => {
            Step::Calls { say: "Here is the change, for your approval.".to_owned(), calls: vec![call] }
        }
        Ok(_) => match tried.last() {
            Some(done) => ended(network, done, true).into(),
            None => nothing_fits(turn, network, &writes).into(),
        },
        Err(Stuck::First(calls)) => {
            turn.missing(&calls, &format!("Looking up what {name} has.")).unwrap_or_else(|| {
                clarify::missing(&format!("I couldn't look up what I need in {name}."), &talk::EXAMPLES).into()
            })
        }
        Err(Stuck::Ask(answer)) => Step::Answer(answer),
        Err(Stuck::Never(why)) => clarify::missing(&why, &talk::EXAMPLES).into(),
    }
}

/// Checks whether we know what the network has of the kind of thing that an operation is about.
fn is_listed(turn: &Turn<'_>, network: Network, tool: &Tool<'_>) -> bool {
    kind_of(network, tool).is_none_or(|kind| known(turn, network, kind).is_ok())
}

/// Returns the kind of thing that an operation changes. Where its noun names no thing that is listed, as in "manage experiment", the ID
/// that it needs says it.
fn kind_of(network: Network, tool: &Tool<'_>) -> Option<EntityKind> {
    let noun = match tool.noun.as_str() {
        "expected_cpm" => "ad_unit",
        noun => noun.strip_suffix("_for_approval").unwrap_or(noun).trim_end_matches('s'),
    };
    let by_noun = EntityKind::parse(noun).or_else(|| EntityKind::parse(&tool.noun));
    let needed = tool.spec.input_schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let by_id = || needed.filter_map(super::tool::kind_of_param).find(|kind| *kind != EntityKind::Account);
    by_noun
        .filter(|kind| super::tool::lister(network, *kind).is_some())
        .or_else(by_id)
        .or(by_noun)
        .map(|kind| own_kind(network, kind))
}

/// Returns the operation that makes the change: by its verb, its noun, and the order of the retriever.
fn wanted<'w, 't>(turn: &Turn<'_>, writes: &'w [Tool<'t>]) -> Option<&'w Tool<'t>> {
    let spoken = spoken(turn);
    // An answer to our question is not a new order: the first order of the change still applies.
    let creates = turn.understood.verb == "create" && !turn.goes_on;
    let spoken = if creates { Some(["create"].as_slice()) } else { spoken };
    let verbs = spoken.unwrap_or(match turn.understood.verb.as_str() {
        "create" => &["create"],
        "delete" => &["delete", "remove", "archive", "deactivate"],
        "update" | "stop" => &["update", "manage", "pause", "deactivate"],
        _ => &[],
    });
    let rank = |tool: &Tool<'_>| verbs.iter().position(|verb| *verb == tool.verb);
    // To create or update one thing, use the operation for one thing if there is one.
    let single =
        |tool: &Tool<'_>| writes.iter().any(|own| !own.batch && own.verb == tool.verb && own.noun == tool.noun);
    let plain = |tool: &&Tool<'_>| !tool.batch || !matches!(tool.verb, "create" | "update") || !single(tool);
    let mut fits: Vec<(usize, &Tool<'_>)> =
        writes.iter().filter(plain).filter_map(|tool| Some((rank(tool)?, tool))).collect();
    // The noun decides first, then how exactly the verb fits. Ties keep the retriever's order.
    fits.sort_by_key(|(rank, tool)| (std::cmp::Reverse(fit(turn, tool)), *rank));
    if turn.says(&["price", "cpm", "floor"])
        && let Some((_, tool)) = fits.iter().find(|(_, tool)| tool.noun == "expected_cpm")
    {
        return Some(*tool);
    }
    // Never create something else than the message asks for.
    // Where the words name no thing ("a new banner for Kart Rivals"), the operation that fits best by the learned scores says which.
    let best = |tool: &Tool<'_>| turn.understood.fits.first().is_some_and(|name| *name == tool.spec.name);
    let made = |tool: &Tool<'_>| tool.verb != "create" || fit(turn, tool) > 0 || best(tool);
    fits.first().map(|(_, tool)| *tool).filter(|tool| made(tool))
}

/// Returns the operations for the first order in the message. Words inside names don't count.
fn spoken(turn: &Turn<'_>) -> Option<&'static [&'static str]> {
    let words = VERBS.map(|(words, _)| words);
    words::first_said(&bare(turn).to_ascii_lowercase(), &words).map(|at| VERBS[at].1)
}

/// Refuses two deletions. If the network can't delete the thing, we don't make another change that nobody asked for. If the message removes
/// only a part, we don't delete the whole thing.
fn not_whole(turn: &Turn<'_>, network: Network, tool: &Tool<'_>) -> Option<Answer> {
    let said = bare(turn).to_ascii_lowercase();
    let deletes = spoken(turn).is_some_and(|verbs| verbs.first() == Some(&"delete"));
    if !deletes {
        return None;
    }
    let part = ["delete", "remove"].iter().flat_map(|verb| said.match_indices(verb)).find_map(|(at, verb)| {
        const PARTS: [&str; 12] = [
            "floor",
            "floors",
            "price",
            "cpm",
            "ecpm",
            "cap",
            "capping",
            "limit",
            "targeting",
            "countries",
            "refresh",
            "pacing",
        ];
        let after = said.cut(at + verb.len()..).split_whitespace();
        let near: Vec<&str> = after.take(4).take_while(|word| !matches!(*word, "of" | "from" | "on" | "in")).collect();
        near.into_iter().find(|word| PARTS.contains(word)).map(str::to_owned)
    });
    let name = network.display_name();
    if let Some(part) = part {
        return Some(clarify::missing(
            &format!("I can't remove the {part} in {name}. What should the new value be?"),
            &talk::EXAMPLES,
        ));
    }
    if matches!(tool.verb, "delete" | "remove") {
        return None;
    }
    let verb = tool.verb.replace('_', " ");
    let things = plural(&tool.noun);
    Some(
        clarify::missing(
            &format!("{name} can't delete {things}. I can {verb} one instead: say “{verb}” and its name."),
            &[],
        )
        .following(talk::EXAMPLES),
    )
}

fn nothing_fits(turn: &Turn<'_>, network: Network, writes: &[Tool<'_>]) -> Answer {
    let mut offered: Vec<String> =
        writes.iter().map(|tool| format!("{} {}", tool.verb.replace('_', " "), plural(&tool.noun))).collect();
    offered.dedup();
    offered.truncate(8);
    let name = network.display_name();
    let what = if offered.is_empty() {
        format!("I can't make that change in {name}: “{}”.", plain(turn.question().trim()))
    } else {
        format!("What do you want to change in {name}? I can {}.", or(&offered))
    };
    clarify::missing(&what, &talk::EXAMPLES)
}

fn prepare(turn: &Turn<'_>, network: Network, tool: &Tool<'_>, said: &Said) -> Result<Call, Stuck> {
    let target = if tool.verb == "create" { None } else { Some(target(turn, network, tool, said)?) };
    let mut said = said.clone();
    // "rename A to B" and "pause A" name the thing; A is not a new name for it.
    if let (Some(target), Some(name)) = (target, &said.name)
        && names::simple(&target.name) == names::simple(name)
    {
        said.name = None;
    }
    let mut filler = Filler::new(turn, network, &said, target, &tool.noun);
    let args = filler.arguments(&tool.spec.input_schema)?;
    if !filler.missing.is_empty() {
        return Err(Stuck::from(ask(tool, network, &filler.missing)));
    }
    let mut args = args;
    if tool.spec.input_schema["properties"]["updateMask"].is_object() {
        let fields: Vec<String> =
            args["body"].as_object().map(|body| body.keys().cloned().collect()).unwrap_or_default();
        args["updateMask"] = fields.join(",").into();
    }
    let nothing = tool.verb == "update" && changes_nothing(&args, target);
    if let (true, Some(active)) = (nothing, said.active.filter(|_| !has_state(&tool.spec.input_schema))) {
        let verb = if active { "resume" } else { "pause" };
        let text = format!("{} doesn't let me {verb} {}.", network.display_name(), plural(&tool.noun));
        return Err(Stuck::from(clarify::impossible(&text, &talk::EXAMPLES)));
    }
    if nothing {
        let name = target.map_or_else(|| "It".to_owned(), |item| format!("**{}**", plain(&item.name)));
        // If something in the message became no value, we didn't understand the message, so we can't say that nothing would change.
        let left = leftover::of(&turn.only(network), &tool.spec.name, &args);
        let text = if left.is_empty() && has_values(&args) {
            format!("{name} already has those values.")
        } else if left.is_empty() {
            format!("What should change in {name}: the name, the price or the state?")
        } else {
            let left: Vec<String> = left.iter().map(|said| format!("“{}”", plain(said))).collect();
            format!("I couldn't tell what {} changes in {name}: the name, the price or the state?", and(&left))
        };
        return Err(Stuck::from(clarify::missing(&text, &talk::EXAMPLES)));
    }
    Ok(Call { name: tool.spec.name.clone().into(), args })
}

/// Checks whether an operation has a field that turns the thing on or off.
fn has_state(schema: &Json) -> bool {
    const STATES: [&str; 8] =
        ["status", "state", "is_paused", "disabled", "is_live", "is_active", "ad_delivery", "enabled"];
    let body = &schema["properties"]["body"];
    let fields = body.get("properties").or_else(|| body.pointer("/items/properties"));
    fields.and_then(Json::as_object).is_some_and(|map| map.keys().any(|name| STATES.contains(&snake(name).as_str())))
}

/// Returns the fields that a call sets on the thing. A batch holds them one level deeper, beside its mask.
fn fields_set(args: &Json) -> Option<&serde_json::Map<String, Json>> {
    let body = &args["body"];
    let entry = if body.is_array() { &body[0] } else { body };
    let request = &entry["requests"][0];
    let inner = request.as_object().and_then(|map| map.values().find(|value| value.is_object()));
    inner.unwrap_or(entry).as_object()
}

/// Checks whether the body has more than the thing's own ID and name.
fn has_values(args: &Json) -> bool {
    let other = |name: &&String| super::tool::kind_of_param(name).is_none() && !matches!(name.as_str(), "id" | "name");
    fields_set(args).is_some_and(|fields| fields.keys().any(|name| other(&name)))
}

/// Checks whether the thing already has every value of the body.
fn changes_nothing(args: &Json, target: Option<&EntityItem>) -> bool {
    let Some(fields) = fields_set(args) else { return false };
    let same = |(name, value): (&String, &Json)| {
        super::tool::kind_of_param(name).is_some()
            || name == "id"
            || target.and_then(|item| item.raw.get(name)).is_some_and(|now| now == value)
    };
    fields.iter().all(same)
}

/// Returns the one thing to change.
fn target<'t>(turn: &'t Turn<'_>, network: Network, tool: &Tool<'_>, said: &Said) -> Result<&'t EntityItem, Stuck> {
    let Some(kind) = kind_of(network, tool) else {
        return Err(Stuck::Never(format!("I can't tell which {} you mean.", tool.words())));
    };
    let things = known(turn, network, kind)?;
    let mut fits: Vec<&EntityItem> = named(turn, network, kind);
    let exact = !fits.is_empty();
    if !exact && let Some(name) = called(turn) {
        return Err(unknown(turn, network, tool, &name, &things));
    }
    // Never use a thing that is known to be different, unless the message gives its ID.
    let by_id = fits.iter().any(|item| contains_word(&turn.text, &item.id));
    let narrow = |fits: Vec<&'t EntityItem>, test: &dyn Fn(&EntityItem) -> bool| -> Vec<&'t EntityItem> {
        let left: Vec<&EntityItem> = fits.iter().copied().filter(|item| test(item)).collect();
        if left.is_empty() && by_id { fits } else { left }
    };
    // "the rewarded ad unit of Puzzle Game": found by its app and its format.
    let apps = named(turn, network, EntityKind::App);
    let lies_in_app =
        matches!(kind, EntityKind::AdUnit | EntityKind::Placement | EntityKind::Instance | EntityKind::MediationGroup);
    if lies_in_app && !by_id {
        elsewhere(turn, network, tool, said, &fits, &apps)?;
    }
    // What fits everything in the message except the last condition.
    let mut near = fits.clone();
    if kind != EntityKind::App && !apps.is_empty() {
        let inside = |item: &EntityItem| focus::lies_in(item, &apps);
        fits = if fits.is_empty() {
            things.iter().copied().filter(|item| inside(item)).collect()
        } else {
            narrow(fits, &inside)
        };
    }
    let removes = matches!(tool.verb, "delete" | "remove" | "archive" | "deactivate");
    if !exact && !removes && fits.len() > 1 {
        // "the gameplay one" of an app.
        let picked = focus::picked(turn, &fits);
        if !picked.is_empty() {
            fits = picked;
        }
    }
    if fits.is_empty() && apps.is_empty() {
        fits = focus::meant(turn, network, &things, said, removes);
    }
    // "turn off AppLovin in LevelPlay" can only mean an instance of that network.
    if kind == EntityKind::Instance
        && !exact
        && let Some(source) = said.source.as_deref()
    {
        let there = if fits.is_empty() { things.clone() } else { fits };
        fits = of_source(turn, network, &there, source, &apps)?;
    }
    // A thing to delete, archive or deactivate must be named. We never find it by a few words, or because there is no other thing.
    if fits.is_empty() && !matches!(tool.verb, "delete" | "remove" | "archive" | "deactivate") {
        fits = focus::by_words(turn, &things);
        if fits.is_empty() && things.len() == 1 {
            fits.clone_from(&things);
        }
    }
    if !exact {
        // If the name lacks a capitalized word of the message, the message means another thing.
        let stray = stray(turn);
        fits.retain(|item| stray.iter().all(|word| names::simple(&item.name).split(' ').any(|own| own == word)));
        if fits.is_empty() && !stray.is_empty() {
            return Err(unknown(turn, network, tool, &stray.join(" "), &things));
        }
    }
    if !fits.is_empty() {
        near.clone_from(&fits);
    }
    if let Some(format) = said.format.as_deref() {
        fits =
            narrow(fits, &|item| item.format.as_deref().is_none_or(|own| desks::format_word(network, own) == format));
    }
    if !fits.is_empty() {
        near.clone_from(&fits);
    }
    if let Some(platform) = said.platform {
        // A thing in an app has the app's platform.
        let above = |item: &EntityItem| {
            let app =
                turn.entities.iter().find(|e| e.network == network && item.parent.as_deref() == Some(e.id.as_str()));
            app.and_then(|app| app.platform.clone())
        };
        fits = narrow(fits, &|item| {
            let own = item.platform.clone().or_else(|| above(item));
            own.is_none_or(|own| own.to_lowercase().contains(platform))
        });
    }
    match fits.as_slice() {
        [one] => Ok(one),
        [] => Err(none_fits(turn, network, kind.as_str(), said, &apps, &near, things)),
        several => Err(Stuck::from(clarify::several(turn, &plural(kind.as_str()), &several[0].name, several))),
    }
}

/// Returns the instances of a demand source. Says so if there is none.
fn of_source<'t>(
    turn: &Turn<'_>,
    network: Network,
    there: &[&'t EntityItem],
    source: &str,
    apps: &[&EntityItem],
) -> Result<Vec<&'t EntityItem>, Stuck> {
    let is_one = |item: &&EntityItem| {
        let own = item.raw["networkName"].as_str();
        spelled::same(&item.name, source) || own.is_some_and(|own| spelled::same(own, source))
    };
    let fits: Vec<&EntityItem> = there.iter().copied().filter(is_one).collect();
    if fits.is_empty() {
        let source = demand::written(source);
        let place = apps.first().map_or_else(String::new, |app| format!(" in **{}**", plain(&app.name)));
        let text = format!(
            "{} has no instance of {source}{place}. It has {}.",
            network.display_name(),
            or(&clarify::labels(turn, there))
        );
        return Err(Stuck::from(clarify::impossible(&text, &[])));
    }
    Ok(fits)
}

/// Asks for the thing if none fits everything in the message: offers the closest ones, or all if none is close.
fn none_fits(
    turn: &Turn<'_>,
    network: Network,
    noun: &str,
    said: &Said,
    apps: &[&EntityItem],
    near: &[&EntityItem],
    things: Vec<&EntityItem>,
) -> Stuck {
    let (words, owner) = (noun.replace('_', " "), network.display_name());
    let ask = |has: &[&EntityItem]| or(&clarify::labels(turn, has));
    if near.is_empty() && turn.understood.verb == "delete" {
        // Never offer to delete a thing that nobody named.
        return Stuck::from(clarify::missing(&format!("Which {words} of {owner} do you mean? Say its name."), &[]));
    }
    if near.is_empty() {
        let things = narrowed(turn, network, things);
        let text = format!("Which {words} do you mean? {owner} has {}.", ask(&things));
        return Stuck::from(clarify::which(turn, &text, &things));
    }
    let text = format!(
        "{owner} has no {words} that fits all of that. Which {words} do you mean? The closest{}: {}.",
        place_of(&words, apps, said),
        ask(near)
    );
    Stuck::from(clarify::which(turn, &text, near))
}

/// Returns " to “rewarded ad unit in **Puzzle Game** on iOS”", from what the message says to distinguish the thing.
fn place_of(words: &str, apps: &[&EntityItem], said: &Said) -> String {
    let format = said.format.as_deref().map(|format| format.replace('_', " "));
    let app = apps.first().map(|app| format!("in **{}**", plain(&app.name)));
    let platform = said.platform.map(|platform| format!("on {}", names::platform_label(platform)));
    let some: Vec<String> = [format, Some(words.to_owned()), app, platform].into_iter().flatten().collect();
    if some.len() == 1 { String::new() } else { format!(" to “{}”", some.join(" ")) }
}

/// Says so if the network doesn't have the named app, or not on the named platform. A thing of the same name in another app does not count.
fn elsewhere(
    turn: &Turn<'_>,
    network: Network,
    tool: &Tool<'_>,
    said: &Said,
    fits: &[&EntityItem],
    apps: &[&EntityItem],
) -> Result<(), Stuck> {
    let own: Vec<&EntityItem> =
        turn.entities.iter().filter(|item| item.network == network && item.kind == EntityKind::App).collect();
    if own.is_empty() {
        return Ok(());
    }
    let text = names::simple(&turn.text);
    let inside = |name: &str| fits.iter().any(|item| names::only_inside(&text, name, &names::simple(&item.name)));
    let other = turn.entities.iter().filter(|item| item.kind == EntityKind::App && item.name.len() > 2).find(|item| {
        let name = names::simple(&item.name);
        names::holds(&text, &name) && !inside(&name)
    });
    let Some(name) = apps.first().map(|app| &app.name).or_else(|| other.map(|app| &app.name)) else { return Ok(()) };
    let on = |app: &&&EntityItem| {
        let platform = app.platform.as_deref().map(str::to_lowercase);
        said.platform.is_none_or(|wanted| platform.is_none_or(|own| own.contains(wanted)))
    };
    if apps.iter().any(|app| on(&app)) {
        return Ok(());
    }
    let platform = said.platform.map(|platform| format!(" on {}", names::platform_label(platform)));
    let place = format!("{}{}", plain(name), platform.unwrap_or_default());
    let words = if tool.noun == "expected_cpm" { "ad unit".to_owned() } else { tool.words() };
    let near: Vec<&EntityItem> = match apps {
        [] => Vec::new(),
        apps => {
            fits.iter().copied().filter(|item| apps.iter().any(|app| item.parent.as_deref() == Some(&app.id))).collect()
        }
    };
    let owner = network.display_name();
    Err(Stuck::from(if near.is_empty() {
        let known = clarify::labels(turn, if apps.is_empty() { &own } else { apps });
        let ask =
            format!("{owner} has no **{place}**, so there is no such {words}. In which app is it: {}?", or(&known));
        clarify::missing(&ask, &[])
    } else {
        let ask = format!(
            "{owner} has no **{place}**, so there is no such {words}. Do you mean {}?",
            or(&clarify::labels(turn, &near))
        );
        clarify::which(turn, &ask, &near)
    }))
}

/// Returns a name in quotes or after "called" that names the thing, and not a value that it gets.
fn called(turn: &Turn<'_>) -> Option<String> {
    let known = known_names(turn);
    let is_known =
        |text: &str| turn.entities.iter().any(|e| names::simple(&e.name) == names::simple(text) || e.id == text);
    let value = |at: usize| {
        let before = turn.text.cut(..at).trim_end_matches(['"', '\'', '“', '„', '«', '‘']).trim_end().to_lowercase();
        ["to", "as", "is", "=", ":", "category", "with the name", "use the name"]
            .iter()
            .any(|lead| before.ends_with(lead))
    };
    let quoted = names::quoted(&turn.text)
        .into_iter()
        .find(|name| !is_known(name) && turn.text.find(name.as_str()).is_some_and(|at| !value(at)));
    quoted.or_else(|| {
        let (start, end) = words::called(&turn.text, &known)?.ok()?;
        let name = turn.text.cut(start..end).trim();
        (!value(start) && !name.is_empty() && !is_known(name)).then(|| name.to_owned())
    })
}

/// Returns capitalized words that are no name of anything known, and no network, platform, format or country.
fn stray(turn: &Turn<'_>) -> Vec<String> {
    const PLAIN: [&str; 24] = [
        "ad",
        "ads",
        "unit",
        "units",
        "manager",
        "exchange",
        "max",
        "placement",
        "placements",
        "app",
        "apps",
        "order",
        "orders",
        "line",
        "item",
        "items",
        "android",
        "ios",
        "banner",
        "interstitial",
        "rewarded",
        "native",
        "levelplay",
        "play",
    ];
    let text = bare(turn);
    let tokens = crate::text::tokens(&text);
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};
        let len =
            NETWORKS.at(&tokens, at).map(|(_, len)| len).or_else(|| OTHER_SOURCES.at(&tokens, at).map(|(_, len)| len));
        if let Some(len) = len {
            at += len.max(1);
            continue;
        }
        let token = &tokens[at];
        let word = text.cut(token.start..token.end);
        let begins = at == 0 || tokens[at - 1].is_stop();
        let shouts = word.chars().all(|c| !c.is_lowercase());
        if token.kind == crate::text::Kind::Word
            && word.starts_with(char::is_uppercase)
            && !begins
            && !shouts
            && !PLAIN.contains(&word.to_lowercase().as_str())
            && names::countries_in(word).is_empty()
        {
            out.push(names::simple(word));
        }
        at += 1;
    }
    // "New Zealand" is a country, although neither word is one.
    if names::countries_in(&out.join(" ")).is_empty() { out } else { Vec::new() }
}

fn unknown(turn: &Turn<'_>, network: Network, tool: &Tool<'_>, name: &str, things: &[&EntityItem]) -> Stuck {
    let close = names::close(things, &names::simple(name));
    let shown: Vec<&EntityItem> = if close.is_empty() { things.to_vec() } else { close };
    let (words, labels) = (tool.words(), clarify::labels(turn, &shown));
    let which = match labels.as_slice() {
        [one] => format!("Do you mean {one}?"),
        several => format!("Which {words} do you mean? Available: {}.", or(several)),
    };
    let ask = format!("{} has no {words} called “{}”. {which}", network.display_name(), plain(name));
    Stuck::from(clarify::which(turn, &ask, &shown))
}

fn ask(tool: &Tool<'_>, network: Network, missing: &[Missing]) -> Answer {
    // The choices answer our question.
    let choices: Vec<String> = match missing {
        [one] => one.options.iter().take(clarify::MOST).map(|option| format!("For {option}")).collect(),
        _ => Vec::new(),
    };
    let examples: Vec<String> = match missing {
        // An app, an order or a group would not get such a name.
        [one]
            if one.label.ends_with("name")
                && !one.label.contains("package")
                && matches!(tool.noun.as_str(), "ad_unit" | "placement" | "ad_slot") =>
        {
            vec!["With the name 'Level end rewarded'".to_owned()]
        }
        _ => Vec::new(),
    };
    let list: Vec<String> = missing
        .iter()
        .map(|one| {
            if one.options.is_empty() {
                format!("**{}**", plain(&one.label))
            } else {
                format!("**{}** ({})", plain(&one.label), plain(&one.options.join(", ")))
            }
        })
        .collect();
    clarify::missing(
        &format!(
            "To {} this {} in {} {ONE_MORE}{}. What should it be?",
            tool.verb.replace('_', " "),
            tool.words(),
            network.display_name(),
            and(&list)
        ),
        &examples.iter().map(String::as_str).collect::<Vec<_>>(),
    )
    .choosing(choices)
}

/// Says how a change ended.
fn ended(network: Network, done: &Done<'_>, attempted: bool) -> Answer {
    let name = network.display_name();
    let follow = [
        format!("List my {name} ad units"),
        format!("{name} revenue, last 7 days"),
        "What was my revenue yesterday?".to_owned(),
    ];
    let text = if done.ok {
        let deed = match Tool::verb_of(done.name) {
            "create" => " was created",
            "delete" | "remove" => " was deleted",
            "archive" => " was archived",
            _ => " was changed",
        };
        let what = super::thing::things_of(done).into_iter().next().map_or_else(String::new, |thing| {
            let (noun, id) = (thing.noun.replace('_', " "), thing.id.replace('`', ""));
            format!(": {noun} **{}** (`{id}`){deed}", plain(&thing.name))
        });
        format!("{DONE}{what}. {name} accepted the change as approved.")
    } else if done.denied() {
        let again = if attempted { " There was an earlier attempt; check there before trying again." } else { "" };
        let told = unsent::repeated(done);
        let why = match done.content.get("cause").and_then(Json::as_str) {
            Some("already_there") => "The values are already there",
            Some("expired") => "No one answered in time, and the approval expired",
            Some("cancelled") => "It was canceled before anyone answered",
            Some("forked") => "This change belongs to the run this one was forked from",
            _ => "You denied it",
        };
        // The same change would be denied again.
        let cause = done.content.get("cause").and_then(Json::as_str);
        let next = if matches!(cause, None | Some("declined")) {
            " Tell me what should be different, and I'll draft that."
        } else {
            ""
        };
        format!("{told}{why}, so nothing was sent to {name} this time.{again}{next}")
    } else if let Some(answer) = unsent::waits_already(done) {
        return answer;
    } else if done.content.get("unknown").and_then(Json::as_bool) == Some(true) {
        format!(
            "We may have sent the change, but can't confirm it. {}. Check {name} before you try again.",
            done.problem()
        )
    } else {
        let guidance = done
            .guidance()
            .map_or_else(String::new, |text| format!(" {}.", plain(text.trim_end_matches('.')).replace('\\', "")));
        format!("{name} didn't make the change: {}.{guidance} Nothing has been changed.", done.problem())
    };
    Answer::text(text).following(follow)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_that_says_nothing_new_is_none() {
        let item = EntityItem {
            network: Network::Liftoff,
            kind: EntityKind::AdUnit,
            id: "5f".into(),
            name: "Level end".into(),
            parent: None,
            account: None,
            platform: None,
            format: None,
            status: None,
            connection: None,
            raw: json!({"name": "Level end"}).into(),
        };
        assert!(changes_nothing(&json!({"placement_id": "5f", "body": {"name": "Level end"}}), Some(&item)));
        assert!(!changes_nothing(&json!({"body": {"name": "Level end", "status": "inactive"}}), Some(&item)));
    }
}
