//! Decides what we ask each network for, and what a network can't give. This must say what it leaves out.

use adagent_contract::EntityKind;
use adagent_domain::Network;
use jiff::ToSpan as _;

use super::{Across, Keep, Reading};
use crate::planner::{
    Answer,
    basis::Basis,
    clarify,
    desks::{self, Desk},
    format::{and, plain, range},
    names::{self, Found},
    read::{Turn, contains_word},
    report::{
        metric::{Dim, Metric, Source},
        spec::{self, Gaps, Plan, Shape, Threshold, WireFilter},
    },
    talk,
};
use crate::route::reading::Reading as Spoken;
use crate::vocab::networks::NETWORKS;
use crate::{Filter, FilterValue, Slots};

#[expect(clippy::too_many_lines, reason = "one plan from top to bottom")]
pub(super) fn of(turn: &Turn<'_>, slots: &Slots, networks: &[Network]) -> Result<Across, Box<Answer>> {
    let mut notes = Vec::new();
    let (mut period, assumed_period) = spec::period(slots, turn.today);
    if period.from > turn.today {
        let text = format!("{} is in the future, so there are no numbers for it yet.", range(period.from, period.to));
        return Err(Box::new(Answer::text(text).following(talk::EXAMPLES)));
    }
    let networks = restricted(networks, &slots.filters);
    let open = turn.open(&networks);
    spec::not_begun(&period, &turn.latest(&networks), &networks)?;
    let (mut dims, strange_dims) = parsed(&slots.dimensions, Dim::parse_any);
    let (asked, strange) = parsed(&slots.metrics, Metric::parse_any);
    let (asked, foreign): (Vec<Metric>, Vec<Metric>) =
        asked.into_iter().partition(|metric| reported(*metric, &networks));
    let strange: Vec<String> = strange.into_iter().chain(foreign.iter().map(|metric| metric.word())).collect();
    if asked.is_empty() && !strange.is_empty() {
        return Err(Box::new(cannot(&networks, &format!("report {}", and(&strange)))));
    }
    if !strange.is_empty() {
        notes.push(format!("{}n't available from {}.", sentence(&strange), who(&networks)));
    }
    if !strange_dims.is_empty() && dims.is_empty() {
        return Err(Box::new(cannot(&networks, &format!("break down numbers by {}", and(&strange_dims)))));
    }
    if !strange_dims.is_empty() {
        notes.push(format!("I can't break down these numbers by {}.", and(&strange_dims)));
    }
    let ways: Vec<(Network, Vec<String>)> = networks
        .iter()
        .map(|network| (*network, turn.ways(*network).to_vec()))
        .filter(|(_, labels)| !labels.is_empty())
        .collect();
    let several = ways.iter().any(|(_, labels)| labels.len() > 1);
    let by_account = ["by account", "per account", "each account", "which account", "every account", "accounts"];
    // "Compare this week with the last" compares weeks, not accounts.
    let named = turn.understood.accounts.values().any(|labels| labels.len() > 1);
    let side_by_side = named && turn.says(&["compare", "vs", "versus", "against"]);
    if several && networks.len() == 1 && dims.is_empty() && (side_by_side || turn.says(&by_account)) {
        dims.push(Dim::Account);
    }
    if networks.len() == 1 {
        dims.retain(|dim| *dim != Dim::Network);
    } else if dims.is_empty() && turn.says(&["compare", "vs", "versus", "which network", "each network", "per network"])
    {
        dims.push(Dim::Network);
    }
    spec::over_days(turn, &mut dims);
    let per_day = spec::asks_daily_average(turn) && asked.first().is_none_or(|metric| metric.adds_up());
    if per_day {
        dims.retain(|dim| *dim != Dim::Date);
    }
    notes.extend(spec::nothing_listed(turn));
    notes.extend(crate::planner::period::open_note(turn));
    let mut ahead = Vec::new();
    let against = spec::other_period(turn, slots, &mut period, dims.is_empty(), &open, (&mut notes, &mut ahead))?;
    let mut plan = Plan {
        source: Source::Mediation,
        shape: Shape::of(&dims),
        asked: if asked.is_empty() { vec![Metric::Revenue] } else { asked },
        shown: Vec::new(),
        dims,
        period,
        assumed_period,
        against,
        filters: Vec::new(),
        exclude: Vec::new(),
        thresholds: Vec::new(),
        limit: slots.limit.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0),
        rank: slots.rank.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0),
        sort: None,
        movers: None,
        per_day,
        part: None,
        accounts: Vec::new(),
        all_accounts: 0,
        notes,
        method: Vec::new(),
        ahead,
        explains: false,
        premise: spec::premise(turn),
        today: turn.today,
        open,
        networks,
        beside: true,
        uncompared: Vec::new(),
        ways,
        gaps: Gaps::default(),
    };
    for filter in &slots.filters {
        take_filter(turn, &mut plan, filter)?;
    }
    let mut readings = readings(turn, &mut plan)?;
    plan.sort = slots.sort.as_deref().and_then(|sort| {
        let (key, descending) = sort.strip_prefix('-').map_or((sort, false), |key| (key, true));
        Metric::parse_any(key).filter(|metric| reported(*metric, &plan.networks)).map(|metric| (metric, descending))
    });
    plan.rank_by_change(turn);
    let wanted = plan.against.as_ref().is_some_and(|against| against.asked);
    let strict = plan.movers.is_some() || crate::planner::analyse::asks_why(turn);
    comparable(&mut plan, &mut readings, wanted || strict, strict);
    plan.place_is_served()?;
    settle_metrics(&mut plan, &readings);
    plan.limits_need_rows();
    plan.ask_for_share(turn);
    Ok(Across { plan, readings, saved_only: false })
}

