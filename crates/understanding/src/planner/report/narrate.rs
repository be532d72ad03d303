//! The sentences of a reporting answer. Every number in them is one of the given values.

use std::fmt::Write as _;

use adagent_contract::{Value, capital};
use adagent_domain::{Currency, Money};
use jiff::{ToSpan as _, civil::Date};

use super::{
    artifacts::{change, label, unit},
    merge::{Merged, Row, Sums, identity},
    metric::{Dim, Metric, Source},
    spec::{Plan, Shape, Threshold, WireFilter},
};
use crate::planner::{
    format::{and, count, day, decimals, month_name, plain, range, short, value, when},
    names,
    read::Turn,
};
use crate::route::reading::Reading;

/// Returns "up 3.2%", "down 1.8 pt" or "unchanged".
pub(in crate::planner) fn moved(metric: Metric, change: f64) -> String {
    let unit = if unit(metric) == "pt" { " pt" } else { "%" };
    let size = decimals(change.abs(), 1);
    if size == "0.0" {
        "unchanged".to_owned()
    } else {
        format!("{} {size}{unit}", if change > 0.0 { "up" } else { "down" })
    }
}

fn scope(plan: &Plan) -> String {
    let restriction = plan.restriction();
    let mut out = match plan.source {
        // The numbers of one network must not look like those of all networks.
        Source::Mediation if plan.networks.len() == 1 && plan.shape != Shape::Figure => {
            format!(" on {}", plan.label())
        }
        Source::Mediation if plan.networks.is_empty() && plan.beside && plan.shape != Shape::Figure => {
            " on AdMob".to_owned()
        }
        Source::Network if plan.shape != Shape::Figure => " of the AdMob Network".to_owned(),
        _ => String::new(),
    };
    let mut aside: Vec<String> = Vec::new();
    if !restriction.is_empty() {
        aside.push(format!("only {restriction}"));
    }
    aside.extend(lacking(plan));
    if !aside.is_empty() {
        let _ = write!(out, " ({})", aside.join("; "));
    }
    match plan.accounts.as_slice() {
        [one] if plan.all_accounts > 1 => {
            let _ = write!(out, " in {}", plain(&one.name));
        }
        several @ [_, _, ..] if several.len() == plan.all_accounts => out += " across all your accounts",
        several @ [_, _, ..] => {
            let names: Vec<String> = several.iter().map(|account| plain(&account.name)).collect();
            let _ = write!(out, " in {}", and(&names));
        }
        _ => {}
    }
    out
}

/// Returns what a total lacks, in the words of its sentence: "without Google Ad Manager", "AppLovin only from Oct 12".
fn lacking(plan: &Plan) -> Vec<String> {
    const NAMED: usize = 3;
    // Reasons come under a total that already says this.
    if plan.explains {
        return Vec::new();
    }
    let mut out = Vec::new();
    match plan.gaps.without.as_slice() {
        [] => {}
        few if few.len() <= NAMED => out.push(format!("without {}", and(few))),
        many => out.push(format!("without {} networks", many.len())),
    }
    for (network, first) in &plan.gaps.begins {
        let name = network.display_name();
        out.push(if plan.networks.len() == 1 {
            format!("{name}'s reports start on {}", short(*first))
        } else {
            format!("{name} only from {}", short(*first))
        });
    }
    out
}

