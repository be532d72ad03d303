//! Reporting questions about networks other than AdMob alone: one of them, or several side by side. `docs/decisions/0008` decides which
//! numbers count for which network. This must never add amounts of different currencies, count an impression twice, or leave out a network
//! that did not answer without saying so.

mod adapt;
mod calls;
mod explain;
mod plan;
mod same;
mod saved;

use std::fmt::Write as _;

use adagent_domain::Network;

use super::{
    ahead,
    answer::{self, Parts},
    metric::Dim,
    size,
    spec::Plan,
};
use crate::planner::{
    Answer, Step,
    desks::Desk,
    format::{and, plain, range},
    read::{Fetched, Turn},
    talk, ways,
};
use calls::Wanted;

/// The most calls of one step. The rest waits for the next step.
const AT_ONCE: usize = 10;

/// Why a network is not in the answer: the run's time ended before we asked it.
const NO_TIME: &str = "there was no time left to read it";

/// The most calls of one question.
const MOST_CALLS: usize = 80;

/// One report that we read, and which of its rows count.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub desk: &'static Desk,
    pub keep: Keep,
}

/// Which rows of a report count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Keep {
    /// All of them: what the network reports is what the question asks for.
    All,
    /// By demand source: with `own` the network's own demand, with `others` the demand of everyone else who is not in `counted`.
    Demand { own: bool, others: bool, counted: Vec<Network> },
}

/// A network, and the connection if it has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub network: Network,
    pub way: Option<String>,
}

impl Line {
    /// Returns "AppLovin · Games EU".
    fn called(&self) -> String {
        ways::called(self.network, self.way.as_deref())
    }
}

/// How we read a question: the plan of the answer, and the reports that it needs.
#[derive(Debug, Clone)]
pub(super) struct Across {
    pub plan: Plan,
    pub readings: Vec<Reading>,
    /// Whether we only run reports that are already saved, and don't propose to save one.
    pub saved_only: bool,
}

/// Returns the next step of a reporting question about these networks.
pub(in crate::planner) fn next(turn: &Turn<'_>, networks: &[Network]) -> Step {
    let slots = turn.understood.slots.clone().unwrap_or_default();
    let across = match plan::of(turn, &slots, networks) {
        Ok(across) => saved::fitting(turn, across),
        Err(answer) => return (*answer).into(),
    };
    if let Some(answer) = size::too_much(turn, &across.plan) {
        return answer.into();
    }
    let wanted = match calls::all(turn, &across) {
        Ok(wanted) => wanted,
        Err(step) => return *step,
    };
    if let Some(step) = open(turn, &across, &wanted) {
        return step;
    }
    assemble(turn, across, &wanted).into()
}

pub(in crate::planner) use explain::{movers, next as explain};

/// Makes a step of the calls that have no answer yet. If a network failed once, we don't ask it for the rest. If the run is out of time, we
/// ask nothing more.
fn open(turn: &Turn<'_>, across: &Across, wanted: &Wanted) -> Option<Step> {
    if turn.done.iter().any(|done| !done.ok && done.out_of_time()) {
        return None;
    }
    let failed = |line: &Line| {
        wanted.calls.iter().any(|call| call.line == *line && turn.find(&call.call).is_some_and(|done| !done.ok))
    };
    let first = wanted.first.iter().filter(|call| turn.find(call).is_none()).cloned();
    let reports = wanted
        .calls
        .iter()
        .filter(|call| turn.find(&call.call).is_none() && !failed(&call.line))
        .map(|call| call.call.clone());
    let calls: Vec<_> = first.chain(reports).take(AT_ONCE).collect();
    (!calls.is_empty()).then(|| Step::Calls { say: format!("Reading {}.", across.plan.describe()), calls })
}

/// A report that we read, its connection, and the part of the answer that it serves.
struct Read {
    line: Line,
    part: super::calls::Part,
    fetched: Fetched,
}

