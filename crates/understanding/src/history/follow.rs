//! Computes the state of a turn that follows another one: the same numbers changed, the same task again, or a new task on the same network.

use adagent_domain::Network;

use super::merge::{merge, names_no_time, removed_dimensions};
use super::{Kind, Named, State, asks_setup, fresh, is_every, leans, noun_is_slot, points};
use crate::amounts;
use crate::route::reading::Reading;
use crate::types::Capability;
use crate::vocab::nouns;
use crate::vocab::spelling::is_common;
use crate::vocab::verbs::{WRITES, Write};

/// Checks whether no word of the text names this noun, so that we only inferred it from where names stand. Such a thing is the one that the
/// chat is already about.
fn guessed(reading: &Reading, noun: &str) -> bool {
    reading.nouns.iter().all(|n| n.noun != noun)
}

/// Checks whether the text stays with the mediation setup of the turn before.
fn inside(reading: &Reading, before: &State) -> bool {
    matches!(before.capability, Capability::Mediation | Capability::Experiments)
        && reading.noun.is_none_or(|n| Some(n.noun) == before.noun || guessed(reading, n.noun))
}

/// Checks whether the text wants a list of the things themselves, as in "list the units with their ids", even if the numbers before were
/// split by them.
fn lists(reading: &Reading) -> bool {
    let first = reading.tokens.iter().find(|t| matches!(t.kind, crate::text::Kind::Word));
    let asked = first.is_some_and(|t| t.is("list"))
        || reading.tokens.windows(2).any(|w| w[0].is("their") && w[1].any(&["id", "status"]));
    asked && !reading.figures() && !reading.has(&["by", "per", "split"]) && reading.noun.is_some_and(|n| n.plural)
}

/// Checks whether the text lists every thing of a kind in a place that the turn before did not name: "every ad unit of Puzzle Game". Such a
/// list is whole, so it says itself where to look.
pub(crate) fn lists_elsewhere(reading: &Reading, before: &State) -> bool {
    let other = !reading.things.is_empty() && reading.things.iter().all(|thing| !before.named.things.contains(thing));
    reading.write.is_none()
        && !reading.figures()
        && reading.mentions.is_empty()
        && !leans(reading)
        && other
        && !before.named.things.is_empty()
        && reading.noun.is_some_and(|n| is_every(reading, &n))
}

/// Checks whether the text asks for more of the same things in a place: "are there others left in that app".
fn others(reading: &Reading) -> bool {
    let place = reading.noun.is_none_or(|n| {
        let at = n.at.saturating_sub(1);
        reading.tokens[at.saturating_sub(1)..=at].iter().any(|t| t.any(&["in", "on", "of", "for", "under"]))
    });
    reading.write.is_none() && place && reading.tokens.iter().any(|t| matches!(t.norm.as_str(), "others" | "rest"))
}

/// Checks whether the text adds another thing to create, as in "and a bidding unit for it" after a creation.
fn made_too(reading: &Reading, before: &State) -> bool {
    let tokens = &reading.tokens;
    let article =
        |at: usize| at > 0 && tokens[at - 1].any(&["and", "also", "plus"]) && tokens[at].any(&["a", "an", "another"]);
    before.write == Some(Write::Create)
        && reading.write.is_none()
        && !reading.reads
        && !tokens.iter().any(|t| t.is_punct('?'))
        && (0..tokens.len()).any(|at| article(at) && reading.noun.is_some_and(|n| n.at > at && n.at - at <= 3))
}

