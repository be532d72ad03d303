//! The calls for a question about several networks: first the lookups, then the reports, in pieces that each network accepts.

use adagent_domain::Network;
use jiff::{ToSpan as _, civil::Date};
use serde_json::Value as Json;

use super::{Across, Keep, Line, MOST_CALLS, Reading, saved};
use crate::planner::{
    Call, Step,
    analyse::asks_why,
    desks::{Ask, Desk},
    format::{day, range},
    read::Turn,
    report::{
        calls::Part,
        metric::Dim,
        spec::{Period, Shape},
    },
    ways::through,
};

/// A call, the part of the answer that it serves, and its reading.
#[derive(Debug)]
pub(super) struct One {
    pub line: Line,
    pub reading: usize,
    pub part: Part,
    pub call: Call,
}

/// Everything to read, the networks that we can't ask and why, and notes on the rest.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Lookups that we need before we can ask for the rest.
    pub first: Vec<Call>,
    pub calls: Vec<One>,
    pub silent: Vec<(Network, String)>,
    /// Networks that have the requested numbers but none to compare them with, and why.
    pub uncompared: Vec<(Network, String)>,
    pub notes: Notes,
    /// Whether a network has no numbers of the earlier period, if the question asks for no comparison.
    one_sided: bool,
}

/// Notes on what is read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub said: Vec<String>,
    /// How we count.
    pub method: Vec<String>,
    /// Networks whose reports begin later than the period.
    pub begins: Vec<(Network, Date)>,
}

impl Notes {
    fn add(&mut self, other: Self) {
        for (own, new) in [(&mut self.said, other.said), (&mut self.method, other.method)] {
            for line in new {
                if !own.contains(&line) {
                    own.push(line);
                }
            }
        }
        for one in other.begins {
            if !self.begins.contains(&one) {
                self.begins.push(one);
            }
        }
    }
}

pub(super) fn all(turn: &Turn<'_>, across: &Across) -> Result<Wanted, Box<Step>> {
    let mut wanted = Wanted::default();
    for (at, reading) in across.readings.iter().enumerate() {
        // If a report is read in the end, we keep its notes. If not, we only say why.
        let mut notes = Notes::default();
        match of_reading(turn, across, at, reading, (&mut notes, &mut wanted.one_sided, &mut wanted.uncompared)) {
            Ok(calls) => {
                wanted.calls.extend(calls);
                wanted.notes.add(notes);
            }
            Err(Stuck::LookUp(call)) => wanted.first.push(call),
            Err(Stuck::Never(why)) => wanted.silent.push((reading.desk.network, why)),
            Err(Stuck::Ask(step)) => return Err(step),
        }
    }
    drop_unasked_comparison(across, &mut wanted);
    side_by_side(&mut wanted.calls);
    Ok(wanted)
}

/// Why a reading has no calls yet.
pub(super) enum Stuck {
    LookUp(Call),
    Never(String),
    Ask(Box<Step>),
}