fn assemble(turn: &Turn<'_>, mut across: Across, wanted: &Wanted) -> Answer {
    // If we didn't read the other period, the answer must not name it as compared.
    if across.plan.movers.is_none() && wanted.calls.iter().all(|call| call.part != super::calls::Part::Against) {
        across.plan.against = None;
    }
    let mut silent: Vec<(Line, String)> = Vec::new();
    for call in &wanted.calls {
        let problem = match turn.find(&call.call) {
            Some(done) if done.ok => continue,
            Some(done) => done.problem(),
            None => NO_TIME.to_owned(),
        };
        // The reason why a network didn't answer says more than that we had no time to ask it for the rest.
        match silent.iter_mut().find(|(line, _)| *line == call.line) {
            None => silent.push((call.line.clone(), problem)),
            Some((_, known)) if known == NO_TIME => *known = problem,
            Some(_) => {}
        }
    }
    let asked = |network: &Network| wanted.calls.iter().any(|call| call.line.network == *network);
    let never = |network: &Network| wanted.silent.iter().any(|(own, _)| own == network);
    let unasked = across.plan.networks.iter().filter(|network| !asked(network) && !never(network));
    silent.extend(unasked.map(|network| (Line { network: *network, way: None }, NO_TIME.to_owned())));
    let sent: Vec<(&calls::One, Result<Fetched, String>)> = wanted
        .calls
        .iter()
        .filter(|call| !silent.iter().any(|(line, _)| *line == call.line))
        .map(|call| (call, super::fetch(turn, &call.call)))
        .collect();
    let repeated = repeated(&mut across, &sent);
    let mut read: Vec<Read> = Vec::new();
    for (call, outcome) in sent {
        let outcome = outcome.and_then(|fetched| {
            let (reading, source) = (&across.readings[call.reading], fetched.source);
            let against = across.plan.against.as_ref().filter(|_| call.part == super::calls::Part::Against);
            let period = against.map_or(&across.plan.period, |against| &against.period);
            let report = adapt::report(turn, &across.plan, (reading, &call.line), (period, &repeated), fetched.report)?;
            Ok(Fetched { source, report })
        });
        match outcome {
            Ok(fetched) => read.push(Read { line: call.line.clone(), part: call.part, fetched }),
            Err(problem) => silent.push((call.line.clone(), problem)),
        }
    }
    // A part of a network's numbers would look like all of them.
    read.retain(|one| !silent.iter().any(|(line, _)| *line == one.line));
    let asked = across.plan.networks.clone();
    across.plan.networks.retain(|network| read.iter().any(|one| one.line.network == *network));
    if across.plan.networks.is_empty() {
        return nothing_read(&asked, &silent, wanted);
    }
    let empty = without_rows(&mut across.plan, &read);
    // We read these reports to split them by network. If only one network is left, they can't be split by anything else.
    across.plan.gaps.bare |= asked.len() > 1 && across.plan.networks.len() == 1;
    reach(&mut across.plan, &wanted.notes.begins);
    for (network, why) in &wanted.uncompared {
        if across.plan.against.is_none() {
            break;
        }
        across.plan.uncompared.push(*network);
        let line =
            format!("**{} is in the numbers but not in the comparison**: {}.", network.display_name(), plain(why));
        across.plan.gaps.lacks.push(line);
    }
    one_sided(&mut across.plan, &mut read);
    // Readers take a total as the total of everything. So its sentence says whose numbers it lacks, and the text under it says why.
    let out = silent.iter().map(|(line, _)| line.called());
    across
        .plan
        .gaps
        .without
        .extend(out.chain(wanted.silent.iter().map(|(network, _)| network.display_name().to_owned())));
    let never = wanted
        .silent
        .iter()
        .map(|(network, why)| format!("**{} isn't included**: {}.", network.display_name(), plain(why)));
    across.plan.gaps.lacks.extend(silence(&silent).into_iter().chain(never));
    let notes = std::mem::take(&mut across.plan.notes);
    let mut answer = by_currency(turn, &across, read);
    for line in &across.plan.gaps.lacks {
        answer.lack(line.clone(), &turn.request.planner.history);
    }
    // When we first say that Ad Manager is missing, we offer a chip that asks it alone. We offer none if the question has filters, because
    // a chip without them would ask something else.
    let plain = across.plan.filters.is_empty() && across.plan.exclude.is_empty() && across.plan.thresholds.is_empty();
    if plain && !answer.lacks.is_empty() && wanted.silent.iter().any(|(network, _)| *network == Network::AdManager) {
        answer.follow_ups.insert(0, alone(&across.plan, Network::AdManager));
    }
    if let Some(line) = empty {
        answer.count(line);
    }
    for note in notes.into_iter().chain(wanted.notes.said.iter().cloned()) {
        answer.say(note);
    }
    for line in &wanted.notes.method {
        answer.count(line.clone());
    }
    if !across.plan.explains {
        answer.text = ahead(&across.plan, &answer.text);
    }
    answer
}