/// Checks whether the networks in the text are demand sources of the network that the chat is about.
fn demand(reading: &Reading, before: &State) -> bool {
    // The text names an ad unit of the network itself, so it asks about that network.
    if !inside(reading, before) || reading.services.iter().any(|network| reading.holders.contains(network)) {
        return false;
    }
    // "Unity Ads" answers our question which line of an AdMob group the person means.
    let picked = before.write.is_some()
        && before.services == [Network::AdMob]
        && (super::is_network_subset(reading)
            || reading.tokens.windows(2).take(1).any(|w| w[0].is("i") && w[1].is("mean")))
        && !reading.has(&["on", "in", "at", "for", "same", "and"]);
    let foreign = before.noun.is_some_and(|n| reading.services.iter().all(|s| !nouns::owners(n, "read").contains(s)));
    // "which of them have Unity" asks about a part of the things shown before.
    foreign
        || picked
        || reading.has(&["them", "those", "these", "ones"])
            && reading.mentions.iter().all(|m| {
                m.at.checked_sub(1).is_some_and(|i| {
                    reading.tokens[i]
                        .any(&["have", "has", "use", "contain", "include", "with", "without", "run", "lack", "miss"])
                })
            })
}

/// Checks whether the text names all networks: "all my networks", "every network".
pub(crate) fn every_network(reading: &Reading) -> bool {
    let tokens = &reading.tokens;
    tokens.iter().enumerate().any(|(i, t)| {
        t.any(&["all", "every"]) && tokens[i + 1..].iter().take(2).any(|n| n.any(&["my", "our", "network"]))
    })
}

/// Checks whether the text counts networks: "both networks", "the three networks".
fn so_many_networks(reading: &Reading) -> bool {
    reading.tokens.windows(2).any(|w| w[0].any(&["two", "three", "both"]) && w[1].is("network"))
}

/// Checks whether "by network" means every network: either the numbers before are of one network, which can't be split by network, or the
/// text is a complete question.
fn by_network(reading: &Reading, before: &State, complete: bool) -> bool {
    before.capability == Capability::Reporting
        && (before.services.len() == 1 || complete)
        && reading.services.is_empty()
        && reading.tokens.windows(2).any(|w| w[0].any(&["by", "per"]) && w[1].is("network"))
}

/// Checks whether the text is a complete question about numbers, even if it names no metric: "how did we do last week compared to the week
/// before".
fn complete(reading: &Reading) -> bool {
    let words = reading.tokens.iter().filter(|token| matches!(token.kind, crate::text::Kind::Word)).count();
    let time = reading.slots.period.is_some() && !names_no_time(reading);
    let total = reading.has(&["total", "overall"]);
    words >= 5 && time && (reading.figures() || total || super::asks_after(reading)) && !leans(reading)
}

/// Checks whether the text changes a thing, as in "pause AppLovin in Android Inter US", and not the numbers shown.
fn orders(reading: &Reading) -> bool {
    let first = reading.tokens.iter().find(|token| matches!(token.kind, crate::text::Kind::Word));
    let verb = [
        "create",
        "pause",
        "resume",
        "enable",
        "disable",
        "turn",
        "switch",
        "activate",
        "deactivate",
        "archive",
        "rename",
    ];
    let thing = !reading.mentions.is_empty() || !reading.named.is_empty() || reading.noun.is_some();
    reading.write.is_some() && first.is_some_and(|token| token.any(&verb)) && thing && reading.tokens.len() >= 4
}

/// Checks whether the text is a question or an order that does not depend on the turn before.
fn stands(reading: &Reading, before: &State, complete: bool) -> bool {
    // "how many clicks so far" after "revenue this month" means this month.
    let periods = before.slots.period.zip(reading.slots.period).filter(|_| names_no_time(reading));
    let same_time = periods.is_some_and(|(old, today)| old.span.to >= today.span.to);
    // "clicks so far" keeps the period of the turn before.
    let so_far = names_no_time(reading) && reading.has(&["far"]);
    !same_time
        && !leans(reading)
        && (reading.figures() && (reading.slots.period.is_some() && !so_far || !reading.services.is_empty())
            || complete
            || orders(reading))
}

