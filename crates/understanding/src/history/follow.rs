//! A text laid over the turn before it: figures changed, the same thing again, or something new on the same network.

use adagent_domain::Network;

use super::merge::{merge, names_no_time, removed_dimensions};
use super::{Kind, Named, POINTERS, State, asks_setup, fresh, leans, noun_is_slot, points};
use crate::amounts;
use crate::route::reading::Reading;
use crate::types::Capability;
use crate::vocab::nouns;
use crate::vocab::spelling::is_common;
use crate::vocab::verbs::{WRITES, Write};

/// A thing that was only guessed from how names stand is the one spoken of already.
fn guessed(reading: &Reading, noun: &str) -> bool {
    reading.nouns.iter().all(|n| n.noun != noun)
}

/// Whether the text goes on about the set-up of the same mediation.
fn inside(reading: &Reading, before: &State) -> bool {
    matches!(before.capability, Capability::Mediation | Capability::Experiments)
        && reading.noun.is_none_or(|n| Some(n.noun) == before.noun || guessed(reading, n.noun))
}

/// "list the units with their ids": the things themselves, though the figures before were split by them.
fn lists(reading: &Reading) -> bool {
    let first = reading.tokens.iter().find(|t| matches!(t.kind, crate::text::Kind::Word));
    let asked = first.is_some_and(|t| t.is("list"))
        || reading.tokens.windows(2).any(|w| w[0].is("their") && w[1].any(&["id", "status"]));
    asked && !reading.figures() && !reading.has(&["by", "per", "split"]) && reading.noun.is_some_and(|n| n.plural)
}

/// "are there others left in that app": more of what was spoken of, in a place.
fn others(reading: &Reading) -> bool {
    let place = reading.noun.is_none_or(|n| {
        let at = n.at.saturating_sub(1);
        reading.tokens[at.saturating_sub(1)..=at].iter().any(|t| t.any(&["in", "on", "of", "for", "under"]))
    });
    reading.write.is_none() && place && reading.tokens.iter().any(|t| matches!(t.norm.as_str(), "others" | "rest"))
}

/// "and a bidding unit for it" after something was made: that is to be made too.
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

/// Whether the networks named are demand of the one spoken of.
fn demand(reading: &Reading, before: &State) -> bool {
    // An ad unit of the network itself is named: it is asked for that.
    if !inside(reading, before) || reading.services.iter().any(|network| reading.holders.contains(network)) {
        return false;
    }
    // "Unity Ads", to the question which line of AdMob's group is meant.
    let picked = before.write.is_some()
        && before.services == [Network::AdMob]
        && (super::is_network_subset(reading)
            || reading.tokens.windows(2).take(1).any(|w| w[0].is("i") && w[1].is("mean")))
        && !reading.has(&["on", "in", "at", "for", "same", "and"]);
    let foreign = before.noun.is_some_and(|n| reading.services.iter().all(|s| !nouns::owners(n, "read").contains(s)));
    // "which of them have Unity": a part of the things spoken of.
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

/// "all my networks", "every network".
pub(crate) fn every_network(reading: &Reading) -> bool {
    let tokens = &reading.tokens;
    tokens.iter().enumerate().any(|(i, t)| {
        t.any(&["all", "every"]) && tokens[i + 1..].iter().take(2).any(|n| n.any(&["my", "our", "network"]))
    })
}

/// "both networks", "the three networks".
fn so_many_networks(reading: &Reading) -> bool {
    reading.tokens.windows(2).any(|w| w[0].any(&["two", "three", "both"]) && w[1].is("network"))
}

/// "by network" of figures that were one network's: of every network, as one has nothing to be split into.
fn by_network(reading: &Reading, before: &State, complete: bool) -> bool {
    before.capability == Capability::Reporting
        && (before.services.len() == 1 || complete)
        && reading.services.is_empty()
        && reading.tokens.windows(2).any(|w| w[0].any(&["by", "per"]) && w[1].is("network"))
}

/// "how did we do last week compared to the week before": a whole question, though it names no figure.
fn complete(reading: &Reading) -> bool {
    let words = reading.tokens.iter().filter(|token| matches!(token.kind, crate::text::Kind::Word)).count();
    let time = reading.slots.period.is_some() && !names_no_time(reading);
    let total = reading.has(&["total", "overall"]);
    words >= 5 && time && (reading.figures() || total || super::asks_after(reading)) && !leans(reading)
}

/// "pause AppLovin in Android Inter US": an order about a thing, no change to the figures shown.
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

/// Whether it is a question or an order of its own, whatever was asked before.
fn stands(reading: &Reading, before: &State, complete: bool) -> bool {
    // "revenue this month", "how many clicks so far": this month.
    let periods = before.slots.period.zip(reading.slots.period).filter(|_| names_no_time(reading));
    let same_time = periods.is_some_and(|(old, today)| old.span.to >= today.span.to);
    // "clicks so far" goes on with the time spoken of.
    let so_far = names_no_time(reading) && reading.has(&["far"]);
    !same_time
        && !leans(reading)
        && (reading.figures() && (reading.slots.period.is_some() && !so_far || !reading.services.is_empty())
            || complete
            || orders(reading))
}

/// "top 5 apps by revenue yesterday": figures with a time of their own, and no word that goes on from before. It is a whole question,
/// and as it names no network, it is of every one. Without a time ("eCPM per unit?") strangers go on with the time spoken of.
pub(crate) fn starts_fresh(reading: &Reading) -> bool {
    let slots = &reading.slots;
    let time = slots.period.is_some() && !names_no_time(reading);
    // "this placement": a thing that was spoken of, in whatever language it is pointed at.
    let same_thing = reading.noun.is_some_and(|noun| !noun.plural) && !noun_is_slot(reading);
    reading.figures()
        && time
        && !same_thing
        && reading.services.is_empty()
        && reading.mentions.is_empty()
        && reading.write.is_none()
        && !leans(reading)
}

/// "why did Monday drop" after figures by ad source: a day is seen to drop where days stand side by side, so it goes on from something
/// else, and is a question of its own.
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
    let inherit_services =
        services.is_empty() && !all && !starts && !reading.noun.is_some_and(|n| nouns::implies_ad_manager(n.noun));
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
    // "drop the app split": of the figures, not an app.
    let unsplit = before_reports && removed_dimensions(reading).iter().any(|d| before.slots.dimensions.contains(d));
    let bare = unsplit || reading.noun.is_none() || noun_is_slot(reading) && !asks_setup(reading) && !lists(reading);
    let ids = !reading.ids.is_empty();
    let standing = starts || stands(reading, before, complete);
    // Figures, changed: "and by country?", "make it 30 days", "add clicks".
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
    // "same on Mintegral for app 12": the change of the turn before, in another place.
    let place = reading.noun.is_none_or(|n| {
        n.at > 0
            && reading.tokens[n.at - 1].any(&["for", "in", "on", "of", "under", "at"])
            && Some(n.noun) != before.noun
    });
    if before.write.is_some() && reading.has(&["same"]) && reading.write.is_none() && place && !reading.figures() {
        return again(reading, before, services);
    }
    // The answer to "on which network?": the change that was asked for, there.
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
    // The same thing again, with a new value, another network, or an answer to a question back.
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
    // "do the same in …": the change of the turn before, elsewhere.
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
    if state.inherited && (reading.has(POINTERS) || leans(reading)) {
        state.named = Named::of(reading).or(&before.named);
        state.text = own_order(reading, before).unwrap_or_else(|| format!("{} – {}", before.text, reading.text));
    }
    state
}

