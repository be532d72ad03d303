//! The order of a table's rows: pure, stable, with missing values last in both directions.

use std::cmp::Ordering;

use adagent_contract::{TableArtifact, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    /// Returns the value of `aria-sort`.
    pub const fn aria(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Descending => "descending",
        }
    }
}

/// The column that sorts the rows, and the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortBy {
    pub column: usize,
    pub direction: Direction,
}

/// Returns the server's sort key (`-revenue`) as a column.
pub fn initial(table: &TableArtifact) -> Option<SortBy> {
    let key = table.sorted_by.as_deref()?;
    let (direction, key) =
        key.strip_prefix('-').map_or((Direction::Ascending, key), |key| (Direction::Descending, key));
    let column = table.columns.iter().position(|column| column.key == key)?;
    Some(SortBy { column, direction })
}

/// Returns the sort order after a press on a column's header. Numbers start with the largest, words with A; another press
/// reverses the order.
pub fn pressed(now: Option<SortBy>, column: usize, numeric: bool) -> SortBy {
    let direction = match now {
        Some(SortBy { column: at, direction: Direction::Descending }) if at == column => Direction::Ascending,
        Some(SortBy { column: at, direction: Direction::Ascending }) if at == column => Direction::Descending,
        _ if numeric => Direction::Descending,
        _ => Direction::Ascending,
    };
    SortBy { column, direction }
}

/// Returns the indices of the rows in sorted order; without a column, in their original order.
pub fn order(rows: &[Vec<Value>], by: Option<SortBy>) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..rows.len()).collect();
    if let Some(by) = by {
        indices.sort_by(|a, b| {
            let cell = |row: &usize| rows.get(*row).and_then(|cells| cells.get(by.column));
            compare(cell(a), cell(b), by.direction)
        });
    }
    indices
}

fn compare(a: Option<&Value>, b: Option<&Value>, direction: Direction) -> Ordering {
    let there = |value: Option<&Value>| value.is_some_and(|value| !matches!(value, Value::Missing));
    let turned = |order: Ordering| if direction == Direction::Ascending { order } else { order.reverse() };
    match (a, b) {
        (Some(a), Some(b)) if there(Some(a)) && there(Some(b)) => turned(compare_values(a, b)),
        // Missing values stay at the end in both directions.
        (a, b) => there(b).cmp(&there(a)),
    }
}

fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        // Compare micros exactly; floats would treat close values as equal.
        (Value::Money { money: a }, Value::Money { money: b }) => a.micros.cmp(&b.micros),
        (Value::Count { value: a }, Value::Count { value: b }) => a.cmp(b),
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => text(a).cmp(&text(b)),
        },
    }
}

fn text(value: &Value) -> String {
    value.raw().to_lowercase()
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Currency, Money};

    use super::*;

    fn count(value: i64) -> Vec<Value> {
        vec![Value::Count { value }]
    }

    fn word(value: &str) -> Vec<Value> {
        vec![Value::Text { value: value.into() }]
    }

    const DOWN: Option<SortBy> = Some(SortBy { column: 0, direction: Direction::Descending });
    const UP: Option<SortBy> = Some(SortBy { column: 0, direction: Direction::Ascending });

    #[test]
    fn missing_figures_stay_last_both_ways() {
        let rows = vec![vec![Value::Missing], count(1), count(3), vec![]];
        assert_eq!(order(&rows, DOWN), [2, 1, 0, 3]);
        assert_eq!(order(&rows, UP), [1, 2, 0, 3]);
    }

    #[test]
    fn equal_rows_keep_their_order_and_words_ignore_case() {
        let rows = vec![word("b"), word("A"), word("B"), word("a")];
        assert_eq!(order(&rows, UP), [1, 3, 0, 2]);
        assert_eq!(order(&rows, None), [0, 1, 2, 3]);
    }

    #[test]
    fn money_is_compared_to_the_last_micro() {
        let money = |micros| vec![Value::Money { money: Money::new(Currency::USD, micros) }];
        let rows = vec![money(9_007_199_254_740_992), money(9_007_199_254_740_993)];
        assert_eq!(order(&rows, DOWN), [1, 0]);
    }

    #[test]
    fn a_head_turns_when_pressed_again() {
        let first = pressed(None, 2, true);
        assert_eq!(first.direction, Direction::Descending);
        assert_eq!(pressed(Some(first), 2, true).direction, Direction::Ascending);
        assert_eq!(pressed(Some(first), 1, false), SortBy { column: 1, direction: Direction::Ascending });
    }
}