/// Checks whether the text is a whole question that names no network, and so means every network. "top 5 apps by revenue yesterday" asks
/// for numbers of its own period and points at nothing before. Without a period ("eCPM per unit?"), the people who wrote our test questions
/// meant the period of the turn before.
pub(crate) fn starts_fresh(reading: &Reading) -> bool {
    let slots = &reading.slots;
    let time = slots.period.is_some() && !names_no_time(reading);
    // "this placement" is a thing named before, in whatever language the person points at it.
    let same_thing = reading.noun.is_some_and(|noun| !noun.plural) && !noun_is_slot(reading);
    reading.figures()
        && time
        && !same_thing
        && reading.services.is_empty()
        && reading.mentions.is_empty()
        && reading.write.is_none()
        && !leans(reading)
}

/// Checks whether "why did Monday drop" after numbers by ad source is a question of its own. A person can see a day drop only in numbers
/// that are split by time. The numbers before were not, so the person saw it somewhere else.
pub(crate) fn sees_elsewhere(reading: &Reading, before: &State) -> bool {
    let time = |dim: &str| matches!(dim, "date" | "week" | "month" | "quarter");
    let moved = reading.analysis && crate::slots::moves(&reading.tokens);
    moved
        && before.capability == Capability::Reporting
        && reading.slots.period.is_some()
        && !names_no_time(reading)
        && reading.slots.dimensions.is_empty()
        && reading.slots.filters.is_empty()
        && reading.services.is_empty()
        && reading.noun.is_none()
        && !leans(reading)
        && !before.slots.dimensions.is_empty()
        && !before.slots.dimensions.iter().any(|dim| time(dim))
}

pub(super) fn follow(reading: &Reading, before: &State) -> State {
    let own = fresh(reading);
    let complete = complete(reading);
    let starts = before.capability == Capability::Reporting && starts_fresh(reading) || sees_elsewhere(reading, before);
    let all = every_network(reading) || so_many_networks(reading) || by_network(reading, before, complete);
    let guessed = |noun: &str| guessed(reading, noun);
    let (inside, demand) = (inside(reading, before), !complete && demand(reading, before));
    let both = reading.has(&["both"]) && reading.services.len() < 2;
    let mut services =
        if !reading.services.is_empty() && !both && !demand { reading.services.clone() } else { Vec::new() };
    let inherit_services = services.is_empty()
        && !all
        && !starts
        && !lists_elsewhere(reading, before)
        && !reading.noun.is_some_and(|n| nouns::implies_ad_manager(n.noun));
    if inherit_services {
        services.clone_from(&before.services);
        if both {
            services.extend(&reading.services);
            services.sort_by_key(|n| n.id());
            services.dedup();
        }
    }
    let before_reports =
        before.capability == Capability::Reporting && before.kind == Kind::Task && before.noun.is_none();
    // "drop the app split" changes the numbers shown and deletes no app.
    let unsplit = before_reports && removed_dimensions(reading).iter().any(|d| before.slots.dimensions.contains(d));
    let bare = unsplit || reading.noun.is_none() || noun_is_slot(reading) && !asks_setup(reading) && !lists(reading);
    let ids = !reading.ids.is_empty();
    let standing = starts || stands(reading, before, complete);
    // The text changes the numbers shown: "and by country?", "make it 30 days", "add clicks".
    if before_reports && bare && !standing && !(reading.write_like() && ids && !reading.figures()) {
        let mut state = before.clone();
        state.services = services;
        state.slots = merge(reading, &before.slots);
        state.analysis = reading.analysis;
        state.inherited = true;
        state.text.clone_from(&reading.text);
        adapt(&mut state, before, reading);
        return state;
    }
    // "same on Mintegral for app 12" repeats the change of the turn before in another place.
    let place = reading.noun.is_none_or(|n| {
        n.at > 0
            && reading.tokens[n.at - 1].any(&["for", "in", "on", "of", "under", "at"])
            && Some(n.noun) != before.noun
    });
    if before.write.is_some() && reading.has(&["same"]) && reading.write.is_none() && place && !reading.figures() {
        return again(reading, before, services);
    }
    // The text answers our question "on which network?", so the change goes to that network.
    let answers = before.write.is_some()
        && before.services.is_empty()
        && !reading.services.is_empty()
        && reading.write.is_none()
        && !reading.figures()
        && !reading.tokens.iter().any(|t| t.is_punct('?'))
        && reading.noun.is_none_or(|n| Some(n.noun) == before.noun);
    if answers && before.kind == Kind::Task {
        return again(reading, before, services);
    }
    // The same task again: with a new value, on another network, or with the answer to a question that we asked.
    if others(reading) && before.noun.is_some() && !before_reports && !reading.figures() {
        return again(reading, before, services);
    }
    let nameless = reading.noun.is_none_or(|n| {
        guessed(n.noun) && reading.write == Some(Write::Create) && reading.has(&["one", "ones", "another"])
            || manner(reading, n.noun) && before.noun.is_some_and(is_inventory)
    });
    if nameless && !reading.figures() && before.kind == Kind::Task && !before_reports {
        return again(reading, before, services);
    }
    let mut state = own;
    if made_too(reading, before) {
        state.write = Some(Write::Create);
    }
    // "do the same in …" repeats the change of the turn before in another place.
    if let Some(write) = before.write
        && reading.write.is_none()
        && reading.has(&["same"])
        && !reading.figures()
        && reading.noun.map(|n| n.noun) == before.noun
    {
        state.write = Some(write);
    }
    if services.is_empty() && !all && !demand {
        services.clone_from(&state.services);
    }
    if demand && inside && reading.noun.is_some_and(|n| guessed(n.noun)) {
        state.noun = before.noun;
        state.capability = before.capability;
    }
    if state.capability == Capability::Reporting
        && all
        && services.is_empty()
        && so_many_networks(reading)
        && !state.slots.dimensions.contains(&"network")
    {
        state.slots.dimensions.push("network");
    }
    state.services = services;
    state.inherited = inherit_services && !before.services.is_empty();
    if state.inherited && leans(reading) {
        state.named = Named::of(reading).or(&before.named);
        state.text = own_order(reading, before).unwrap_or_else(|| format!("{} – {}", before.text, reading.text));
    }
    state
}

