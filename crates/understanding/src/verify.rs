//! The verifier's rules: does the answer cover everything that was asked for, and does every number in it come from a result?
//!
//! The verifier never repairs an answer. It only says what is missing or unfounded, so that the loop can go on or stop honestly.

use std::{collections::BTreeSet, sync::OnceLock};

use adagent_contract::{Artifact, EntityItem, Value as Cell};
use serde_json::Value;

use crate::derive::{Derived, derive};
use crate::text::{Kind, Token, fold, tokens};
use crate::types::{Capability, Outcome, Slots, Understood};

/// Something that was asked for and that the answer lacks, or something in the answer that no result supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    Network(String),
    Dates {
        from: String,
        to: String,
    },
    Metric(String),
    /// A number in the answer that is in no result.
    UnfoundedFigure(String),
    /// An ID in the answer that is in no result.
    UnknownId(String),
    /// The answer says nothing.
    Text,
}

/// The result of the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Complete,
    Incomplete {
        reasons: Vec<String>,
        missing: Vec<Missing>,
        /// The run read the wrong networks, so it must route again.
        needs_reroute: bool,
        /// IDs are unknown, so the run must load the entities again.
        needs_entity_refresh: bool,
    },
}

/// The result of one call.
#[derive(Debug, Clone, Copy)]
pub struct ToolResult<'a> {
    pub tool: &'a str,
    pub arguments: &'a Value,
    pub output: &'a Value,
}

/// A number as the answer writes it: its value and how exact it is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Figure {
    value: f64,
    /// Half a unit of the last digit shown.
    tolerance: f64,
}

impl Figure {
    fn fits(self, known: f64) -> bool {
        // Allow for rounding of binary fractions.
        (self.value.abs() - known.abs()).abs() <= self.tolerance * 1.000_001 + 1e-9
    }
}

/// Reads a number such as `1,234.56`, `12.3`, `1.2M` or `4k`. `None` if it is none.
fn figure(raw: &str) -> Option<Figure> {
    let lower = raw.to_ascii_lowercase();
    let (body, factor) = [("bn", 1e9), ("b", 1e9), ("mio", 1e6), ("m", 1e6), ("k", 1e3)]
        .iter()
        .find_map(|(s, f)| lower.strip_suffix(s).map(|b| (b, *f)))
        .unwrap_or((lower.as_str(), 1.0));
    if body.is_empty()
        || !body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
        || !body.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    // Commas separate thousands, and the point is the decimal separator.
    let plain = body.replace(',', "");
    let value: f64 = plain.parse().ok()?;
    let places = plain.split_once('.').map_or(0, |(_, d)| d.len());
    let places = i32::try_from(places).unwrap_or(0);
    Some(Figure { value: value * factor, tolerance: 0.5 * 10f64.powi(-places) * factor })
}

/// The numbers that results hold as numbers.
#[derive(Debug, Default)]
struct Numbers(Vec<f64>);

/// The words and numbers in the texts of results. There is one entry for every word of every result, so we read them only if no number in
/// the results supports what the answer says.
#[derive(Debug, Default)]
struct Words {
    numbers: Numbers,
    words: BTreeSet<String>,
}

/// Collects the numbers and texts of results.
trait Known {
    fn number(&mut self, n: f64);

    fn text(&mut self, text: &str);

    /// Adds a number in several units: results have micros and fractions, answers have units and percent.
    fn scaled(&mut self, n: f64) {
        for n in [n, n / 1e6, n * 100.0] {
            self.number(n);
        }
    }

