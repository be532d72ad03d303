//! Tests that nothing a person can type makes the router panic or return nonsense.

use adagent_contract::HistoryEntry;
use adagent_domain::Network;
use adagent_understanding::{Question, ToolIndex, link_entities, text, understand};
use proptest::prelude::*;

fn question(text: &str, before: &str) -> Question {
    Question {
        text: text.to_owned(),
        history: vec![
            HistoryEntry { role: "user".into(), content: before.to_owned() },
            HistoryEntry { role: "assistant".into(), content: "Done.".into() },
        ],
        connected: vec![Network::AdMob, Network::Unity],
        today: "2026-11-21".into(),
        ..Question::default()
    }
}

/// Builds sentences from the words that the rules look at, in any order.
fn wordy() -> impl Strategy<Value = String> {
    let words = [
        "revenue",
        "by",
        "country",
        "last",
        "7",
        "days",
        "from",
        "to",
        "between",
        "and",
        "31",
        "February",
        "2026-02-30",
        "vs",
        "the",
        "week",
        "before",
        "top",
        "5",
        "'x",
        "ecpm",
        "under",
        "$",
        "1",
        "%",
        "since",
        "Q3",
        "first",
        "half",
        "of",
        "same",
        "period",
        "year",
        "30",
        "th",
        "9th",
        "->",
        "→",
        "undo",
        "split",
        "add",
        "admob",
        "MAX",
        "only",
        "US",
        "iOS",
        "excluding",
        "ca-app-pub-1~2",
        "99999999999",
        "00/00",
        "13/13",
        "month",
        "date",
        "H1",
        "until",
        "yesterday",
        "昨日",
        "أمس",
        "wow",
        "compare",
        "with",
        "ago",
        "day",
        "weekend",
        "quarter",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..14).prop_map(|w| w.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_understood_without_panic(a in ".{0,80}", b in ".{0,60}") {
        let _ = understand(&question(&a, &b));
    }

    #[test]
    fn periods_never_run_backwards(a in wordy(), b in wordy()) {
        if let Some(slots) = understand(&question(&a, &b)).slots {
            prop_assert!(slots.date_from <= slots.date_to);
            if let Some(c) = slots.compare_to {
                prop_assert!(c.date_from <= c.date_to);
            }
        }
    }

    #[test]
    fn token_and_mention_spans_lie_in_the_text(a in ".{0,80}") {
        for token in text::tokens(&a) {
            prop_assert!(token.start <= token.end && a.get(token.start..token.end).is_some());
        }
        for mention in link_entities(&a, &[]) {
            prop_assert!(a.get(mention.span.0..mention.span.1).is_some());
        }
    }

    #[test]
    fn ranking_returns_at_most_fifteen_tools_of_the_given_networks(a in wordy()) {
        let index = ToolIndex::new(&adagent_understanding::bundled_tools());
        let ranked = index.rank(&understand(&question(&a, "")), &a, &[Network::AdMob]);
        prop_assert!(ranked.len() <= 15 && ranked.iter().all(|(name, _)| name.starts_with("admob_")));
    }
}
