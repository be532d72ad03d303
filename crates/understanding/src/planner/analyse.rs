//! Answers "why" and "what should I change": compares the totals of two periods, then breaks them down, then names the biggest contributors
//! by exact arithmetic. It only reads; it must never propose a write that nobody asked for.

use std::fmt::Write as _;

use adagent_contract::{Artifact, Value};
use adagent_domain::ToolCallId;
use jiff::civil::Date;

use super::{
    Answer, Call, Step, fair, floors,
    format::{and, plain, range, value, when},
    read::{Fetched, Turn},
    report::{
        self, ahead,
        answer::sort,
        artifacts::{Frame, TableSpec, bars, change, label, previous, table, tile},
        merge::{Merged, Row, Sums},
        metric::{Dim, Metric},
        narrate,
        spec::{Period, Plan},
    },
};

/// The breakdowns of a study, in this order.
const DIMS: [Dim; 4] = [Dim::AdSource, Dim::Country, Dim::App, Dim::Format];

/// How reports identify a waterfall line: as an ad source in a mediation group. The group has one format and its countries.
const LINE: [Dim; 2] = [Dim::MediationGroup, Dim::AdSource];

/// How many contributors we name per breakdown.
const NAMED: usize = 3;

/// A row whose share of all changes, in percent, is below this explains nothing.
const SMALL: f64 = 0.5;

/// Checks whether the question looks for anything unusual in the numbers.
pub(super) fn asks_odd(turn: &Turn<'_>) -> bool {
    turn.understood.capability == crate::Capability::Reporting && turn.says(&crate::route::reading::ODD)
}