/// Returns the first sentence of a single number, and one with the other requested metrics.
pub(super) fn figure(plan: &Plan, now: &Sums, before: Option<&Sums>, merged: &Merged) -> String {
    let currency = merged.currency();
    let Some((&lead, rest)) = plan.asked.split_first() else { return String::new() };
    let shown = lead.of(now, currency);
    let when = when(plan.period.from, plan.period.to);
    let mut text = match (lead, plan.source) {
        (Metric::Revenue, _) => format!("{} earned **{}** {when}{}", plan.label(), value(&shown), scope(plan)),
        (metric, _) if !plan.networks.is_empty() => {
            format!("{}: {} {} **{}** {when}{}", plan.label(), metric.word(), was(metric), value(&shown), scope(plan))
        }
        (metric, Source::Mediation) => {
            format!("AdMob {} {} **{}** {when}{}", metric.word(), was(metric), value(&shown), scope(plan))
        }
        (metric, source) => {
            format!("{}: {} {} **{}** {when}{}", source.label(), metric.word(), was(metric), value(&shown), scope(plan))
        }
    };
    if let (Some(before), Some(against)) = (before, &plan.against) {
        let compared = match change(lead, &shown, &lead.of(before, currency)) {
            Some(change) => {
                text = format!("{}{text}", contradicted(plan.premise, lead, change));
                format!(", {} from {} {}", moved(lead, change), value(&lead.of(before, currency)), against.words)
            }
            None => {
                format!("; there are no numbers for {} to compare with", range(against.period.from, against.period.to))
            }
        };
        text += &compared;
    }
    text.push('.');
    if !rest.is_empty() {
        let others: Vec<String> = rest
            .iter()
            .map(|metric| {
                let now = metric.of(now, currency);
                let moved = before
                    .and_then(|b| change(*metric, &now, &metric.of(b, currency)))
                    .map_or_else(String::new, |c| format!(" ({})", moved(*metric, c)));
                format!("{} **{}**{moved}", metric.word(), value(&now))
            })
            .collect();
        let _ = write!(text, " Also: {}.", and(&others));
    }
    text
}

/// Returns " Nov 18 is still in progress. Full days only (Nov 16–17, 2026): **$10**, up 3.2% from $9 …".
pub(super) fn full_days(plan: &Plan, over: &Sums, before: &Sums, merged: &Merged) -> String {
    let (Some(against), Some(&lead)) = (&plan.against, plan.asked.first()) else { return String::new() };
    let currency = merged.currency();
    let (shown, was) = (lead.of(over, currency), lead.of(before, currency));
    let Some(change) = change(lead, &shown, &was) else { return String::new() };
    format!(
        " {}. Full days only ({}): **{}**, {} from {} {}.",
        plan.open.words(),
        range(against.of.from, against.of.to),
        value(&shown),
        moved(lead, change),
        value(&was),
        against.words
    )
}

/// Returns the names of the networks that are not in the comparison.
pub(super) fn uncompared(plan: &Plan) -> String {
    let names: Vec<String> = plan.uncompared.iter().map(|network| network.display_name().to_owned()).collect();
    and(&names)
}

/// Returns " Without Google Ad Manager: **$4,200.02**, up 3.2% from $4,070.10 the day before (Nov 21)."
pub(super) fn without(plan: &Plan, now: &Sums, before: &Sums, merged: &Merged) -> String {
    let (Some(against), Some(&lead)) = (&plan.against, plan.asked.first()) else { return String::new() };
    let currency = merged.currency();
    let (shown, was) = (lead.of(now, currency), lead.of(before, currency));
    let Some(change) = change(lead, &shown, &was) else { return String::new() };
    format!(
        " Without {}: **{}**, {} from {} {}.",
        uncompared(plan),
        value(&shown),
        moved(lead, change),
        value(&was),
        against.words
    )
}

/// Contradicts what the question assumes if the numbers say otherwise: "**It didn't drop:** ".
pub(in crate::planner) fn contradicted(premise: Option<bool>, metric: Metric, change: f64) -> &'static str {
    let still = moved(metric, change) == "unchanged";
    match premise {
        Some(true) if still || change > 0.0 => "**It didn't drop:** ",
        Some(false) if still || change < 0.0 => "**It didn't rise:** ",
        _ => "",
    }
}

const fn was(metric: Metric) -> &'static str {
    match metric {
        Metric::Impressions
        | Metric::Clicks
        | Metric::Requests
        | Metric::Fills
        | Metric::Installs
        | Metric::Interactions => "were",
        _ => "was",
    }
}

