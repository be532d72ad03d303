//! Builds a reporting answer: numbers, sentences, artifacts, notes, follow-ups.

use std::fmt::Write as _;

use std::collections::BTreeMap;

use adagent_contract::{Artifact, Value};
use adagent_domain::ToolCallId;

use super::{
    absent,
    artifacts::{self, Frame, MOST_BARS, TableSpec},
    calls::Part,
    days::zone_name,
    merge::{Merged, Row, Sums, identity},
    metric::{Dim, Metric},
    narrate,
    spec::{Period, Plan, Shape, Threshold},
};
use crate::planner::{
    Answer, desks,
    format::{and, count, plain, range},
    read::{Fetched, Turn},
};
use crate::types::BELOW_AVERAGE;

/// The most rows of a table. The answer gives the count of all.
const MOST_ROWS: usize = 500;

/// The reports of an answer, by the part that they serve.
#[derive(Default)]
pub(super) struct Parts {
    reports: BTreeMap<u8, Vec<Fetched>>,
    /// Reports of networks without numbers for the other period: they count, but we don't compare them.
    pub without: Vec<ToolCallId>,
    pub problems: Vec<String>,
}

impl Parts {
    pub fn add(&mut self, part: Part, fetched: Fetched) {
        self.reports.entry(part as u8).or_default().push(fetched);
    }

    fn get(&self, part: Part) -> &[Fetched] {
        self.reports.get(&(part as u8)).map_or(&[], Vec::as_slice)
    }

