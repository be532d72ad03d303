//! The rules of the form: the same the server checks, so that a mistake is told beside its field before anything is sent. Pure.
//!
//! The server has the last word; a rule that is missing here costs a round trip, never a wrong write.

use std::collections::BTreeMap;

use adagent_contract::{FieldError, FieldHint, UiHints, Widget};
use adagent_domain::{Currency, Money};
use serde_json::Value as Json;

use super::{
    args,
    lines::{self, Lane},
};

/// Typed text that is not (or not yet) an argument, by pointer.
pub type Typed = BTreeMap<String, String>;
/// Whether a text fits a pattern of the schema. The browser's own regular expressions; a test's own function.
pub type Matches = fn(&str, &str) -> bool;

/// The smallest eCPM floor networks take, in micros.
const SMALLEST_FLOOR: i64 = 10_000;

/// Everything that is wrong, in the order of the fields.
pub fn check(schema: &Json, hints: &UiHints, values: &Json, typed: &Typed, matches: Matches) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for hint in hints.fields.iter().filter(|hint| !matches!(hint.widget, Widget::Hidden | Widget::ReadOnly)) {
        match hint.widget {
            Widget::MediationLines => check_lines(hint, values, typed, &mut errors),
            Widget::EntityList | Widget::MultiSelect | Widget::Rows => {
                check_list(schema, hint, values, matches, &mut errors);
            }
            _ => {
                if let Some(message) = check_scalar(schema, hint, values, typed, matches) {
                    errors.push(FieldError::new(&hint.pointer, message));
                }
            }
        }
    }
    errors
}

/// Whether the field must be filled. What an optional part needs is needed once there is something in that part: a banner has no
/// reward, and nobody is asked for one.
pub fn required(schema: &Json, hint: &FieldHint, values: &Json) -> bool {
    (hint.required || args::required_by_schema(schema, &hint.pointer)) && !left_out(schema, &hint.pointer, values)
}

/// Whether the place lies in an optional part that is not there.
fn left_out(schema: &Json, pointer: &str, values: &Json) -> bool {
    let mut around = pointer;
    while let Some((parent, _)) = around.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
        let there = values.pointer(parent).is_some_and(|part| part.as_object().is_none_or(|part| !part.is_empty()));
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
            _ => {}
        }
    }
    let text = args::text(values, &hint.pointer);
    if text.trim().is_empty() {
        return required(schema, hint, values).then(|| "Needed.".to_owned());
    }
    if matches!(hint.widget, Widget::MoneyMicros | Widget::Number) {
        return None;
    }
    text_error(&text, hint.max_length, place, matches).or_else(|| {
        let known = hint.choices.is_empty() || hint.choices.iter().any(|(value, _)| *value == text);
        (hint.widget == Widget::Select && !known).then(|| "Choose one of the list.".to_owned())
    })
}

fn text_error(text: &str, max: Option<u64>, place: Option<&Json>, matches: Matches) -> Option<String> {
    let limit = |key: &str| place.and_then(|place| place.get(key)).and_then(Json::as_u64);
    let length = text.chars().count() as u64;
    if let Some(max) = max.or_else(|| limit("maxLength")).filter(|max| length > *max) {
        return Some(format!("At most {max} characters; these are {length}."));
    }
    if let Some(min) = limit("minLength").filter(|min| length < *min) {
        return Some(format!("At least {min} characters."));
    }
    if text.chars().any(|c| c.is_control() && c != '\n') {
        return Some("Control characters are not allowed.".into());
    }
    let allowed = place.and_then(|place| place.get("enum")).and_then(Json::as_array);
    if allowed.is_some_and(|allowed| !allowed.iter().any(|value| value.as_str() == Some(text))) {
        return Some("Not one of the values the network knows.".into());
    }
    let pattern = place.and_then(|place| place.get("pattern")).and_then(Json::as_str)?;
    if matches(pattern, text) {
        return None;
    }
    let wanted = place.and_then(|place| place.get("description")).and_then(Json::as_str);
    Some(wanted.map_or_else(
        || "Not in the form the network takes.".into(),
        |wanted| format!("Not in the form the network takes: {wanted}"),
    ))
}

/// An amount as typed, in micros.
pub fn micros(text: &str) -> Option<i64> {
    Money::parse_amount(Currency::USD, text).ok().map(|money| money.micros)
}

fn money_error(text: &str, place: Option<&Json>) -> Option<String> {
    let Some(micros) = micros(text) else { return Some("Write an amount such as 12.50.".into()) };
    if micros < 0 {
        return Some("Not below zero.".into());
    }
    range_error(micros, place, |limit| Money::new(Currency::USD, limit).to_string())
}

