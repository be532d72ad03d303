//! The price of tokens, in millionths of a US dollar: list prices without discounts. Budgets depend on them, so a model without a price
//! counts as the most expensive one of its provider, never as free.

use std::collections::BTreeMap;

/// Millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: i64,
    pub output: i64,
}

/// If a request has more tokens than this, Google charges twice the price for it and its answer.
const LONG_REQUEST: u64 = 200_000;

/// The prices that the administrator configured. The built-in list covers the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices {
    /// Prices by prefix of `provider/model`. The longest matching prefix counts, and any of these counts before the list.
    pub configured: BTreeMap<String, Price>,
}

/// Dollars per million tokens times 1,000, by the family's name. `-` and a date or version may follow the name. Any other word makes it
/// another model: `gpt-5-pro` costs twelve times as much as `gpt-5`.
const LIST: [(&str, i64, i64); 35] = [
    ("anthropic/claude-haiku", 1_000, 5_000),
    ("anthropic/claude-3-5-haiku", 800, 4_000),
    ("anthropic/claude-sonnet", 3_000, 15_000),
    ("anthropic/claude-opus", 5_000, 25_000),
    ("anthropic/claude-opus-4-0", 15_000, 75_000),
    ("anthropic/claude-opus-4-1", 15_000, 75_000),
    ("anthropic/claude-opus-4-20250514", 15_000, 75_000),
    ("openai/gpt-5-nano", 50, 400),
    ("openai/gpt-5-mini", 250, 2_000),
    ("openai/gpt-5", 1_250, 10_000),
    ("openai/gpt-5.1", 1_250, 10_000),
    ("openai/gpt-5.2", 1_750, 14_000),
    ("openai/gpt-5-pro", 15_000, 120_000),
    ("openai/gpt-5.2-pro", 21_000, 168_000),
    ("openai/gpt-4.1", 2_000, 8_000),
    ("openai/gpt-4.1-mini", 400, 1_600),
    ("openai/gpt-4.1-nano", 100, 400),
    ("openai/gpt-4o", 2_500, 10_000),
    ("openai/gpt-4o-mini", 150, 600),
    ("openai/o3", 2_000, 8_000),
    ("openai/o4-mini", 1_100, 4_400),
    ("gemini/gemini-2.5-flash-lite", 100, 400),
    ("gemini/gemini-2.5-flash", 300, 2_500),
    ("gemini/gemini-2.5-pro", 1_250, 10_000),
    ("gemini/gemini-3-flash", 500, 3_000),
    ("gemini/gemini-3-pro", 2_000, 12_000),
    ("gemini/gemini-3.1-pro", 2_000, 12_000),
    ("xai/grok-3-mini", 300, 500),
    ("xai/grok-3", 3_000, 15_000),
    ("xai/grok-4-fast", 200, 500),
    ("xai/grok-4-1-fast", 200, 500),
    ("xai/grok-4-fast-reasoning", 200, 500),
    ("xai/grok-4", 3_000, 15_000),
    ("deepseek/deepseek-chat", 280, 420),
    ("deepseek/deepseek-reasoner", 280, 420),
];

fn list() -> impl Iterator<Item = (&'static str, Price)> {
    LIST.into_iter().map(|(name, input, output)| (name, Price { input: input * 1_000, output: output * 1_000 }))
}

/// Checks whether a model belongs to this family: its name is equal, or only a version follows.
fn is_of(model: &str, family: &str) -> bool {
    let version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit()) || matches!(rest, "latest" | "preview");
    model.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(version))
}

impl Prices {
    /// Returns the model's price. Without one, returns the highest price of its provider, or of all providers.
    pub fn of(&self, model: &str) -> Price {
        let longest = |a: &(&str, Price)| a.0.len();
        let set = self.configured.iter().map(|(name, price)| (name.as_str(), *price));
        if let Some((_, price)) = set.filter(|(name, _)| model.starts_with(name)).max_by_key(longest) {
            return price;
        }
        if let Some((_, price)) = list().filter(|(family, _)| is_of(model, family)).max_by_key(longest) {
            return price;
        }
        let provider = model.split_once('/').map_or(model, |(provider, _)| provider);
        let of_provider = |name: &str| name.strip_prefix(provider).is_some_and(|rest| rest.starts_with('/'));
        let dearer = |a: Price, b: Price| Price { input: a.input.max(b.input), output: a.output.max(b.output) };
        let dearest = list().filter(|(name, _)| of_provider(name)).map(|(_, price)| price).reduce(dearer);
        dearest.or_else(|| list().map(|(_, price)| price).reduce(dearer)).unwrap_or(Price { input: 0, output: 0 })
    }

    /// Returns the cost of a call, rounded up.
    pub fn cost(&self, model: &str, input_tokens: u64, output_tokens: u64) -> i64 {
        let price = self.of(model);
        let times = if model.starts_with("gemini/") && input_tokens > LONG_REQUEST { 2 } else { 1 };
        let total =
            i128::from(input_tokens) * i128::from(price.input) + i128::from(output_tokens) * i128::from(price.output);
        let total = total * times;
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
        assert_eq!(prices.cost("gemini/gemini-2.5-flash-lite", 100_000, 0), 10_000);
        assert_eq!(prices.cost("gemini/gemini-2.5-pro", 200_001, 0), 500_003, "a long request costs twice as much");
    }

    #[test]
    fn a_version_is_the_same_model_and_another_word_is_not() {
        let prices = Prices::default();
        let output = |model: &str| prices.of(model).output / 1_000_000;
        assert_eq!(
            [output("openai/gpt-5"), output("openai/gpt-5-2025-08-07"), output("openai/gpt-5-pro")],
            [10, 10, 120]
        );
        assert_eq!(output("openai/gpt-5-pro-2025-10-06"), 120);
        assert_eq!([output("anthropic/claude-opus-4-5"), output("anthropic/claude-opus-4-1-20250805")], [25, 75]);
        assert_eq!(output("anthropic/claude-opus-4-20250514"), 75);
        assert_eq!(output("openai/gpt-5-enormous"), 168, "the dearest of its provider");
    }

    #[test]
    fn what_an_operator_set_comes_before_the_list() {
        let set = Price { input: 7, output: 9 };
        let prices = Prices { configured: [("openai/".to_owned(), set)].into() };
        assert_eq!([prices.of("openai/gpt-5-mini"), prices.of("openai/new")], [set, set]);
        assert_ne!(prices.of("xai/grok-4"), set);
    }

    #[test]
    fn a_model_without_a_price_costs_what_the_dearest_of_its_provider_does() {
        let prices = Prices::default();
        let all = Price { input: 21_000_000, output: 168_000_000 };
        assert_eq!([prices.of("openai/unheard-of"), prices.of("elsewhere/model")], [all, all]);
        assert_eq!(prices.of("anthropic/unheard-of"), Price { input: 15_000_000, output: 75_000_000 });
        for provider in Provider::ALL.into_iter().filter(|provider| *provider != Provider::OpenAi) {
            assert!(prices.of(&format!("{}/new", provider.id())).output < all.output, "{provider:?} has prices");
        }
    }
}
