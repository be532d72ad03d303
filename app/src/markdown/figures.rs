//! Numbers in an answer that are known to come from a call. Pure: it finds texts and never invents one.

use std::collections::HashMap;

use adagent_contract::{Artifact, StepView, TurnView, Value};
use adagent_domain::{Timestamp, ToolCallId};

use crate::ui::format;

/// A call that a number comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub call: ToolCallId,
    pub tool: String,
    pub of: adagent_domain::Source,
    /// The publisher account that the call asked.
    pub account: Option<String>,
    pub at: Timestamp,
}

/// Where a number comes from: one call, or several that add up to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub sources: Vec<Source>,
    pub value: Option<Value>,
    /// The number's day, if it is in a chart.
    pub day: Option<String>,
}

/// Known numbers by their written form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    known: HashMap<String, Figure>,
    /// Identifies the turn, so that popovers of different turns get different IDs.
    pub of: String,
}

impl Figures {
    /// Collects the numbers of a turn's artifacts and tool results. If two calls have the same number, the first one keeps it.
    pub fn of(turn: &TurnView) -> Self {
        let mut figures = Self { of: turn.run_id.to_string(), ..Self::default() };
        for step in &turn.steps {
            if let (Some(source), StepView::Tool { artifact: Some(artifact), .. }) = (source_of(step), step) {
                figures.add_artifact(artifact, &[source]);
            }
        }
        for artifact in &turn.artifacts {
            let wanted = sources(artifact).iter();
            let known: Vec<Source> = wanted
                .filter_map(|call| turn.steps.iter().filter_map(source_of).find(|one| one.call == *call))
                .collect();
            if !known.is_empty() {
                figures.add_artifact(artifact, &known);
            }
        }
        figures
    }

    /// Returns how many numbers are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn add_artifact(&mut self, artifact: &Artifact, from: &[Source]) {
        match artifact {
            Artifact::Kpi { tiles, .. } => {
                for tile in tiles {
                    self.add(&tile.value, None, from);
                    tile.previous.iter().for_each(|value| self.add(value, None, from));
                    if let Some(change) = tile.change {
                        self.add_text(format!("{}%", format::decimal(change.abs(), 1)), (None, None), from);
                    }
                }
            }
            Artifact::Timeseries { chart, .. } => {
                for point in chart.series.iter().flat_map(|series| &series.points) {
                    self.add(&point.value, Some(point.date.as_ref().unwrap_or(&point.at)), from);
                }
            }
            Artifact::Bars { items, .. } => {
                for item in items {
                    self.add(&item.value, None, from);
                    item.previous.iter().for_each(|value| self.add(value, None, from));
                }
            }
            Artifact::Table { table, .. } => {
                table.rows.iter().chain(&table.total).flatten().for_each(|value| self.add(value, None, from));
            }
            Artifact::Json { .. } => {}
        }
    }

    fn add(&mut self, value: &Value, day: Option<&String>, from: &[Source]) {
        if value.as_f64().is_some() {
            self.add_text(format::value(value), (Some(value), day), from);
        }
        if let Value::Percent { value: percent } = value {
            self.add_text(format!("{}%", format::decimal(*percent, 2)), (Some(value), day), from);
        }
    }

    fn add_text(&mut self, text: String, (value, day): (Option<&Value>, Option<&String>), from: &[Source]) {
        // "7" is in almost every answer, so only forms such as "$7.00" count as numbers with a source.
        if text.contains(['.', ',', '%']) {
            let figure = || Figure { sources: from.to_vec(), value: value.cloned(), day: day.cloned() };
            self.known.entry(text).or_insert_with(figure);
        }
    }

    /// Splits the text into pieces, each with its source if it is a known number.
    pub fn split(&self, text: &str) -> Vec<(String, Option<Figure>)> {
        let mut out: Vec<(String, Option<Figure>)> = Vec::new();
        let mut plain = String::new();
        for token in tokens(text) {
            match self.known.get(token) {
                Some(figure) => {
                    if !plain.is_empty() {
                        out.push((std::mem::take(&mut plain), None));
                    }
                    out.push((token.to_owned(), Some(figure.clone())));
                }
                None => plain.push_str(token),
            }
        }
        if !plain.is_empty() || out.is_empty() {
            out.push((plain, None));
        }
        out
    }
}

