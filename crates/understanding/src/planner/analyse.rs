//! "Why" and "what should I change": totals against a comparison, then breakdowns, then the biggest contributors by exact
//! arithmetic. Reads only; must never propose a write that nobody asked for.

use std::fmt::Write as _;

use adagent_contract::{Artifact, Column, ColumnKind, TableArtifact, Value};
use adagent_domain::{Money, ToolCallId};
use jiff::{ToSpan as _, civil::Date};

use super::{
    Answer, Call, Step,
    format::{and, day, plain, range, value, when},
    read::{Fetched, Turn},
    report::{
        self,
        answer::sort,
        artifacts::{Frame, TableSpec, bars, change, label, previous, table, tile},
        merge::{Merged, Row, Sums},
        metric::{Dim, Metric},
        narrate,
        spec::Plan,
    },
};

/// Breakdowns looked at, in this order.
const DIMS: [Dim; 4] = [Dim::AdSource, Dim::Country, Dim::App, Dim::Format];

/// Contributors named per breakdown.
const NAMED: usize = 3;

/// Part of the whole below which a row is too small to explain anything.
const SMALL: f64 = 0.5;

/// Whether the reasons of a change are asked for.
pub(super) fn asks_why(turn: &Turn<'_>) -> bool {
    turn.says(&[
        "why",
        "explain",
        "reason",
        "reasons",
        "what moved",
        "what changed",
        "root cause",
        "por qué",
        "¿por qué",
        "warum",
        "pourquoi",
    ])
}

/// Whether the question asks for reasons or advice rather than figures.
pub(super) fn wanted(turn: &Turn<'_>) -> bool {
    turn.says(&[
        "why",
        "explain",
        "reason",
        "reasons",
        "what moved",
        "what changed",
        "find out",
        "drag",
        "dragging",
        "drags",
        "optimise",
        "optimize",
        "optimisation",
        "optimization",
        "analyse",
        "analyze",
        "propose",
        "recommend",
        "suggest",
        "root cause",
        "work out",
        "improve",
        "advice",
        "¿por qué",
        "por qué",
        "warum",
        "pourquoi",
    ]) || (turn.understood.path == adagent_contract::Path::Workflow
        && turn.understood.capability == crate::Capability::Reporting
        && turn.understood.slots.as_ref().is_none_or(|s| s.dimensions.is_empty()))
}

fn about_setup(turn: &Turn<'_>) -> bool {
    turn.understood.capability == crate::Capability::Mediation
        || turn.says(&["optimise", "optimize", "floor", "floors", "waterfall", "mediation setup", "better prices"])
}

pub(super) fn next(turn: &Turn<'_>) -> Step {
    if turn.accounts().is_empty() {
        return report::no_accounts(turn);
    }
    let plan = match Plan::from(turn) {
        Ok(plan) => plan,
        Err(answer) => return (*answer).into(),
    };
    let study = Study::of(&plan, turn.today);
    let overview = study.calls(&plan, None);
    let flat: Vec<Call> = overview.iter().flatten().cloned().collect();
    if let Some(step) =
        turn.missing(&flat, &format!("First the totals: {} against {}.", study.now_words(), study.before_words()))
    {
        return step;
    }
    let detail: Vec<(Dim, [Vec<Call>; 2])> =
        study.dims.iter().map(|dim| (*dim, study.calls(&plan, Some(*dim)))).collect();
    let flat: Vec<Call> = detail.iter().flat_map(|(_, calls)| calls.iter().flatten().cloned()).collect();
    let words: Vec<String> = study.dims.iter().map(|d| d.word()).collect();
    if let Some(step) = turn.missing(&flat, &format!("Now broken down by {}.", and(&words))) {
        return step;
    }
    let setup = about_setup(turn);
    if setup {
        let groups: Vec<Call> = plan
            .accounts
            .iter()
            .filter_map(|a| super::lists::list_call(adagent_contract::EntityKind::MediationGroup, &a.id))
            .collect();
        if let Some(step) = turn.missing(&groups, "And the mediation groups as they are set up.") {
            return step;
        }
    }
    conclude(turn, &plan, &study, &overview, &detail, setup).into()
}

/// What is compared with what.
struct Study {
    lead: Metric,
    now: (Date, Date),
    before: (Date, Date),
    dims: Vec<Dim>,
}

