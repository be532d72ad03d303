//! What tokens cost, in micros of a US dollar. Estimates for people; must never stop a run by themselves.

use std::collections::BTreeMap;

/// US dollar micros per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: i64,
    pub output: i64,
}

/// Prices by the beginning of `provider/model`; the longest beginning counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Default for Prices {
    fn default() -> Self {
        const LIST: [(&str, i64, i64); 7] = [
            ("anthropic/claude-haiku", 1_000_000, 5_000_000),
            ("anthropic/claude-sonnet", 3_000_000, 15_000_000),
            ("anthropic/claude-opus", 5_000_000, 25_000_000),
            ("openai/gpt-5-nano", 50_000, 400_000),
            ("openai/gpt-5-mini", 250_000, 2_000_000),
            ("openai/gpt-5", 1_250_000, 10_000_000),
            ("openai/gpt-4.1", 2_000_000, 8_000_000),
        ];
        Self(LIST.into_iter().map(|(name, input, output)| (name.to_owned(), Price { input, output })).collect())
    }
}

impl Prices {
    /// Cost of a call, rounded up; zero for a model without a price.
    pub fn cost(&self, model: &str, input_tokens: u64, output_tokens: u64) -> i64 {
        let price =
            self.0.iter().filter(|(name, _)| model.starts_with(name.as_str())).max_by_key(|(name, _)| name.len());
        let Some((_, price)) = price else { return 0 };
        let total =
            i128::from(input_tokens) * i128::from(price.input) + i128::from(output_tokens) * i128::from(price.output);
        i64::try_from((total + 999_999) / 1_000_000).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_counts_and_fractions_round_up() {
        let prices = Prices::default();
        assert_eq!(prices.cost("openai/gpt-5-mini-2025", 1_000_000, 1_000_000), 2_250_000);
        assert_eq!(prices.cost("openai/gpt-5", 1, 0), 2);
        assert_eq!(prices.cost("openai/unheard-of", 1_000, 1_000), 0);
    }
}
