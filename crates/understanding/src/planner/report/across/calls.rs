//! The calls of a question over networks: what has to be looked up first, then the reports, in pieces each network takes.

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

/// A call, whose part of the answer it serves, and which reading it belongs to.
#[derive(Debug)]
pub(super) struct One {
    pub line: Line,
    pub reading: usize,
    pub part: Part,
    pub call: Call,
}

/// Everything to be read; networks that cannot be asked at all, with why; what has to be said about the rest.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// What has to be known before the rest can be asked for.
    pub first: Vec<Call>,
    pub calls: Vec<One>,
    pub silent: Vec<(Network, String)>,
    /// Networks that have the figures that were asked for and none to compare with, with why.
    pub uncompared: Vec<(Network, String)>,
    pub notes: Notes,
    /// A network has no figures of the time before, and nobody asked for them.
    one_sided: bool,
}

/// What has to be said about what is read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub said: Vec<String>,
    /// How it is counted.
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
        // What is said of a report that is read in the end; of one that isn't, only why.
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
                    // What is only beside the answer is neither saved nor a reason to have none.
                    Err(Stuck::Ask(_) | Stuck::Never(_)) if part == Part::Against && unasked(across) => {
                        *one_sided = true;
                        return Ok(());
                    }
                    // One side of a comparison alone would be a change that never was.
                    Err(Stuck::Never(_)) if part == Part::Against && desk.network == Network::AdManager => {
                        let why = format!(
                            "none of your saved reports has the days to compare with ({})",
                            range(period.from, period.to)
                        );
                        // Where the change itself is asked, one side alone is no part of the answer.
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
    // A comparison nobody asked for is dropped before it costs the figures that were.
    let needed = out.iter().filter(|one| one.part == Part::Main || !unasked(across)).count();
    if needed > MOST_CALLS {
        let most = if plan.against.is_some() && !unasked(across) { MOST_CALLS / 2 } else { MOST_CALLS };
        return Err(Stuck::Never(format!(
            "it needs {needed} requests, one for each day. Ask for {most} days or fewer"
        )));
    }
    Ok(out)
}

/// The first piece of every network, then the second: a network that fails is known at once, and never fills a step alone.
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

/// A comparison nobody asked for is not worth a second round of calls.
fn drop_unasked_comparison(across: &Across, wanted: &mut Wanted) {
    let costly = wanted.calls.iter().filter(|one| one.part == Part::Against).count() > super::AT_ONCE;
    if unasked(across) && (costly || wanted.one_sided) {
        wanted.calls.retain(|one| one.part != Part::Against);
    }
}

/// The accounts of a network by the id its reports take, with the currency sums should have.
fn accounts(turn: &Turn<'_>, network: Network, notes: &mut Notes) -> Result<Vec<Account>, Stuck> {
    let list = match network {
        Network::AdMob => "admob_list_accounts",
        Network::AdManager => "admanager_list_networks",
        // Their credentials say which account is meant: one, or one of each connection.
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
    /// The connection it is reached through, where the network has several.
    pub way: Option<String>,
}

/// What of a period a network still has.
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
    // Half of the other period would pass for all of it.
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
    // What the network does not restrict is told apart here.
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