fn number_error(text: &str, place: Option<&Json>) -> Option<String> {
    let whole = place.and_then(|place| place.get("type")).and_then(Json::as_str) != Some("number");
    if !whole {
        let finite = text.trim().parse::<f64>().is_ok_and(f64::is_finite);
        return (!finite).then(|| "Write a number.".to_owned());
    }
    let Ok(number) = text.trim().parse::<i64>() else { return Some("Write a whole number.".into()) };
    range_error(number, place, |limit| limit.to_string())
}

fn range_error(number: i64, place: Option<&Json>, shown: impl Fn(i64) -> String) -> Option<String> {
    let limit = |key: &str| place.and_then(|place| place.get(key)).and_then(Json::as_i64);
    if let Some(least) = limit("minimum").filter(|least| number < *least) {
        return Some(format!("At least {}.", shown(least)));
    }
    if let Some(least) = limit("exclusiveMinimum").filter(|least| number <= *least) {
        return Some(format!("More than {}.", shown(least)));
    }
    if let Some(most) = limit("maximum").filter(|most| number > *most) {
        return Some(format!("At most {}.", shown(most)));
    }
    limit("exclusiveMaximum").filter(|most| number >= *most).map(|most| format!("Less than {}.", shown(most)))
}

fn check_list(schema: &Json, hint: &FieldHint, values: &Json, matches: Matches, errors: &mut Vec<FieldError>) {
    let items = args::strings(values, &hint.pointer);
    let place = args::schema_at(schema, &hint.pointer);
    let limit = |key: &str| place.and_then(|place| place.get(key)).and_then(Json::as_u64);
    let least = limit("minItems").unwrap_or_else(|| u64::from(required(schema, hint, values)));
    let least = if left_out(schema, &hint.pointer, values) { 0 } else { least };
    let count = items.len() as u64;
    if count < least {
        let message = if least == 1 { "Needed: at least one.".to_owned() } else { format!("At least {least}.") };
        errors.push(FieldError::new(&hint.pointer, message));
    }
    if let Some(most) = limit("maxItems").filter(|most| count > *most) {
        errors.push(FieldError::new(&hint.pointer, format!("At most {most}.")));
    }
    if hint.widget == Widget::Rows {
        let inner = place.and_then(|place| place.get("items"));
        for (at, item) in items.iter().enumerate() {
            let wrong = if item.trim().is_empty() {
                Some("Needed.".to_owned())
            } else {
                text_error(item, None, inner, matches)
            };
            if let Some(message) = wrong {
                errors.push(FieldError::new(format!("{}/{at}", hint.pointer), message));
            }
        }
    }
}