impl Study {
    fn of(plan: &Plan, today: Date) -> Self {
        let yesterday = today.saturating_sub(1.day());
        // A day that is not over would look like a drop.
        let to = if plan.period.to >= today && plan.period.from <= yesterday { yesterday } else { plan.period.to };
        let now = (plan.period.from, to);
        let days = (now.1 - now.0).get_days() + 1;
        let before = plan.against.as_ref().filter(|a| a.asked).map_or_else(
            || {
                // A single day is compared with the same weekday: weekends differ more than anything else.
                let back = if days == 1 { 7 } else { days };
                (now.0.saturating_sub(back.days()), now.1.saturating_sub(back.days()))
            },
            |against| {
                // The day that is left out here is left out there, where both were as long.
                let cut =
                    if against.period.days() == plan.period.days() { (plan.period.to - to).get_days() } else { 0 };
                (against.period.from, against.period.to.saturating_sub(cut.days()))
            },
        );
        let mut dims: Vec<Dim> = plan.dims.iter().copied().filter(|d| !d.is_time()).collect();
        for dim in DIMS {
            if !dims.contains(&dim) && dims.len() < DIMS.len() && dim.wire(plan.source).is_some() {
                dims.push(dim);
            }
        }
        let lead = plan.asked.first().copied().unwrap_or(Metric::Revenue);
        Self { lead, now, before, dims }
    }

    fn calls(&self, plan: &Plan, dim: Option<Dim>) -> [Vec<Call>; 2] {
        let mut metrics = vec![self.lead, Metric::Revenue, Metric::Impressions, Metric::Ecpm];
        if dim.is_none() {
            metrics.extend([Metric::MatchRate]);
        }
        let metrics: Vec<Metric> =
            metrics.into_iter().filter(|m| m.base().iter().all(|b| b.wire(plan.source).is_some())).collect();
        [self.now, self.before].map(|period| {
            plan.accounts
                .iter()
                .map(|account| {
                    let filters: Vec<(Dim, Vec<String>)> = plan
                        .filters
                        .iter()
                        .map(|f| {
                            let here = f.values.iter().filter(|(_, a)| a.as_ref().is_none_or(|a| *a == account.id));
                            (f.dim, here.map(|(v, _)| v.clone()).collect())
                        })
                        .collect();
                    report::report_call(plan.source, &account.id, period, dim.as_slice(), &metrics, &filters)
                })
                .collect()
        })
    }

    fn now_words(&self) -> String {
        range(self.now.0, self.now.1)
    }

    fn before_words(&self) -> String {
        range(self.before.0, self.before.1)
    }
}

fn merged(turn: &Turn<'_>, calls: &[Call], dims: &[Dim], problems: &mut Vec<String>) -> Merged {
    let mut reports: Vec<Fetched> = Vec::new();
    for call in calls {
        match report::fetch(turn, call) {
            Ok(fetched) => reports.push(fetched),
            Err(problem) if !problems.contains(&problem) => problems.push(problem),
            Err(_) => {}
        }
    }
    Merged::of(&reports, dims, &[], None)
}

