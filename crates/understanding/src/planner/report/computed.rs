//! What a question asks of the figures besides the figures: a share, which of two grew faster, how far from the average. Every sentence
//! rests on the rows that were read; what is missing for it is said.

use adagent_contract::{Value, capital};
use adagent_domain::{Currency, Money};

use super::{
    artifacts::{change, label},
    merge::{Merged, Row, Sums, identity},
    metric::Metric,
    narrate::{moved, point},
    spec::{Plan, WireFilter},
};
use crate::planner::{
    format::{and, decimals, plain, value},
    names,
    read::Turn,
};
use crate::route::reading::Reading;

/// One part of the whole, in percent, with its name and what it is.
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
        // An app of two accounts is named twice.
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

/// The rows of now, of those that are compared where that is not all of them, and of before.
pub(super) struct Sides<'a> {
    pub now: (&'a [Row], &'a Sums),
    /// With the networks that are left out of it.
    pub alike: Option<(&'a Merged, String)>,
    pub before: Option<&'a Merged>,
    pub currency: Currency,
}

/// "United States had 31.2% of all revenue: $3.10 of $9.94."
pub(super) fn share(turn: &Turn<'_>, plan: &Plan, lead: Metric, sides: &Sides<'_>) -> Option<String> {
    let currency = sides.currency;
    let mut part = plan.part.clone()?;
    // In the order they are named in.
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

/// "did A grow faster than B": yes or no, and by how much each moved.
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

/// Where a question names what a row is of.
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

/// "by how much was it below the average": the lowest or the highest of the points, set against all of them.
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

/// How far two figures are apart, in what they are counted in.
fn apart(one: &Value, other: &Value, currency: Currency) -> String {
    match (one, other) {
        (Value::Money { money: a }, Value::Money { money: b }) => {
            Money::new(currency, (a.micros - b.micros).abs()).display(2)
        }
        (a, b) => decimals((a.as_f64().unwrap_or(0.0) - b.as_f64().unwrap_or(0.0)).abs(), 1),
    }
}