/// Takes networks whose reports have no rows out of the plan, so that the total doesn't name them. Says which ones.
fn without_rows(plan: &mut Plan, read: &[Read]) -> Option<String> {
    let has = |network: &Network| {
        let main = |one: &&Read| one.line.network == *network && one.part == super::calls::Part::Main;
        read.iter().filter(main).any(|one| !one.fetched.report.rows.is_empty())
    };
    let (some, none): (Vec<Network>, Vec<Network>) = plan.networks.iter().copied().partition(has);
    if some.is_empty() || none.is_empty() {
        return None;
    }
    plan.networks = some;
    let names: Vec<String> = none.iter().map(|network| network.display_name().to_owned()).collect();
    Some(format!("{} returned no rows for this.", and(&names)))
}

/// Takes a network with rows of only one period out of both sides of the comparison. Otherwise its sums would look like a change.
fn one_sided(plan: &mut Plan, read: &mut Vec<Read>) {
    use super::calls::Part;
    let Some(against) = plan.against.clone() else { return };
    let rows = |network: Network, part: Part| {
        let of = |one: &&Read| one.line.network == network && one.part == part;
        read.iter().filter(of).any(|one| !one.fetched.report.rows.is_empty())
    };
    let mut networks: Vec<Network> = read.iter().map(|one| one.line.network).collect();
    networks.sort_by_key(|network| network.id());
    networks.dedup();
    let sides: Vec<(Network, bool, bool)> = networks
        .into_iter()
        .map(|network| (network, rows(network, Part::Main), rows(network, Part::Against)))
        .collect();
    // If no network has both periods, there is nothing to compare with. Other code says that.
    if !sides.iter().any(|(_, now, before)| *now && *before) {
        return;
    }
    for (network, now, before) in sides {
        let name = network.display_name();
        if now && !before && !plan.uncompared.contains(&network) {
            let days = range(against.period.from, against.period.to);
            plan.uncompared.push(network);
            plan.gaps
                .lacks
                .push(format!("**{name} is in the numbers but not in the comparison**: it has none for {days}."));
        } else if before && !now {
            let days = range(against.of.from, against.of.to);
            read.retain(|one| one.line.network != network);
            plan.gaps.lacks.push(format!("**{name} isn't in the comparison**: it has no numbers for {days}."));
        }
    }
}

/// With one network, the period begins where its reports begin. With several, the answer says which ones begin later.
fn reach(plan: &mut Plan, begins: &[(Network, jiff::civil::Date)]) {
    plan.gaps.begins = begins.iter().filter(|(network, _)| plan.networks.contains(network)).copied().collect();
    if let ([_], [(_, first)]) = (plan.networks.as_slice(), plan.gaps.begins.as_slice()) {
        plan.period.from = *first;
    }
}

/// Returns the same question about one network, as the text of a chip.
fn alone(plan: &Plan, network: Network) -> String {
    let dims: Vec<String> = plan.dims.iter().filter(|dim| **dim != Dim::Network).map(|dim| dim.word()).collect();
    let by = if dims.is_empty() { String::new() } else { format!(" by {}", and(&dims)) };
    let (from, to) = (plan.period.from, plan.period.to);
    let days = if from == to { format!("on {from}") } else { format!("from {from} to {to}") };
    format!("{} {} {days}{by}", network.display_name(), plan.asked_words())
}

/// Finds mediated demand that its own network also reports, so that it counts once. Adds to the method what it found.
fn repeated(across: &mut Across, sent: &[(&calls::One, Result<Fetched, String>)]) -> Vec<(Network, &'static str)> {
    let main: Vec<same::Sent<'_>> = sent
        .iter()
        .filter(|(call, _)| call.part == super::calls::Part::Main)
        .filter_map(|(call, outcome)| {
            let reading = across.readings.get(call.reading)?;
            Some(same::Sent { desk: reading.desk, report: &outcome.as_ref().ok()?.report })
        })
        .collect();
    let repeated = same::brands(&main);
    let lines = plan::elsewhere(&across.readings, &repeated);
    across.plan.method.extend(lines);
    repeated
}

/// Reports in one currency, and the lines that they came from.
struct Group {
    currency: Option<String>,
    parts: Parts,
    lines: Vec<Line>,
}

