//! Planted bugs. The simulation must find each of them soon.

use adagent_simulation::{Campaign, Plan, Planted, play, shrink};

fn found(planted: Planted, within: u64) -> (Plan, Vec<String>) {
    let report = Campaign { planted: Some(planted), ..Campaign::of(within) }.run();
    let failure = report.failures.into_iter().next();
    let failure = failure.unwrap_or_else(|| panic!("{planted:?} was not found within {within} seeds"));
    (Plan::of(failure.seed).with(planted), failure.violations)
}

#[test]
fn a_store_that_forgets_the_epoch_is_found() {
    let (_, violations) = found(Planted::ForgetEpoch, 200);
    assert!(violations.iter().any(|what| what.contains("stale epoch")), "{violations:#?}");
}

#[test]
fn a_sending_that_is_committed_after_the_request_left_is_found() {
    let (_, violations) = found(Planted::LateSending, 50);
    assert!(violations.iter().any(|what| what.contains("its row says approved")), "{violations:#?}");
}

#[test]
fn an_event_number_that_is_left_out_is_found() {
    let (_, violations) = found(Planted::SkipNumber, 50);
    assert!(violations.iter().any(|what| what.contains("event")), "{violations:#?}");
}

#[test]
fn a_failing_plan_is_shrunk_to_what_it_takes() {
    let (plan, _) = found(Planted::LateSending, 50);
    let small = shrink(plan.clone());
    assert!(small.size() <= plan.size().min(4), "{small:#?}");
    assert!(small.questions.len() == 1 && small.faults.is_empty(), "{small:#?}");
    assert!(!play(small, false).violations.is_empty());
}