fn conclude(
    turn: &Turn<'_>,
    plan: &Plan,
    study: &Study,
    overview: &[Vec<Call>; 2],
    detail: &[(Dim, [Vec<Call>; 2])],
    setup: bool,
) -> Answer {
    let mut problems = Vec::new();
    let now = merged(turn, &overview[0], &[], &mut problems);
    let before = merged(turn, &overview[1], &[], &mut problems);
    let (total, total_before) = (now.total(), before.total());
    let currency = now.currency();
    let lead = study.lead;
    let shown = lead.of(&total, currency);
    if shown == Value::Missing {
        if now.sources.is_empty() && !problems.is_empty() {
            return report::could_not_read(&problems);
        }
        return Answer::text(format!(
            "AdMob has no {} for {}, so there is nothing to explain.",
            lead.word(),
            study.now_words()
        ))
        .following(super::talk::EXAMPLES);
    }
    let previous_value = lead.of(&total_before, currency);
    let zone = if now.time_zones.iter().all(|z| z == "Etc/UTC" || z == "UTC") { ", UTC" } else { "" };
    let left_out = if plan.period.to > study.now.1 {
        format!(" · {} left out, it is not over yet", plan.period.to)
    } else {
        String::new()
    };
    let subtitle = format!("{}{zone} · AdMob · compared with {}{left_out}", study.now_words(), study.before_words());
    let mut sources = now.sources.clone();
    sources.extend(before.sources.iter().copied());
    let mut out = vec![Artifact::Kpi {
        title: format!("{} and what it is made of", lead.label()),
        subtitle: subtitle.clone(),
        tiles: kpis(lead).iter().map(|m| tile(*m, &total, Some(&total_before), currency)).collect(),
        sources: sources.clone(),
    }];
    let mut text = match change(lead, &shown, &previous_value) {
        Some(change) => format!(
            "AdMob {} was **{}** {}, {} from {} {}.",
            lead.word(),
            value(&shown),
            when(study.now.0, study.now.1),
            narrate::moved(lead, change),
            value(&previous_value),
            when(study.before.0, study.before.1)
        ),
        None => format!(
            "AdMob {} was **{}** {}; {} has no figure to compare with.",
            lead.word(),
            value(&shown),
            when(study.now.0, study.now.1),
            study.before_words()
        ),
    };
    text += &volume_or_price(&total, &total_before, currency, lead);
    let mut blame = Vec::new();
    for (dim, calls) in detail {
        let rows_now = merged(turn, &calls[0], &[*dim], &mut problems).tell_apart(turn);
        let rows_before = merged(turn, &calls[1], &[*dim], &mut problems).tell_apart(turn);
        if rows_now.rows.is_empty() {
            continue;
        }
        let contributions = contributions(lead, &rows_now, &rows_before, currency);
        if let Some(line) = explain(*dim, lead, &contributions, currency) {
            blame.push(line);
        }
        if let Some(line) = drag(*dim, lead, &rows_now) {
            blame.push(line);
        }
        let mut ids = rows_now.sources.clone();
        ids.extend(rows_before.sources.iter().copied());
        out.extend(artifacts(*dim, lead, &rows_now, &rows_before, (&subtitle, &ids)));
    }
    if !blame.is_empty() {
        text += "\n\n";
        text += &blame.join("\n");
    }
    if setup && let Some((words, artifact)) = floors(turn, plan, detail) {
        let _ = write!(text, "\n\n{words}");
        out.push(artifact);
    }
    if plan.period.to > study.now.1 {
        let _ = write!(text, "\n\n{} is left out because it is not over yet.", day(plan.period.to));
    }
    if plan.assumed_period {
        text += "\n\nNo period was named, so this looks at the last 7 days.";
    }
    for note in &plan.notes {
        let _ = write!(text, "\n\n{note}");
    }
    if !problems.is_empty() {
        let _ = write!(text, "\n\n**Not everything could be read**: {}.", and(&problems));
    }
    text += "\n\nNothing has been changed.";
    Answer { text, artifacts: out, follow_ups: Vec::new() }.following([
        format!("{} per day, last 30 days", lead.label()),
        "eCPM by ad source, last 7 days".to_owned(),
        "List my mediation groups".to_owned(),
    ])
}

fn kpis(lead: Metric) -> Vec<Metric> {
    let mut out = vec![lead];
    for metric in [Metric::Revenue, Metric::Impressions, Metric::Ecpm, Metric::MatchRate] {
        if !out.contains(&metric) && out.len() < 4 {
            out.push(metric);
        }
    }
    out
}

/// Revenue is impressions times price: which of the two moved?
fn volume_or_price(now: &Sums, before: &Sums, currency: adagent_domain::Currency, lead: Metric) -> String {
    if lead != Metric::Revenue {
        return String::new();
    }
    let moved = |metric: Metric| {
        change(metric, &metric.of(now, currency), &metric.of(before, currency)).map(|c| (c, narrate::moved(metric, c)))
    };
    match (moved(Metric::Impressions), moved(Metric::Ecpm)) {
        (Some((volume, volume_words)), Some((price, price_words))) => {
            let why = if volume.abs() > 2.0 * price.abs() {
                "so it is mostly a matter of volume"
            } else if price.abs() > 2.0 * volume.abs() {
                "so it is mostly a matter of price"
            } else {
                "so both play a part"
            };
            format!(" Impressions are {volume_words} and eCPM is {price_words}, {why}.")
        }
        _ => String::new(),
    }
}

/// What a row added to the change of the whole.
struct Contribution {
    row: Row,
    before: Sums,
    /// In units of the metric: micros, counts, or points and micros of the whole for rates.
    effect: f64,
}