    fn json(&mut self, value: &Value) {
        match value {
            Value::Number(n) => self.scaled(n.as_f64().unwrap_or(0.0)),
            Value::String(s) => self.text(s),
            Value::Array(list) => {
                #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
                self.number(list.len() as f64);
                for v in list {
                    self.json(v);
                }
            }
            Value::Object(map) => {
                // The lines of a group are keyed by ID: "with 2 bidding lines" counts them.
                #[expect(clippy::cast_precision_loss, reason = "a count of members")]
                self.number(map.len() as f64);
                map.values().for_each(|v| self.json(v));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn cell(&mut self, cell: &Cell) {
        match cell {
            Cell::Money { .. } | Cell::Count { .. } | Cell::Percent { .. } | Cell::Number { .. } => {
                if let Some(n) = cell.as_f64() {
                    self.number(n);
                }
            }
            Cell::Date { value } | Cell::Text { value } => self.text(value),
            Cell::Entity { id, name } => {
                self.text(id);
                self.text(name);
            }
            Cell::Missing => {}
        }
    }

    fn artifact(&mut self, artifact: &Artifact) {
        match artifact {
            Artifact::Kpi { tiles, subtitle, .. } => {
                self.text(subtitle);
                for tile in tiles {
                    self.cell(&tile.value);
                    if let Some(change) = tile.change {
                        self.number(change);
                    }
                    if let Some(previous) = &tile.previous {
                        self.cell(previous);
                        if let (Some(a), Some(b)) = (tile.value.as_f64(), previous.as_f64()) {
                            self.number(a - b);
                        }
                    }
                }
            }
            Artifact::Timeseries { chart, subtitle, .. } => {
                self.text(subtitle);
                for series in &chart.series {
                    self.text(&series.name);
                    for point in &series.points {
                        self.text(&point.at);
                        self.cell(&point.value);
                    }
                }
            }
            Artifact::Bars { items, subtitle, .. } => {
                self.text(subtitle);
                for item in items {
                    self.text(&item.label);
                    self.cell(&item.value);
                    if let Some(share) = item.share {
                        self.number(share);
                    }
                    if let Some(previous) = &item.previous {
                        self.cell(previous);
                    }
                }
            }
            Artifact::Table { table, subtitle, .. } => {
                self.text(subtitle);
                #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
                for count in [table.row_count as f64, table.rows.len() as f64] {
                    self.number(count);
                }
                for cell in table.rows.iter().flatten().chain(table.total.iter().flatten()) {
                    self.cell(cell);
                }
            }
            Artifact::Json { value, .. } => self.json(value),
        }
    }
}

impl Known for Numbers {
    fn number(&mut self, n: f64) {
        self.0.push(n);
    }

    fn text(&mut self, _: &str) {}
}

impl Known for Words {
    fn number(&mut self, _: f64) {}

    fn text(&mut self, text: &str) {
        self.words.insert(fold(text));
        if let Ok(n) = text.parse::<f64>() {
            self.numbers.scaled(n);
        }
        for token in tokens(text) {
            if let Kind::Number(n) = token.kind {
                self.numbers.number(n);
            }
            self.words.insert(token.norm);
        }
    }
}

impl Numbers {
    fn holds(&self, figure: Figure) -> bool {
        self.0.iter().any(|n| figure.fits(*n))
    }
}

impl Words {
    fn names(&self, id: &str) -> bool {
        self.words.contains(id) || self.words.iter().any(|w| w.contains(id))
    }
}

/// Checks whether a number in a text belongs to a date, a period or a list position, and so is no value of a report.
fn is_time_or_count(all: &[Token], at: usize) -> bool {
    const UNITS: &[&str] = &[
        "day",
        "week",
        "month",
        "year",
        "hour",
        "minute",
        "second",
        "quarter",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
    ];
    let near = |i: Option<usize>| i.and_then(|i| all.get(i)).is_some_and(|t| t.any(UNITS));
    let year = all[at].norm.len() == 4 && all[at].norm.starts_with("20");
    let range = all.get(at + 1).is_some_and(|t| matches!(t.kind, Kind::Punct('–' | '-')))
        && (near(Some(at + 3)) || near(Some(at + 2)))
        || all.get(at + 1).is_some_and(|t| t.is("to")) && near(Some(at + 3))
        // "Nov 14–20, 2026"
        || at >= 3 && matches!(all[at - 1].kind, Kind::Punct('–')) && near(Some(at - 3));
    let money = at > 0 && matches!(all[at - 1].kind, Kind::Punct('$' | '€' | '£' | '¥'));
    let listed = all.get(at + 1).is_some_and(|t| t.is_punct('.')) && (at == 0 || all[at - 1].start == 0);
    !money
        && (near(Some(at + 1))
            || near(at.checked_sub(1))
            || year
            || range
            || listed
            || all.get(at.wrapping_sub(1)).is_some_and(|t| t.any(&["top", "bottom", "first", "last", "page", "per"])))
}

fn metric_words(metric: &str) -> &'static [&'static str] {
    match metric {
        "revenue" => &["revenue", "earning", "earned", "estimated_earnings", "income", "made"],
        "ecpm" => &["ecpm", "rpm", "cpm", "observed_ecpm", "impression_rpm"],
        "fills" => &["matched", "fill", "matched_requests", "responses"],
        "match_rate" | "fill_rate" => &["match", "fill", "match_rate", "fill_rate"],
        "show_rate" => &["show", "show_rate"],
        "requests" => &["request", "ad_requests", "attempts"],
        "impressions" => &["impression"],
        "clicks" => &["click"],
        "ctr" => &["ctr", "impression_ctr"],
        _ => &[],
    }
}

/// Returns the text of everything that is shown: the answer, titles of artifacts, and labels of columns and tiles.
fn shown(answer: &str, artifacts: &[Artifact]) -> String {
    let mut out = fold(answer);
    for artifact in artifacts {
        let text = serde_json::to_string(artifact).unwrap_or_default();
        out.push(' ');
        out.push_str(&fold(&text));
    }
    out
}

/// Checks whether the answer compares whole days only, and says so: it leaves out the day in progress, or takes the last whole period
/// instead of one that just began.
fn compares_full_days(slots: &Slots, answer: &str, artifacts: &[Artifact], results: &[ToolResult<'_>]) -> bool {
    use jiff::{ToSpan as _, civil::Date};
    let (Some(from), Some(to)) = (&slots.date_from, &slots.date_to) else { return false };
    let before = to.parse::<Date>().map(|to| to.saturating_sub(1.day()).to_string()).unwrap_or_default();
    let other = slots.compare_to.as_ref();
    answer.contains("still in progress")
        && (from < to && dates_covered(from, &before, artifacts, results)
            || other.is_some_and(|other| dates_covered(&other.date_from, &other.date_to, artifacts, results)))
}

fn dates_covered(from: &str, to: &str, artifacts: &[Artifact], results: &[ToolResult<'_>]) -> bool {
    let mut text = shown("", artifacts);
    for result in results {
        text.push_str(&result.arguments.to_string());
    }
    // Report requests hold dates as objects with year, month and day.
    let parts = |date: &str| -> Option<(i64, i64, i64)> {
        let mut it = date.split('-').map(str::parse);
        Some((it.next()?.ok()?, it.next()?.ok()?, it.next()?.ok()?))
    };
    let as_object =
        |date: &str| parts(date).is_some_and(|(y, m, d)| results.iter().any(|r| holds_date(r.arguments, y, m, d)));
    let seen = |date: &str| text.contains(date) || as_object(date);
    seen(from) && seen(to)
}

fn holds_date(value: &Value, year: i64, month: i64, day: i64) -> bool {
    match value {
        Value::Object(map) => {
            let is = |key: &str, n: i64| map.get(key).and_then(Value::as_i64) == Some(n);
            (is("year", year) && is("month", month) && is("day", day))
                || map.values().any(|v| holds_date(v, year, month, day))
        }
        Value::Array(list) => list.iter().any(|v| holds_date(v, year, month, day)),
        _ => false,
    }
}

fn is_network_id(word: &str) -> bool {
    word.starts_with("ca-app-pub-") || word.starts_with("pub-")
}

/// The largest count that a text may state of things it lists itself ("which of these 2"). It applies only if there are no results that the
/// text could miscount.
const OWN_COUNT: f64 = 12.0;

/// The sources of the numbers and IDs of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Grounds<'a> {
    pub understood: &'a Understood,
    pub artifacts: &'a [Artifact],
    pub results: &'a [ToolResult<'a>],
    /// Texts that the answer may repeat, such as earlier turns of the conversation.
    pub said: &'a [String],
    /// Things whose names and IDs the answer may repeat.
    pub named: &'a [&'a [EntityItem]],
}

impl Grounds<'_> {
    fn tell(&self, to: &mut impl Known) {
        for artifact in self.artifacts {
            to.artifact(artifact);
        }
        for result in self.results {
            to.json(result.output);
            to.json(result.arguments);
        }
        // The answer may repeat what the person said.
        to.text(&self.understood.standalone);
        for text in self.said {
            to.text(text);
        }
        for item in self.named.iter().copied().flatten() {
            to.text(&item.id);
            to.text(&item.name);
        }
        let slots = self.understood.slots.as_ref();
        // The number of days that the person asked for is not invented either.
        let day = |text: &Option<String>| text.as_deref().and_then(|t| t.parse::<jiff::civil::Date>().ok());
        if let Some((from, until)) = slots.and_then(|s| day(&s.date_from).zip(day(&s.date_to))) {
            to.number(f64::from((until - from).get_days() + 1));
        }
        for filter in slots.iter().flat_map(|s| &s.filters) {
            to.json(&serde_json::to_value(&filter.value).unwrap_or(Value::Null));
        }
    }
}

