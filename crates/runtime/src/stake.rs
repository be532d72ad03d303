//! The cost of a question to a model that broke off. We compute it while the question runs, so that the worker that drops it can record it.
//! If a question is answered or refused, it reports its own numbers and does not count here.

use adagent_llm::{Quote, Usage};
use adagent_run_core::AskedModel;

use crate::work::spent;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stake {
    model: String,
    /// The usage of attempts that failed.
    wasted: Usage,
    out: Option<Out>,
}

/// The attempt that is now open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Out {
    quote: Quote,
    heard_bytes: u64,
}

impl Stake {
    pub fn of(model: &str) -> Self {
        Self { model: model.to_owned(), ..Self::default() }
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    pub const fn wasted(&self) -> Usage {
        self.wasted
    }

    /// Notes that an attempt begins.
    pub fn ask(&mut self, quote: Quote) {
        self.out = Some(Out { quote, heard_bytes: 0 });
    }

    /// Counts bytes of the answer that arrived. Returns `false` if no attempt with a cost is open.
    pub fn hear(&mut self, bytes: u64) -> bool {
        self.out.as_mut().map(|out| out.heard_bytes = out.heard_bytes.saturating_add(bytes)).is_some()
    }

    /// Notes that the attempt failed, and what it cost.
    pub fn waste(&mut self, usage: Usage) {
        self.out = None;
        self.wasted = self.wasted.plus(usage);
    }

    /// Returns what the open attempt has cost so far.
    pub fn under_way(&self) -> Usage {
        self.out.map_or(Usage::default(), |out| out.quote.broken_off(out.heard_bytes))
    }

    /// Returns the total cost if we hear no more of the answer.
    pub fn lost(&self) -> Option<AskedModel> {
        let all = self.wasted.plus(self.under_way());
        (all != Usage::default()).then(|| AskedModel { model: self.model.clone(), usage: spent(all) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: Usage = Usage { input_tokens: 55, output_tokens: 0, cost_micros: 5, estimated: true };
    const QUOTE: Quote = Quote { input_tokens: 60, output_tokens: 40, cost_micros: 10, output_micros: 4, sent: SENT };

    fn told(stake: &Stake) -> (u64, u64, i64, bool) {
        let usage = stake.lost().expect("something is lost").usage;
        (usage.input_tokens, usage.output_tokens, usage.cost_micros, usage.estimated)
    }

    #[test]
    fn only_what_went_out_and_what_came_of_it_is_lost() {
        let mut stake = Stake::of("priced/model");
        assert_eq!(stake.lost(), None);
        assert!(!stake.hear(1000), "nothing is out");
        stake.ask(QUOTE);
        assert_eq!(told(&stake), (55, 0, 5, true));
        assert!(stake.hear(20) && stake.hear(10));
        assert_eq!(told(&stake), (55, 10, 6, true), "ten tokens at four a micro");
        // The provider refused at once, so that attempt costs nothing.
        stake.waste(Usage::default());
        assert_eq!(stake.lost(), None);
        stake.ask(QUOTE);
        stake.waste(Usage { input_tokens: 50, output_tokens: 20, cost_micros: 7, estimated: false });
        assert_eq!(told(&stake), (50, 20, 7, false), "while it waits for its next attempt");
        stake.ask(QUOTE);
        assert_eq!(told(&stake), (105, 20, 12, true));
    }
}
