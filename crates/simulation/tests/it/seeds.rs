//! Seeds: none fails, and the same seed is the same history.

use adagent_simulation::{Campaign, Plan, explain, play};

#[test]
fn two_thousand_seeds_find_nothing_wrong() {
    let report = Campaign { threads: 2, ..Campaign::of(2000) }.run();
    if let Some(failure) = report.failures.first() {
        panic!(
            "{}\nreplay with `cargo xtask soak --only simulation --seed {} --trace`",
            explain(Plan::of(failure.seed)),
            failure.seed
        );
    }
    assert_eq!(report.seeds, 2000);
    // It is no proof of anything if nothing happened.
    assert!(report.sent > 1000 && report.runs > 2000, "{report:?}");
}

#[test]
fn a_seed_gives_the_same_history_every_time() {
    for seed in 0..60 {
        let (first, again) = (play(Plan::of(seed), false), play(Plan::of(seed), true));
        assert_eq!((first.fingerprint, first.steps), (again.fingerprint, again.steps), "seed {seed}");
    }
}