/// Builds one part of the answer per currency, because we never add amounts of different currencies.
fn by_currency(turn: &Turn<'_>, across: &Across, read: Vec<Read>) -> Answer {
    let zones = time_zones(&read);
    let mut groups: Vec<Group> = Vec::new();
    for Read { line, part, fetched } in read {
        // A report without rows may not name its currency. It adds nothing to any sum.
        let currency = fetched.report.currency.clone();
        let at = groups.iter().position(|group| group.currency == currency || currency.is_none());
        let at = at.unwrap_or_else(|| {
            groups.push(Group { currency, parts: Parts::default(), lines: Vec::new() });
            groups.len() - 1
        });
        let group = &mut groups[at];
        if across.plan.uncompared.contains(&line.network) {
            group.parts.without.push(fetched.source);
        }
        group.parts.add(part, fetched);
        if !group.lines.contains(&line) {
            group.lines.push(line);
        }
    }
    let several = groups.len() > 1;
    let mut out = Answer::default();
    for Group { currency, parts, lines } in groups.into_iter().filter(|group| !group.parts.is_empty()) {
        let mut networks: Vec<Network> = Vec::new();
        for line in &lines {
            if !networks.contains(&line.network) && across.plan.networks.contains(&line.network) {
                networks.push(line.network);
            }
        }
        let mut own = Plan { networks, ..across.plan.clone() };
        for (network, labels) in &mut own.ways {
            labels.retain(|label| {
                lines.iter().any(|line| line.network == *network && line.way.as_ref().is_none_or(|way| way == label))
            });
        }
        let answer = answer::build(turn, &own, &parts);
        if !out.text.is_empty() {
            out.text += "\n\n";
        }
        if several {
            let _ = write!(out.text, "In {}: ", currency.as_deref().unwrap_or("a currency the report doesn't name"));
        }
        out.text += &answer.text;
        answer.said.into_iter().for_each(|sentence| out.say(sentence));
        answer.method.into_iter().for_each(|line| out.count(line));
        out.covers = answer.covers;
        out.artifacts.extend(answer.artifacts);
        out.follow_ups = answer.follow_ups;
    }
    if several {
        let who = if across.plan.networks.len() == 1 { "accounts" } else { "networks" };
        let _ =
            write!(out.text, "\n\nThe {who} report in different currencies, so I show one total for each currency.");
    }
    if let Some(zones) = zones {
        out.count(zones);
    }
    out
}

/// Says which time zones the reports use, if their days begin at different hours.
fn time_zones(read: &[Read]) -> Option<String> {
    let mut zones: Vec<(String, Vec<String>)> = Vec::new();
    for Read { line, fetched, .. } in read {
        let zone = fetched.report.time_zone.clone().unwrap_or_else(|| "a time zone the report doesn't name".to_owned());
        let zone =
            if matches!(zone.as_str(), "Etc/UTC" | "Etc/GMT" | "GMT" | "+00:00") { "UTC".to_owned() } else { zone };
        let name = line.called();
        match zones.iter_mut().find(|(known, _)| *known == zone) {
            Some((_, names)) if !names.contains(&name) => names.push(name),
            Some(_) => {}
            None => zones.push((zone, vec![name])),
        }
    }
    if zones.len() < 2 {
        return None;
    }
    let parts: Vec<String> = zones.iter().map(|(zone, names)| format!("{} in {zone}", and(names))).collect();
    Some(format!("The reports use different time zones: {}.", parts.join("; ")))
}

fn silence(silent: &[(Line, String)]) -> Vec<String> {
    silent
        .iter()
        .map(|(line, why)| {
            format!("**{} isn't included**: I couldn't read its report ({}).", line.called(), plain(why))
        })
        .collect()
}

fn nothing_read(asked: &[Network], silent: &[(Line, String)], wanted: &Wanted) -> Answer {
    let never: Vec<String> =
        wanted.silent.iter().map(|(network, why)| format!("{}: {}.", network.display_name(), plain(why))).collect();
    let failed: Vec<String> = silent
        .iter()
        .map(|(line, why)| format!("I couldn't read the report from {} ({}).", line.called(), plain(why)))
        .collect();
    let names: Vec<String> = asked.iter().map(|network| network.display_name().to_owned()).collect();
    let what = if failed.is_empty() { "I have no numbers for this." } else { super::advice(&failed) };
    let mut reasons: Vec<String> = failed.into_iter().chain(never).chain(wanted.notes.said.iter().cloned()).collect();
    if reasons.is_empty() {
        reasons.push(format!("{} returned no numbers.", and(&names)));
    }
    Answer::text(format!("{} {what}", reasons.join(" "))).following(talk::EXAMPLES)
}