/// Checks whether an order names a thing that the turn before did not name: "set a floor of $3 on level up bonus". A word that no table
/// knows, right after the verb or a preposition, counts as a name.
pub(super) fn names_another(reading: &Reading, before: &State) -> bool {
    const LEADS: [&str; 9] = ["on", "of", "for", "in", "from", "the", "a", "an", "my"];
    let (tokens, text) = (&reading.tokens, &reading.text);
    let value = tokens.iter().any(|token| token.kind == crate::text::Kind::Literal);
    if reading.write.is_none() || before.write.is_none() || points(reading) || value {
        return false;
    }
    let same = |word: &str| {
        let held = |name: &String| crate::text::tokens(name).iter().any(|own| own.norm == word);
        before.named.things.iter().chain(&before.named.networks).any(held)
    };
    let verb = |at: usize| {
        (at.saturating_sub(2)..=at).any(|from| WRITES.at(tokens, from).is_some_and(|(_, len)| from + len == at + 1))
    };
    // The tables of other languages do not know every word, so a word with other letters than ASCII may mean anything and does not count.
    let unknown = |at: usize| {
        tokens[at].norm.is_ascii()
            && !is_common(&tokens[at].norm)
            && !is_common(&tokens[at].stem)
            && !crate::route::signals::knows(&tokens[at].norm)
            && crate::slots::country_at(text, tokens, at).is_none()
            && !amounts::is_unit(&tokens[at].norm)
            && !same(&tokens[at].norm)
    };
    let word =
        |at: usize| tokens[at].kind == crate::text::Kind::Word && !tokens[at].any(&LEADS) && !tokens[at].is("to");
    (1..tokens.len())
        .filter(|at| tokens[at - 1].any(&LEADS) || verb(at - 1))
        .any(|from| (from..tokens.len()).take_while(|at| word(*at)).any(unknown))
}