fn among(values: &[String], network: Network) -> bool {
    values.iter().any(|value| value.parse::<Network>() == Ok(network) || desks::of_demand(value) == Some(network))
}

/// Makes sure that both periods of a comparison cover the same networks, by taking a network whose reports don't reach over both out of
/// both sides. If the question asks for the change (`strict`), the network is not in the answer at all. Otherwise its numbers count, and
/// only the comparison leaves it out. If the question asks for no comparison (`wanted` is false), we drop the comparison instead.
pub(super) fn comparable(plan: &mut Plan, readings: &mut Vec<Reading>, wanted: bool, strict: bool) {
    let Some(against) = &plan.against else { return };
    let from = against.period.from.min(plan.period.from);
    let short = |desk: &Desk| desk.days_back.is_some_and(|back| from < plan.today.saturating_sub(back.days()));
    let mut networks: Vec<Network> = Vec::new();
    for reading in readings.iter().filter(|reading| short(reading.desk)) {
        if !networks.contains(&reading.desk.network) {
            networks.push(reading.desk.network);
        }
    }
    if networks.is_empty() {
        return;
    }
    let does = if networks.len() == 1 { "doesn't" } else { "don't" };
    let why = format!("{} {does} have numbers for both periods", who(&networks));
    if !wanted || !plan.networks.iter().any(|network| !networks.contains(network)) {
        if wanted {
            plan.notes.push(format!("{why}, so I didn't compare them."));
        }
        plan.against = None;
        plan.movers = None;
    } else if strict {
        let is = if networks.len() == 1 { "it is" } else { "they are" };
        plan.ahead.push(format!("{why}, so {is} left out of this comparison."));
        plan.networks.retain(|network| !networks.contains(network));
        readings.retain(|reading| !networks.contains(&reading.desk.network));
    } else {
        let is = if networks.len() == 1 { "it is" } else { "they are" };
        plan.gaps.lacks.push(format!("{why}, so {is} in the numbers but not in the comparison."));
        plan.uncompared = networks;
    }
}