fn of_reading(
    turn: &Turn<'_>,
    across: &Across,
    at: usize,
    reading: &Reading,
    (notes, one_sided, uncompared): (&mut Notes, &mut bool, &mut Vec<(Network, String)>),
) -> Result<Vec<One>, Stuck> {
    let desk = reading.desk;
    let plan = &across.plan;
    let accounts = accounts(turn, desk.network, notes)?;
    let mut out = Vec::new();
    let mut push = |part: Part, period: &Period, dims: &[Dim]| -> Result<(), Stuck> {
        let Some(period) = within_reach(desk, period, plan.today, part, notes) else {
            return match part {
                Part::Main => {
                    Err(Stuck::Never(format!("its reports go back only {} days", desk.days_back.unwrap_or_default())))
                }
                _ => Ok(()),
            };
        };
        for account in &accounts {
            for (from, to) in pieces(&period, desk.days_a_call) {
                let call = match one_call(turn, across, reading, account, (from, to), dims, notes) {
                    // If the question asks for no comparison, we don't ask to save a report for it, and a missing one doesn't stop the
                    // answer.
                    Err(Stuck::Ask(_) | Stuck::Never(_)) if part == Part::Against && unasked(across) => {
                        *one_sided = true;
                        return Ok(());
                    }
                    // With only one side of a comparison, the answer would show a change that did not happen.
                    Err(Stuck::Never(_)) if part == Part::Against && desk.network == Network::AdManager => {
                        let why = format!(
                            "none of your saved reports has the days to compare with ({})",
                            range(period.from, period.to)
                        );
                        // If the question asks for the change itself, one side alone does not help to answer it.
                        if plan.movers.is_some() || plan.explains || plan.networks.len() == 1 || asks_why(turn) {
                            return Err(Stuck::Never(why));
                        }
                        uncompared.push((desk.network, why));
                        return Ok(());
                    }
                    call => call?,
                };
                let line = Line { network: desk.network, way: account.way.clone() };
                out.push(One { line, reading: at, part, call });
            }
        }
        Ok(())
    };
    let compared = plan.against.as_ref().filter(|_| !plan.uncompared.contains(&desk.network));
    match plan.shape {
        Shape::Figure => {
            let dims = [Dim::Date, plan.detail()];
            push(Part::Main, &plan.period, if plan.gaps.bare { &dims[..1] } else { &dims })?;
            if let Some(against) = compared {
                push(Part::Against, &against.period, &[Dim::Date])?;
            }
        }
        Shape::Series | Shape::Breakdown => {
            push(Part::Main, &plan.period, &plan.dims)?;
            if let Some(against) = compared {
                push(Part::Against, &against.period, &plan.dims)?;
            }
        }
    }
    // The limit counts only the requested calls. We drop a comparison that nobody asked for rather than lose the requested numbers.
    let needed = out.iter().filter(|one| one.part == Part::Main || !unasked(across)).count();
    if needed > MOST_CALLS {
        let most = if plan.against.is_some() && !unasked(across) { MOST_CALLS / 2 } else { MOST_CALLS };
        return Err(Stuck::Never(format!(
            "it needs {needed} requests, one for each day. Ask for {most} days or fewer"
        )));
    }
    Ok(out)
}

/// Orders the calls: the first piece of every network, then the second one. That way we notice a failing network at once, and it never
/// fills a step alone.
fn side_by_side(calls: &mut Vec<One>) {
    let mut seen: Vec<(Line, usize)> = Vec::new();
    let mut placed: Vec<(usize, One)> = Vec::with_capacity(calls.len());
    for one in calls.drain(..) {
        let known = seen.iter().position(|(line, _)| *line == one.line);
        let known = known.unwrap_or_else(|| {
            seen.push((one.line.clone(), 0));
            seen.len() - 1
        });
        let at = seen[known].1;
        seen[known].1 += 1;
        placed.push((at, one));
    }
    placed.sort_by_key(|(at, _)| *at);
    calls.extend(placed.into_iter().map(|(_, one)| one));
}

fn unasked(across: &Across) -> bool {
    across.plan.against.as_ref().is_some_and(|against| !against.asked) && across.plan.movers.is_none()
}

/// Drops a comparison that the question doesn't ask for, if it would take a second round of calls.
fn drop_unasked_comparison(across: &Across, wanted: &mut Wanted) {
    let costly = wanted.calls.iter().filter(|one| one.part == Part::Against).count() > super::AT_ONCE;
    if unasked(across) && (costly || wanted.one_sided) {
        wanted.calls.retain(|one| one.part != Part::Against);
    }
}

/// Returns a network's accounts by the ID that its reports take, with the currency for the sums.
fn accounts(turn: &Turn<'_>, network: Network, notes: &mut Notes) -> Result<Vec<Account>, Stuck> {
    let list = match network {
        Network::AdMob => "admob_list_accounts",
        Network::AdManager => "admanager_list_networks",
        // The credentials decide the account: one, or one per connection.
        _ => {
            let ways = turn.ways(network).iter();
            let of_ways: Vec<Account> =
                ways.map(|label| Account { way: Some(label.clone()), ..Account::default() }).collect();
            return Ok(if of_ways.is_empty() { vec![Account::default()] } else { of_ways });
        }
    };
    let known = turn.accounts_of(network);
    if known.is_empty() {
        let call = Call { name: list.into(), args: serde_json::json!({}) };
        return Err(match turn.find(&call) {
            None => Stuck::LookUp(call),
            Some(done) if !done.ok => Stuck::Never(done.problem()),
            Some(_) => Stuck::Never("this sign-in has no account there".to_owned()),
        });
    }
    let currency = |raw: &Json| raw.get("currencyCode").and_then(Json::as_str).map(str::to_owned);
    let others: Vec<String> =
        known.iter().filter_map(|item| currency(&item.raw)).filter(|code| code != "USD").collect();
    let converts = network == Network::AdMob && !others.is_empty();
    if let (true, Some(code)) = (converts, others.first()) {
        notes.method.push(format!("AdMob's account is in {code}; AdMob converted its numbers to USD."));
    }
    let several = !turn.ways(network).is_empty();
    let of = |item: &&adagent_contract::EntityItem| Account {
        id: item.id.clone(),
        converted: converts.then_some("USD"),
        way: item.connection.clone().filter(|_| several),
    };
    Ok(known.iter().map(of).collect())
}