/// Checks whether "bidder" only says how a placement is sold, as in "make it in-app bidding", and names no bidder.
fn manner(reading: &Reading, noun: &str) -> bool {
    noun == "bidder" && reading.mentions.is_empty() && !reading.tokens.iter().any(|t| t.norm.starts_with("bidder"))
}

fn is_inventory(noun: &'static str) -> bool {
    nouns::capability(noun) == Capability::Inventory
}

/// Checks whether the text only gives the change before another value or another place: "make it $14", "and for Brazil too".
pub(crate) fn goes_on_changing(reading: &Reading, before: Option<&State>) -> bool {
    let words = reading.tokens.iter().filter(|token| matches!(token.kind, crate::text::Kind::Word)).count();
    before.is_some_and(|before| before.write.is_some())
        && !reading.state
        && !reading.reads
        && reading.noun.is_none()
        && reading.slots.metrics.is_empty()
        && words <= 6
        && (makes_it(reading)
            || amounts::is_alone(&reading.text)
            || leans(reading) && !reading.slots.filters.is_empty())
        && !reading.tokens.iter().any(|token| token.is_punct('?'))
}

/// Checks whether the text gives an existing thing another value, as in "make it $14", and creates nothing.
fn makes_it(reading: &Reading) -> bool {
    let another = ["another", "new", "one", "ones", "more"];
    reading.has(&["make", "set"]) && reading.has(&["it", "that", "them", "those"]) && !reading.has(&another)
}

/// Joins the wish before with the new text. A new amount replaces the old one and occurs only once, because nobody could tell which of two
/// amounts counts.
fn changed(before: &str, now: &str) -> String {
    match amounts::replaced(before, now) {
        Some(wish) if amounts::is_alone(now) => wish,
        Some(wish) => format!("{wish} – {now}"),
        None => format!("{before} – {now}"),
    }
}

/// Returns the order if it is a new one for the things of the change before: "pause it", "lower that to $10", "pause Unity in that group".
/// The earlier change to those things is not a part of it.
fn own_order(reading: &Reading, before: &State) -> Option<String> {
    // "and pause B" names its own thing, so it is not a part of the order before.
    if orders_another(reading, before) {
        return Some(reading.text.clone());
    }
    let another_price = amounts::is_alone(&reading.text) && amounts::replaced(&before.text, &reading.text).is_none();
    let settles = reading.has(&["approve", "approved", "confirm", "confirmed", "undo", "same", "another"]);
    let orders = another_price || reading.write.is_some() && points(reading) && !makes_it(reading);
    if settles || !orders || !before.write.is_some_and(is_of_what_is) {
        return None;
    }
    on_things(reading, &before.named)
}

/// Checks whether an order names everything it needs: a verb, a thing and a value or state. Nothing in it may point at the order before.
fn orders_another(reading: &Reading, before: &State) -> bool {
    const STATES: [&str; 8] = ["pause", "resume", "unpause", "stop", "enable", "disable", "activate", "deactivate"];
    let verb = reading.write.is_some_and(is_of_what_is);
    let value = has_value(reading) || reading.has(&STATES) || !matches!(reading.write, Some(Write::Update));
    let other = reading.things.iter().any(|thing| !before.named.things.contains(thing));
    verb && value && other && !points(reading) && before.write.is_some()
}

/// Returns the order with the names that it leaves out. `None` if the turn before named no thing: then only the words of that turn say
/// which thing it is.
fn on_things(order: &Reading, before: &Named) -> Option<String> {
    let named = Named::of(order);
    let things = if named.things.is_empty() { before.things.as_slice() } else { &[] };
    let networks = if named.networks.is_empty() { before.networks.as_slice() } else { &[] };
    let kept: Vec<&str> = networks.iter().chain(things).map(String::as_str).collect();
    (!before.things.is_empty()).then(|| format!("{} – {}", order.text, kept.join(", ")))
}