/// For sums: the difference. For quotients: how the whole would differ had this row kept its former sums.
fn contributions(lead: Metric, now: &Merged, before: &Merged, currency: adagent_domain::Currency) -> Vec<Contribution> {
    let whole = lead.of(&now.total(), currency).as_f64().unwrap_or(0.0);
    let mut out: Vec<Contribution> = Vec::new();
    let gone = before
        .rows
        .iter()
        .filter(|row| previous(now, row).is_none())
        .map(|row| Row { cells: row.cells.clone(), sums: Sums::default() });
    for row in now.rows.iter().cloned().chain(gone) {
        let was = previous(before, &row).cloned().unwrap_or_default();
        let effect = if lead.adds_up() {
            let of = |sums: &Sums| lead.of(sums, currency).as_f64().unwrap_or(0.0);
            of(&row.sums) - of(&was)
        } else {
            let mut without = Sums::default();
            for other in now.rows.iter().filter(|other| other.cells != row.cells) {
                without.add(&other.sums);
            }
            without.add(&was);
            lead.of(&without, currency).as_f64().map_or(0.0, |kept| whole - kept)
        };
        out.push(Contribution { row, before: was, effect });
    }
    out.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
    out
}

fn explain(
    dim: Dim,
    lead: Metric,
    contributions: &[Contribution],
    currency: adagent_domain::Currency,
) -> Option<String> {
    let net: f64 = contributions.iter().map(|c| c.effect).sum();
    let size: f64 = contributions.iter().map(|c| c.effect.abs()).sum();
    // One row alone is the whole again.
    if size <= 0.0 || contributions.len() < 2 {
        return None;
    }
    let down = net < 0.0;
    let named: Vec<String> = contributions
        .iter()
        .filter(|c| c.effect.abs() * 100.0 / size >= SMALL && (c.effect < 0.0) == down)
        .take(NAMED)
        .map(|c| {
            let now = lead.of(&c.row.sums, currency);
            let before = lead.of(&c.before, currency);
            let name = plain(&label(&c.row.cells));
            match (&now, &before) {
                (Value::Missing, before) => format!("**{name}** gone (was {})", value(before)),
                (now, Value::Missing) => format!("**{name}** new ({})", value(now)),
                (now, before) => format!("**{name}** {} → {}", value(before), value(now)),
            }
        })
        .collect();
    if named.is_empty() {
        return None;
    }
    let word = if down { "pulled down most by" } else { "pushed up most by" };
    Some(format!("- By {}: {word} {}.", dim.word(), and(&named)))
}

/// For quotients: which row holds the whole down most by where it stands now, its weight counted in.
fn drag(dim: Dim, lead: Metric, now: &Merged) -> Option<String> {
    if lead.adds_up() || dim != Dim::AdSource || now.rows.len() < 2 {
        return None;
    }
    let currency = now.currency();
    let whole = lead.of(&now.total(), currency).as_f64()?;
    let effect = |row: &Row| {
        let mut without = Sums::default();
        for other in now.rows.iter().filter(|other| other.cells != row.cells) {
            without.add(&other.sums);
        }
        lead.of(&without, currency).as_f64().map(|rest| whole - rest)
    };
    let (row, size) = now.rows.iter().filter_map(|row| Some((row, effect(row)?))).min_by(|a, b| a.1.total_cmp(&b.1))?;
    (size < 0.0).then(|| {
        format!(
            "- Holding the whole down most, by price and weight: **{}** at {} on {} impressions, against {} overall.",
            plain(&label(&row.cells)),
            value(&lead.of(&row.sums, currency)),
            value(&Metric::Impressions.of(&row.sums, currency)),
            value(&lead.of(&now.total(), currency))
        )
    })
}

fn artifacts(
    dim: Dim,
    lead: Metric,
    now: &Merged,
    before: &Merged,
    (subtitle, sources): (&str, &[ToolCallId]),
) -> Vec<Artifact> {
    let frame = Frame { subtitle: subtitle.to_owned(), sources, currency: now.currency() };
    let mut rows = now.rows.clone();
    sort(&mut rows, if lead.adds_up() { lead } else { Metric::Impressions }, true, now);
    let total = now.total();
    let before_total = before.total();
    let title = format!("{} by {}", lead.label(), dim.word());
    let mut metrics = vec![lead];
    metrics.extend([Metric::Revenue, Metric::Impressions, Metric::Ecpm].into_iter().filter(|m| *m != lead));
    let mut out = Vec::new();
    if dim == Dim::AdSource && rows.len() > 1 {
        out.push(bars(title.clone(), &frame, lead, &rows, Some(before), &total));
    }
    let of = rows.len();
    rows.truncate(20);
    out.push(table(
        title,
        &frame,
        &TableSpec {
            dims: &[dim],
            metrics: &metrics,
            rows: &rows,
            total: &total,
            of,
            before: Some((before, &before_total)),
            sorted_by: None,
        },
    ));
    out
}