/// Returns the networks that a filter on networks keeps. If it would keep none, returns all of them.
fn restricted(networks: &[Network], filters: &[Filter]) -> Vec<Network> {
    let keeps = |network: &&Network| {
        filters.iter().filter(|filter| filter.field == "network").all(|filter| match &filter.value {
            FilterValue::In(values) => among(values, **network),
            FilterValue::Not { not } => !among(not, **network),
            FilterValue::Compare(_) => true,
        })
    };
    let left: Vec<Network> = networks.iter().filter(keeps).copied().collect();
    if left.is_empty() { networks.to_vec() } else { left }
}

fn parsed<T: PartialEq>(slots: &[String], parse: fn(&str) -> Option<T>) -> (Vec<T>, Vec<String>) {
    let (mut known, mut strange) = (Vec::new(), Vec::new());
    for slot in slots {
        match parse(slot) {
            Some(one) if !known.contains(&one) => known.push(one),
            Some(_) => {}
            None => strange.push(slot.replace('_', " ")),
        }
    }
    (known, strange)
}

/// Checks whether any of the networks reports the metric.
fn reported(metric: Metric, networks: &[Network]) -> bool {
    networks.iter().flat_map(|network| desks::of(*network)).any(|desk| desk.measures(metric))
}

fn who(networks: &[Network]) -> String {
    let names: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
    and(&names)
}

/// Returns "Fills and clicks are".
fn sentence(words: &[String]) -> String {
    let text = and(words);
    let mut chars = text.chars();
    let capital: String = chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect());
    format!("{capital} {}", if words.len() == 1 { "is" } else { "are" })
}

/// Says that the networks don't report something, and lists what they do report.
fn cannot(networks: &[Network], what: &str) -> Answer {
    let mut metrics: Vec<String> = Vec::new();
    let mut dims: Vec<String> = Vec::new();
    for desk in networks.iter().flat_map(|network| desks::of(*network)) {
        let own = desk.metrics.iter().map(|(metric, _)| metric.word());
        let rates = [Metric::Ecpm, Metric::Ctr, Metric::MatchRate].into_iter().filter(|rate| desk.measures(*rate));
        for word in own.chain(rates.map(Metric::word)) {
            if !metrics.contains(&word) {
                metrics.push(word);
            }
        }
        for split in desk.splits {
            if !dims.contains(&split.dim.word()) {
                dims.push(split.dim.word());
            }
        }
    }
    let whose = match networks {
        [one] => format!("{} doesn't {what}", one.display_name()),
        several if several.len() > 3 => format!("None of your networks can {what}"),
        few => format!("{} don't {what}", who(few)),
    };
    Answer::text(format!(
        "{whose}, so I didn't pull anything. Available metrics: {}. Breakdowns: {}.",
        and(&metrics),
        and(&dims)
    ))
    .following(talk::EXAMPLES)
}

fn take_filter(turn: &Turn<'_>, plan: &mut Plan, filter: &Filter) -> Result<(), Box<Answer>> {
    if filter.field == "network" {
        if let FilterValue::Not { not } = &filter.value {
            plan.notes.push(format!("Excludes {}.", plain(&and(not))));
        }
        return Ok(());
    }
    if let (Some(metric), FilterValue::Compare(limits)) = (Metric::parse_any(&filter.field), &filter.value) {
        plan.thresholds.extend(limits.iter().map(|limit| Threshold::of(metric, limit, turn.question())));
        return Ok(());
    }
    let Some(dim) = Dim::parse(&filter.field) else {
        plan.notes.push(format!("I can't filter by {}; this covers everything.", filter.field.replace('_', " ")));
        return Ok(());
    };
    let (values, kept) = match &filter.value {
        FilterValue::In(values) if !values.is_empty() => (values, true),
        FilterValue::Not { not } if !not.is_empty() => (not, false),
        _ => return Ok(()),
    };
    let mut known = Vec::new();
    let mut words = Vec::new();
    for value in values {
        let (wire, word) = canonical(turn, dim, value)?;
        known.push(wire);
        words.push(word);
    }
    if kept {
        let values = known.into_iter().map(|value| (value, None)).collect();
        plan.filters.push(WireFilter { dim, values, words: and(&words) });
    } else {
        plan.notes.push(format!("Excludes {}.", and(&words)));
        plan.exclude.push((dim, known));
    }
    Ok(())
}

