//! Converts prices between millionths and what networks write: decimal text or numbers of US dollars. The conversion is exact both ways; it
//! never rounds silently.

use serde_json::Value as Json;

/// Writes `1500000` as `1.5`.
pub fn text(micros: i64) -> String {
    let (whole, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let sign = if micros < 0 && whole == 0 { "-" } else { "" };
    let fraction = format!("{:06}", fraction.abs());
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Writes the price as a JSON number.
pub fn number(micros: i64) -> Json {
    serde_json::from_str(&text(micros)).unwrap_or(Json::Null)
}

/// Reads a text or a number; `None` if it is neither.
pub fn micros(value: &Json) -> Option<i64> {
    crate::normalise::micros(&crate::pipeline::plain(value)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_short_and_exact() {
        assert_eq!(
            [text(1_500_000), text(12_000_000), text(1), text(0), text(-250_000)],
            ["1.5", "12", "0.000001", "0", "-0.25"]
        );
        assert_eq!(
            (micros(&json!("1.50")), micros(&json!(0.01)), micros(&json!(null)), micros(&json!("x"))),
            (Some(1_500_000), Some(10_000), None, None)
        );
    }

    proptest! {
        #[test]
        fn prices_survive_as_text_and_as_number(price in 0_i64..5_000_000_000) {
            prop_assert_eq!(micros(&Json::from(text(price))), Some(price));
            prop_assert_eq!(micros(&number(price)), Some(price));
        }
    }
}
