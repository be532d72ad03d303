//! The rules of the form. They are the same that the server checks, so that an error shows at its field before anything is sent.
//! Pure.
//!
//! The server has the last word. A rule that is missing here costs a round trip, never a wrong change.

use std::collections::BTreeMap;

use adagent_contract::{FieldError, FieldHint, UiHints, Widget};
use adagent_domain::{Currency, Money};
use serde_json::Value as Json;

use super::{
    args,
    lines::{self, Lane},
};

/// Typed text that is not, or not yet, a valid argument, by pointer.
pub type Typed = BTreeMap<String, String>;
/// Checks whether a text matches a pattern of the schema. The browser uses its own regular expressions; a test uses its own
/// function.
pub type Matches = fn(&str, &str) -> bool;

/// The smallest eCPM floor that networks accept, in micros.
const SMALLEST_FLOOR: i64 = 10_000;

/// Returns all errors, in the order of the fields.
pub fn check(schema: &Json, hints: &UiHints, values: &Json, typed: &Typed, matches: Matches) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check_fields(schema, &hints.fields, values, typed, matches, &mut errors);
    errors
}

fn check_fields(
    schema: &Json,
    fields: &[FieldHint],
    values: &Json,
    typed: &Typed,
    matches: Matches,
    errors: &mut Vec<FieldError>,
) {
    let drawn = |hint: &&FieldHint| hint.widget != Widget::ReadOnly && hint.applies(values);
    for hint in fields.iter().filter(drawn) {
        match hint.widget {
            Widget::MediationLines => check_lines(hint, values, typed, errors),
            Widget::EntityList | Widget::MultiSelect | Widget::Rows => {
                check_list(schema, hint, values, matches, errors);
            }
            Widget::Objects | Widget::Entries => {
                let rows: Vec<String> = match values.pointer(&hint.pointer) {
                    Some(Json::Array(items)) => (0..items.len()).map(|at| at.to_string()).collect(),
                    Some(Json::Object(map)) => map.keys().cloned().collect(),
                    _ => Vec::new(),
                };
                check_count(schema, hint, values, rows.len() as u64, errors);
                for key in rows {
                    check_fields(schema, &hint.of_row(&key), values, typed, matches, errors);
                }
            }
            _ => {
                if let Some(message) = check_scalar(schema, hint, values, typed, matches) {
                    errors.push(FieldError::new(&hint.pointer, message));
                }
            }
        }
    }
}

/// Checks whether the field must be filled. A field that an optional part requires counts only once that part has a value: a
/// banner has no reward, so nobody has to fill one in.
pub fn required(schema: &Json, hint: &FieldHint, values: &Json) -> bool {
    (hint.required || args::required_by_schema(schema, &hint.pointer)) && !left_out(schema, &hint.pointer, values)
}

/// Checks whether the place lies in an optional part that is absent.
fn left_out(schema: &Json, pointer: &str, values: &Json) -> bool {
    let mut around = pointer;
    while let Some((parent, _)) = around.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
        // A row counts as present even when it is empty, because somebody added it.
        let is_row = parent.rsplit_once('/').and_then(|(list, _)| values.pointer(list)).is_some_and(Json::is_array);
        let there =
            values.pointer(parent).is_some_and(|part| is_row || part.as_object().is_none_or(|part| !part.is_empty()));
        if !there && !args::required_by_schema(schema, parent) {
            return true;
        }
        around = parent;
    }
    false
}