/// Returns a value as adapted reports hold it, and as people read it.
fn canonical(turn: &Turn<'_>, dim: Dim, value: &str) -> Result<(String, String), Box<Answer>> {
    let (kind, what) = match dim {
        Dim::Country => return Ok((value.to_uppercase(), names::country_label(value))),
        Dim::Platform => return Ok((value.to_lowercase(), names::platform_label(value).to_owned())),
        Dim::Format => return Ok((value.to_lowercase(), names::format_label(value).to_lowercase())),
        Dim::App => (EntityKind::App, "an app"),
        Dim::AdUnit => (EntityKind::AdUnit, "an ad unit"),
        _ => return Ok((value.to_owned(), plain(value))),
    };
    let known: Vec<_> = turn.of_kind(kind).collect();
    match names::find(&known, value) {
        // The same app has a different ID in each network, but the same name.
        Found::One(one) => Ok((one.name.clone(), plain(&one.name))),
        Found::Several(several) if several.iter().all(|other| other.name == several[0].name) => {
            Ok((several[0].name.clone(), plain(&several[0].name)))
        }
        Found::Nothing(close) if !known.is_empty() => Err(Box::new(clarify::unknown(turn, what, value, &close))),
        Found::Several(_) | Found::Nothing(_) => Ok((value.to_owned(), plain(value))),
    }
}

/// Chooses a report of each network. Leaves out a network that can't answer, and says so.
fn readings(turn: &Turn<'_>, plan: &mut Plan) -> Result<Vec<Reading>, Box<Answer>> {
    let mut needs: Vec<Dim> = plan.dims.iter().copied().filter(|dim| *dim != Dim::Account).collect();
    needs.extend(plan.filters.iter().map(|filter| filter.dim));
    needs.extend(plan.exclude.iter().map(|(dim, _)| *dim));
    let alone = plan.networks.len() == 1;
    let filters = turn.understood.slots.as_ref().map_or(&[][..], |slots| &slots.filters);
    let history = &turn.request.planner.history;
    let kept = Basis::before(history).filter(|_| follows(turn));
    let named = names_networks(turn, filters, &plan.networks, kept);
    let asked = plan.networks.clone();
    // If the question excludes a network, that network must not come back as somebody's demand source.
    let out_of_it = Network::ALL.into_iter().filter(|network| {
        let of = |filter: &Filter| matches!(&filter.value, FilterValue::Not { not } if filter.field == "network" && among(not, *network));
        filters.iter().any(of)
    });
    let counted: Vec<Network> =
        asked.iter().copied().filter(|network| !desks::only_mediates(*network)).chain(out_of_it).collect();
    let sources = |dim: &Dim| matches!(dim, Dim::AdSource | Dim::Instance | Dim::MediationGroup);
    if kept == Some(Basis::Sources) && !alone && !needs.iter().any(sources) {
        needs.push(Dim::AdSource);
    }
    let by_source = needs.iter().any(sources);
    let lead = plan.asked[0];
    let (mut out, mut left_out) = (Vec::new(), Vec::<(String, Vec<Network>)>::new());
    let formats = unknown_formats(plan);
    for network in &asked {
        // Rows by demand source count one attempt for every source that was tried.
        let serves = |desk: &&'static Desk| {
            needs.iter().all(|dim| desk.splits_by(*dim))
                && formats(desk).is_none()
                && (alone || !desk.mediates || !lead.counts_attempts())
        };
        let fits = |desk: &&'static Desk| plan.asked.iter().all(|metric| desk.measures(*metric)) && serves(desk);
        let enough = |desk: &&'static Desk| desk.measures(lead) && serves(desk);
        let desks = desks::of(*network);
        // With several networks, a report of the network's own demand is better than one whose rows we have to sort.
        let own = (!alone && !by_source).then(|| desks.iter().filter(|desk| !desk.mediates).find(fits)).flatten();
        let Some(desk) = own.or_else(|| desks.iter().find(fits)).or_else(|| desks.iter().find(enough)) else {
            let why = lacking(*network, lead, &needs, alone, &formats);
            match left_out.iter_mut().find(|(known, _)| *known == why) {
                Some((_, networks)) => networks.push(*network),
                None => left_out.push((why, vec![*network])),
            }
            continue;
        };
        if alone {
            out.push(Reading { desk, keep: Keep::All });
            continue;
        }
        let others = !named || by_source;
        let keep = if desk.mediates { Keep::Demand { own: true, others, counted: counted.clone() } } else { Keep::All };
        out.push(Reading { desk, keep });
        if others
            && !desk.mediates
            && let Some(desk) = desks.iter().find(|desk| desk.mediates && enough(desk))
        {
            out.push(Reading { desk, keep: Keep::Demand { own: false, others: true, counted: counted.clone() } });
        }
    }
    plan.networks.retain(|network| out.iter().any(|reading| reading.desk.network == *network));
    if by_source {
        // If a network reports no ad sources, its demand counts in the reports of the mediators that list it.
        for reading in &mut out {
            if let Keep::Demand { counted, .. } = &mut reading.keep {
                counted.retain(|network| plan.networks.contains(network) || !asked.contains(network));
            }
        }
    }
    let said = |(why, networks): &(String, Vec<Network>)| {
        let does = if networks.len() == 1 { "doesn't" } else { "don't" };
        format!("{} {does} {why}", who(networks))
    };
    if out.is_empty() {
        let all: Vec<String> = left_out.iter().map(said).collect();
        let text = format!("{}, so I didn't pull anything.", all.join(". "));
        return Err(Box::new(Answer::text(text).following(talk::EXAMPLES)));
    }
    for one in &left_out {
        let is = if one.1.len() == 1 { "it is" } else { "they are" };
        plan.gaps.lacks.push(format!("{}, so {is} left out.", said(one)));
        plan.gaps.without.extend(one.1.iter().map(|network| network.display_name().to_owned()));
    }
    if let Some(basis) = basis(&out, alone, by_source, named) {
        plan.ahead.extend(basis.warning(history));
        plan.method.push(basis.line().to_owned());
        plan.method.extend(sources_line(&out, basis));
    }
    Ok(out)
}