/// Returns "**Puzzle Game** earned the most: $1,204.10 (28.6%)."
pub(super) fn leader(metric: Metric, rows: &[Row], total: &Sums, merged: &Merged) -> Option<String> {
    let [first, _, ..] = rows else { return None };
    let currency = merged.currency();
    let top = metric.of(&first.sums, currency);
    let name = plain(&label(&first.cells));
    if metric.adds_up() {
        let whole = metric.of(total, currency).as_f64().filter(|w| *w > 0.0)?;
        let share = top.as_f64()? * 100.0 / whole;
        let verb = if metric == Metric::Revenue { "earned" } else { "had" };
        Some(format!("**{name}** {verb} the most: {} ({}%).", value(&top), decimals(share, 1)))
    } else {
        Some(format!("**{name}** leads with {}.", value(&top)))
    }
}

/// Returns the first text of a breakdown: what is listed, the first rows, and the whole.
pub(super) fn breakdown(
    plan: &Plan,
    rows: &[Row],
    all: usize,
    total: &Sums,
    before: Option<&Sums>,
    merged: &Merged,
) -> String {
    let currency = merged.currency();
    let lead = plan.asked.first().copied().unwrap_or(Metric::Revenue);
    let dims: Vec<String> = plan.dims.iter().map(|d| d.word()).collect();
    let period = range(plan.period.from, plan.period.to);
    let whole = lead.of(total, currency);
    let what = match plan.limit {
        Some(n) if n < all => {
            let end = match (plan.sort.is_some_and(|(_, descending)| !descending), n) {
                (lowest, _) if plan.rank.is_some_and(|rank| rank > 1) => {
                    format!("{} {}", place(plan.rank.unwrap_or(1)), if lowest { "lowest" } else { "highest" })
                }
                (true, 1) => "Lowest".to_owned(),
                (false, 1) => "Highest".to_owned(),
                (true, _) => format!("Bottom {n}"),
                (false, _) => format!("Top {n}"),
            };
            format!("{end} of {all} {} by {}, {period}", plural(plan), plan.sort.map_or(lead, |(m, _)| m).word())
        }
        _ => format!("{} by {}, {period}", lead.label(), and(&dims)),
    };
    let mut text = format!("{what}{}: ", scope(plan));
    let named = if plan.shape == Shape::Series && plan.limit.is_none() { 0 } else { plan.limit.unwrap_or(3).min(5) };
    let firsts: Vec<String> = rows
        .iter()
        .take(named)
        .map(|row| format!("**{}** {}", plain(&label(&row.cells)), value(&lead.of(&row.sums, currency))))
        .collect();
    if firsts.is_empty() {
        let _ = write!(text, "**{}** {}", value(&whole), if lead.adds_up() { "in total" } else { "overall" });
    } else {
        text += &and(&firsts);
        if all > 1 {
            // Say what the total covers: the named rows, the rows that pass a condition, or all rows.
            let cut = firsts.len() < all;
            let plural = match plan.dims.as_slice() {
                // The rows that mediators add are not networks that are connected here.
                [Dim::Network] if all > plan.networks.len() => "networks and sources".to_owned(),
                _ => plural(plan),
            };
            let of_what = if !plan.thresholds.is_empty() {
                format!(" across these {all}")
            } else if cut {
                format!(" across all {all} {plural}")
            } else {
                " in total".to_owned()
            };
            let lead_in = match (lead.adds_up(), cut && plan.limit.is_some()) {
                (true, true) => ", of ",
                (true, false) => "; ",
                (false, _) => "; overall ",
            };
            let of_what = if lead.adds_up() || cut { of_what.as_str() } else { "" };
            let _ = write!(text, "{lead_in}**{}**{of_what}", value(&whole));
        }
    }
    if let (Some(before), Some(against)) = (before, &plan.against)
        && let Some(change) = change(lead, &whole, &lead.of(before, currency))
    {
        let _ = write!(text, ", {} from {} {}", moved(lead, change), value(&lead.of(before, currency)), against.words);
    }
    text.push('.');
    if plan.shape == Shape::Series && plan.limit.is_none() {
        text += &extremes(plan, lead, rows, merged);
    }
    text
}

