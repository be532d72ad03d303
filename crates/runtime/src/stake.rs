//! What a question to a model costs although nobody hears its end. Computed while it runs, so that the worker that breaks it off
//! can book it. A question that was answered or refused reports its own figures and is not counted here.

use adagent_llm::{Quote, Usage};
use adagent_run_core::AskedModel;

use crate::work::spent;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stake {
    model: String,
    /// Attempts that came to nothing.
    wasted: Usage,
    out: Option<Out>,
}

/// The attempt that is out.
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

    /// An attempt goes out.
    pub fn ask(&mut self, quote: Quote) {
        self.out = Some(Out { quote, heard_bytes: 0 });
    }

    /// So much of the answer came. `false` when nothing is out that costs anything.
    pub fn hear(&mut self, bytes: u64) -> bool {
        self.out.as_mut().map(|out| out.heard_bytes = out.heard_bytes.saturating_add(bytes)).is_some()
    }

    /// The attempt came to nothing, at this price.
    pub fn waste(&mut self, usage: Usage) {
        self.out = None;
        self.wasted = self.wasted.plus(usage);
    }

    /// What the attempt that is out has come to.
    pub fn under_way(&self) -> Usage {
        self.out.map_or(Usage::default(), |out| out.quote.broken_off(out.heard_bytes))
    }

    /// All that is spent if nobody hears more of it.
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
        // Refused at the door: that attempt costs nothing.
        stake.waste(Usage::default());
        assert_eq!(stake.lost(), None);
        stake.ask(QUOTE);
        stake.waste(Usage { input_tokens: 50, output_tokens: 20, cost_micros: 7, estimated: false });
        assert_eq!(told(&stake), (50, 20, 7, false), "while it waits for its next attempt");
        stake.ask(QUOTE);
        assert_eq!(told(&stake), (105, 20, 12, true));
    }
}