/// Checks whether the question continues the turn before and doesn't itself say which networks it is about. "By network" says how to split
/// the number, not which networks to include. A question with its own numbers and its own period continues nothing, in any language.
fn follows(turn: &Turn<'_>) -> bool {
    let reading = Spoken::new(turn.question(), turn.today, &turn.entities);
    let all = reading.has(&["total", "overall", "altogether", "source", "sources"]);
    let every = contains_any(&reading.text, &["all networks", "all my networks", "every network", "all of them"]);
    takes(turn, &reading)
        && !turn.understood.fresh
        && said_networks(turn.question()).is_empty()
        && !all
        && !every
        && !turn.request.planner.history.is_empty()
}

/// Checks whether the written-out question is more than the question itself, or than its English translation.
fn takes(turn: &Turn<'_>, reading: &Spoken) -> bool {
    let whole = turn.understood.standalone.trim();
    whole != turn.question().trim() && whole != reading.text.trim()
}

fn contains_any(text: &str, phrases: &[&str]) -> bool {
    let lower = text.to_lowercase();
    phrases.iter().any(|phrase| contains_word(&lower, phrase))
}

fn said_networks(text: &str) -> Vec<Network> {
    let tokens = crate::text::tokens(text);
    (0..tokens.len()).filter_map(|at| NETWORKS.at(&tokens, at)).map(|(network, _)| network).collect()
}