/// Returns "2nd" or "13th".
pub(super) fn place(n: usize) -> String {
    let end = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

/// Says that the question asks for a place after the last row.
pub(super) fn no_such_place(plan: &Plan, rank: usize, all: usize) -> String {
    let lowest = plan.sort.is_some_and(|(_, descending)| !descending);
    format!(
        "There is no {} {} of the {} {}{}: only {all} had numbers.",
        place(rank),
        if lowest { "lowest" } else { "highest" },
        plural(plan),
        crate::planner::format::when(plan.period.from, plan.period.to),
        scope(plan)
    )
}

fn plural(plan: &Plan) -> String {
    match plan.dims.as_slice() {
        [one] => one.plural(),
        _ => "rows".to_owned(),
    }
}

/// A row that changed: its earlier value and its change.
pub(super) struct Move<'a> {
    pub row: &'a Row,
    pub before: Value,
    pub by: f64,
}

/// Answers "which ad unit lost the most": names the rows that moved most in that direction, with both values.
pub(super) fn movers(plan: &Plan, moves: &[Move<'_>], losing: bool, merged: &Merged) -> String {
    let lead = plan.asked.first().copied().unwrap_or(Metric::Revenue);
    let period = range(plan.period.from, plan.period.to);
    let against = plan.against.as_ref().map_or_else(String::new, |a| range(a.period.from, a.period.to));
    let fits: Vec<String> = moves
        .iter()
        .filter(|m| if losing { m.by < 0.0 } else { m.by > 0.0 })
        // Leave out rows such as "from $738.74 to $738.74", where a reader sees no change.
        .filter(|m| value(&m.before) != value(&lead.of(&m.row.sums, merged.currency())))
        .take(plan.limit.unwrap_or(3).min(5))
        .map(|m| {
            let now = lead.of(&m.row.sums, merged.currency());
            let now = if is_empty(&now) { "nothing".to_owned() } else { value(&now) };
            let was = if is_empty(&m.before) { "nothing".to_owned() } else { value(&m.before) };
            format!("**{}** from {was} to {now}", plain(&label(&m.row.cells)))
        })
        .collect();
    let way = if losing { "fell" } else { "rose" };
    // Reasons come under a total that already names the periods.
    let explains = plan.explains;
    if fits.is_empty() {
        let what = plan.dims.last().map_or_else(|| "row".to_owned(), |d| d.word());
        let days = if explains { String::new() } else { format!(", {period} compared with {against}{}", scope(plan)) };
        return format!("No {what} {way} in {}{days}.", lead.word());
    }
    if explains {
        let dims: Vec<String> = plan.dims.iter().map(|d| d.word()).collect();
        return format!("Biggest {} by {}: {}.", if losing { "drops" } else { "gains" }, and(&dims), and(&fits));
    }
    format!(
        "{} whose {} {way} most, {period} compared with {against}{}: {}.",
        crate::planner::names::format_label(&plural(plan)),
        lead.word(),
        scope(plan),
        and(&fits)
    )
}

/// Returns "on Nov 14, 2026" or "in 2026 Q3".
pub(super) fn point(dim: Dim, cells: &[Value]) -> String {
    match cells.first() {
        Some(Value::Date { value }) => match (value.parse::<Date>(), format!("{value}-01").parse::<Date>()) {
            (Ok(date), _) if dim == Dim::Week => format!("in the week from {}", day(date)),
            (Ok(date), _) if dim == Dim::Month => format!("in {}", month(date)),
            (Ok(date), _) => format!("on {}", day(date)),
            (_, Ok(date)) => format!("in {}", month(date)),
            _ => format!("in {value}"),
        },
        _ => format!("in {}", label(cells)),
    }
}

fn month(date: Date) -> String {
    format!("{} {}", month_name(date), date.year())
}

/// Returns the first and last day of "2026 Q3".
fn quarter(words: &str) -> Option<(Date, Date)> {
    let (year, number) = words.split_once(" Q")?;
    let first_month = number.parse::<i8>().ok()?.checked_mul(3)?.checked_sub(2)?;
    let from = Date::new(year.parse().ok()?, first_month, 1).ok()?;
    Some((from, from.saturating_add(2.months()).last_of_month()))
}

/// Checks whether the whole week, month or quarter is in the period and over. One that is cut off would look like the lowest.
fn whole(plan: &Plan, dim: Dim, cells: &[Value]) -> bool {
    if dim == Dim::Quarter {
        return cells
            .first()
            .and_then(|cell| quarter(&label(std::slice::from_ref(cell))))
            .is_none_or(|(from, to)| from >= plan.period.from && to <= plan.period.to && to < plan.open.day);
    }
    let Some(Value::Date { value }) = cells.first() else { return true };
    let Ok(from) = value.parse::<Date>().or_else(|_| format!("{value}-01").parse::<Date>()) else { return true };
    if dim == Dim::Week && from.weekday() != jiff::civil::Weekday::Monday {
        return false;
    }
    let to = match dim {
        Dim::Week => from.saturating_add(6.days()),
        Dim::Month => from.last_of_month(),
        _ => from,
    };
    from >= plan.period.from && to <= plan.period.to && to < plan.open.day
}

/// Names the highest and lowest point of a series.
fn extremes(plan: &Plan, metric: Metric, rows: &[Row], merged: &Merged) -> String {
    let currency = merged.currency();
    let dim = plan.dims.first().copied().unwrap_or(Dim::Date);
    let sized: Vec<(&Row, f64)> = rows
        .iter()
        .filter(|r| whole(plan, dim, &r.cells))
        .filter_map(|r| Some((r, metric.of(&r.sums, currency).as_f64()?)))
        .collect();
    let best = sized.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let worst = sized.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    match (best, worst) {
        (Some((best, a)), Some((worst, b))) if sized.len() > 2 && a > b => format!(
            " Highest: {} {}; lowest: {} {}.",
            value(&metric.of(&best.sums, currency)),
            point(dim, &best.cells),
            value(&metric.of(&worst.sums, currency)),
            point(dim, &worst.cells)
        ),
        _ => String::new(),
    }
}

/// Returns "eCPM under $1.00 and requests above 100,000".
pub(super) fn conditions(thresholds: &[Threshold], merged: &Merged) -> String {
    let parts: Vec<String> = thresholds
        .iter()
        .map(|t| {
            let word = match t.operator.as_str() {
                "lt" => "under",
                "lte" => "at most",
                "gt" => "above",
                _ => "at least",
            };
            match (t.average, t.metric.adds_up()) {
                (true, true) => format!("{} {word} the average of {}", t.metric.word(), limit(t, merged)),
                (true, false) => format!("{} {word} the overall {}", t.metric.word(), limit(t, merged)),
                _ => format!("{} {word} {}", t.metric.word(), limit(t, merged)),
            }
        })
        .collect();
    and(&parts)
}

fn limit(threshold: &Threshold, merged: &Merged) -> String {
    use adagent_contract::ColumnKind;
    match threshold.metric.kind() {
        // If a float can't hold the number exactly, use the person's own digits.
        ColumnKind::Money if threshold.written.is_some() => {
            format!("{}{}", merged.currency().symbol(), threshold.written.as_deref().unwrap_or_default())
        }
        _ if threshold.written.is_some() => threshold.written.clone().unwrap_or_default(),
        ColumnKind::Money if threshold.average => {
            let exact = Money::parse_amount(merged.currency(), &decimals(threshold.limit, 2));
            exact.map_or_else(|_| decimals(threshold.limit, 2), |money| money.display(2))
        }
        ColumnKind::Money => format!("{}{}", merged.currency().symbol(), decimals(threshold.limit, 2)),
        ColumnKind::Percent => format!("{}%", decimals(threshold.limit, 1)),
        _ => decimals(threshold.limit, 0),
    }
}

/// Returns up to five rows as a list, for people who want longer answers.
pub(super) fn bullets(metric: Metric, rows: &[Row], merged: &Merged) -> String {
    rows.iter().take(5).fold(String::new(), |mut out, row| {
        let figure = value(&metric.of(&row.sums, merged.currency()));
        let _ = write!(out, "\n- {}: {figure}", plain(&label(&row.cells)));
        out
    })
}

pub(super) fn nothing(plan: &Plan) -> String {
    format!(
        "{} {} no rows for {}{}{}. Either there was no traffic, or the filter matches nothing.",
        plan.speaker(),
        if plan.networks.len() > 1 { "have" } else { "has" },
        plan.describe(),
        scope(plan),
        if plan.exclude.is_empty() { "" } else { " after leaving out what you excluded" },
    )
}

pub(super) fn read_rows(merged: &Merged) -> String {
    format!("{} in {}", count(merged.read, "row", "rows"), count(merged.sources.len(), "report", "reports"))
}

/// Checks for a missing value, which we must not report as zero.
pub(super) fn is_empty(value: &Value) -> bool {
    *value == Value::Missing
}

/// One part of the whole: its name, its percentage and its value.
struct Slice {
    name: String,
    percent: f64,
    own: Value,
}

fn slices(part: &WireFilter, lead: Metric, rows: &[Row], total: &Sums, currency: Currency) -> Option<Vec<Slice>> {
    let whole = lead.of(total, currency).as_f64().filter(|whole| *whole > 0.0)?;
    let fits = |row: &Row, wanted: &str| {
        row.cells.first().is_some_and(|cell| match cell {
            Value::Entity { name, .. } if names::simple(name) == names::simple(wanted) => true,
            other => identity(other).eq_ignore_ascii_case(wanted),
        })
    };
    let mut out: Vec<Slice> = Vec::new();
    for (wanted, _) in &part.values {
        let (mut sums, mut name) = (Sums::default(), None);
        for row in rows.iter().filter(|row| fits(row, wanted)) {
            sums.add(&row.sums);
            name = name.or_else(|| Some(label(&row.cells)));
        }
        let own = lead.of(&sums, currency);
        let alone = (part.values.len() == 1).then(|| part.words.clone());
        let name = alone.or(name).unwrap_or_else(|| wanted.clone());
        // An app in two accounts appears twice.
        if !out.iter().any(|known| known.name == name) {
            out.push(Slice { name: plain(&name), percent: own.as_f64().unwrap_or(0.0) * 100.0 / whole, own });
        }
    }
    Some(out)
}

fn percents(slices: &[Slice]) -> String {
    let each: Vec<String> =
        slices.iter().map(|slice| format!("**{}** had **{}%**", slice.name, decimals(slice.percent, 1))).collect();
    and(&each)
}

/// The rows of the current period, those of them that are compared if not all are, and the rows of the period before.
pub(super) struct Sides<'a> {
    pub now: (&'a [Row], &'a Sums),
    /// With the names of the networks that the comparison leaves out.
    pub alike: Option<(&'a Merged, String)>,
    pub before: Option<&'a Merged>,
    pub currency: Currency,
}

/// Returns "United States had 31.2% of all revenue: $3.10 of $9.94."
pub(super) fn share(turn: &Turn<'_>, plan: &Plan, lead: Metric, sides: &Sides<'_>) -> Option<String> {
    let currency = sides.currency;
    let mut part = plan.part.clone().or_else(|| network_of_share(turn, plan, sides.now.0))?;
    // In the order in which the question names them.
    let place = |wanted: &str| turn.lower.find(&wanted.to_lowercase().replace('_', " ")).unwrap_or(usize::MAX);
    part.values.sort_by_key(|(wanted, _)| place(wanted));
    let part = &part;
    let now = slices(part, lead, sides.now.0, sides.now.1, currency)?;
    if now.is_empty() {
        return None;
    }
    let whole = value(&lead.of(sides.now.1, currency));
    let amounts: Vec<String> = now.iter().map(|slice| value(&slice.own)).collect();
    let text = format!("{} of all {}: {} of {whole}.", percents(&now), lead.word(), and(&amounts));
    let (Some(before), Some(against)) = (sides.before, &plan.against) else { return Some(text) };
    let Some(was) = slices(part, lead, &before.rows, &before.total(), currency) else { return Some(text) };
    let before: Vec<String> = was.iter().map(|slice| format!("{}%", decimals(slice.percent, 1))).collect();
    let (alike, apart) = match &sides.alike {
        Some((alike, apart)) => (slices(part, lead, &alike.rows, &alike.total(), currency)?, apart.as_str()),
        None => (now, ""),
    };
    let after: Vec<String> = alike.iter().map(|slice| format!("{}%", decimals(slice.percent, 1))).collect();
    let (before, words) = (and(&before), &against.words);
    let other = if apart.is_empty() {
        format!("It was {before} {words}.")
    } else {
        format!("Without {apart}: {}, against {before} {words}.", and(&after))
    };
    Some(format!("{text} {other}"))
}

/// For "what share of revenue is Unity?": returns the named network as a filter, if the rows are networks.
fn network_of_share(turn: &Turn<'_>, plan: &Plan, rows: &[Row]) -> Option<WireFilter> {
    if plan.dims != [Dim::Network] || !super::spec::asks_share(turn) {
        return None;
    }
    let reading = Reading::new(turn.question(), turn.today, &[]);
    let [mention] = reading.mentions[..] else { return None };
    let of = |row: &&Row| crate::planner::spelled::network_in(&label(&row.cells)) == Some(mention.network);
    let (own, via): (Vec<&Row>, Vec<&Row>) =
        rows.iter().filter(of).partition(|row| !label(&row.cells).contains(" via "));
    let found = if own.is_empty() { via } else { own };
    let values: Vec<(String, Option<String>)> =
        found.iter().filter_map(|row| Some((identity(row.cells.first()?), None))).collect();
    let words = label(&found.first()?.cells);
    Some(WireFilter { dim: Dim::Network, values, words })
}

/// Answers "did A grow faster than B": yes or no, and how much each moved.
pub(super) fn faster(
    turn: &Turn<'_>,
    plan: &Plan,
    rows: &[Row],
    before: Option<&Merged>,
    currency: Currency,
) -> Option<String> {
    const MOVES: [&str; 12] = [
        "grow",
        "grew",
        "growing",
        "grown",
        "rise",
        "rose",
        "increase",
        "increased",
        "fall",
        "fell",
        "drop",
        "dropped",
    ];
    let asks = turn.says(&["faster than", "more than", "slower than", "less than"]) && turn.says(&MOVES);
    let (lead, before) = (plan.asked.first().copied()?, before?);
    if !asks || plan.dims.len() != 1 {
        return None;
    }
    let mut named: Vec<(usize, &Row)> = rows.iter().filter_map(|row| Some((said_at(turn, row)?, row))).collect();
    named.sort_by_key(|(at, _)| *at);
    named.dedup_by_key(|(at, _)| *at);
    let [(_, one), (_, other)] = named.as_slice() else { return None };
    let by = |row: &Row| {
        let was = before.rows.iter().find(|old| old.cells.iter().map(identity).eq(row.cells.iter().map(identity)))?;
        change(lead, &lead.of(&row.sums, currency), &lead.of(&was.sums, currency))
    };
    let called = [one, other].map(|row| plain(&label(&row.cells)));
    let (Some(a), Some(b)) = (by(one), by(other)) else {
        return Some(format!(
            "I can't tell: **{}** and **{}** don't both have numbers for both periods.",
            called[0], called[1]
        ));
    };
    let falls = turn.says(&["fall", "fell", "drop", "dropped"]);
    if !falls && a.max(b) <= 0.0 {
        return Some(format!(
            "**Neither grew**: **{}** is {}, **{}** {}.",
            called[0],
            moved(lead, a),
            called[1],
            moved(lead, b)
        ));
    }
    let ahead = if falls { b > a } else { a > b };
    let yes = ahead != turn.says(&["slower than", "less than"]);
    Some(format!(
        "**{}**: **{}** is {}, **{}** {}.",
        if yes && moved(lead, a - b) != "unchanged" { "Yes" } else { "No" },
        called[0],
        moved(lead, a),
        called[1],
        moved(lead, b)
    ))
}

/// Returns where the question names the row's thing.
fn said_at(turn: &Turn<'_>, row: &Row) -> Option<usize> {
    let name = label(&row.cells);
    let reading = Reading::new(turn.question(), turn.today, &[]);
    let network = reading.mentions.iter().find(|mention| {
        let own = mention.network.display_name();
        name == own || name.starts_with(&format!("{own} ")) || own.starts_with(&format!("{name} "))
    });
    network.map(|mention| reading.tokens[mention.at].start).or_else(|| {
        let text = turn.question().to_lowercase();
        (name.len() > 2).then(|| text.find(&name.to_lowercase())).flatten()
    })
}

/// Answers "by how much was it below the average": compares the lowest or highest point with the average of all points.
pub(super) fn from_average(
    turn: &Turn<'_>,
    plan: &Plan,
    rows: &[Row],
    total: &Sums,
    currency: Currency,
) -> Option<String> {
    let average = turn.says(&["average", "avg", "mean"]);
    let far = turn.says(&["below", "under", "above", "over", "lower than", "higher than", "from", "off"]);
    let (lowest, highest) = (
        turn.says(&["lowest", "worst", "weakest", "smallest"]),
        turn.says(&["highest", "best", "strongest", "biggest"]),
    );
    let lead = plan.asked.first().copied()?;
    if !average || !far || lowest == highest || plan.dims.len() != 1 || rows.len() < 2 {
        return None;
    }
    let of = |row: &Row| lead.of(&row.sums, currency);
    let sized = rows.iter().filter_map(|row| Some((row, of(row).as_f64()?)));
    let end = |a: &(&Row, f64), b: &(&Row, f64)| a.1.total_cmp(&b.1);
    let (row, own) = if lowest { sized.min_by(end)? } else { sized.max_by(end)? };
    let mean = if lead.adds_up() {
        lead.divided_by(total, i32::try_from(rows.len()).ok()?, currency)
    } else {
        lead.of(total, currency)
    };
    let middle = mean.as_f64().filter(|mean| *mean > 0.0)?;
    let by = apart(&of(row), &mean, currency);
    let share = decimals(((own - middle) * 100.0 / middle).abs(), 1);
    let side = if own < middle { "below" } else { "above" };
    let point =
        if plan.dims[0].is_time() { capital(&point(plan.dims[0], &row.cells)) } else { plain(&label(&row.cells)) };
    Some(format!("{point}: **{by}** ({share}%) {side} the average of {}.", value(&mean)))
}

/// Returns the difference between two numbers, in their own unit.
fn apart(one: &Value, other: &Value, currency: Currency) -> String {
    match (one, other) {
        (Value::Money { money: a }, Value::Money { money: b }) => {
            Money::new(currency, (a.micros - b.micros).abs()).display(2)
        }
        (a, b) => decimals((a.as_f64().unwrap_or(0.0) - b.as_f64().unwrap_or(0.0)).abs(), 1),
    }
}