    /// Returns the reports that we compare with the other period, if those are not all of them.
    fn compared(&self) -> Option<Vec<Fetched>> {
        let both = |fetched: &&Fetched| !self.without.contains(&fetched.source);
        (!self.without.is_empty()).then(|| self.get(Part::Main).iter().filter(both).cloned().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.get(Part::Main).is_empty()
    }

    fn sources(&self) -> Vec<ToolCallId> {
        self.reports.values().flatten().map(|f| f.source).collect()
    }
}

pub(super) fn build(turn: &Turn<'_>, plan: &Plan, parts: &Parts) -> Answer {
    let mut answer = match plan.shape {
        Shape::Figure => figure(turn, plan, parts),
        Shape::Series | Shape::Breakdown => breakdown(turn, plan, parts),
    };
    notes(plan, parts, &mut answer);
    let zones = Merged::of(parts.get(Part::Main), &[], &[], None).time_zones;
    if let Some(line) = days_line(turn, &zones) {
        answer.count(line);
    }
    answer.covers = Some(plan.period.covers());
    answer
}

/// Adds the notes of the plan and the reports to the answer, and how we counted.
fn notes(plan: &Plan, parts: &Parts, answer: &mut Answer) {
    if plan.assumed_period {
        answer.say("Showing the last 7 days.");
    }
    // If the comparison leaves today out, its own sentence says that.
    if !plan.against.as_ref().is_some_and(|against| against.of != plan.period)
        && let Some(note) = partial_note(plan)
    {
        answer.say(note);
    }
    if let Some(note) = cut_weeks_note(plan) {
        answer.count(note);
    }
    if let Some(against) = plan.against.as_ref().filter(|a| a.asked && a.period.days() != a.of.days())
        && !(whole_months(&against.of) && whole_months(&against.period))
    {
        answer.say(format!(
            "The periods differ in length: this compares {} with {}.",
            count(usize::try_from(against.of.days()).unwrap_or(0), "day", "days"),
            count(usize::try_from(against.period.days()).unwrap_or(0), "day", "days")
        ));
    }
    for note in &plan.notes {
        answer.say(note.clone());
    }
    for line in &plan.method {
        answer.count(line.clone());
    }
    if plan.asked.contains(&Metric::Latency) && (parts.get(Part::Main).len() > 1 || plan.shape == Shape::Figure) {
        answer.count("Latency is averaged across rows, weighted by matched requests.");
    }
    let merged = Merged::of(parts.get(Part::Main), &[], &[], None);
    for warning in &merged.warnings {
        let warning = plain(warning.trim_end_matches('.'));
        let named = plan.networks.len() > 1 || warning.starts_with(plan.speaker());
        let line = if named { format!("{warning}.") } else { format!("{}: {warning}.", plan.speaker()) };
        // A warning about left-out numbers stays visible; others are folded away.
        if warning.contains("selected app") {
            answer.say(line);
        } else {
            answer.count(line);
        }
    }
    if merged.truncated {
        answer.say(format!(
            "{} cut the report at its row limit, so the total covers only the rows it returned.",
            plan.speaker()
        ));
    }
    if merged.currencies.len() > 1 && plan.networks.is_empty() {
        answer.say("The accounts report in different currencies, so don't rely on totals across them.");
    }
    if !parts.problems.is_empty() && plan.networks.is_empty() {
        let mut problems = parts.problems.clone();
        problems.dedup();
        answer.say(format!("**I couldn't read everything**: {}. The numbers cover the rest.", and(&problems)));
    }
}

fn whole_months(period: &Period) -> bool {
    period.from.day() == 1 && period.to == period.to.last_of_month()
}

/// If the period cuts off a week, dates it by its first day in the period, not by a Monday before the period.
fn cut_weeks(plan: &Plan, merged: &mut Merged, from: jiff::civil::Date) {
    let Some(at) = plan.dims.iter().position(|dim| *dim == Dim::Week) else { return };
    for row in &mut merged.rows {
        if let Some(Value::Date { value }) = row.cells.get_mut(at)
            && value.parse::<jiff::civil::Date>().is_ok_and(|monday| monday < from)
        {
            *value = from.to_string();
        }
    }
}

/// Says which days the cut-off weeks of a series really cover.
fn cut_weeks_note(plan: &Plan) -> Option<String> {
    use jiff::{ToSpan as _, civil::Weekday};
    if !plan.dims.contains(&Dim::Week) {
        return None;
    }
    let Period { from, to } = plan.period;
    let mut parts = Vec::new();
    if from.weekday() != Weekday::Monday {
        let sunday = from.saturating_add((6 - i64::from(from.weekday().to_monday_zero_offset())).days()).min(to);
        parts.push(format!("the first covers only {}", range(from, sunday)));
    }
    if to.weekday() != Weekday::Sunday {
        let monday = to.saturating_sub(i64::from(to.weekday().to_monday_zero_offset()).days()).max(from);
        parts.push(format!("the last covers only {}", range(monday, to)));
    }
    (!parts.is_empty()).then(|| format!("Weeks start on Monday; {}.", and(&parts)))
}

fn subtitle(plan: &Plan, merged: &Merged, from_to: &str) -> String {
    let zone = match merged.time_zones.as_slice() {
        [] => String::new(),
        [one] => format!(", {}", zone_name(one)),
        several => format!(", {}", several.iter().map(|z| zone_name(z)).collect::<Vec<_>>().join(" and ")),
    };
    let restriction = plan.restriction();
    let only = if restriction.is_empty() { String::new() } else { format!(" · only {restriction}") };
    format!("{from_to}{zone} · {}{only}", plan.label())
}

/// Says in which time zone we read words such as "yesterday", and which zones the reports use.
pub(in crate::planner) fn days_line(turn: &Turn<'_>, reports: &[String]) -> Option<String> {
    let own = zone_name(&turn.request.planner.time_zone);
    let others: Vec<String> =
        reports.iter().map(|zone| zone_name(zone)).filter(|zone| *zone != own).map(str::to_owned).collect();
    let counted = match others.as_slice() {
        [] => String::new(),
        zones => format!(" The reports use {}.", and(zones)),
    };
    (!own.is_empty()).then(|| format!("Reporting time zone: {own}.{counted}"))
}

fn figure(turn: &Turn<'_>, plan: &Plan, parts: &Parts) -> Answer {
    let main = parts.get(Part::Main);
    let here = Some((plan.period.from, plan.period.to));
    let now = Merged::of(main, &[plan.grain()], &plan.exclude, here);
    // A period in progress can't be compared with a whole one. Its finished days can.
    let part = plan.against.as_ref().filter(|against| against.of != plan.period);
    let alike = parts.compared().filter(|_| plan.against.is_some());
    let over = part.map(|against| {
        let main = alike.as_deref().unwrap_or(main);
        Merged::of(main, &[plan.grain()], &plan.exclude, Some((against.of.from, against.of.to)))
    });
    let alike = alike.map(|reports| Merged::of(&reports, &[plan.grain()], &plan.exclude, here).total());
    let before = plan.against.as_ref().map(|against| {
        let within = Some((against.period.from, against.period.to));
        let reports = if plan.compares_in_window() { main } else { parts.get(Part::Against) };
        Merged::of(reports, &[plan.grain()], &plan.exclude, within)
    });
    let total = now.total();
    let lead = plan.asked.first().copied().unwrap_or(Metric::Revenue);
    if now.rows.is_empty() || narrate::is_empty(&lead.of(&total, now.currency())) {
        return Answer::text(narrate::nothing(plan)).following(follow_ups(plan));
    }
    let before_total = before.as_ref().filter(|b| !b.rows.is_empty()).map(Merged::total);
    let sources = parts.sources();
    let period = range(plan.period.from, plan.period.to);
    let frame = Frame { subtitle: subtitle(plan, &now, &period), sources: &sources, currency: now.currency() };
    let beside = before_total.as_ref().filter(|_| over.is_none() && alike.is_none());
    let apart = alike.as_ref().zip(before_total.as_ref()).filter(|_| over.is_none());
    let mut tiles: Vec<_> = plan.shown.iter().map(|m| artifacts::tile(*m, &total, beside, now.currency())).collect();
    let daily = plan.per_day.then(|| lead.divided_by(&total, plan.period.days(), now.currency()));
    if let Some(value) = &daily {
        tiles.insert(1, daily_tile(lead, value.clone()));
    }
    let mut out = vec![Artifact::Kpi {
        title: title(plan),
        subtitle: if beside.is_some() { with_against(plan, &frame.subtitle) } else { frame.subtitle.clone() },
        tiles,
        sources: sources.clone(),
    }];
    out.extend(apart.map(|(alike, before)| compared_tiles(plan, (alike, before), &frame, now.currency())));
    if let (Some(over), Some(against)) = (&over, part) {
        let tiles = plan.asked.iter();
        let tiles = tiles.map(|m| artifacts::tile(*m, &over.total(), before_total.as_ref(), now.currency())).collect();
        out.push(Artifact::Kpi {
            title: format!("{}, full days only", title(plan)),
            subtitle: with_against(plan, &subtitle(plan, &now, &range(against.of.from, against.of.to))),
            tiles,
            sources: sources.clone(),
        });
    }
    out.extend(trend(plan, parts, &now, before.as_ref().filter(|_| alike.is_none()), &sources));

    let detail_dim = plan.detail();
    let detail = {
        let reports = if plan.in_one_report() { main } else { parts.get(Part::Detail) };
        Merged::of(reports, &[detail_dim], &plan.exclude, here)
    }
    .tell_apart(turn);
    let mut rows = if plan.gaps.bare { Vec::new() } else { detail.rows.clone() };
    sort(&mut rows, lead, true, &detail);
    if !rows.is_empty() {
        out.push(artifacts::table(
            format!("{} by {}", lead.label(), detail_dim.word()),
            &frame,
            &TableSpec {
                dims: &[detail_dim],
                metrics: &plan.shown,
                rows: &rows[..rows.len().min(MOST_ROWS)],
                total: &detail.total(),
                of: rows.len(),
                before: None,
                alike: None,
                sorted_by: Some(format!("-{}", lead.key())),
            },
        ));
    }
    let mut text = narrate::figure(plan, &total, beside, &now);
    if let (Some(over), Some(before)) = (&over, &before_total) {
        text += &narrate::full_days(plan, &over.total(), before, &now);
    }
    if let Some((alike, before)) = apart {
        text += &narrate::without(plan, alike, before, &now);
    }
    if let Some(value) = &daily {
        let _ = write!(text, " That's **{}** a day on average.", crate::planner::format::value(value));
    }
    if let Some(leader) = narrate::leader(lead, &rows, &detail.total(), &detail) {
        text = format!("{text} {leader}");
    }
    if turn.detailed() && rows.len() > 1 {
        let _ = write!(text, "\n\nBy {}:{}\n\n", detail_dim.word(), narrate::bullets(lead, &rows, &detail));
        let _ = write!(text, "Added up from {}.", narrate::read_rows(&now));
    }
    Answer { text, artifacts: out, ..Answer::default() }.following(follow_ups(plan))
}

/// Shows the compared numbers as tiles, if the comparison doesn't cover all of them.
fn compared_tiles(
    plan: &Plan,
    (alike, before): (&Sums, &Sums),
    frame: &Frame<'_>,
    currency: adagent_domain::Currency,
) -> Artifact {
    Artifact::Kpi {
        title: format!("{}, without {}", title(plan), narrate::uncompared(plan)),
        subtitle: with_against(plan, &frame.subtitle),
        tiles: plan.asked.iter().map(|m| artifacts::tile(*m, alike, Some(before), currency)).collect(),
        sources: frame.sources.to_vec(),
    }
}

/// Draws the line chart of a single number: the period, with the one before as a dashed line. For a single day it shows the week around it.
fn trend(
    plan: &Plan,
    parts: &Parts,
    now: &Merged,
    before: Option<&Merged>,
    sources: &[ToolCallId],
) -> Option<Artifact> {
    let lead = plan.asked.first().copied()?;
    let grain = plan.grain();
    let per = if grain == Dim::Date { "day" } else { "month" };
    let one_day = plan.period.days() == 1;
    let (rows, from) = if one_day {
        let window = plan.window();
        let from = window.from.max(plan.period.from.saturating_sub(jiff::Span::new().days(6)));
        (Merged::of(parts.get(Part::Main), &[grain], &plan.exclude, Some((from, window.to))).rows, from)
    } else {
        (now.rows.clone(), plan.period.from)
    };
    if rows.len() < 2 {
        return None;
    }
    let frame =
        Frame { subtitle: subtitle(plan, now, &range(from, plan.period.to)), sources, currency: now.currency() };
    let previous = before
        .filter(|b| !one_day && grain == Dim::Date && b.rows.len() > 1)
        .zip(plan.against.as_ref())
        .map(|(b, against)| (b.rows.as_slice(), range(against.period.from, against.period.to)));
    let name = range(from, plan.period.to);
    Some(artifacts::timeseries(format!("{} per {per}", lead.label()), &frame, lead, &rows, previous, name))
}

#[expect(clippy::too_many_lines, reason = "one answer from top to bottom")]
fn breakdown(turn: &Turn<'_>, plan: &Plan, parts: &Parts) -> Answer {
    let mut now = Merged::of(parts.get(Part::Main), &plan.dims, &plan.exclude, None).tell_apart(turn);
    cut_weeks(plan, &mut now, plan.period.from);
    let lead = plan.asked.first().copied().unwrap_or(Metric::Revenue);
    if now.rows.is_empty() {
        return Answer::text(narrate::nothing(plan)).following(follow_ups(plan));
    }
    let resolved = against_average(plan, &now);
    let plan = resolved.as_ref().unwrap_or(plan);
    let before = compared(plan, parts);
    let mut rows: Vec<Row> =
        now.rows.iter().filter(|row| plan.thresholds.iter().all(|t| passes(t, &row.sums, &now))).cloned().collect();
    let absent = absent::of(turn, plan, parts.problems.is_empty(), &now);
    let unlisted = absent.rows.len();
    rows.extend(absent.rows);
    let plural = plan.dims.last().map_or_else(|| "rows".to_owned(), |d| d.plural());
    let uncounted = absent.unknown.then(|| {
        format!(
            " {} out rows without traffic, so {plural} without traffic aren't included.",
            if plan.networks.is_empty() { "AdMob's report leaves" } else { "Reports leave" }
        )
    });
    let uncounted = uncounted.unwrap_or_default();
    if rows.is_empty() {
        let listed = if plan.dims.iter().any(|d| d.is_time()) { "" } else { " in the report" };
        // The question has "no impressions" as "at most zero". If no row is left out, we say plainly that every one had none.
        let none = plan.thresholds.iter().all(|t| t.limit <= 0.0 && matches!(t.operator.as_str(), "lt" | "lte"));
        if none && plan.thresholds.len() == 1 {
            let one = plan.dims.last().map_or_else(|| "row".to_owned(), |d| d.word());
            let when = crate::planner::format::when(plan.period.from, plan.period.to);
            return Answer::text(format!(
                "Every {one}{listed} had {} {when}.{uncounted}",
                plan.thresholds[0].metric.word()
            ))
            .following(follow_ups(plan));
        }
        return Answer::text(format!(
            "None of the {} {plural}{listed} had {} {}.{uncounted}",
            now.rows.len(),
            narrate::conditions(&plan.thresholds, &now),
            crate::planner::format::when(plan.period.from, plan.period.to),
        ))
        .following(follow_ups(plan));
    }
    let within = rows.len();
    let mut total = Sums::default();
    for row in &rows {
        total.add(&row.sums);
    }
    let sorted_by = match plan.sort {
        Some((metric, descending)) => {
            sort(&mut rows, metric, descending, &now);
            format!("{}{}", if descending { "-" } else { "" }, metric.key())
        }
        None if plan.dims.iter().any(|d| d.is_time()) => {
            rows.sort_by_key(|row| {
                let time = plan.dims.iter().position(|d| d.is_time()).and_then(|at| row.cells.get(at));
                time.map(Value::raw)
            });
            plan.dims.iter().find(|d| d.is_time()).map_or_else(String::new, |d| d.key().to_owned())
        }
        None => {
            sort(&mut rows, lead, true, &now);
            format!("-{}", lead.key())
        }
    };
    let moves = movers(plan, &mut rows, before.as_ref(), &now);
    let sorted_by = if moves.is_some() { format!("{}_change", lead.key()) } else { sorted_by };
    let all = rows.len();
    let before_total = before.as_ref().map(Merged::total);
    let alike = before.as_ref().and_then(|_| parts.compared());
    let alike = alike.map(|reports| {
        let mut alike = Merged::of(&reports, &plan.dims, &plan.exclude, None).tell_apart(turn);
        cut_weeks(plan, &mut alike, plan.period.from);
        alike
    });
    // The rows show more than we compare, so the two stay apart.
    let beside = before.as_ref().filter(|_| alike.is_none());
    let beside_total = before_total.as_ref().filter(|_| alike.is_none());
    let first = plan.rank.map_or(0, |rank| rank - 1);
    if first >= all {
        let mut list = breakdown(turn, &Plan { rank: None, limit: None, ..plan.clone() }, parts);
        list.text = format!("{} {}", narrate::no_such_place(plan, first + 1, all), list.text);
        return list;
    }
    let shown = &rows[first..all.min(first + plan.limit.unwrap_or(MOST_ROWS)).min(first + MOST_ROWS)];
    let sources = parts.sources();
    let period = range(plan.period.from, plan.period.to);
    let frame = Frame {
        subtitle: if alike.is_none() {
            with_against(plan, &subtitle(plan, &now, &period))
        } else {
            subtitle(plan, &now, &period)
        },
        sources: &sources,
        currency: now.currency(),
    };
    let dims: Vec<String> = plan.dims.iter().map(|d| d.word()).collect();
    let name = format!("{} by {}", lead.label(), and(&dims));
    let mut out = Vec::new();
    if before_total.is_some() || plan.shape == Shape::Series {
        let tiles = plan.asked.iter().map(|m| artifacts::tile(*m, &total, beside_total, now.currency())).collect();
        out.push(Artifact::Kpi {
            title: title(plan),
            subtitle: frame.subtitle.clone(),
            tiles,
            sources: sources.clone(),
        });
    }
    let apart = alike.as_ref().map(Merged::total).zip(before_total.as_ref());
    if let Some((alike, before)) = &apart {
        out.push(compared_tiles(plan, (alike, before), &frame, now.currency()));
    }
    // A table may say that it is cut. A line that ends early would only look like a drop.
    let drawn = if plan.limit.is_some() { shown } else { rows.as_slice() };
    out.extend(chart(plan, lead, &name, &frame, drawn, beside, &total));
    out.push(artifacts::table(
        name,
        &frame,
        &TableSpec {
            dims: &plan.dims,
            metrics: &plan.shown,
            rows: shown,
            total: &total,
            of: all,
            before: before.as_ref().zip(before_total.as_ref()),
            alike: alike.as_ref().map(|alike| (alike, narrate::uncompared(plan))),
            sorted_by: Some(sorted_by),
        },
    ));
    let mut text = match (&moves, plan.movers) {
        (Some(before), Some(losing)) => moved_most(plan, &rows, before, losing, &now),
        _ => narrate::breakdown(plan, shown, all, &total, beside_total, &now),
    };
    if let Some((alike, before)) = &apart {
        text += &narrate::without(plan, alike, before, &now);
    }
    if !plan.thresholds.is_empty() {
        let what = narrate::conditions(&plan.thresholds, &now);
        text = format!("{within} of {} {plural} had {what}. {text}{uncounted}", now.rows.len() + unlisted);
        if unlisted > 0 {
            let _ = write!(
                text,
                " {unlisted} of them {} not in AdMob's report, which lists only {plural} with traffic.",
                if unlisted == 1 { "is" } else { "are" }
            );
        }
    }
    if plan.per_day {
        let value = lead.divided_by(&total, plan.period.days(), now.currency());
        let _ = write!(text, " Together, that's **{}** a day on average.", crate::planner::format::value(&value));
        out.insert(
            0,
            Artifact::Kpi {
                title: format!("{} per day", lead.label()),
                subtitle: frame.subtitle.clone(),
                tiles: vec![daily_tile(lead, value)],
                sources: sources.clone(),
            },
        );
    }
    // Rows that are sorted by change include rows of the other period, so they have no common average.
    let average = if moves.is_none() { average_of_rows(turn, plan, &total, all, &now) } else { None };
    if let Some((value, word)) = average {
        let _ = write!(text, " Together, that's **{}** per {word} on average.", crate::planner::format::value(&value));
        out.insert(
            0,
            Artifact::Kpi {
                title: format!("{} per {word}, on average", lead.label()),
                subtitle: frame.subtitle.clone(),
                tiles: vec![average_tile(format!("{} per {word}", lead.label()), value)],
                sources: sources.clone(),
            },
        );
    }
    let sides = narrate::Sides {
        now: (rows.as_slice(), &total),
        alike: alike.as_ref().map(|alike| (alike, narrate::uncompared(plan))),
        before: before.as_ref(),
        currency: now.currency(),
    };
    let said = narrate::share(turn, plan, lead, &sides);
    let said = said.or_else(|| narrate::faster(turn, plan, &rows, before.as_ref(), now.currency()));
    let said = said.or_else(|| narrate::from_average(turn, plan, &rows, &total, now.currency()));
    if let Some(said) = said {
        text = format!("{said} {text}");
    }
    if turn.detailed() {
        let _ = write!(text, "{}\n\nAdded up from {}.", narrate::bullets(lead, shown, &now), narrate::read_rows(&now));
    }
    Answer { text, artifacts: out, ..Answer::default() }.following(follow_ups(plan))
}

/// For "average revenue per app": returns the average per row, and the word for a row.
fn average_of_rows(
    turn: &Turn<'_>,
    plan: &Plan,
    total: &Sums,
    rows: usize,
    merged: &Merged,
) -> Option<(Value, String)> {
    let lead = plan.asked.first().copied().unwrap_or(Metric::Revenue);
    let [dim] = plan.dims.as_slice() else { return None };
    let asked = turn.says(&["average", "avg", "mean", "on average"]);
    if !asked || plan.per_day || rows < 2 || !lead.adds_up() {
        return None;
    }
    let value = lead.divided_by(total, i32::try_from(rows).ok()?, merged.currency());
    (value != Value::Missing).then(|| (value, dim.word()))
}

fn daily_tile(lead: Metric, value: Value) -> adagent_contract::KpiTile {
    average_tile(format!("{} per day", lead.label()), value)
}

fn average_tile(label: String, value: Value) -> adagent_contract::KpiTile {
    adagent_contract::KpiTile {
        label,
        value,
        previous: None,
        change: None,
        change_unit: "%".to_owned(),
        tone: adagent_contract::Tone::Neutral,
    }
}

/// Returns the rows of the other period.
fn compared(plan: &Plan, parts: &Parts) -> Option<Merged> {
    let against = plan.against.as_ref()?;
    let mut before = Merged::of(parts.get(Part::Against), &plan.dims, &plan.exclude, None);
    cut_weeks(plan, &mut before, against.period.from);
    Some(before).filter(|b| !b.rows.is_empty())
}

fn moved_most(plan: &Plan, rows: &[Row], before: &[(Value, f64)], losing: bool, now: &Merged) -> String {
    let listed: Vec<narrate::Move<'_>> = rows
        .iter()
        .zip(before)
        .map(|(row, (before, by))| narrate::Move { row, before: before.clone(), by: *by })
        .collect();
    narrate::movers(plan, &listed, losing, now)
}

/// Sorts the rows that moved most to the front. Returns each row's earlier value and its change, in the same order.
fn movers(plan: &Plan, rows: &mut Vec<Row>, before: Option<&Merged>, now: &Merged) -> Option<Vec<(Value, f64)>> {
    let (losing, before) = (plan.movers?, before?);
    let lead = plan.asked.first().copied()?;
    let key = |row: &Row| row.cells.iter().map(identity).collect::<Vec<String>>();
    // A row that earned before and nothing now may have lost the most, so add those rows.
    let here: std::collections::BTreeSet<Vec<String>> = rows.iter().map(key).collect();
    let known: BTreeMap<Vec<String>, &Row> = before.rows.iter().map(|row| (key(row), row)).collect();
    let mut moved: Vec<(Row, Value, f64)> = rows
        .drain(..)
        .chain(
            before
                .rows
                .iter()
                .filter(|old| !here.contains(&key(old)))
                .map(|old| Row { cells: old.cells.clone(), sums: Sums::default() }),
        )
        .map(|row| {
            let was = known.get(&key(&row)).map_or(Value::Missing, |old| lead.of(&old.sums, now.currency()));
            let is = lead.of(&row.sums, now.currency());
            let by = is.as_f64().unwrap_or(0.0) - was.as_f64().unwrap_or(0.0);
            (row, was, by)
        })
        .collect();
    moved.sort_by(|a, b| if losing { a.2.total_cmp(&b.2) } else { b.2.total_cmp(&a.2) });
    let (sorted, changes) = moved.into_iter().map(|(row, was, by)| (row, (was, by))).unzip();
    *rows = sorted;
    Some(changes)
}

fn chart(
    plan: &Plan,
    lead: Metric,
    name: &str,
    frame: &Frame<'_>,
    rows: &[Row],
    before: Option<&Merged>,
    total: &Sums,
) -> Option<Artifact> {
    if rows.len() < 2 {
        return None;
    }
    let time = plan.dims.iter().position(|d| d.is_time());
    match (plan.dims.as_slice(), time) {
        ([_], Some(_)) => {
            let previous = before
                .zip(plan.against.as_ref())
                .map(|(b, against)| (b.rows.as_slice(), range(against.period.from, against.period.to)));
            let per = plan.dims.first().map_or_else(String::new, |d| d.word());
            let period = range(plan.period.from, plan.period.to);
            Some(artifacts::timeseries(format!("{} per {per}", lead.label()), frame, lead, rows, previous, period))
        }
        ([_, _], Some(at)) => Some(artifacts::many_series(name.to_owned(), frame, lead, rows, (at, 1 - at))),
        (_, Some(_)) => None,
        (_, None) => {
            Some(artifacts::bars(name.to_owned(), frame, lead, &rows[..rows.len().min(MOST_BARS)], before, total))
        }
    }
}

/// Sorts rows by a metric. Rows without a number come last in both directions. Equal rows are sorted by name, so that the order never
/// depends on the network.
pub(in crate::planner) fn sort(rows: &mut [Row], metric: Metric, descending: bool, merged: &Merged) {
    let currency = merged.currency();
    rows.sort_by(|a, b| {
        let key = |row: &Row| metric.of(&row.sums, currency).as_f64();
        let by_value = match (key(a), key(b)) {
            (Some(a), Some(b)) if descending => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => std::cmp::Ordering::Equal,
        };
        by_value.then_with(|| artifacts::label(&a.cells).cmp(&artifacts::label(&b.cells)))
    });
}

fn title(plan: &Plan) -> String {
    let metrics: Vec<String> = plan.asked.iter().take(3).map(|m| m.label().to_owned()).collect();
    and(&metrics)
}

fn with_against(plan: &Plan, subtitle: &str) -> String {
    match &plan.against {
        Some(against) => format!("{subtitle} · compared with {}", range(against.period.from, against.period.to)),
        None => subtitle.to_owned(),
    }
}

fn follow_ups(plan: &Plan) -> Vec<String> {
    // Don't offer a breakdown that none of the networks has.
    let splits = |dim: Dim| {
        let desks = || plan.networks.iter().flat_map(|network| desks::of(*network));
        plan.networks.is_empty() || desks().any(|desk| desk.splits_by(dim))
    };
    let has = |dim: Dim| plan.dims.contains(&dim) || !splits(dim);
    let mut out = Vec::new();
    if !has(Dim::Country) {
        out.push("And by country?".to_owned());
    }
    if !has(Dim::AdSource) && plan.source != super::metric::Source::Campaign {
        out.push("Split it by ad source".to_owned());
    }
    if !has(Dim::App) {
        out.push("And by app?".to_owned());
    }
    if plan.period.days() != 30 {
        out.push("Make it 30 days".to_owned());
    }
    // A single day has no days to show, and days that are already shown are not offered again.
    if !has(Dim::Date) && plan.period.days() > 1 {
        out.push("Show it per day".to_owned());
    }
    out
}

/// Says that a day is not over, so that it doesn't look like a whole one.
fn partial_note(plan: &Plan) -> Option<String> {
    if plan.period.from > plan.open.day {
        let days = range(plan.period.from, plan.period.to);
        let zone = plan.open.zone.as_deref().map_or("UTC", zone_name);
        return Some(format!(
            "{days} hasn't begun yet in {zone}, so not every network has numbers for it, and the others' are partial."
        ));
    }
    plan.is_partial().then(|| format!("{}, so its numbers are partial.", plan.open.words()))
}

/// Returns the plan with a number for "average" in these rows. For a sum, this is the total per row. For a rate, it is the rate of all rows
/// together.
fn against_average(plan: &Plan, now: &Merged) -> Option<Plan> {
    if !plan.thresholds.iter().any(|threshold| threshold.average) {
        return None;
    }
    let mut own = plan.clone();
    let total = now.total();
    for threshold in own.thresholds.iter_mut().filter(|threshold| threshold.average) {
        let all = threshold.metric.of(&total, now.currency()).as_f64().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "rows of a report are few")]
        let rows = now.rows.len().max(1) as f64;
        threshold.limit = if threshold.metric.adds_up() { all / rows } else { all };
        let operator = if threshold.operator == BELOW_AVERAGE { "lt" } else { "gt" };
        operator.clone_into(&mut threshold.operator);
    }
    Some(own)
}

fn passes(threshold: &Threshold, sums: &Sums, merged: &Merged) -> bool {
    let Some(value) = threshold.metric.of(sums, merged.currency()).as_f64() else { return false };
    match threshold.operator.as_str() {
        "lt" => value < threshold.limit,
        "lte" => value <= threshold.limit,
        "gt" => value > threshold.limit,
        "gte" => value >= threshold.limit,
        _ => true,
    }
}