/// Checks whether the person names every network that the question is about, rather than meaning all of them: "max eCPM across all
/// networks" names none. A follow-up that names none counts like the answer before it (`kept`). We look at the person's own words, because
/// the written-out question also names networks that the person did not.
fn names_networks(turn: &Turn<'_>, filters: &[Filter], asked: &[Network], kept: Option<Basis>) -> bool {
    if let Some(kept) = kept {
        return kept == Basis::Own;
    }
    // If an agent may not use every connected network, it counts only the demand of its own ones. What the others earn is not its to count.
    if turn.request.planner.agent.as_ref().is_some_and(|agent| agent.narrow) {
        return true;
    }
    if filters.iter().any(|filter| filter.field == "network" && matches!(filter.value, FilterValue::In(_))) {
        return true;
    }
    let history = &turn.request.planner.history;
    let reading = Spoken::new(turn.question(), turn.today, &turn.entities);
    let taken = takes(turn, &reading) && !history.is_empty();
    let said = if !taken {
        said_networks(&turn.text)
    } else if follows(turn) {
        let asked = history.iter().rev().filter(|entry| entry.role == "user");
        asked.map(|entry| said_networks(&entry.content)).find(|said| !said.is_empty()).unwrap_or_default()
    } else {
        said_networks(turn.question())
    };
    asked.iter().all(|network| said.contains(network))
}

/// Returns a function that finds, for a report, a format filter that the report has no word for.
fn unknown_formats(plan: &Plan) -> impl Fn(&Desk) -> Option<String> + use<> {
    let asked: Vec<(Vec<String>, String)> = plan
        .filters
        .iter()
        .filter(|filter| filter.dim == Dim::Format)
        .map(|filter| (filter.values.iter().map(|(value, _)| value.clone()).collect(), filter.words.clone()))
        .collect();
    move |desk: &Desk| {
        let none = |values: &[String]| values.iter().all(|value| desk.format_wires(value).is_empty());
        asked.iter().find(|(values, _)| none(values)).map(|(_, words)| words.clone())
    }
}

/// Says what a network can't do, as the end of a sentence.
fn lacking(
    network: Network,
    lead: Metric,
    needs: &[Dim],
    alone: bool,
    formats: &dyn Fn(&Desk) -> Option<String>,
) -> String {
    let desks = desks::of(network);
    if let Some(words) = desks.first().and_then(formats) {
        return format!("report {words}");
    }
    if !desks.iter().any(|desk| desk.measures(lead)) {
        return format!("report {}", lead.word());
    }
    if !alone && lead.counts_attempts() && desks.iter().all(|desk| desk.mediates || !desk.measures(lead)) {
        return format!(
            "report {} in a way that can be added up: its mediation report counts one request for each demand source called",
            lead.word()
        );
    }
    let missing: Vec<String> =
        needs.iter().filter(|dim| !desks.iter().any(|desk| desk.splits_by(**dim))).map(|dim| dim.word()).collect();
    if missing.is_empty() {
        return format!("report {} for this combination of filters and breakdowns", lead.word());
    }
    format!("report by {}", and(&missing))
}

/// Returns what a total counts, if it could be counted in more than one way.
fn basis(readings: &[Reading], alone: bool, by_source: bool, named: bool) -> Option<Basis> {
    let mediates = readings.iter().any(|reading| reading.desk.mediates);
    match (mediates, alone) {
        (false, _) => None,
        (true, true) => Some(Basis::Everything),
        (true, false) if by_source => Some(Basis::Sources),
        (true, false) if named => Some(Basis::Own),
        (true, false) => Some(Basis::Once),
    }
}

/// Names the mediation reports behind the numbers, if the answer counts everything or by source.
fn sources_line(readings: &[Reading], basis: Basis) -> Option<String> {
    let mediators: Vec<String> =
        readings.iter().filter(|reading| reading.desk.mediates).map(|reading| reading.desk.label.to_owned()).collect();
    matches!(basis, Basis::Everything | Basis::Sources).then(|| format!("Mediation reports: {}.", and(&mediators)))
}