fn check_scalar(schema: &Json, hint: &FieldHint, values: &Json, typed: &Typed, matches: Matches) -> Option<String> {
    let place = args::schema_at(schema, &hint.pointer);
    if let Some(text) = typed.get(&hint.pointer) {
        match hint.widget {
            Widget::MoneyMicros if !text.trim().is_empty() => return money_error(text, place),
            Widget::Number if !text.trim().is_empty() => return number_error(text, place),
            // A price that the network takes as text has no limits in its schema.
            Widget::Text if hint.currency.is_some() && !text.trim().is_empty() => return money_error(text, None),
            _ => {}
        }
    }
    let text = args::text(values, &hint.pointer);
    if text.trim().is_empty() {
        return required(schema, hint, values).then(|| "Required.".to_owned());
    }
    if matches!(hint.widget, Widget::MoneyMicros | Widget::Number) {
        return None;
    }
    text_error(&text, hint.max_length, place, matches).or_else(|| {
        let known = hint.choices.is_empty() || hint.choices.iter().any(|(value, _)| *value == text);
        (hint.widget == Widget::Select && !known).then(|| "Choose one from the list.".to_owned())
    })
}

fn text_error(text: &str, max: Option<u64>, place: Option<&Json>, matches: Matches) -> Option<String> {
    let limit = |key: &str| place.and_then(|place| place.get(key)).and_then(Json::as_u64);
    let length = text.chars().count() as u64;
    if let Some(max) = max.or_else(|| limit("maxLength")).filter(|max| length > *max) {
        return Some(format!("Use at most {max} characters. You typed {length}."));
    }
    if let Some(min) = limit("minLength").filter(|min| length < *min) {
        return Some(format!("Use at least {min} characters."));
    }
    if text.chars().any(|c| c.is_control() && c != '\n') {
        return Some("Control characters aren't allowed.".into());
    }
    let allowed = place.and_then(|place| place.get("enum")).and_then(Json::as_array);
    let written = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if allowed.is_some_and(|allowed| !allowed.iter().any(|value| written(value) == text)) {
        return Some("The network doesn't accept this value.".into());
    }
    let pattern = place.and_then(|place| place.get("pattern")).and_then(Json::as_str)?;
    if matches(pattern, text) {
        return None;
    }
    let wanted = place.and_then(|place| place.get("description")).and_then(Json::as_str);
    Some(wanted.map_or_else(
        || "The network expects a different format.".into(),
        |wanted| format!("The network expects: {wanted}"),
    ))
}

/// Parses a typed amount as micros.
pub fn micros(text: &str) -> Option<i64> {
    Money::parse_amount(Currency::USD, text).ok().map(|money| money.micros)
}

fn money_error(text: &str, place: Option<&Json>) -> Option<String> {
    let Some(micros) = micros(text) else { return Some("Enter an amount, such as 12.50.".into()) };
    if micros < 0 {
        return Some("Enter zero or more.".into());
    }
    range_error(micros, place, |limit| Money::new(Currency::USD, limit).to_string())
}

fn number_error(text: &str, place: Option<&Json>) -> Option<String> {
    // Read the text in the same way as the argument: text that becomes an argument is no error.
    let text = args::plain_digits(text);
    let whole = place.and_then(|place| place.get("type")).and_then(Json::as_str) != Some("number");
    if !whole {
        let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
        return (!finite).then(|| "Enter a number.".to_owned());
    }
    let Ok(number) = text.parse::<i64>() else { return Some("Enter a whole number.".into()) };
    range_error(number, place, |limit| limit.to_string())
}

fn range_error(number: i64, place: Option<&Json>, shown: impl Fn(i64) -> String) -> Option<String> {
    let limit = |key: &str| place.and_then(|place| place.get(key)).and_then(Json::as_i64);
    if let Some(least) = limit("minimum").filter(|least| number < *least) {
        return Some(format!("Enter at least {}.", shown(least)));
    }
    if let Some(least) = limit("exclusiveMinimum").filter(|least| number <= *least) {
        return Some(format!("Enter more than {}.", shown(least)));
    }
    if let Some(most) = limit("maximum").filter(|most| number > *most) {
        return Some(format!("Enter at most {}.", shown(most)));
    }
    limit("exclusiveMaximum").filter(|most| number >= *most).map(|most| format!("Enter less than {}.", shown(most)))
}

