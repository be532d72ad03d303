//! The weights in the repository: they can be read, they fit the operations, and they are fast; a broken file is refused.

use std::time::Instant;

use adagent_contract::HistoryEntry;
use adagent_domain::Network;
use adagent_scorer::{Act, Capability, Question, Scorer, Weights, WeightsError};

const WEIGHTS: &[u8] = include_bytes!("../data/weights.bin");

fn said(role: &str, content: &str) -> HistoryEntry {
    HistoryEntry { role: role.into(), content: content.into() }
}

#[test]
fn they_are_a_few_megabytes_and_read() {
    assert!(WEIGHTS.len() < 12_000_000, "{}", WEIGHTS.len());
    Weights::read(WEIGHTS).unwrap();
}

#[test]
fn whatever_is_broken_is_refused() {
    assert_eq!(Weights::read(Vec::new()).unwrap_err(), WeightsError::Short);
    assert_eq!(Weights::read(b"GIF89a..".to_vec()).unwrap_err(), WeightsError::Magic);
    let mut other = WEIGHTS.to_vec();
    other[4] = 99;
    assert_eq!(Weights::read(other).unwrap_err(), WeightsError::Version(99));
    let mut flipped = WEIGHTS.to_vec();
    flipped[WEIGHTS.len() / 2] ^= 1;
    assert_eq!(Weights::read(flipped).unwrap_err(), WeightsError::Digest);
    assert!(Weights::read(WEIGHTS[..WEIGHTS.len() - 1].to_vec()).is_err());
}

#[test]
fn plain_questions_read_as_they_are_meant() {
    let scorer = Scorer::bundled();
    let ask = |text| Question { text, connected: &Network::ALL, ..Question::default() };
    let report = scorer.read(ask("admob revenue yesterday by country"));
    assert_eq!((report.best_capability(), report.best_act()), (Capability::Reporting, Act::Answer));
    assert!(report.network(Network::AdMob) > 0.8 && report.network(Network::Unity) < 0.2, "{report:?}");
    let change = scorer.read(ask("pause line item 6500000001"));
    assert!(change.change() > 0.5 && change.network(Network::AdManager) > 0.5, "{change:?}");
    let best = scorer.rank(ask("pause line item 6500000001"), &[Network::AdManager]);
    assert!(best[0].name.contains("pause_line_item"), "{:?}", &best[..3]);
    assert_eq!(scorer.read(ask("hi there")).best_act(), Act::Chat);
}

#[test]
fn what_goes_on_keeps_the_network() {
    let scorer = Scorer::bundled();
    let history = [said("user", "MAX revenue yesterday"), said("assistant", "MAX revenue on Nov 20: $2,612.")];
    let found =
        scorer.read(Question { text: "and by country?", history: &history, connected: &Network::ALL, disabled: &[] });
    assert_eq!(found.best_capability(), Capability::Reporting);
    assert!(found.network(Network::AppLovin) > 0.5, "{found:?}");
}

#[test]
fn any_text_gets_finite_scores() {
    let scorer = Scorer::bundled();
    let long = "ähm 😀 ".repeat(4000);
    for text in ["", "?", "'", "\"\"", "  ", "收益 昨天", "รายได้", "i̇\u{301}\u{301}", "1,2,3 % $ ca-app-pub-", &long]
    {
        let (found, ranked) = scorer.score(Question { text, connected: &Network::ALL, ..Question::default() });
        assert!(found.networks.iter().chain(&found.capability).all(|p| (0.0..=1.0).contains(p)), "{text}");
        assert!(ranked.iter().all(|fit| fit.score.is_finite()), "{text}");
    }
}

#[test]
fn a_question_takes_less_than_a_millisecond() {
    let scorer = Scorer::bundled();
    let history = [said("user", "AdMob revenue last week by app"), said("assistant", "AdMob earned $1,204 last week.")];
    let texts =
        ["and by country?", "why did eCPM of rewarded on Android in the US drop since Monday, is it one source?"];
    let started = Instant::now();
    for round in 0..200 {
        let question =
            Question { text: texts[round % texts.len()], history: &history, connected: &Network::ALL, disabled: &[] };
        assert!(scorer.score(question).1.len() > 300);
    }
    let each = started.elapsed() / 200;
    println!("{each:?} a question");
    // Four times the budget, because the test shares its machine with others.
    assert!(each.as_micros() < 4000, "{each:?}");
}

/// Returns how many bytes of this process are in memory.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says so");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux says so");
    line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number") * 1024
}

/// Run it alone: other tests of this process make their own scorers.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "other tests of this process take memory, too; run with --ignored"]
fn it_is_made_once_in_little_memory() {
    let (before, started) = (resident(), Instant::now());
    let scorer = Scorer::shared();
    let (took, more) = (started.elapsed(), resident() - before);
    println!("{took:?} to make, {} KB", more / 1024);
    assert!(std::ptr::eq(scorer, Scorer::shared()));
    assert!(more < 25_000_000, "{more}");
    assert!(took.as_secs() < 2, "{took:?}");
}
