//! Dimensions and metrics, with their numbers, formats and report types.

use std::sync::LazyLock;

use serde_json::Value;

/// One line per field: D (dimension) or M (metric), name, number, format, report types.
const TEXT: &str = include_str!("../data/report_fields.txt");

#[derive(Debug)]
pub struct Field {
    pub letter: char,
    pub name: &'static str,
    number: i64,
    pub format: &'static str,
    /// Empty if the documentation names no types.
    types: Vec<&'static str>,
}

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let mut words = line.split(' ');
        let letter = words.next()?.chars().next()?;
        let (name, number, format) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
        let types = words.next()?.split(',').filter(|it| *it != "-").collect();
        Some(Field { letter, name, number, format, types })
    };
    TEXT.lines().filter_map(line).collect()
});

/// Finds a dimension (`D`) or metric (`M`) by its name, or by its number, which the official client sends.
pub fn find(letter: char, value: &Value) -> Option<&'static Field> {
    let mut fields = FIELDS.iter().filter(|field| field.letter == letter);
    match value {
        Value::String(name) => fields.find(|field| field.name == name),
        other => other.as_i64().filter(|number| *number > 0).and_then(|number| fields.find(|it| it.number == number)),
    }
}

impl Field {
    pub fn works_with(&self, report: &str) -> bool {
        self.types.is_empty() || self.types.contains(&report)
    }

    pub fn is_time(&self) -> bool {
        matches!(self.name, "DATE" | "WEEK" | "MONTH_YEAR" | "HOUR" | "DAY_OF_WEEK")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_found_by_name_and_by_number() {
        assert_eq!(FIELDS.len(), TEXT.lines().count());
        let date = find('D', &json!("DATE")).unwrap();
        assert_eq!(find('D', &json!(3)).unwrap().name, date.name);
        assert!(date.is_time() && date.works_with("REACH") && !find('D', &json!("HOUR")).unwrap().works_with("REACH"));
        assert!(find('M', &json!("DATE")).is_none() && find('D', &json!(0)).is_none());
    }
}