/// The numbers and IDs that an answer may contain. Each kind is computed once, when a check first needs it, while the answer grows. All
/// checks of one value must use the same grounds.
#[derive(Debug, Default)]
pub struct Figures {
    numbers: OnceLock<Numbers>,
    words: OnceLock<Words>,
    derived: OnceLock<Derived>,
}

impl Figures {
    /// Checks whether the sources support everything in this piece of an answer.
    pub fn cover(&self, grounds: &Grounds<'_>, text: &str) -> bool {
        self.uncovered(grounds, text).is_empty()
    }

    fn words(&self, grounds: &Grounds<'_>) -> &Words {
        self.words.get_or_init(|| {
            let mut words = Words::default();
            grounds.tell(&mut words);
            words
        })
    }

    fn numbers(&self, grounds: &Grounds<'_>) -> &Numbers {
        self.numbers.get_or_init(|| {
            let mut numbers = Numbers::default();
            grounds.tell(&mut numbers);
            numbers
        })
    }

    fn uncovered(&self, grounds: &Grounds<'_>, text: &str) -> Vec<Missing> {
        let mut missing = Vec::new();
        // Answers about documentation or about the assistant need no results.
        if matches!(grounds.understood.capability, Capability::Docs | Capability::Assistant) {
            return missing;
        }
        let all = tokens(text);
        for (at, token) in all.iter().enumerate() {
            let raw = text.get(token.start..token.end).unwrap_or("");
            match token.kind {
                Kind::Number(_) if !is_time_or_count(&all, at) && !self.holds(grounds, &all, at, raw) => {
                    missing.push(Missing::UnfoundedFigure(raw.to_owned()));
                }
                Kind::Id if is_network_id(&token.norm) && !self.words(grounds).names(&token.norm) => {
                    missing.push(Missing::UnknownId(raw.to_owned()));
                }
                _ => {}
            }
        }
        missing
    }