/// Whether an order says by a word of its own what it is for, and that is nothing the turn before named: "set a floor of $3 on level up
/// bonus". What no table knows, right after the verb or a preposition, is a name.
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
    // What the tables of other languages left as it was may be any word.
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

/// "make it in-app bidding": how a placement is sold, no bidder.
fn manner(reading: &Reading, noun: &str) -> bool {
    noun == "bidder" && reading.mentions.is_empty() && !reading.tokens.iter().any(|t| t.norm.starts_with("bidder"))
}

fn is_inventory(noun: &'static str) -> bool {
    nouns::capability(noun) == Capability::Inventory
}

/// "make it $14", "and for Brazil too": another value or another place of the change before, and nothing else.
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

/// "make it $14": what is there gets another value, and nothing is made.
fn makes_it(reading: &Reading) -> bool {
    let another = ["another", "new", "one", "ones", "more"];
    reading.has(&["make", "set"]) && reading.has(&["it", "that", "them", "those"]) && !reading.has(&another)
}

/// The wish before with what is said now: another amount takes the place of the one before, and is said once. Of two amounts nobody
/// could tell which is meant.
fn changed(before: &str, now: &str) -> String {
    match amounts::replaced(before, now) {
        Some(wish) if amounts::is_alone(now) => wish,
        Some(wish) => format!("{wish} – {now}"),
        None => format!("{before} – {now}"),
    }
}

/// "pause it", "lower that to $10", "pause Unity in that group" after another change: an order of its own, of the things of the one
/// before. What was done to them before is no part of it.
fn own_order(reading: &Reading, before: &State) -> Option<String> {
    // "and pause B": an order for a thing that it names itself is no part of the one before.
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

/// Whether an order names all of what it is for: something whole, and nothing that points at the order before.
fn orders_another(reading: &Reading, before: &State) -> bool {
    const STATES: [&str; 8] = ["pause", "resume", "unpause", "stop", "enable", "disable", "activate", "deactivate"];
    let verb = reading.write.is_some_and(is_of_what_is);
    let value = has_value(reading) || reading.has(&STATES) || !matches!(reading.write, Some(Write::Update));
    let other = reading.things.iter().any(|thing| !before.named.things.contains(thing));
    verb && value && other && !points(reading) && before.write.is_some()
}

/// The order with the names it leaves out. Without a name of anything the words of before are all there is to tell a thing by.
fn on_things(order: &Reading, before: &Named) -> Option<String> {
    let named = Named::of(order);
    let things = if named.things.is_empty() { before.things.as_slice() } else { &[] };
    let networks = if named.networks.is_empty() { before.networks.as_slice() } else { &[] };
    let kept: Vec<&str> = networks.iter().chain(things).map(String::as_str).collect();
    (!before.things.is_empty()).then(|| format!("{} – {}", order.text, kept.join(", ")))
}

/// "just lower it to $10", said of a wish: the next order, about the same existing things.
pub(crate) fn order_instead(order: &Reading, wish: &Reading) -> Option<String> {
    let another = order.write.is_some() && !makes_it(order) && wish.write.is_some_and(is_of_what_is);
    if another { on_things(order, &Named::of(wish)) } else { None }
}

/// Whether a change is made to something that is there.
const fn is_of_what_is(write: Write) -> bool {
    matches!(write, Write::Update | Write::Stop | Write::Activate | Write::Deactivate)
}

/// The task of the turn before, changed by what the text says.
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
        // "make it 60 seconds instead" of something only looked at changes it.
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

/// A number or a name is a new value after a write, or where the words hand it over; an id never is.
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

/// After the networks changed, splits and metrics that no longer fit go.
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
