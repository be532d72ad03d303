//! Lists and lookups: which operation to call, for which parents, and what the answer shows.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::{Map, Value as Json};

use super::{
    floor_of, show,
    tool::{Tool, bound, fit, kind_of_param, lister, noun_of, own_kind},
    waterfall,
};
use crate::planner::{
    Answer, Call, Step, clarify, desks,
    format::{and, or},
    held::{self, Held},
    names,
    read::Turn,
    talk,
};

/// The most parents whose things we list. More would be too many calls for one question.
const MOST_PARENTS: usize = 40;

/// The page size, for networks that require one.
const PAGE: i64 = 500;

/// The most calls of one step.
const AT_ONCE: usize = 10;

/// Kinds that most networks can list. If a network can't list one of these, we say so and show no other list instead.
const CORE: [&str; 6] = ["app", "ad_unit", "placement", "mediation_group", "instance", "ad_source"];

/// Why there is no call yet, or can never be one.
pub(super) enum Stuck {
    First(Vec<Call>),
    Ask(Box<Answer>),
    Never(String),
}

impl From<Answer> for Stuck {
    fn from(answer: Answer) -> Self {
        Self::Ask(Box::new(answer))
    }
}

pub(in crate::planner) fn next(turn: &Turn<'_>, networks: &[Network]) -> Step {
    if networks == [Network::AppLovin] && waterfall::is_asked(turn) {
        return waterfall::show(turn);
    }
    let part = of_part(turn, networks);
    let turn = part.as_ref().unwrap_or(turn);
    let (mut calls, mut first, mut never) = (Vec::new(), Vec::new(), Vec::new());
    // If some networks have what the question names, we don't ask the others for something similar. A list that is not bound to the turn is
    // found by its kind.
    let by_kind = |network: &Network| {
        turn.understood.noun.as_deref() == Some("ad_unit") && lister(*network, EntityKind::AdUnit).is_some()
    };
    let fitting = |network: &Network| {
        let best = bound(turn, *network).iter().map(|tool| fit(turn, tool)).max().unwrap_or(0);
        if best == 0 && by_kind(network) { 20 } else { best }
    };
    let best = networks.iter().map(fitting).max().unwrap_or(0);
    let some: Vec<Network> = networks.iter().copied().filter(|network| best < 20 || fitting(network) >= 20).collect();
    let networks = some.as_slice();
    for network in networks {
        match of_network(turn, *network) {
            Ok(own) => calls.extend(own),
            Err(Stuck::First(own)) => first.extend(own),
            Err(Stuck::Never(why)) => never.push(why),
            Err(Stuck::Ask(answer)) if networks.len() == 1 => return Step::Answer(answer),
            Err(Stuck::Ask(_)) => {
                never.push(format!("{} needs more details. Ask about it alone.", network.display_name()));
            }
        }
    }
    first.truncate(AT_ONCE);
    if let Some(step) = turn.missing(&first, "Looking up what it belongs to.") {
        return step;
    }
    let open: Vec<Call> = calls.iter().filter(|call| turn.find(call).is_none()).take(AT_ONCE).cloned().collect();
    if !open.is_empty() {
        return Step::Calls { say: "Reading the list.".to_owned(), calls: open };
    }
    if calls.is_empty() {
        return nothing(turn, networks, &never).into();
    }
    if let Some(step) = parents(turn, networks, &calls) {
        return step;
    }
    if let Some(step) = turn.missing(&floor_of::apart(turn, networks), "Reading the floors.") {
        return step;
    }
    show::answer(turn, networks, &calls, never).into()
}

/// Handles "Which app is the ad unit 112684 in?": returns a turn about the ad unit, because the ad unit says which app it belongs to.
fn of_part<'t>(turn: &Turn<'t>, networks: &[Network]) -> Option<Turn<'t>> {
    let asked = EntityKind::parse(turn.understood.noun.as_deref()?).filter(|kind| *kind == EntityKind::App)?;
    let named =
        |kind| names::mentioned(turn, kind, &turn.text).into_iter().filter(|item| networks.contains(&item.network));
    let part = named(EntityKind::AdUnit).find(|item| item.parent.is_some())?;
    let whole = named(asked).next().is_none() && turn.says(&["which", "what", "in"]);
    whole.then(|| {
        let mut one = turn.clone();
        one.understood.noun = Some(part.kind.as_str().to_owned());
        one
    })
}

