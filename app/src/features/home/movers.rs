//! What changed most between two weeks, and whether the cause was more ads or better-paid ones. Pure.

use adagent_contract::{Artifact, TableArtifact, Value};
use adagent_domain::Money;

/// One app whose revenue changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Mover {
    pub name: String,
    pub now: Money,
    pub before: Money,
    /// The change of impressions in percent; `None` if there was nothing before.
    pub impressions: Option<f64>,
    pub ecpm: Option<f64>,
}

impl Mover {
    pub fn change(&self) -> Money {
        Money { micros: self.now.micros.saturating_sub(self.before.micros), currency: self.now.currency }
    }

    pub fn percent(&self) -> Option<f64> {
        percent(self.now.micros, self.before.micros)
    }
}

/// Returns the `most` largest changes of revenue, up or down.
pub fn movers(revenue: &[Artifact], impressions: &[Artifact], most: usize) -> Vec<Mover> {
    let counted = pairs(impressions, "impressions", |value| match value {
        Value::Count { value } => Some(*value),
        _ => None,
    });
    let mut all: Vec<Mover> = pairs(revenue, "revenue", |value| match value {
        Value::Money { money } => Some(*money),
        _ => None,
    })
    .into_iter()
    .filter(|(_, now, before)| now.currency == before.currency && now.micros != before.micros)
    .map(|(name, now, before)| {
        let counts = counted.iter().find(|(other, ..)| *other == name).map(|(_, now, before)| (*now, *before));
        let impressions = counts.and_then(|(now, before)| percent(now, before));
        let ecpm = counts.and_then(|counts| ecpm_change((now.micros, before.micros), counts));
        Mover { name, now, before, impressions, ecpm }
    })
    .collect();
    all.sort_by_key(|mover| std::cmp::Reverse(mover.change().micros.unsigned_abs()));
    all.truncate(most);
    all
}

/// Returns the name, the value and the previous value of each row that has both.
fn pairs<T>(artifacts: &[Artifact], figure: &str, read: impl Fn(&Value) -> Option<T>) -> Vec<(String, T, T)> {
    let tables = artifacts.iter().filter_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table),
        _ => None,
    });
    let previous = format!("previous_{figure}");
    for table in tables {
        let at = |key: &str| table.columns.iter().position(|column| column.key == key);
        if let (Some(now), Some(before)) = (at(figure), at(&previous)) {
            return rows(table, now, before, &read);
        }
    }
    Vec::new()
}

fn rows<T>(
    table: &TableArtifact,
    now: usize,
    before: usize,
    read: impl Fn(&Value) -> Option<T>,
) -> Vec<(String, T, T)> {
    let row = |row: &Vec<Value>| {
        let name = match row.first()? {
            Value::Entity { name, .. } => name.clone(),
            Value::Text { value } => value.clone(),
            _ => return None,
        };
        Some((name, read(row.get(now)?)?, read(row.get(before)?)?))
    };
    table.rows.iter().filter_map(row).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a percentage of one decimal needs no more than 53 bits")]
fn percent(now: i64, before: i64) -> Option<f64> {
    (before > 0).then(|| (now as f64 - before as f64) / before as f64 * 100.0)
}

#[expect(clippy::cast_precision_loss, reason = "a percentage of one decimal needs no more than 53 bits")]
fn ecpm_change(micros: (i64, i64), impressions: (i64, i64)) -> Option<f64> {
    let rate = |micros: i64, count: i64| (count > 0).then(|| micros as f64 / count as f64);
    let (now, before) = (rate(micros.0, impressions.0)?, rate(micros.1, impressions.1)?);
    (before > 0.0).then(|| (now - before) / before * 100.0)
}

#[cfg(test)]
mod tests {
    use adagent_contract::{Column, ColumnKind};
    use adagent_domain::Currency;

    use super::*;

    fn table(figure: &str, rows: &[(&str, i64, i64)]) -> Artifact {
        let column = |key: &str| Column { key: key.into(), label: key.into(), kind: ColumnKind::Count, unit: None };
        let money = figure == "revenue";
        let value = |number: i64| {
            if money {
                Value::Money { money: Money { micros: number, currency: Currency::USD } }
            } else {
                Value::Count { value: number }
            }
        };
        let row = |(name, now, before): &(&str, i64, i64)| {
            vec![Value::Entity { id: (*name).into(), name: (*name).into() }, value(*now), value(*before)]
        };
        let table = TableArtifact {
            columns: vec![column("app"), column(figure), column(&format!("previous_{figure}"))],
            rows: rows.iter().map(row).collect(),
            total: None,
            sorted_by: None,
            row_count: rows.len() as u64,
        };
        Artifact::Table { title: String::new(), subtitle: String::new(), table, sources: Vec::new() }
    }

    #[test]
    fn the_largest_changes_come_first_and_say_why() {
        let revenue = [table("revenue", &[("A", 110, 100), ("B", 50, 100), ("C", 7, 7), ("D", 30, 0)])];
        let impressions = [table("impressions", &[("A", 110, 100), ("B", 100, 100)])];
        let found = movers(&revenue, &impressions, 2);
        assert_eq!(found.iter().map(|mover| mover.name.as_str()).collect::<Vec<_>>(), ["B", "D"]);
        assert_eq!((found[0].change().micros, found[0].percent()), (-50, Some(-50.0)));
        assert_eq!((found[0].impressions, found[0].ecpm), (Some(0.0), Some(-50.0)));
        assert_eq!((found[1].percent(), found[1].impressions, found[1].ecpm), (None, None, None), "nothing before");
        let all = movers(&revenue, &impressions, 9);
        assert_eq!(all.len(), 3, "what did not change did not move");
        assert!(all[2].ecpm.is_some_and(|change| change.abs() < 1e-9));
    }

    #[test]
    fn without_a_former_figure_nothing_moved() {
        assert!(movers(&[], &[], 5).is_empty());
    }
}