fn check_lines(hint: &FieldHint, values: &Json, typed: &Typed, errors: &mut Vec<FieldError>) {
    let all = lines::read(values.pointer(&hint.pointer), |_| None);
    if all.is_empty() && hint.required {
        errors.push(FieldError::new(&hint.pointer, "Needed: at least one line."));
    }
    for (at, line) in all.iter().enumerate() {
        let pointer = lines::floor_pointer(&hint.pointer, &line.key);
        match line.lane {
            Lane::Waterfall => {
                let amount = typed.get(&pointer).map_or(line.floor, |text| micros(text));
                match amount {
                    None => errors.push(FieldError::new(pointer, "Write an amount such as 12.50.")),
                    Some(amount) if amount < SMALLEST_FLOOR => errors.push(FieldError::new(pointer, "At least $0.01.")),
                    Some(_) => {}
                }
            }
            Lane::Bidding => {
                let twice = all.iter().take(at).any(|other| other.lane == Lane::Bidding && other.source == line.source);
                if twice {
                    let place = format!("{}/{}", hint.pointer, args::escape(&line.key));
                    errors.push(FieldError::new(place, "This source bids already."));
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
        assert_eq!(check_one(&schema, amount(), &half, &[]), ["/body/reward/amount Needed."]);
        assert_eq!(
            check_one(&schema, hint("/body/name", Widget::Text), &json!({"body": {}}), &[]),
            ["/body/name Needed."]
        );
        assert_eq!(check_one(&schema, hint("/body/name", Widget::Text), &json!({}), &[]), ["/body/name Needed."]);
    }

    #[test]
    fn text_is_needed_bounded_and_in_form() {
        let schema = json!({"required": ["name"], "properties": {"name": {"maxLength": 5, "minLength": 2}, "id": {"pattern": "^never$"}}});
        let name = || hint("/name", Widget::Text);
        assert_eq!(check_one(&schema, name(), &json!({}), &[]), ["/name Needed."]);
        assert_eq!(check_one(&schema, name(), &json!({"name": "   "}), &[]), ["/name Needed."]);
        assert_eq!(check_one(&schema, name(), &json!({"name": "ünïcö"}), &[]), Vec::<String>::new());
        assert_eq!(
            check_one(&schema, name(), &json!({"name": "longer"}), &[]),
            ["/name At most 5 characters; these are 6."]
        );
        assert_eq!(check_one(&schema, name(), &json!({"name": "x"}), &[]), ["/name At least 2 characters."]);
        assert_eq!(
            check_one(&schema, name(), &json!({"name": "a\u{7}b"}), &[]),
            ["/name Control characters are not allowed."]
        );
        assert_eq!(check_one(&schema, hint("/id", Widget::Text), &json!({"id": "x"}), &[]).len(), 1);
        assert!(check_one(&schema, hint("/id", Widget::Text), &json!({"id": "never"}), &[]).is_empty());
        assert!(
            check_one(&schema, hint("/name", Widget::Hidden), &json!({}), &[]).is_empty(),
            "nobody can mend a hidden field"
        );
    }

    #[test]
    fn numbers_are_whole_and_in_range() {
        let schema = json!({"properties": {"n": {"type": "integer", "minimum": 1, "maximum": 10}}});
        let n = |typed| check_one(&schema, hint("/n", Widget::Number), &json!({"n": 3}), &[("/n", typed)]);
        assert_eq!(n("11"), ["/n At most 10."]);
        assert_eq!(n("0"), ["/n At least 1."]);
        assert_eq!(n("2.5"), ["/n Write a whole number."]);
        assert!(n("10").is_empty());
    }

    #[test]
    fn money_is_an_amount_within_the_schemas_micros() {
        let schema = json!({"properties": {"cpm": {"type": "string", "minimum": 10_000}}});
        let cpm = |typed| {
            check_one(&schema, hint("/cpm", Widget::MoneyMicros), &json!({"cpm": "1000000"}), &[("/cpm", typed)])
        };
        assert_eq!(cpm("0.001"), ["/cpm At least $0.01."]);
        assert_eq!(cpm("abc"), ["/cpm Write an amount such as 12.50."]);
        assert_eq!(cpm("-1"), ["/cpm Not below zero."]);
        assert!(cpm("14.50").is_empty());
    }

    #[test]
    fn choices_and_enums_are_closed() {
        let schema = json!({"properties": {"state": {"enum": ["ENABLED", "DISABLED"]}}});
        assert_eq!(check_one(&schema, hint("/state", Widget::Select), &json!({"state": "REMOVED"}), &[]).len(), 1);
        let mut select = hint("/other", Widget::Select);
        select.choices = vec![("A".into(), "Letter A".into())];
        assert_eq!(check_one(&schema, select, &json!({"other": "B"}), &[]), ["/other Choose one of the list."]);
    }

    #[test]
    fn lists_know_how_many_and_name_the_row_that_is_wrong() {
        let schema = json!({"properties": {"ids": {"minItems": 1, "maxItems": 2, "items": {"pattern": "^never$"}}}});
        let rows = || hint("/ids", Widget::Rows);
        assert_eq!(check_one(&schema, rows(), &json!({"ids": []}), &[]), ["/ids Needed: at least one."]);
        assert_eq!(check_one(&schema, rows(), &json!({"ids": ["never", "x"]}), &[]).len(), 1);
        assert!(check_one(&schema, rows(), &json!({"ids": ["never", "x"]}), &[])[0].starts_with("/ids/1 "));
        assert_eq!(check_one(&schema, rows(), &json!({"ids": ["never", "never", "never"]}), &[]), ["/ids At most 2."]);
    }

    #[test]
    fn lines_need_a_floor_and_bid_once() {
        let values = json!({"lines": {
            "-1": {"adSourceId": "1", "cpmMode": "LIVE", "state": "ENABLED"},
            "-2": {"adSourceId": "1", "cpmMode": "LIVE", "state": "ENABLED"},
            "-3": {"adSourceId": "2", "cpmMode": "MANUAL", "state": "ENABLED"},
            "-4": {"adSourceId": "3", "cpmMode": "MANUAL", "cpmMicros": "5000", "state": "ENABLED"},
            "-5": {"adSourceId": "4", "cpmMode": "MANUAL", "cpmMicros": "5000000", "state": "ENABLED"},
        }});
        let found =
            check_one(&Json::Null, hint("/lines", Widget::MediationLines), &values, &[("/lines/-5/cpmMicros", "9,x")]);
        assert_eq!(
            found,
            [
                "/lines/-2 This source bids already.",
                "/lines/-3/cpmMicros Write an amount such as 12.50.",
                "/lines/-4/cpmMicros At least $0.01.",
                "/lines/-5/cpmMicros Write an amount such as 12.50.",
            ]
        );
    }
}