/// Floors of waterfall lines next to what their ad source was observed to earn per thousand.
fn floors(turn: &Turn<'_>, plan: &Plan, detail: &[(Dim, [Vec<Call>; 2])]) -> Option<(String, Artifact)> {
    let (_, calls) = detail.iter().find(|(dim, _)| *dim == Dim::AdSource)?;
    let observed = merged(turn, &calls[0], &[Dim::AdSource], &mut Vec::new());
    let currency = observed.currency();
    let mut rows = Vec::new();
    let mut advice = Vec::new();
    for group in turn.of_kind(adagent_contract::EntityKind::MediationGroup) {
        if !plan.accounts.iter().any(|a| group.account.as_deref() == Some(a.id.as_str())) {
            continue;
        }
        for (_, line) in super::lists::lines_of(group) {
            let manual = line.get("cpmMode").and_then(serde_json::Value::as_str) == Some("MANUAL");
            let floor = line
                .get("cpmMicros")
                .and_then(|v| v.as_str().and_then(|s| s.parse::<i64>().ok()).or_else(|| v.as_i64()))
                .filter(|_| manual);
            let id = line.get("adSourceId").and_then(serde_json::Value::as_str).unwrap_or("");
            let seen =
                observed.rows.iter().find(|row| row.cells.iter().any(|c| super::report::merge::identity(c) == id));
            let (Some(floor), Some(seen)) = (floor, seen) else { continue };
            let Value::Money { money: ecpm } = Metric::Ecpm.of(&seen.sums, currency) else { continue };
            // Rounded down to whole cents: a price nobody would have to retype.
            let proposal = Money::new(currency, ecpm.micros / 10_000 * 10_000);
            let name = super::lists::source_name(turn, line);
            let floor = Money::new(currency, floor);
            let gap = (ecpm.micros - floor.micros).abs();
            if gap * 10 > floor.micros {
                advice.push((
                    gap,
                    format!(
                        "{} in {}: {} → {}",
                        plain(&name),
                        plain(&group.name),
                        floor.display(2),
                        proposal.display(2)
                    ),
                ));
            }
            rows.push(vec![
                Value::Entity { id: group.id.clone(), name: group.name.clone() },
                Value::Text { value: name },
                Value::Money { money: floor },
                Value::Money { money: ecpm },
                Value::Money { money: proposal },
            ]);
        }
    }
    if rows.is_empty() {
        return None;
    }
    advice.sort_by_key(|(gap, _)| std::cmp::Reverse(*gap));
    let lines: Vec<String> = advice.into_iter().take(4).map(|(_, line)| line).collect();
    let words = if lines.is_empty() {
        "The floors of your waterfall lines lie within 10% of what their ad sources really earn per thousand; I would leave them.".to_owned()
    } else {
        format!(
            "Floors I would change, to what each ad source was observed to earn per thousand in the period: {}. Ask me to set one and it \
             will wait for your approval.",
            lines.join("; ")
        )
    };
    let money = |key: &str, label: &str| Column {
        key: key.to_owned(),
        label: label.to_owned(),
        kind: ColumnKind::Money,
        unit: Some(currency.code().to_owned()),
    };
    let row_count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    let artifact = Artifact::Table {
        title: "Floors and observed eCPM".to_owned(),
        subtitle: "Waterfall lines; observed over all groups of the ad source".to_owned(),
        table: TableArtifact {
            columns: vec![
                Column {
                    key: "mediation_group".into(),
                    label: "Mediation group".into(),
                    kind: ColumnKind::Entity,
                    unit: None,
                },
                Column { key: "ad_source".into(), label: "Ad source".into(), kind: ColumnKind::Text, unit: None },
                money("floor", "Floor"),
                money("ecpm", "Observed eCPM"),
                money("proposal", "Proposal"),
            ],
            rows,
            total: None,
            sorted_by: None,
            row_count,
        },
        sources: observed.sources.clone(),
    };
    Some((words, artifact))
}