/// Returns calls that list the parents which the question names, if we don't know them yet: "line items in order Nordic Sneakers".
fn parents(turn: &Turn<'_>, networks: &[Network], calls: &[Call]) -> Option<Step> {
    let about = noun_of(&calls[0].name);
    let mut first = Vec::new();
    // A line item only has the number of its order, and people don't know orders by their numbers.
    if let Some(order) = EntityKind::parse("order").filter(|_| about == "line_item") {
        for network in networks.iter().filter(|network| is_parent(**network, order)) {
            if let Err(Stuck::First(own)) = known(turn, *network, order) {
                first.extend(own);
            }
        }
    }
    for held in held::held(turn) {
        let Held::Thing { noun: Some(noun), .. } = held else { continue };
        let Some(kind) = EntityKind::parse(noun).filter(|_| !held::same_kind(&about, noun)) else { continue };
        for network in networks {
            let kind = own_kind(*network, kind);
            if !is_parent(*network, kind) {
                continue;
            }
            if let Err(Stuck::First(own)) = known(turn, *network, kind) {
                first.extend(own);
            }
        }
    }
    first.truncate(AT_ONCE);
    turn.missing(&first, "Looking up what it belongs to.")
}

/// Checks whether a network lists things of a kind that other things can belong to.
fn is_parent(network: Network, kind: EntityKind) -> bool {
    const AD_MANAGER: [&str; 14] = [
        "order",
        "line_item",
        "company",
        "user",
        "team",
        "role",
        "placement",
        "ad_unit",
        "private_auction",
        "custom_targeting_key",
        "cms_metadata_key",
        "content_bundle",
        "operating_system",
        "mobile_device",
    ];
    match network {
        Network::AdManager => AD_MANAGER.contains(&kind.as_str()),
        Network::AdMob => matches!(kind.as_str(), "app" | "ad_unit" | "ad_source" | "mediation_group"),
        _ => lister(network, kind).is_some(),
    }
}

/// Returns follow-ups that ask for all things of the kind.
pub(super) fn all_of(networks: &[Network], noun: &str) -> Vec<String> {
    networks
        .iter()
        .take(3)
        .map(|network| format!("List my {} {}", network.display_name(), show::plural(noun)))
        .collect()
}

fn nothing(turn: &Turn<'_>, networks: &[Network], never: &[String]) -> Answer {
    let names: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
    let mut offered: Vec<String> = networks
        .iter()
        .flat_map(|network| bound(turn, *network))
        .filter(|tool| tool.spec.read_only && matches!(tool.verb, "list" | "query"))
        .map(|tool| show::plural(&tool.noun))
        .collect();
    offered.dedup();
    let what = if offered.is_empty() { String::new() } else { format!(" I can list: {}.", and(&offered)) };
    let why = if never.is_empty() {
        format!("I found nothing in {} that answers this.", or(&names))
    } else {
        never.join(" ")
    };
    Answer::text(format!("{why}{what}")).following(talk::EXAMPLES)
}

fn of_network(turn: &Turn<'_>, network: Network) -> Result<Vec<Call>, Stuck> {
    let tools = bound(turn, network);
    let reads = |tool: &&Tool<'_>| tool.spec.read_only && matches!(tool.verb, "list" | "query" | "get" | "search");
    // A list shows as much as a lookup. But if the question names one thing, we look it up.
    let lists = |tool: &Tool<'_>| match tool.verb {
        "get" if names_all(turn, tool) => 3,
        "get" => 0,
        _ => 2,
    };
    let order = |tool: &Tool<'_>| fit(turn, tool) * 4 + lists(tool);
    let mut fits: Vec<&Tool<'_>> = tools.iter().filter(reads).collect();
    fits.sort_by_key(|tool| std::cmp::Reverse(order(tool)));
    if fits.first().is_some_and(|tool| fit(turn, tool) > 0) {
        fits.retain(|tool| fit(turn, tool) > 0);
    }
    // If the network has no list of this kind, no other list answers the question.
    let wanted = turn.understood.noun.as_deref().filter(|noun| CORE.contains(noun));
    if let Some(noun) = wanted.filter(|_| fits.iter().all(|tool| fit(turn, tool) == 0)) {
        // With many networks, not every list is bound to the turn.
        if noun == "ad_unit"
            && let Ok(Some(calls)) = listing(turn, network, EntityKind::AdUnit)
        {
            return Ok(calls);
        }
        return Err(Stuck::Never(format!("{} has no list of {}.", network.display_name(), show::plural(noun))));
    }
    let mut last = Stuck::Never(format!("{} can't list that.", network.display_name()));
    for tool in fits.into_iter().take(4) {
        match calls(turn, network, &tool.spec.name, &tool.spec.input_schema) {
            Ok(calls) => return Ok(calls),
            Err(stuck @ Stuck::First(_)) => return Err(stuck),
            Err(stuck) => last = stuck,
        }
    }
    Err(last)
}