/// Checks whether the question asks why something changed.
pub(super) fn asks_why(turn: &Turn<'_>) -> bool {
    // A question for something unusual asks what moved.
    asks_odd(turn)
        || crate::vocab::spelling::says_why(&crate::text::tokens(turn.question()))
        || turn.says(&[
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

/// Checks whether the question asks for reasons or advice rather than numbers.
pub(super) fn wanted(turn: &Turn<'_>) -> bool {
    asks_why(turn)
        || turn.says(&[
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
        ])
        || (turn.understood.path == adagent_contract::Path::Workflow
            && turn.understood.capability == crate::Capability::Reporting
            && turn.understood.slots.as_ref().is_none_or(|s| s.dimensions.is_empty()))
}

/// Checks whether the question asks for advice ("what should I do about it") and names no metric whose numbers would be an answer.
pub(super) fn asks_advice(turn: &Turn<'_>) -> bool {
    let tokens = crate::text::tokens(turn.question());
    let should = tokens.windows(2).any(|w| w[0].any(&["should", "would", "could"]) && w[1].any(&["i", "we", "you"]));
    let open = tokens.iter().any(|token| token.any(&["what", "which", "how", "where"]));
    let advice = should && open || tokens.iter().any(|token| token.any(&["advice", "advise", "recommend", "suggest"]));
    advice && crate::vocab::metrics::METRICS.all(&tokens).is_empty()
}

/// Checks whether the question asks where to look ("what should I look at today?"). Movements of numbers answer that; advice would not.
pub(super) fn asks_where_to_look(turn: &Turn<'_>) -> bool {
    const LOOKS: [&str; 9] =
        ["look", "watch", "check", "focus", "attention", "notice", "ansehen", "anschauen", "achten"];
    let tokens = crate::text::tokens(&turn.text);
    let open = tokens.iter().any(|token| token.any(&["what", "where", "which"]));
    let looks = tokens.iter().any(|token| token.any(&LOOKS));
    open && looks && crate::vocab::metrics::METRICS.all(&tokens).is_empty()
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
    let study = match Study::of(&plan) {
        Ok(study) => study,
        Err(why) => {
            return Answer::text(format!("{why} Ask about yesterday or the last 7 days, and I'll explain those."))
                .following(["What was my revenue yesterday?", "Why did revenue change in the last 7 days?"])
                .into();
        }
    };
    let overview = study.calls(&plan, &[]);
    let flat: Vec<Call> = overview.iter().flatten().cloned().collect();
    if let Some(step) =
        turn.missing(&flat, &format!("First the totals: {} compared with {}.", study.now_words(), study.before_words()))
    {
        return step;
    }
    let detail: Vec<(Dim, [Vec<Call>; 2])> =
        study.dims.iter().map(|dim| (*dim, study.calls(&plan, std::slice::from_ref(dim)))).collect();
    let flat: Vec<Call> = detail.iter().flat_map(|(_, calls)| calls.iter().flatten().cloned()).collect();
    let words: Vec<String> = study.dims.iter().map(|d| d.word()).collect();
    if let Some(step) = turn.missing(&flat, &format!("Now broken down by {}.", and(&words))) {
        return step;
    }
    let setup = about_setup(turn);
    let [lines, _] = study.calls(&plan, &LINE);
    if setup {
        if let Some(step) = turn.missing(&lines, "What each line of the mediation groups earned.") {
            return step;
        }
        let groups: Vec<Call> = plan
            .accounts
            .iter()
            .filter_map(|a| super::lists::list_call(adagent_contract::EntityKind::MediationGroup, &a.id))
            .collect();
        if let Some(step) = turn.missing(&groups, "And the mediation groups as they are set up.") {
            return step;
        }
    }
    conclude(turn, &plan, &study, &overview, &detail, setup.then_some(&lines)).into()
}

/// The two periods that we compare, and how.
struct Study {
    lead: Metric,
    now: (Date, Date),
    before: (Date, Date),
    /// The other period, in the words of a sentence.
    words: String,
    /// Why we compare other periods than the question asks for.
    note: Option<String>,
    dims: Vec<Dim>,
}

/// The most reports that one study reads, because a run has a limited number of turns and each turn reads only a few.
const MOST_REPORTS: usize = 80;

impl Study {
    fn of(plan: &Plan) -> Result<Self, String> {
        let (now, before, words, note) = if let Some(against) = &plan.against {
            (against.of.clone(), against.period.clone(), against.words.clone(), None)
        } else {
            let fair = fair::compare(&plan.period, None, &plan.open)?;
            (fair.now, fair.before, fair.words, fair.note)
        };
        let (now, before) = ((now.from, now.to), (before.from, before.to));
        let mut dims: Vec<Dim> = plan.dims.iter().copied().filter(|d| !d.is_time()).collect();
        for dim in DIMS {
            if !dims.contains(&dim) && dims.len() < DIMS.len() && dim.wire(plan.source).is_some() {
                dims.push(dim);
            }
        }
        // We read the totals and each breakdown once per account and period.
        let room = MOST_REPORTS / (2 * plan.accounts.len().max(1));
        dims.truncate(room.saturating_sub(1));
        let lead = plan.asked.first().copied().unwrap_or(Metric::Revenue);
        Ok(Self { lead, now, before, words, note, dims })
    }

    fn calls(&self, plan: &Plan, dims: &[Dim]) -> [Vec<Call>; 2] {
        let mut metrics = vec![self.lead, Metric::Revenue, Metric::Impressions, Metric::Ecpm];
        if dims.is_empty() {
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
                    report::report_call(plan.source, &account.id, period, dims, &metrics, &filters)
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
    lines: Option<&Vec<Call>>,
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
    // The numbers of a part must not look like those of everything.
    let restriction = plan.restriction();
    let (only, aside) = if restriction.is_empty() {
        (String::new(), String::new())
    } else {
        (format!(" · only {restriction}"), format!(" (only {restriction})"))
    };
    let subtitle = format!("{}{zone} · AdMob{only} · compared with {}", study.now_words(), study.before_words());
    let mut sources = now.sources.clone();
    sources.extend(before.sources.iter().copied());
    let mut out = vec![Artifact::Kpi {
        title: format!("{} and what drives it", lead.label()),
        subtitle: subtitle.clone(),
        tiles: kpis(lead).iter().map(|m| tile(*m, &total, Some(&total_before), currency)).collect(),
        sources: sources.clone(),
    }];
    let mut text = match change(lead, &shown, &previous_value) {
        Some(change) => format!(
            "{}AdMob {} was **{}** {}{aside}, {} from {} {}.",
            narrate::contradicted(plan.premise, lead, change),
            lead.word(),
            value(&shown),
            when(study.now.0, study.now.1),
            narrate::moved(lead, change),
            value(&previous_value),
            study.words
        ),
        None => format!(
            "AdMob {} was **{}** {}{aside}; there are no numbers for {} to compare with.",
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
    if let Some(lines) = lines {
        let (words, artifact) = floors::advice(turn, plan, &merged(turn, lines, &LINE, &mut problems), study.now);
        let _ = write!(text, "\n\n{words}");
        out.extend(artifact);
    }
    if lines.is_some() {
        text += "\n\nNothing has been changed.";
    }
    let covers = Period { from: study.now.0, to: study.now.1 }.covers();
    let mut answer = Answer { text: ahead(plan, &text), artifacts: out, covers: Some(covers), ..Answer::default() };
    notes(plan, study, &mut answer);
    if let Some(line) = report::answer::days_line(turn, &now.time_zones) {
        answer.count(line);
    }
    if !problems.is_empty() {
        answer.say(format!("**Some breakdowns are missing**: {}.", and(&problems)));
    }
    answer.following([
        format!("{} per day, last 30 days", lead.label()),
        "eCPM by ad source, last 7 days".to_owned(),
        "List my mediation groups".to_owned(),
    ])
}

/// Adds the notes of the study and the plan to the answer, and how we counted.
fn notes(plan: &Plan, study: &Study, answer: &mut Answer) {
    if let Some(note) = &study.note {
        answer.say(note.clone());
    }
    if plan.assumed_period {
        answer.say("Showing the last 7 days.");
    }
    for note in &plan.notes {
        answer.say(note.clone());
    }
    for line in &plan.method {
        answer.count(line.clone());
    }
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

/// Revenue is impressions times price. Says which of the two moved more.
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
                "The change is mostly volume"
            } else if price.abs() > 2.0 * volume.abs() {
                "The change is mostly rate (eCPM)"
            } else {
                "Both contributed"
            };
            format!(" Impressions are {volume_words} and eCPM is {price_words}. {why}.")
        }
        _ => String::new(),
    }
}

/// How much a row added to the change of the whole.
struct Contribution {
    row: Row,
    before: Sums,
    /// In units of the metric: micros or a count. For a rate: how many points or micros the whole moved.
    effect: f64,
}

/// Returns the contribution of each row. For sums, this is the difference. For quotients, it is how much the whole would differ if this row
/// still had its earlier sums.
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
    // A single row is the same as the whole, so it explains nothing.
    if size <= 0.0 || contributions.len() < 2 {
        return None;
    }
    let down = net < 0.0;
    let named: Vec<String> = contributions
        .iter()
        .filter(|c| c.effect.abs() * 100.0 / size >= SMALL && (c.effect < 0.0) == down)
        // Leave out rows such as "$738.74 → $738.74", where a reader sees no change.
        .filter(|c| value(&lead.of(&c.row.sums, currency)) != value(&lead.of(&c.before, currency)))
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
    let word = if down { "drops" } else { "gains" };
    Some(format!("- Biggest {word} by {}: {}.", dim.word(), and(&named)))
}

/// For quotients: finds the ad source that lowers the whole most in the current period, weighted by its size.
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
            "- Pulls the average down most: **{}** at {} on {} impressions, compared with {} overall.",
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
            alike: None,
            sorted_by: None,
        },
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_no_gain() {
        let one = |name: &str, now: i128, before: i128| {
            let sums = |micros| {
                let mut sums = Sums::default();
                sums.revenue = Some(micros);
                sums
            };
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let effect = (now - before) as f64;
            let cells = vec![Value::Text { value: name.into() }];
            Contribution { row: Row { cells, sums: sums(now) }, before: sums(before), effect }
        };
        let usd = adagent_domain::Currency::USD;
        let same = [one("A", 738_740_001, 738_740_000), one("B", 5_000_002, 5_000_001)];
        assert_eq!(explain(Dim::App, Metric::Revenue, &same, usd), None);
        let moved = [one("A", 738_740_001, 738_740_000), one("B", 9_000_000, 5_000_000)];
        let line = explain(Dim::App, Metric::Revenue, &moved, usd).unwrap();
        assert_eq!(line, "- Biggest gains by app: **B** $5.00 → $9.00.");
    }
}