/// Returns the new order if the person now wants another change to the same existing things: "just lower it to $10".
pub(crate) fn order_instead(order: &Reading, wish: &Reading) -> Option<String> {
    let another = order.write.is_some() && !makes_it(order) && wish.write.is_some_and(is_of_what_is);
    if another { on_things(order, &Named::of(wish)) } else { None }
}

/// Checks whether a write changes something that already exists.
const fn is_of_what_is(write: Write) -> bool {
    matches!(write, Write::Update | Write::Stop | Write::Activate | Write::Deactivate)
}

/// Returns the task of the turn before, changed by what the text says.
fn again(reading: &Reading, before: &State, services: Vec<Network>) -> State {
    let mut state = before.clone();
    state.services = services;
    state.inherited = true;
    state.analysis = reading.analysis;
    state.named = Named::of(reading).or(&before.named);
    state.text = if let Some(order) = own_order(reading, before) {
        order
    } else if before.write.is_some() {
        changed(&before.text, &reading.text)
    } else {
        format!("{} – {}", before.text, reading.text)
    };
    if reading.analysis || reading.state {
        state.write = None;
    } else if reading.write.is_some() || reading.assigns || value_counts(reading, before) {
        let value_only = has_value(reading) && reading.write.is_none();
        let create = matches!(before.write, Some(Write::Create)) || reading.has(&["another"]);
        let agrees = reading.has(&["approve", "approved", "confirm", "confirmed"]) && !has_value(reading);
        state.write = match reading.write {
            Some(_) if agrees && before.write.is_some() => before.write,
            Some(Write::Create) if makes_it(reading) && before.write.is_some() => before.write,
            Some(w) if !(create && w == Write::Update) => {
                Some(w).map(|w| if create && reading.has(&["make"]) { Write::Create } else { w })
            }
            _ if value_only && before.write.is_some() => before.write,
            _ if reading.has(&["another"]) => Some(Write::Create),
            _ => Some(if create { Write::Create } else { Write::Update }),
        };
        // "make it 60 seconds instead" after a thing was only shown is a change to that thing.
        if before.write.is_none() && reading.has(&["make"]) && !reading.has(&["another"]) {
            state.write = Some(Write::Update);
        }
    } else if reading.reads
        && !before.services.is_empty()
        && !reading.has(&["yes", "go", "approve"])
        && reading.tokens.len() > 1
        && reading.has(&["show", "list", "which", "what", "how", "is", "are"])
    {
        state.write = None;
    }
    state
}

/// Checks whether a number or a name is a new value. It is one after a change, or if "to", "make" or "instead" comes with it. An ID never
/// is.
fn value_counts(reading: &Reading, before: &State) -> bool {
    has_value(reading)
        && (before.write.is_some() || reading.has(&["to", "make", "instead"]))
        && !reading.tokens.iter().any(|t| t.is_punct('?'))
}

fn has_value(reading: &Reading) -> bool {
    reading.tokens.iter().any(|t| {
        matches!(t.kind, crate::text::Kind::Literal)
            || matches!(t.kind, crate::text::Kind::Number(_)) && t.norm.len() < 5
    })
}

/// Drops the split and the filters that no longer fit after the networks changed, and adds a split by network if there are several.
fn adapt(state: &mut State, before: &State, reading: &Reading) {
    if state.services.len() == 1 && !reading.services.is_empty() {
        state.slots.dimensions.retain(|d| *d != "network");
    }
    let counted =
        reading.has(&["both"]) || reading.tokens.windows(2).any(|w| w[0].any(&["two", "three"]) && w[1].is("network"));
    let several = reading.services.len() >= 2 || counted && state.services.len() >= 2;
    if several && !state.slots.dimensions.contains(&"network") {
        state.slots.dimensions.push("network");
    }
    if state.services != before.services && !reading.services.is_empty() {
        state
            .slots
            .filters
            .retain(|f| f.field != "ad_source" || reading.slots.filters.iter().any(|g| g.field == "ad_source"));
    }
}