fn sources(artifact: &Artifact) -> &[ToolCallId] {
    match artifact {
        Artifact::Kpi { sources, .. }
        | Artifact::Timeseries { sources, .. }
        | Artifact::Bars { sources, .. }
        | Artifact::Table { sources, .. }
        | Artifact::Json { sources, .. } => sources,
    }
}

fn source_of(step: &StepView) -> Option<Source> {
    match step {
        StepView::Tool { at, tool_call_id, name, source, params, .. } => Some(Source {
            call: *tool_call_id,
            tool: name.clone(),
            of: *source,
            account: params.get("account_id").and_then(serde_json::Value::as_str).map(str::to_owned),
            at: *at,
        }),
        _ => None,
    }
}

/// Cuts the text into possible numbers and the text between them. Joined, the pieces are the text again.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(is_start).unwrap_or(rest.len());
        let (between, from) = rest.split_at(start);
        if !between.is_empty() {
            out.push(between);
        }
        let figure = from.get(..figure_len(from)).unwrap_or("");
        if figure.is_empty() {
            break;
        }
        out.push(figure);
        rest = from.get(figure.len()..).unwrap_or("");
    }
    out
}

const fn is_start(c: char) -> bool {
    matches!(c, '0'..='9' | '$' | '€' | '£' | '¥')
}

/// Returns the length of a number: symbol, digits with separators between them, percent sign. At least one character.
fn figure_len(text: &str) -> usize {
    let mut end = 0;
    let mut seen_digit = false;
    let mut pending = 0;
    for c in text.chars() {
        match c {
            '$' | '€' | '£' | '¥' if end == 0 => end += c.len_utf8(),
            '0'..='9' => {
                end += pending + 1;
                pending = 0;
                seen_digit = true;
            }
            // A separator counts only if a digit follows: "$5." ends before the period.
            '.' | ',' if seen_digit && pending == 0 => pending = 1,
            '%' if seen_digit && pending == 0 => {
                end += 1;
                break;
            }
            _ => break,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Currency, Ids, Money, SequentialIds};

    use super::*;

    fn figures(texts: &[&str]) -> (Figures, Figure) {
        let source = Source {
            call: ToolCallId(SequentialIds::default().next_uuid()),
            tool: "admob_generate_network_report".into(),
            of: adagent_domain::Network::AdMob.into(),
            account: None,
            at: Timestamp::EPOCH,
        };
        let figure = Figure { sources: vec![source], value: None, day: None };
        let mut figures = Figures::default();
        for text in texts {
            figures.add_text((*text).to_owned(), (None, None), &figure.sources);
        }
        (figures, figure)
    }

    #[test]
    fn a_figure_is_found_whole_and_the_text_stays_the_same() {
        let (figures, figure) = figures(&["$59,642.63", "4.1%"]);
        let text = "Earned $59,642.63, 4.1% less. Not $59,642.6 or 14.1%.";
        let pieces = figures.split(text);
        assert_eq!(pieces.iter().map(|(text, _)| text.as_str()).collect::<String>(), text);
        let linked: Vec<&str> =
            pieces.iter().filter(|(_, f)| f.as_ref() == Some(&figure)).map(|(t, _)| t.as_str()).collect();
        assert_eq!(linked, ["$59,642.63", "4.1%"]);
    }

    #[test]
    fn plain_small_numbers_are_never_figures() {
        let (figures, _) = figures(&["7"]);
        assert_eq!(figures.split("7 days"), [("7 days".to_owned(), None)]);
        assert_eq!(figures.split(""), [(String::new(), None)]);
    }

    #[test]
    fn values_are_looked_for_as_they_are_shown() {
        let (mut figures, figure) = figures(&[]);
        figures.add(&Value::Money { money: Money::new(Currency::USD, 8_380_000) }, None, &figure.sources);
        figures.add(&Value::Percent { value: 84.91 }, None, &figure.sources);
        figures.add(&Value::Missing, None, &figure.sources);
        let linked = |text: &str| figures.split(text).iter().any(|(_, f)| f.is_some());
        assert!(linked("at $8.38 per thousand") && linked("84.9%") && linked("84.91%"));
        assert!(!linked("–"));
    }

    #[test]
    fn cutting_never_panics_on_symbols_and_foreign_letters() {
        for text in ["€", "$", "€€5", "¥1.2.3%", "größer als 5,", "5.%", "🙂$1🙂"] {
            let cut: String = tokens(text).concat();
            assert_eq!(cut, text);
        }
    }
}