#[derive(Debug, Default)]
pub(super) struct Account {
    pub id: String,
    pub converted: Option<&'static str>,
    /// The connection that reaches the account, if the network has several.
    pub way: Option<String>,
}

/// Returns the part of a period that a network still has.
fn within_reach(desk: &Desk, period: &Period, today: Date, part: Part, notes: &mut Notes) -> Option<Period> {
    let Some(back) = desk.days_back else { return Some(period.clone()) };
    let first = today.saturating_sub(back.days());
    if period.to < first {
        return None;
    }
    if period.from < first && part == Part::Main {
        let note = format!(
            "{}'s reports go back {back} days, so its numbers start on {}.",
            desk.network.display_name(),
            day(first)
        );
        if !notes.method.contains(&note) {
            notes.method.push(note);
            notes.begins.push((desk.network, first));
        }
    }
    // A part of the other period would look like all of it.
    if period.from < first && part == Part::Against {
        return None;
    }
    Some(Period { from: period.from.max(first), to: period.to })
}

fn pieces(period: &Period, most: Option<i32>) -> Vec<(Date, Date)> {
    let Some(most) = most else { return vec![(period.from, period.to)] };
    let mut out = Vec::new();
    let mut from = period.from;
    while from <= period.to {
        let to = from.saturating_add((most - 1).days()).min(period.to);
        out.push((from, to));
        from = to.saturating_add(1.day());
    }
    out
}

fn one_call(
    turn: &Turn<'_>,
    across: &Across,
    reading: &Reading,
    account: &Account,
    (from, to): (Date, Date),
    dims: &[Dim],
    notes: &mut Notes,
) -> Result<Call, Stuck> {
    let (plan, desk) = (&across.plan, reading.desk);
    let mut dims: Vec<Dim> = dims.iter().copied().filter(|dim| desk.split(*dim).is_some()).collect();
    let served: Vec<(Dim, Vec<String>)> = plan
        .filters
        .iter()
        .filter(|filter| desk.filters.contains(&filter.dim))
        .map(|filter| (filter.dim, filter.values.iter().map(|(value, _)| value.clone()).collect()))
        .collect();
    // If the network can't filter by something, we read it as a breakdown and filter here.
    let told = plan.filters.iter().map(|filter| filter.dim).filter(|dim| !desk.filters.contains(dim));
    dims.extend(told.chain(plan.exclude.iter().map(|(dim, _)| *dim)));
    if matches!(reading.keep, Keep::Demand { .. }) {
        dims.push(Dim::AdSource);
    }
    let mut splits: Vec<&'static str> = Vec::new();
    for wire in dims.iter().filter_map(|dim| desk.split(*dim)).flat_map(|split| split.wire) {
        if !splits.contains(wire) {
            splits.push(wire);
        }
    }
    let mut metrics: Vec<&'static str> = Vec::new();
    for wire in plan.shown.iter().flat_map(|metric| metric.base()).filter_map(|metric| desk.wire(*metric)) {
        if !metrics.contains(&wire) {
            metrics.push(wire);
        }
    }
    let currency = account.converted;
    let ask = Ask { account: &account.id, from, to, metrics, splits, filters: &served, currency };
    if desk.network == Network::AdManager {
        let alone = plan.networks.len() == 1 && !across.saved_only;
        let run = saved::run(turn, &ask, alone, &plan.describe(), notes)?;
        return Ok(account.way.as_deref().map_or_else(|| run.clone(), |label| through(&run, label)));
    }
    let call = Call { name: desk.tool.into(), args: (desk.args)(&ask) };
    Ok(account.way.as_deref().map_or_else(|| call.clone(), |label| through(&call, label)))
}