fn check_list(schema: &Json, hint: &FieldHint, values: &Json, matches: Matches, errors: &mut Vec<FieldError>) {
    let items = args::strings(values, &hint.pointer);
    let place = args::schema_at(schema, &hint.pointer);
    check_count(schema, hint, values, items.len() as u64, errors);
    if hint.widget == Widget::Rows {
        let inner = place.and_then(|place| place.get("items"));
        for (at, item) in items.iter().enumerate() {
            let wrong = if item.trim().is_empty() {
                Some("Required.".to_owned())
            } else {
                text_error(item, None, inner, matches)
            };
            if let Some(message) = wrong {
                errors.push(FieldError::new(format!("{}/{at}", hint.pointer), message));
            }
        }
    }
}

/// Checks the number of entries.
fn check_count(schema: &Json, hint: &FieldHint, values: &Json, count: u64, errors: &mut Vec<FieldError>) {
    let place = args::schema_at(schema, &hint.pointer);
    let limit = |key: &str| place.and_then(|place| place.get(key)).and_then(Json::as_u64);
    // If the schema lets an optional list be left out but requires entries, then a list that is present must have them.
    let there = values.pointer(&hint.pointer).is_some();
    let must = required(schema, hint, values);
    let least = limit("minItems").filter(|_| there || must).unwrap_or_else(|| u64::from(must));
    let least = if left_out(schema, &hint.pointer, values) { 0 } else { least };
    if count < least {
        let message = if least == 1 { "Add at least one.".to_owned() } else { format!("Add at least {least}.") };
        errors.push(FieldError::new(&hint.pointer, message));
    }
    if let Some(most) = limit("maxItems").filter(|most| count > *most) {
        errors.push(FieldError::new(&hint.pointer, format!("Keep at most {most}.")));
    }
}