/// Checks whether the question names exactly one thing for every ID that a lookup needs.
fn names_all(turn: &Turn<'_>, tool: &Tool<'_>) -> bool {
    let required = tool.spec.input_schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let mut ids = required.filter_map(kind_of_param).filter(|kind| *kind != EntityKind::Account).peekable();
    let one = |kind| {
        let named = names::mentioned(turn, own_kind(tool.network, kind), &turn.text);
        named.iter().filter(|item| item.network == tool.network).count() == 1
    };
    ids.peek().is_some() && ids.all(one)
}

/// Returns one call of the operation for each combination of its required values.
fn calls(turn: &Turn<'_>, network: Network, tool: &str, schema: &Json) -> Result<Vec<Call>, Stuck> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let mut all: Vec<Map<String, Json>> = vec![Map::new()];
    for name in required {
        let property = &schema["properties"][name];
        if name == "body" {
            let body = paged(property);
            for args in &mut all {
                args.insert(name.to_owned(), body.clone());
            }
            continue;
        }
        let gets = Tool::verb_of(tool) == "get";
        let values = values_of(turn, network, name, property, gets)?;
        all = all
            .into_iter()
            .flat_map(|args| {
                values.iter().map(move |value| {
                    let mut args = args.clone();
                    args.insert(name.to_owned(), value.clone());
                    args
                })
            })
            .collect();
    }
    let calls = all.into_iter().map(|args| Call { name: tool.to_owned().into(), args: Json::Object(args) });
    Ok(calls.flat_map(|call| turn.spread(&call)).collect())
}

/// Returns a body with nothing but the first page, if the operation requires one. The pipeline reads the other pages.
fn paged(schema: &Json) -> Json {
    let needed = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let page = needed.filter_map(|name| match name {
        "page" => Some((name.to_owned(), 1.into())),
        "page_size" => Some((name.to_owned(), schema["properties"][name]["maximum"].as_i64().unwrap_or(PAGE).into())),
        _ => None,
    });
    Json::Object(page.collect())
}

/// Returns the IDs for a required parameter: of the named things, or of all things that may fit if the question names none.
fn values_of(turn: &Turn<'_>, network: Network, name: &str, schema: &Json, gets: bool) -> Result<Vec<Json>, Stuck> {
    if let Some(one) = schema["enum"].as_array().filter(|all| all.len() == 1) {
        return Ok(one.clone());
    }
    let Some(kind) = kind_of_param(name) else {
        return Err(Stuck::from(clarify::missing(
            &format!("I need the {} for that. Which one?", name.replace('_', " ")),
            &talk::EXAMPLES,
        )));
    };
    let kind = own_kind(network, kind);
    let things = known(turn, network, kind)?;
    let named: Vec<&EntityItem> =
        names::mentioned(turn, kind, &turn.text).into_iter().filter(|item| item.network == network).collect();
    let chosen: Vec<&EntityItem> = if named.is_empty() { narrowed(turn, network, things) } else { named };
    // A lookup reads one thing per call. If there are more things than one step holds, we ask which one, instead of reading only half of
    // them.
    let most = if gets { AT_ONCE } else { MOST_PARENTS };
    if chosen.len() > most {
        let label = kind.as_str().replace('_', " ");
        let ask = format!(
            "You have {} {}. Which {label} do you mean: {}?",
            chosen.len(),
            show::plural(kind.as_str()),
            or(&clarify::labels(turn, &chosen))
        );
        return Err(Stuck::from(
            Answer::text(ask)
                .choosing(chosen.iter().take(clarify::MOST).map(|item| format!("{} of {}", what(turn), item.name))),
        ));
    }
    Ok(chosen.into_iter().map(|item| id_value(&item.id, schema)).collect())
}

/// Returns what the question asks for, for a chip that adds the name of a parent.
fn what(turn: &Turn<'_>) -> String {
    let noun = turn.understood.noun.as_deref().unwrap_or("details");
    names::format_label(&show::plural(noun))
}

