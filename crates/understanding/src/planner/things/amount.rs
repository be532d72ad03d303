//! Writes an amount in the type that a field wants.

use adagent_domain::Cut as _;
use serde_json::Value as Json;

#[expect(clippy::cast_precision_loss, reason = "prices are far below 2^52 micros")]
pub(super) fn units(micros: i64) -> Json {
    (micros as f64 / 1e6).into()
}

/// Returns a price in the type that the field wants.
pub(super) fn amount(micros: i64, schema: &Json) -> Json {
    match schema["type"].as_str() {
        Some("string") => {
            // With at least two decimals, and more if the price has them.
            let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
            let least = text.len() - 4;
            let short = text.trim_end_matches('0');
            text.cut(..short.len().max(least)).into()
        }
        _ => units(micros),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prices_in_text_keep_what_is_below_a_cent() {
        let text = json!({"type": "string"});
        for (micros, wanted) in [(125_000, "0.125"), (4_500_000, "4.50"), (3_000_000, "3.00"), (1, "0.000001")] {
            assert_eq!(amount(micros, &text), wanted);
        }
    }
}
