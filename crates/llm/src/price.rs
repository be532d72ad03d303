//! What tokens cost, in micros of a US dollar. List prices without discounts: budgets rest on them, so a model nobody priced
//! counts as the dearest of its provider, never as free.

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
        const LIST: [(&str, i64, i64); 19] = [
            ("anthropic/claude-haiku", 1_000_000, 5_000_000),
            ("anthropic/claude-sonnet", 3_000_000, 15_000_000),
            ("anthropic/claude-opus", 5_000_000, 25_000_000),
            ("openai/gpt-5-nano", 50_000, 400_000),
            ("openai/gpt-5-mini", 250_000, 2_000_000),
            ("openai/gpt-5", 1_250_000, 10_000_000),
            ("openai/gpt-4.1", 2_000_000, 8_000_000),
            // Above 200,000 tokens of input Google asks twice as much; no request of ours is that long.
            ("gemini/gemini-2.5-flash-lite", 100_000, 400_000),
            ("gemini/gemini-2.5-flash", 300_000, 2_500_000),
            ("gemini/gemini-2.5-pro", 1_250_000, 10_000_000),
            ("gemini/gemini-3-flash", 500_000, 3_000_000),
            ("gemini/gemini-3", 2_000_000, 12_000_000),
            ("xai/grok-3-mini", 300_000, 500_000),
            ("xai/grok-3", 3_000_000, 15_000_000),
            ("xai/grok-4-fast", 200_000, 500_000),
            ("xai/grok-4-1-fast", 200_000, 500_000),
            ("xai/grok-4", 3_000_000, 15_000_000),
            ("deepseek/deepseek-chat", 280_000, 420_000),
            ("deepseek/deepseek-reasoner", 280_000, 420_000),
        ];
        Self(LIST.into_iter().map(|(name, input, output)| (name.to_owned(), Price { input, output })).collect())
    }
}

impl Prices {
    /// What the model costs; the dearest of its provider, or of all, when nobody priced it.
    pub fn of(&self, model: &str) -> Price {
        let known =
            self.0.iter().filter(|(name, _)| model.starts_with(name.as_str())).max_by_key(|(name, _)| name.len());
        if let Some((_, price)) = known {
            return *price;
        }
        let provider = model.split_once('/').map_or(model, |(provider, _)| provider);
        let of_provider = |name: &str| name.strip_prefix(provider).is_some_and(|rest| rest.starts_with('/'));
        let dearest = |all: &mut dyn Iterator<Item = &Price>| {
            all.copied().reduce(|a, b| Price { input: a.input.max(b.input), output: a.output.max(b.output) })
        };
        dearest(&mut self.0.iter().filter(|(name, _)| of_provider(name)).map(|(_, price)| price))
            .or_else(|| dearest(&mut self.0.values()))
            .unwrap_or(Price { input: 0, output: 0 })
    }

    /// Cost of a call, rounded up.
    pub fn cost(&self, model: &str, input_tokens: u64, output_tokens: u64) -> i64 {
        let price = self.of(model);
        let total =
            i128::from(input_tokens) * i128::from(price.input) + i128::from(output_tokens) * i128::from(price.output);
        i64::try_from((total + 999_999) / 1_000_000).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;

    #[test]
    fn the_longest_name_counts_and_fractions_round_up() {
        let prices = Prices::default();
        assert_eq!(prices.cost("openai/gpt-5-mini-2025", 1_000_000, 1_000_000), 2_250_000);
        assert_eq!(prices.cost("openai/gpt-5", 1, 0), 2);
        assert_eq!(prices.cost("gemini/gemini-2.5-flash-lite", 1_000_000, 0), 100_000);
    }

    #[test]
    fn a_model_without_a_price_costs_what_the_dearest_of_its_provider_does() {
        let prices = Prices::default();
        assert_eq!(prices.of("openai/unheard-of"), Price { input: 2_000_000, output: 10_000_000 });
        assert_eq!(prices.of("elsewhere/model"), Price { input: 5_000_000, output: 25_000_000 });
        for provider in Provider::ALL {
            assert!(prices.of(&format!("{}/new", provider.id())).output < 26_000_000, "{provider:?} has prices");
        }
    }
}