/// Explains how we count the other demand of networks whose reports cover only their own mediation. `repeated`: their ads that mediators'
/// reports repeat.
pub(super) fn elsewhere(readings: &[Reading], repeated: &[(Network, &'static str)]) -> Vec<String> {
    let keeps = |wanted: fn(&Keep) -> bool| readings.iter().any(|reading| wanted(&reading.keep));
    if !keeps(|keep| matches!(keep, Keep::Demand { .. })) {
        return Vec::new();
    }
    let others = keeps(|keep| matches!(keep, Keep::Demand { others: true, .. }));
    let mut partly: Vec<Network> =
        readings.iter().map(|reading| reading.desk.network).filter(|network| desks::only_mediates(*network)).collect();
    partly.dedup();
    let (once, apart): (Vec<Network>, Vec<Network>) =
        partly.into_iter().partition(|network| repeated.iter().any(|(own, _)| own == network));
    let labels = |networks: &[Network]| {
        let own = networks.iter().filter_map(|network| Some(desks::of(*network).first()?.label.to_owned()));
        and(&own.collect::<Vec<_>>())
    };
    let mut out = Vec::new();
    if others && !once.is_empty() {
        let (report, own) = if once.len() == 1 { ("report shows", "its") } else { ("reports show", "their") };
        out.push(format!(
            "{} {report} only {own} own ads. What mediators estimate for those ads is the same money, so it counts once.",
            labels(&once)
        ));
    }
    if !apart.is_empty() && others {
        out.push(format!(
            "{} rows cover their own mediation. Their demand in other mediation has separate rows, such as “via AdMob mediation”.",
            labels(&apart)
        ));
    }
    let both: Vec<Network> = once.into_iter().chain(apart).collect();
    if !others && !both.is_empty() {
        out.push(format!(
            "{} numbers cover only their own mediation. Their demand in other mediation isn't included.",
            labels(&both)
        ));
    }
    out
}

/// Adds metrics that make the answer readable, but only those that every report has.
fn settle_metrics(plan: &mut Plan, readings: &[Reading]) {
    // Rows by demand source count one attempt for every source that was tried, so their sum is not a network's own count.
    let tried =
        |metric: Metric, reading: &Reading| metric.counts_attempts() && matches!(reading.keep, Keep::Demand { .. });
    let everywhere =
        |metric: Metric| readings.iter().all(|reading| reading.desk.measures(metric) && !tried(metric, reading));
    let (kept, partly): (Vec<Metric>, Vec<Metric>) = plan.asked.iter().copied().partition(|metric| everywhere(*metric));
    // The first metric decides which networks we ask. Every report must have the others too, or a sum would cover only some networks.
    let lead = plan.asked[0];
    if !partly.is_empty() {
        let rest: Vec<String> = partly.iter().filter(|metric| **metric != lead).map(|metric| metric.word()).collect();
        if !rest.is_empty() {
            plan.notes.push(format!("{} not available from every network, so I left that out.", sentence(&rest)));
        }
        if partly.iter().any(|metric| readings.iter().any(|reading| tried(*metric, reading))) {
            plan.method.push("A mediation report counts one request for each demand source it calls.".to_owned());
        }
    }
    plan.asked = std::iter::once(lead).chain(kept.into_iter().filter(|metric| *metric != lead)).collect();
    plan.shown.clone_from(&plan.asked);
    // Ad Manager's saved reports rarely hold a rate. An added metric must not cost us Ad Manager's numbers.
    let saved = readings.len() > 1 && readings.iter().any(|reading| reading.desk.network == Network::AdManager);
    let room = if plan.shape == Shape::Figure && !saved { 4 } else { 3 };
    for metric in [Metric::Revenue, Metric::Ecpm, Metric::Impressions, Metric::MatchRate] {
        if plan.shown.len() < room && !plan.shown.contains(&metric) && everywhere(metric) {
            plan.shown.push(metric);
        }
    }
    let wanted = plan.thresholds.iter().map(|threshold| threshold.metric).chain(plan.sort.map(|(metric, _)| metric));
    for metric in wanted.collect::<Vec<_>>() {
        if everywhere(metric) && !plan.shown.contains(&metric) {
            plan.shown.push(metric);
        }
    }
}