/// For a question that names no thing: keeps the things that fit most words of the question, its format and its platform. Keeps all if none
/// fit.
pub(super) fn narrowed<'t>(turn: &Turn<'_>, network: Network, things: Vec<&'t EntityItem>) -> Vec<&'t EntityItem> {
    let keep = |things: Vec<&'t EntityItem>, fits: &dyn Fn(&EntityItem) -> bool| {
        let left: Vec<&EntityItem> = things.iter().copied().filter(|item| fits(item)).collect();
        if left.is_empty() { things } else { left }
    };
    let worded = super::focus::by_words(turn, &things);
    let things = if worded.is_empty() { things } else { worded };
    let things = match names::format_in(&turn.lower) {
        Some(format) => keep(things, &|item| {
            item.format.as_deref().is_some_and(|own| {
                own.eq_ignore_ascii_case(format) || desks::format_word(network, own).eq_ignore_ascii_case(format)
            })
        }),
        None => things,
    };
    match names::platform_in(&turn.lower) {
        Some(platform) => {
            keep(things, &|item| item.platform.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(platform)))
        }
        None => things,
    }
}

/// Returns an ID in the type that the schema wants.
pub(super) fn id_value(id: &str, schema: &Json) -> Json {
    match schema["type"].as_str() {
        Some("integer") => id.parse::<i64>().map_or_else(|_| id.into(), Json::from),
        _ => id.into(),
    }
}

/// Returns the things of a kind in a network, and lists them first if none are known.
pub(super) fn known<'t>(turn: &'t Turn<'_>, network: Network, kind: EntityKind) -> Result<Vec<&'t EntityItem>, Stuck> {
    let kind = own_kind(network, kind);
    let have: Vec<&EntityItem> = if kind == EntityKind::Account {
        turn.accounts_of(network)
    } else {
        turn.entities.iter().filter(|item| item.network == network && item.kind == kind).collect()
    };
    if !have.is_empty() {
        return Ok(have);
    }
    let nothing =
        || Stuck::Never(format!("{} shows no {} here.", network.display_name(), kind.as_str().replace('_', " ")));
    let Some(calls) = listing(turn, network, kind)? else { return Err(nothing()) };
    let open: Vec<Call> = calls.iter().filter(|call| turn.find(call).is_none()).take(AT_ONCE).cloned().collect();
    if !open.is_empty() {
        return Err(Stuck::First(open));
    }
    match calls.iter().filter_map(|call| turn.find(call)).find(|done| !done.ok) {
        Some(failed) => Err(Stuck::Never(format!("I couldn't read {}: {}.", network.display_name(), failed.problem()))),
        None => Err(nothing()),
    }
}

/// Returns the calls that list things of a kind, whether or not they are bound to the turn. `None` if the network has no such list.
fn listing(turn: &Turn<'_>, network: Network, kind: EntityKind) -> Result<Option<Vec<Call>>, Stuck> {
    let Some(tool) = lister(network, kind) else { return Ok(None) };
    let parents: Vec<Json> = match parent_param(network, kind) {
        None if network == Network::Pangle => vec![serde_json::json!({"body": {"page": 1, "page_size": PAGE}})],
        None => vec![Json::Object(Map::new())],
        Some((param, parent)) => known(turn, network, parent)?
            .into_iter()
            .take(MOST_PARENTS)
            .map(|item| serde_json::json!({ param: item.id }))
            .collect(),
    };
    Ok(Some(parents.into_iter().map(|args| Call { name: tool.clone(), args }).collect()))
}

/// Returns the parameter that a list requires, and the kind of thing that it takes.
pub(super) fn parent_param(network: Network, kind: EntityKind) -> Option<(&'static str, EntityKind)> {
    Some(match (network, kind.as_str()) {
        (Network::AdMob | Network::AdManager, "account") | (Network::AdManager, "operation") => return None,
        (Network::AdMob, _) => ("account_id", EntityKind::Account),
        (Network::AdManager, _) => ("network_code", EntityKind::Account),
        (Network::Unity, "ad_unit" | "mediation_group" | "instance") => ("app_key", EntityKind::App),
        (Network::Unity, "placement") => ("appKey", EntityKind::App),
        (Network::DtExchange, "app") => ("publisherId", EntityKind::Account),
        (Network::DtExchange, "ad_unit" | "placement") => ("appId", EntityKind::App),
        (Network::DtExchange, "instance") => ("placementId", EntityKind::AdUnit),
        (Network::Mintegral, "ad_unit") => ("app_id", EntityKind::App),
        _ => return None,
    })
}