    fn holds(&self, grounds: &Grounds<'_>, all: &[Token], at: usize, raw: &str) -> bool {
        let Some(figure) = figure(raw) else { return true };
        if self.numbers(grounds).holds(figure) {
            return true;
        }
        let words = self.words(grounds);
        if words.numbers.holds(figure) || words.words.contains(&all[at].norm) {
            return true;
        }
        let money = at > 0 && matches!(all[at - 1].kind, Kind::Punct('$' | '€' | '£' | '¥'));
        let percent =
            raw.ends_with('%') || all.get(at + 1).is_some_and(|t| t.is_punct('%') || t.any(&["percent", "percentage"]));
        if grounds.results.is_empty() && !money && !percent && figure.value <= OWN_COUNT && figure.value.fract() == 0.0
        {
            return true;
        }
        let derived = self.derived.get_or_init(|| derive(grounds.results));
        #[expect(clippy::cast_precision_loss, reason = "counts of rows")]
        if !money && !percent && derived.counts.iter().any(|n| figure.fits(*n as f64)) {
            return true;
        }
        let derived = if percent { &derived.percents } else { &derived.amounts };
        derived.iter().any(|n| figure.fits(*n))
    }
}

/// Checks an answer against the question and the results of the networks.
pub fn verify(understood: &Understood, answer: &str, artifacts: &[Artifact], results: &[ToolResult<'_>]) -> Verdict {
    verify_said(&Grounds { understood, artifacts, results, said: &[], named: &[] }, answer)
}

/// Does the same as [`verify`]. The answer may also repeat what was said and named.
pub fn verify_said(grounds: &Grounds<'_>, answer: &str) -> Verdict {
    let Grounds { understood, artifacts, results, .. } = *grounds;
    let mut missing = Vec::new();
    let mut reasons = Vec::new();
    let (mut needs_reroute, mut needs_entity_refresh) = (false, false);
    if answer.trim().is_empty() && artifacts.is_empty() {
        missing.push(Missing::Text);
        reasons.push("The answer is empty.".to_owned());
    }
    let reads = understood.outcome == Outcome::Answer
        && !matches!(understood.capability, Capability::Docs | Capability::Assistant);
    if reads {
        for network in &understood.services {
            let prefix = format!("{}_", network.id());
            if !results.iter().any(|r| r.tool.starts_with(&prefix)) {
                reasons.push(format!("Nothing was read from {}.", network.display_name()));
                missing.push(Missing::Network(network.id().to_owned()));
                needs_reroute = true;
            }
        }
        if let (Capability::Reporting, Some(slots), false) =
            (understood.capability, &understood.slots, results.is_empty())
        {
            if let (Some(from), Some(to)) = (&slots.date_from, &slots.date_to)
                && !dates_covered(from, to, artifacts, results)
                && !compares_full_days(slots, answer, artifacts, results)
            {
                reasons.push(format!("The period {from} to {to} wasn't read."));
                missing.push(Missing::Dates { from: from.clone(), to: to.clone() });
            }
            let text = shown(answer, artifacts);
            for metric in &slots.metrics {
                let words = metric_words(metric);
                if !text.contains(metric.as_str()) && !words.iter().any(|w| text.contains(w)) {
                    reasons.push(format!("{metric} was asked for and isn't shown."));
                    missing.push(Missing::Metric(metric.clone()));
                }
            }
        }
    }
    for what in Figures::default().uncovered(grounds, answer) {
        match &what {
            Missing::UnknownId(id) => {
                reasons.push(format!("The id {id} is in no result."));
                needs_entity_refresh = true;
            }
            Missing::UnfoundedFigure(figure) => reasons.push(format!("The figure {figure} is in no result.")),
            _ => {}
        }
        missing.push(what);
    }
    if missing.is_empty() {
        Verdict::Complete
    } else {
        Verdict::Incomplete { reasons, missing, needs_reroute, needs_entity_refresh }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Question;
    use adagent_domain::Network;
    use serde_json::json;

    fn asked(text: &str) -> Understood {
        crate::understand(&Question {
            text: text.into(),
            connected: vec![Network::AdMob],
            today: "2026-11-21".into(),
            ..Question::default()
        })
    }

    fn check(answer: &str, tool: &str, output: &Value) -> Verdict {
        let arguments = json!({"dateRange": {"startDate": {"year": 2026, "month": 11, "day": 20}, "endDate": {"year": 2026, "month": 11, "day": 20}}});
        verify(&asked("AdMob revenue yesterday"), answer, &[], &[ToolResult { tool, arguments: &arguments, output }])
    }

    #[test]
    fn a_figure_found_in_micros_is_complete() {
        let verdict = check(
            "AdMob revenue on 20 November 2026: $1,234.56, match rate 91.2%.",
            "admob_generate_mediation_report",
            &json!({"microsValue": "1234560000", "rate": 0.9123}),
        );
        assert_eq!(verdict, Verdict::Complete);
    }

    #[test]
    fn abbreviated_figures_count_within_their_rounding() {
        let rows = json!({"revenue": 5, "impressions": 1_234_567});
        assert_eq!(
            check("Revenue $5 from 1.2M impressions.", "admob_generate_mediation_report", &rows),
            Verdict::Complete
        );
        assert_ne!(
            check("Revenue $5 from 1.3M impressions.", "admob_generate_mediation_report", &rows),
            Verdict::Complete
        );
    }

    fn report(rows: &[(&str, i64, i64)]) -> Value {
        let rows = rows.iter().map(|(date, micros, impressions)| {
            json!([{"type": "date", "value": date}, {"type": "money", "money": {"currency": "USD", "micros": micros}},
                   {"type": "count", "value": impressions}])
        });
        json!({"kind": "report", "rows": rows.collect::<Vec<_>>(), "columns": [
            {"key": "date", "kind": "date"}, {"key": "revenue", "kind": "money"}, {"key": "impressions", "kind": "count"}]})
    }

    /// Checks an answer against two accounts' reports of one request and the first account's report of the week before.
    fn rests_on_reports(answer: &str) -> bool {
        let now = report(&[("2026-11-19", 100_250_000, 50_000), ("2026-11-20", 130_750_000, 60_000)]);
        let other = report(&[("2026-11-19", 11_110_000, 7_000), ("2026-11-20", 22_220_000, 9_000)]);
        let before = report(&[("2026-11-12", 80_000_000, 40_000), ("2026-11-13", 125_000_000, 62_000)]);
        let asked_for = |account: &str, day: i64| json!({"account_id": account, "body": {"day": day}});
        let (a, b, c) = (asked_for("pub-1", 19), asked_for("pub-2", 19), asked_for("pub-1", 12));
        let results = [(&a, &now), (&b, &other), (&c, &before)].map(|(arguments, output)| ToolResult {
            tool: "admob_generate_mediation_report",
            arguments,
            output,
        });
        let mut understood = asked("AdMob revenue yesterday");
        understood.slots = None;
        verify(&understood, answer, &[], &results) == Verdict::Complete
    }

    #[test]
    fn figures_one_step_away_from_the_reports_are_backed_up() {
        for answer in [
            "Both accounts earned $264.33 together.",
            "The first account earned $231.00 in all.",
            "On the 20th, both made $152.97.",
            "That is $30.50 more than the day before, +30.4%.",
            "It holds 87.4% of the revenue.",
            "Against the week before: $59.33 more, up 28.9%.",
            "eCPM was $2.10 over both days.",
        ] {
            assert!(rests_on_reports(answer), "{answer}");
        }
    }

    #[test]
    fn figures_that_follow_from_nothing_are_not() {
        for answer in [
            "Both accounts earned $264.93 together.",
            "That is $31.50 more than the day before.",
            "It grew by 41.7%.",
            "It holds 61.4% of the revenue.",
            "I expect $310.00 tomorrow.",
            "There were 999 clicks.",
        ] {
            assert!(!rests_on_reports(answer), "{answer}");
        }
    }

    #[test]
    fn an_answer_without_a_call_may_repeat_and_count_but_not_state_figures() {
        let understood = asked("AdMob revenue yesterday");
        let said = [
            "Word Quest earned $512.40 on 20 November.".to_owned(),
            "ca-app-pub-1111111111111111~1111111111".to_owned(),
        ];
        let figures = Figures::default();
        let grounds = Grounds { understood: &understood, artifacts: &[], results: &[], said: &said, named: &[] };
        for fine in [
            "As I said: $512.40.",
            "Which of these 2 apps do you mean?",
            "It is ca-app-pub-1111111111111111~1111111111.",
        ] {
            assert!(figures.cover(&grounds, fine), "{fine}");
        }
        for made_up in
            ["You earned $512.41.", "It was $7.", "It grew 5%.", "Try ca-app-pub-2222222222222222~1111111111."]
        {
            assert!(!figures.cover(&grounds, made_up), "{made_up}");
        }
    }

    #[test]
    fn an_invented_figure_is_named() {
        let Verdict::Incomplete { missing, .. } =
            check("Revenue was $999.99.", "admob_generate_mediation_report", &json!({"microsValue": "1234560000"}))
        else {
            panic!("must be incomplete")
        };
        assert_eq!(missing, [Missing::UnfoundedFigure("999.99".into())]);
    }

    #[test]
    fn units_and_counts_of_what_was_sent_are_no_inventions() {
        let sent = json!({"lines": {"-1": {"cpmMicros": "2500000"}, "-2": {}}});
        let tool = "admob_create_mediation_group";
        let say = |answer: &str| {
            let mut understood = asked("create a mediation group");
            understood.outcome = Outcome::Approval;
            verify(&understood, answer, &[], &[ToolResult { tool, arguments: &sent, output: &json!({}) }])
        };
        assert_eq!(say("Created with 2 lines; one starts at $2.50 per 1,000 impressions."), Verdict::Complete);
        assert_ne!(say("Created with 4 lines; one starts at $3.50."), Verdict::Complete);
    }

    #[test]
    fn an_unread_network_asks_for_another_route() {
        let Verdict::Incomplete { needs_reroute, missing, .. } =
            check("Revenue was $5.", "unity_get_levelplay_report", &json!({"x": 5}))
        else {
            panic!("must be incomplete")
        };
        assert!(needs_reroute);
        assert_eq!(missing, [Missing::Network("admob".into())]);
    }

    #[test]
    fn an_unknown_id_asks_for_fresh_entities() {
        let Verdict::Incomplete { needs_entity_refresh, .. } = check(
            "Revenue $5 in ca-app-pub-1111111111111111~1111111111.",
            "admob_generate_mediation_report",
            &json!({"x": 5}),
        ) else {
            panic!("must be incomplete")
        };
        assert!(needs_entity_refresh);
    }
}