fn check_lines(hint: &FieldHint, values: &Json, typed: &Typed, errors: &mut Vec<FieldError>) {
    let all = lines::read(values.pointer(&hint.pointer), |_| None);
    if all.is_empty() && hint.required {
        errors.push(FieldError::new(&hint.pointer, "Add at least one line."));
    }
    for (at, line) in all.iter().enumerate().filter(|(_, line)| line.fate.is_none()) {
        let pointer = lines::floor_pointer(&hint.pointer, &line.key);
        match line.lane {
            Lane::Waterfall => {
                let amount = typed.get(&pointer).map_or(line.floor, |text| micros(text));
                match amount {
                    None => errors.push(FieldError::new(pointer, "Enter an amount, such as 12.50.")),
                    Some(amount) if amount < SMALLEST_FLOOR => {
                        errors.push(FieldError::new(pointer, "Enter at least $0.01."));
                    }
                    Some(_) => {}
                }
            }
            Lane::Bidding => {
                let twice = all.iter().take(at).any(|other| other.lane == Lane::Bidding && other.source == line.source);
                if twice {
                    let place = format!("{}/{}", hint.pointer, args::escape(&line.key));
                    errors.push(FieldError::new(place, "This source is already bidding."));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hint(pointer: &str, widget: Widget) -> FieldHint {
        FieldHint {
            pointer: pointer.into(),
            label: "Field".into(),
            widget,
            help: None,
            options: None,
            parent: None,
            choices: Vec::new(),
            required: false,
            max_length: None,
            ..FieldHint::default()
        }
    }

    fn check_one(schema: &Json, hint: FieldHint, values: &Json, typed: &[(&str, &str)]) -> Vec<String> {
        let typed = typed.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let hints = UiHints { fields: vec![hint], ..UiHints::default() };
        check(schema, &hints, values, &typed, |pattern, text| pattern != "^never$" || text == "never")
            .into_iter()
            .map(|error| format!("{} {}", error.pointer, error.message))
            .collect()
    }

    #[test]
    fn what_an_optional_part_needs_is_needed_once_something_is_in_it() {
        let reward =
            json!({"required": ["amount", "kind"], "properties": {"amount": {}, "kind": {}, "ids": {"minItems": 1}}});
        let body = json!({"required": ["name"], "properties": {"name": {}, "reward": reward}});
        let schema = json!({"required": ["body"], "properties": {"body": body}});
        let amount = || FieldHint { required: true, ..hint("/body/reward/amount", Widget::Text) };
        let banner = json!({"body": {"name": "Menu"}});
        assert_eq!(check_one(&schema, amount(), &banner, &[]), Vec::<String>::new());
        assert_eq!(check_one(&schema, hint("/body/reward/ids", Widget::Rows), &banner, &[]), Vec::<String>::new());
        let half = json!({"body": {"name": "Menu", "reward": {"kind": "coins"}}});
        assert_eq!(check_one(&schema, amount(), &half, &[]), ["/body/reward/amount Required."]);
        assert_eq!(
            check_one(&schema, hint("/body/name", Widget::Text), &json!({"body": {}}), &[]),
            ["/body/name Required."]
        );
        assert_eq!(check_one(&schema, hint("/body/name", Widget::Text), &json!({}), &[]), ["/body/name Required."]);
    }

    #[test]
    fn text_is_needed_bounded_and_in_form() {
        let schema = json!({"required": ["name"], "properties": {"name": {"maxLength": 5, "minLength": 2}, "id": {"pattern": "^never$"}}});
        let name = || hint("/name", Widget::Text);
        assert_eq!(check_one(&schema, name(), &json!({}), &[]), ["/name Required."]);
        assert_eq!(check_one(&schema, name(), &json!({"name": "   "}), &[]), ["/name Required."]);
        assert_eq!(check_one(&schema, name(), &json!({"name": "ünïcö"}), &[]), Vec::<String>::new());
        assert_eq!(
            check_one(&schema, name(), &json!({"name": "longer"}), &[]),
            ["/name Use at most 5 characters. You typed 6."]
        );
        assert_eq!(check_one(&schema, name(), &json!({"name": "x"}), &[]), ["/name Use at least 2 characters."]);
        assert_eq!(
            check_one(&schema, name(), &json!({"name": "a\u{7}b"}), &[]),
            ["/name Control characters aren't allowed."]
        );
        assert_eq!(check_one(&schema, hint("/id", Widget::Text), &json!({"id": "x"}), &[]).len(), 1);
        assert!(check_one(&schema, hint("/id", Widget::Text), &json!({"id": "never"}), &[]).is_empty());
        assert!(
            check_one(&schema, hint("/name", Widget::ReadOnly), &json!({}), &[]).is_empty(),
            "a person can't fix a field that is only shown"
        );
    }

    #[test]
    fn numbers_are_whole_and_in_range() {
        let schema = json!({"properties": {"n": {"type": "integer", "minimum": 1, "maximum": 10}}});
        let n = |typed| check_one(&schema, hint("/n", Widget::Number), &json!({"n": 3}), &[("/n", typed)]);
        assert_eq!(n("11"), ["/n Enter at most 10."]);
        assert_eq!(n("0"), ["/n Enter at least 1."]);
        assert_eq!(n("2.5"), ["/n Enter a whole number."]);
        assert!(n("10").is_empty());
        let schema = json!({"properties": {"n": {"type": "number"}}});
        let n = |typed| check_one(&schema, hint("/n", Widget::Number), &json!({"n": 3.5}), &[("/n", typed)]);
        assert!(n("0,65").is_empty() && n("0.65").is_empty() && n("-1,5").is_empty());
        assert_eq!(n("fifty"), ["/n Enter a number."]);
    }

    #[test]
    fn money_is_an_amount_within_the_schemas_micros() {
        let schema = json!({"properties": {"cpm": {"type": "string", "minimum": 10_000}}});
        let cpm = |typed| {
            check_one(&schema, hint("/cpm", Widget::MoneyMicros), &json!({"cpm": "1000000"}), &[("/cpm", typed)])
        };
        assert_eq!(cpm("0.001"), ["/cpm Enter at least $0.01."]);
        assert_eq!(cpm("abc"), ["/cpm Enter an amount, such as 12.50."]);
        assert_eq!(cpm("-1"), ["/cpm Enter zero or more."]);
        assert!(cpm("14.50").is_empty());
    }

    #[test]
    fn choices_and_enums_are_closed() {
        let schema = json!({"properties": {"state": {"enum": ["ENABLED", "DISABLED"]}}});
        assert_eq!(check_one(&schema, hint("/state", Widget::Select), &json!({"state": "REMOVED"}), &[]).len(), 1);
        let mut select = hint("/other", Widget::Select);
        select.choices = vec![("A".into(), "Letter A".into())];
        assert_eq!(check_one(&schema, select, &json!({"other": "B"}), &[]), ["/other Choose one from the list."]);
    }

    #[test]
    fn lists_know_how_many_and_name_the_row_that_is_wrong() {
        let schema = json!({"properties": {"ids": {"minItems": 1, "maxItems": 2, "items": {"pattern": "^never$"}}}});
        let rows = || hint("/ids", Widget::Rows);
        assert_eq!(check_one(&schema, rows(), &json!({"ids": []}), &[]), ["/ids Add at least one."]);
        assert_eq!(check_one(&schema, rows(), &json!({"ids": ["never", "x"]}), &[]).len(), 1);
        assert!(check_one(&schema, rows(), &json!({"ids": ["never", "x"]}), &[])[0].starts_with("/ids/1 "));
        assert_eq!(
            check_one(&schema, rows(), &json!({"ids": ["never", "never", "never"]}), &[]),
            ["/ids Keep at most 2."]
        );
    }

    #[test]
    fn lines_need_a_floor_and_bid_once() {
        let values = json!({"lines": {
            "-1": {"adSourceId": "1", "cpmMode": "LIVE", "state": "ENABLED"},
            "-2": {"adSourceId": "1", "cpmMode": "LIVE", "state": "ENABLED"},
            "-3": {"adSourceId": "2", "cpmMode": "MANUAL", "state": "ENABLED"},
            "-4": {"adSourceId": "3", "cpmMode": "MANUAL", "cpmMicros": "5000", "state": "ENABLED"},
            "-5": {"adSourceId": "4", "cpmMode": "MANUAL", "cpmMicros": "5000000", "state": "ENABLED"},
            "77": {"state": "DISABLED"},
            "78": {"state": "ENABLED"},
        }});
        let found =
            check_one(&Json::Null, hint("/lines", Widget::MediationLines), &values, &[("/lines/-5/cpmMicros", "9,x")]);
        assert_eq!(
            found,
            [
                "/lines/-2 This source is already bidding.",
                "/lines/-3/cpmMicros Enter an amount, such as 12.50.",
                "/lines/-4/cpmMicros Enter at least $0.01.",
                "/lines/-5/cpmMicros Enter an amount, such as 12.50.",
            ]
        );
    }

    #[test]
    fn rows_of_objects_are_checked_field_by_field() {
        let row = json!({"type": "object", "required": ["name"], "properties": {"name": {"minLength": 2}, "kind": {"enum": [0, 1]}}});
        let schema = json!({"required": ["body"], "properties": {"body": {"minItems": 1, "items": row}}});
        let rows = || FieldHint {
            fields: vec![hint("/name", Widget::Text), hint("/kind", Widget::Select)],
            ..hint("/body", Widget::Objects)
        };
        assert_eq!(check_one(&schema, rows(), &json!({"body": []}), &[]), ["/body Add at least one."]);
        let values = json!({"body": [{"name": "Daily", "kind": 1}, {"name": "x"}, {}]});
        assert_eq!(
            check_one(&schema, rows(), &values, &[]),
            ["/body/1/name Use at least 2 characters.", "/body/2/name Required."]
        );
        let banner = FieldHint {
            only_if: Some(adagent_contract::OnlyIf { pointer: "/format".into(), values: vec!["REWARDED".into()] }),
            required: true,
            ..hint("/reward", Widget::Text)
        };
        assert!(check_one(&Json::Null, banner.clone(), &json!({"format": "BANNER"}), &[]).is_empty());
        assert_eq!(check_one(&Json::Null, banner, &json!({"format": "REWARDED"}), &[]), ["/reward Required."]);
    }
}
