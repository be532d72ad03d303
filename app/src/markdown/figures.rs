//! Figures of an answer that are known to come from a call. Pure: it finds texts, it never makes one up.

use std::collections::HashMap;

use adagent_contract::{Artifact, StepView, TurnView, Value};
use adagent_domain::{Timestamp, ToolCallId};

use crate::ui::format;

/// Where a figure came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    pub call: ToolCallId,
    pub tool: String,
    pub at: Timestamp,
}

/// Figures by how they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures(HashMap<String, Figure>);

impl Figures {
    /// The figures of a turn's artifacts and tool results. Where two calls have the same figure, the first one keeps it.
    pub fn of(turn: &TurnView) -> Self {
        let mut figures = Self::default();
        for step in &turn.steps {
            if let StepView::Tool { at, tool_call_id, name, artifact: Some(artifact), .. } = step {
                figures.add_artifact(artifact, &Figure { call: *tool_call_id, tool: name.clone(), at: *at });
            }
        }
        for artifact in &turn.artifacts {
            let source = sources(artifact).iter().find_map(|call| known(turn, *call));
            if let Some(figure) = source {
                figures.add_artifact(artifact, &figure);
            }
        }
        figures
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add_artifact(&mut self, artifact: &Artifact, from: &Figure) {
        match artifact {
            Artifact::Kpi { tiles, .. } => {
                for tile in tiles {
                    self.add(&tile.value, from);
                    tile.previous.iter().for_each(|value| self.add(value, from));
                    if let Some(change) = tile.change {
                        self.add_text(format!("{}%", format::decimal(change.abs(), 1)), from);
                    }
                }
            }
            Artifact::Timeseries { chart, .. } => {
                chart.series.iter().flat_map(|series| &series.points).for_each(|point| self.add(&point.value, from));
            }
            Artifact::Bars { items, .. } => {
                for item in items {
                    self.add(&item.value, from);
                    item.previous.iter().for_each(|value| self.add(value, from));
                }
            }
            Artifact::Table { table, .. } => {
                table.rows.iter().chain(&table.total).flatten().for_each(|value| self.add(value, from));
            }
            Artifact::Json { .. } => {}
        }
    }

    fn add(&mut self, value: &Value, from: &Figure) {
        if value.as_f64().is_some() {
            self.add_text(format::value(value), from);
        }
        if let Value::Percent { value } = value {
            self.add_text(format!("{}%", format::decimal(*value, 2)), from);
        }
    }

    fn add_text(&mut self, text: String, from: &Figure) {
        // "7" is in every answer; "$7.00" is a figure.
        if text.contains(['.', ',', '%']) {
            self.0.entry(text).or_insert_with(|| from.clone());
        }
    }

    /// The text in pieces, each with the call it came from if it is a figure.
    pub fn split(&self, text: &str) -> Vec<(String, Option<Figure>)> {
        let mut out: Vec<(String, Option<Figure>)> = Vec::new();
        let mut plain = String::new();
        for token in tokens(text) {
            match self.0.get(token) {
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

fn known(turn: &TurnView, wanted: ToolCallId) -> Option<Figure> {
    turn.steps.iter().find_map(|step| match step {
        StepView::Tool { at, tool_call_id, name, .. } if *tool_call_id == wanted => {
            Some(Figure { call: wanted, tool: name.clone(), at: *at })
        }
        _ => None,
    })
}

/// The text cut into what looks like a figure and what lies between; together they are the text.
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

/// How far a figure reaches: symbol, digits with separators inside, and a per cent sign. At least one character.
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
            // A separator counts only when a digit follows: "$5." ends before the full stop.
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
        let figure = Figure {
            call: ToolCallId(SequentialIds::default().next_uuid()),
            tool: "admob_generate_network_report".into(),
            at: Timestamp::EPOCH,
        };
        let mut figures = Figures::default();
        for text in texts {
            figures.add_text((*text).to_owned(), &figure);
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
        figures.add(&Value::Money { money: Money::new(Currency::USD, 8_380_000) }, &figure);
        figures.add(&Value::Percent { value: 84.91 }, &figure);
        figures.add(&Value::Missing, &figure);
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
