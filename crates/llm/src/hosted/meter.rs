//! Computes what a call may cost before we send it, and what it did cost afterwards. It uses a provider's numbers only if they are
//! plausible. Otherwise it estimates them from the texts and says so.

use genai::chat::{ChatRequest, Usage as Theirs};

use crate::{Prices, Quote, Usage, port::BYTES_A_TOKEN};

/// The tokens that providers add around messages and tools.
const FRAME: u64 = 200;
/// Some providers do not count thinking toward the limit of an answer, so an answer may exceed the limit.
const OUTPUT_FACTOR: u64 = 4;

/// The sizes of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meter {
    request_bytes: u64,
    max_output: u64,
    /// The bytes of text, thinking and calls that came back.
    pub heard: u64,
}

impl Meter {
    pub fn new(chat: &ChatRequest, max_output: u32) -> Self {
        let bytes = serde_json::to_vec(chat).map_or(0, |bytes| bytes.len());
        Self { request_bytes: bytes as u64, max_output: u64::from(max_output), heard: 0 }
    }

    pub fn quote(&self, model: &str, prices: &Prices) -> Quote {
        let (input_tokens, output_tokens) = (self.most_input(), self.most_output());
        let sent = self.usual_input();
        Quote {
            input_tokens,
            output_tokens,
            cost_micros: prices.cost(model, input_tokens, output_tokens),
            output_micros: prices.cost(model, 0, output_tokens),
            sent: Usage {
                input_tokens: sent,
                output_tokens: 0,
                cost_micros: prices.cost(model, sent, 0),
                estimated: true,
            },
        }
    }

    /// Returns the most tokens of the input: one for each byte.
    const fn most_input(&self) -> u64 {
        self.request_bytes.saturating_add(FRAME)
    }

    const fn most_output(&self) -> u64 {
        self.max_output.saturating_mul(OUTPUT_FACTOR)
    }

    const fn usual_input(&self) -> u64 {
        self.request_bytes.div_ceil(BYTES_A_TOKEN) + FRAME
    }

    /// Returns our estimate of the usage of an answer that broke off or is unusable. The provider bills it anyway.
    pub fn reckoned(&self, model: &str, prices: &Prices) -> Usage {
        self.usage(model, prices, None)
    }

    pub fn usage(&self, model: &str, prices: &Prices, told: Option<&Theirs>) -> Usage {
        let count = |tokens: Option<i32>| tokens.and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
        let thought = |usage: &Theirs| usage.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens);
        // More than the quote cannot be right.
        let input = told.and_then(|usage| count(usage.prompt_tokens)).filter(|n| *n <= self.most_input());
        let output = told
            .and_then(|usage| count(usage.completion_tokens).or_else(|| count(thought(usage))))
            .filter(|n| *n <= self.most_output());
        let output = if self.heard == 0 { output.or(Some(0)) } else { output };
        let input_tokens = input.unwrap_or(self.usual_input());
        let output_tokens = output.unwrap_or_else(|| self.heard.div_ceil(BYTES_A_TOKEN).min(self.most_output()));
        Usage {
            input_tokens,
            output_tokens,
            cost_micros: prices.cost(model, input_tokens, output_tokens),
            estimated: input.is_none() || output.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "openai/gpt-5-mini";

    fn meter(heard: u64) -> Meter {
        Meter { heard, ..Meter::new(&ChatRequest::from_user("x".repeat(3000)), 1000) }
    }

    fn told(input: Option<i32>, output: Option<i32>) -> Theirs {
        Theirs { prompt_tokens: input, completion_tokens: output, ..Theirs::default() }
    }

    fn usage(heard: u64, told: Option<&Theirs>) -> Usage {
        meter(heard).usage(MODEL, &Prices::default(), told)
    }

    #[test]
    fn figures_that_can_be_true_are_taken() {
        let usage = usage(90, Some(&told(Some(800), Some(60))));
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.estimated), (800, 60, false));
        assert_eq!(usage.cost_micros, (800 * 250_000 + 60 * 2_000_000 + 999_999) / 1_000_000);
    }

    #[test]
    fn negative_huge_and_absent_figures_are_reckoned_and_say_so() {
        let reckoned = usage(90, None);
        assert!(reckoned.estimated && reckoned.input_tokens > 1000 && reckoned.output_tokens == 30, "{reckoned:?}");
        for wrong in
            [told(Some(-5), Some(-1)), told(Some(i32::MAX), Some(i32::MAX)), told(None, None), told(Some(0), Some(0))]
        {
            assert_eq!(usage(90, Some(&wrong)), reckoned, "{wrong:?}");
        }
        let half = usage(90, Some(&told(Some(800), None)));
        assert_eq!((half.input_tokens, half.output_tokens, half.estimated), (800, 30, true));
    }

    #[test]
    fn whatever_a_provider_says_the_quote_covers_it() {
        let quote = meter(0).quote(MODEL, &Prices::default());
        let figures =
            [None, Some(0), Some(1), Some(1500), Some(2500), Some(3200), Some(4000), Some(4001), Some(i32::MAX)];
        for heard in [0, 90, 4000, 1_000_000] {
            for input in figures {
                for output in figures {
                    let usage = usage(heard, Some(&told(input, output)));
                    assert!(
                        usage.cost_micros <= quote.cost_micros
                            && usage.input_tokens <= quote.input_tokens
                            && usage.output_tokens <= quote.output_tokens,
                        "{heard} {input:?} {output:?}: {usage:?} {quote:?}"
                    );
                }
            }
            let usage = usage(heard, None);
            assert!(usage.cost_micros <= quote.cost_micros, "{heard}: {usage:?} {quote:?}");
        }
        // The highest plausible numbers: thinking on top of the limit, and a token per byte.
        let most = usage(4000, Some(&told(Some(3000), Some(4000))));
        assert!(!most.estimated && most.cost_micros > quote.cost_micros / 2, "{most:?} {quote:?}");
    }

    #[test]
    fn what_is_broken_off_costs_what_was_sent_and_heard() {
        let quote = meter(0).quote(MODEL, &Prices::default());
        assert_eq!(quote.broken_off(0), quote.sent);
        for heard in [1, 90, 3000] {
            assert_eq!(quote.broken_off(heard).output_tokens, heard.div_ceil(3));
            let (reckoned, broken) = (meter(heard).reckoned(MODEL, &Prices::default()), quote.broken_off(heard));
            assert_eq!((reckoned.input_tokens, reckoned.output_tokens), (broken.input_tokens, broken.output_tokens));
            assert!((0..=1).contains(&(broken.cost_micros - reckoned.cost_micros)), "{broken:?} {reckoned:?}");
        }
        assert!(quote.broken_off(u64::MAX).cost_micros <= quote.cost_micros);
    }

    #[test]
    fn nothing_heard_is_nothing_written() {
        let usage = usage(0, Some(&told(Some(800), None)));
        assert_eq!((usage.output_tokens, usage.estimated), (0, false));
    }
}
