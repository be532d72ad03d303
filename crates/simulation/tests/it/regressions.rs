//! Plans that once failed. They are written out in full, so that they stay the same if plans are drawn differently later.

use adagent_simulation::{
    Answer, CommitFate, Decision, Deed, Fault, Flow, ModelFate, Plan, Question, What, When, WireFate, explain, play,
};

#[test]
fn plans_that_failed_once_do_not_fail_again() {
    for plan in [
        woken_too_late(),
        woken_too_late_again(),
        woken_too_late_once_more(),
        second_attempt(),
        stopped_while_unclear(),
        looked_too_early(),
        edited_after_a_doubt(),
        outlived_a_power_cut(),
        asked_about_a_call_that_was_lost(),
        moved_a_call_that_was_lost(),
    ] {
        assert_eq!(play(plan.clone(), false).violations, [""; 0], "{}", explain(plan));
    }
}

/// A worker woke up between `sending` and the request. It sent a write that another worker had already checked at the network.
fn woken_too_late() -> Plan {
    Plan {
        workers: 4,
        parallel: 3,
        one_writer: true,
        slow: 1,
        keep: 2,
        questions: vec![Question { at_ms: 3069, chat: 1, flow: Flow::Repeats }],
        decisions: vec![
            Decision { after_ms: 173, answer: Answer::Approve },
            Decision { after_ms: 403, answer: Answer::Edit },
            Decision { after_ms: 40, answer: Answer::Approve },
            Decision { after_ms: 1903, answer: Answer::ApproveTwice },
            Decision { after_ms: 7751, answer: Answer::Deny },
            Decision { after_ms: 14_382, answer: Answer::Approve },
        ],
        deeds: vec![(8541, Deed::Cancel { run: 2 }), (6453, Deed::Cancel { run: 1 })],
        faults: vec![
            Fault { when: When::Step { place: 0, nth: 116 }, what: What::Kill { place: 0, back_after_ms: 12_735 } },
            Fault { when: When::Step { place: 0, nth: 58 }, what: What::Pause { place: 0, for_ms: 14_126 } },
            Fault { when: When::Step { place: 3, nth: 17 }, what: What::Kill { place: 3, back_after_ms: 5787 } },
        ],
        writes: vec![(3, WireFate::Queued { ms: 13_692 })],
        asked: vec![(3, ModelFate::Unavailable)],
        calm_at_ms: 27_184,
        ..Plan::quiet(1254)
    }
}

/// The same failure with other people.
fn woken_too_late_again() -> Plan {
    Plan {
        workers: 4,
        parallel: 3,
        questions: vec![
            Question { at_ms: 388, chat: 1, flow: Flow::Mixed },
            Question { at_ms: 11_364, chat: 0, flow: Flow::Stubborn },
            Question { at_ms: 8739, chat: 1, flow: Flow::Mixed },
        ],
        decisions: vec![
            Decision { after_ms: 198, answer: Answer::Approve },
            Decision { after_ms: 1003, answer: Answer::Approve },
            Decision { after_ms: 2950, answer: Answer::Approve },
            Decision { after_ms: 7754, answer: Answer::Approve },
            Decision { after_ms: 178, answer: Answer::ApproveAndDeny },
            Decision { after_ms: 11, answer: Answer::Edit },
        ],
        deeds: vec![(15_193, Deed::Cancel { run: 1 })],
        faults: vec![
            Fault {
                when: When::Step { place: 2, nth: 63 },
                what: What::PowerCut { workers_too: false, back_after_ms: 6840 },
            },
            Fault { when: When::Step { place: 3, nth: 100 }, what: What::Pause { place: 3, for_ms: 18_644 } },
        ],
        commits: vec![(4, CommitFate::FailsBefore)],
        writes: vec![(0, WireFate::Queued { ms: 5478 }), (1, WireFate::SignInGone)],
        reads: vec![(4, WireFate::Busy)],
        asked: vec![(0, ModelFate::Busy), (3, ModelFate::Malformed)],
        calm_at_ms: 25_181,
        ..Plan::quiet(1340)
    }
}

/// The same failure with other faults.
fn woken_too_late_once_more() -> Plan {
    Plan {
        workers: 4,
        parallel: 1,
        questions: vec![
            Question { at_ms: 8120, chat: 1, flow: Flow::Mixed },
            Question { at_ms: 9713, chat: 0, flow: Flow::Mixed },
        ],
        decisions: vec![
            Decision { after_ms: 185, answer: Answer::ApproveTwice },
            Decision { after_ms: 4624, answer: Answer::Approve },
            Decision { after_ms: 4883, answer: Answer::Deny },
            Decision { after_ms: 90, answer: Answer::Approve },
            Decision { after_ms: 13_524, answer: Answer::Approve },
            Decision { after_ms: 8407, answer: Answer::Approve },
        ],
        deeds: vec![(20_599, Deed::Cancel { run: 1 })],
        faults: vec![
            Fault { when: When::Step { place: 0, nth: 34 }, what: What::Drain { place: 0, back_after_ms: 10_582 } },
            Fault { when: When::Step { place: 1, nth: 87 }, what: What::Pause { place: 1, for_ms: 22_309 } },
            Fault {
                when: When::Step { place: 1, nth: 63 },
                what: What::PowerCut { workers_too: true, back_after_ms: 8000 },
            },
            Fault { when: When::Step { place: 2, nth: 98 }, what: What::Pause { place: 2, for_ms: 26_686 } },
        ],
        writes: vec![(3, WireFate::Busy), (0, WireFate::SignInGone)],
        asked: vec![(5, ModelFate::Malformed), (6, ModelFate::Malformed)],
        calm_at_ms: 21_542,
        ..Plan::quiet(2760)
    }
}

/// A second attempt had not reached the network. The run took that as proof that the first attempt had not either.
fn second_attempt() -> Plan {
    Plan {
        workers: 2,
        parallel: 3,
        questions: vec![
            Question { at_ms: 2000, chat: 1, flow: Flow::Write },
            Question { at_ms: 7870, chat: 0, flow: Flow::Mixed },
        ],
        decisions: vec![
            Decision { after_ms: 104, answer: Answer::Approve },
            Decision { after_ms: 13_136, answer: Answer::Approve },
            Decision { after_ms: 0, answer: Answer::Approve },
            Decision { after_ms: 65, answer: Answer::Edit },
            Decision { after_ms: 10_004, answer: Answer::Edit },
            Decision { after_ms: 12_159, answer: Answer::Deny },
        ],
        deeds: vec![(12_767, Deed::Cancel { run: 0 })],
        faults: vec![
            Fault { when: When::At(26_439), what: What::PowerCut { workers_too: true, back_after_ms: 2986 } },
            Fault { when: When::Step { place: 1, nth: 36 }, what: What::ClockStep { place: 1, by_ms: 1275 } },
            Fault { when: When::Step { place: 0, nth: 83 }, what: What::Kill { place: 0, back_after_ms: 3638 } },
        ],
        writes: vec![(1, WireFate::Stalls { ms: 39_228 })],
        blind: vec![0],
        asked: vec![(2, ModelFate::Malformed), (3, ModelFate::Rejected)],
        calm_at_ms: 30_746,
        ..Plan::quiet(1_008_851)
    }
}

/// A worker was told to stop while the outcome of one write was unknown and the next write was approved. It neither checked the first write
/// nor stopped, forever.
fn stopped_while_unclear() -> Plan {
    Plan {
        workers: 2,
        parallel: 1,
        one_writer: true,
        together: false,
        questions: vec![
            Question { at_ms: 10_892, chat: 0, flow: Flow::ReadThenWrites },
            Question { at_ms: 9, chat: 0, flow: Flow::Malformed },
            Question { at_ms: 4627, chat: 1, flow: Flow::TwoWrites },
        ],
        decisions: vec![
            Decision { after_ms: 44, answer: Answer::Approve },
            Decision { after_ms: 95, answer: Answer::Approve },
            Decision { after_ms: 4105, answer: Answer::Approve },
            Decision { after_ms: 2530, answer: Answer::Approve },
            Decision { after_ms: 87, answer: Answer::Approve },
            Decision { after_ms: 10_887, answer: Answer::ApproveTwice },
        ],
        deeds: vec![(22_578, Deed::Cancel { run: 1 })],
        faults: vec![Fault { when: When::Step { place: 0, nth: 29 }, what: What::Pause { place: 0, for_ms: 10_348 } }],
        writes: vec![(0, WireFate::ReplyLost), (3, WireFate::ReplyLost)],
        blind: vec![1],
        asked: vec![(7, ModelFate::Unavailable)],
        calm_at_ms: 24_121,
        ..Plan::quiet(1_000_036)
    }
}

/// The next worker checked too early and reported that nothing had happened. Then it did happen.
fn looked_too_early() -> Plan {
    Plan {
        workers: 2,
        parallel: 1,
        together: false,
        questions: vec![
            Question { at_ms: 657, chat: 1, flow: Flow::TwoWrites },
            Question { at_ms: 3420, chat: 1, flow: Flow::Mixed },
        ],
        decisions: vec![
            Decision { after_ms: 6263, answer: Answer::Approve },
            Decision { after_ms: 19, answer: Answer::Approve },
            Decision { after_ms: 4436, answer: Answer::Edit },
            Decision { after_ms: 3619, answer: Answer::ApproveAndDeny },
            Decision { after_ms: 9, answer: Answer::Approve },
            Decision { after_ms: 125, answer: Answer::Edit },
        ],
        faults: vec![Fault { when: When::At(11_830), what: What::Pause { place: 0, for_ms: 18_010 } }],
        commits: vec![(73, CommitFate::ReplyLost), (22, CommitFate::FailsBefore)],
        writes: vec![(0, WireFate::Stalls { ms: 27_674 }), (1, WireFate::RequestLost)],
        blind: vec![1],
        asked: vec![(1, ModelFate::Malformed), (1, ModelFate::Unavailable)],
        calm_at_ms: 31_106,
        ..Plan::quiet(1_011_453)
    }
}

/// A change was sent with an unknown outcome, and then sent again with other arguments. A fork from an earlier state proposed the first
/// arguments again.
fn edited_after_a_doubt() -> Plan {
    let at_once = |answer| Decision { after_ms: 100, answer };
    Plan {
        workers: 1,
        parallel: 1,
        together: false,
        questions: vec![
            Question { at_ms: 13_410, chat: 0, flow: Flow::Repeats },
            Question { at_ms: 11_801, chat: 1, flow: Flow::Mixed },
        ],
        decisions: vec![
            at_once(Answer::Approve),
            at_once(Answer::Edit),
            at_once(Answer::Approve),
            at_once(Answer::Approve),
            at_once(Answer::Approve),
            at_once(Answer::Approve),
        ],
        deeds: vec![(27_626, Deed::Fork { run: 0, checkpoint: 1 })],
        writes: vec![(0, WireFate::ReplyLost)],
        blind: vec![0, 1],
        sketches: vec![(1, WireFate::Refused)],
        calm_at_ms: 150_000,
        ..Plan::quiet(11_880)
    }
}

/// The database lost a state after its worker had continued from it, so the worker's next state had no predecessor.
fn outlived_a_power_cut() -> Plan {
    Plan {
        workers: 2,
        parallel: 1,
        together: false,
        slow: 1,
        questions: vec![Question { at_ms: 4043, chat: 0, flow: Flow::TwoWrites }],
        decisions: vec![
            Decision { after_ms: 100, answer: Answer::Deny },
            Decision { after_ms: 9032, answer: Answer::EditBadly },
            Decision { after_ms: 21, answer: Answer::Approve },
            Decision { after_ms: 83, answer: Answer::Approve },
            Decision { after_ms: 63, answer: Answer::Approve },
            Decision { after_ms: 100, answer: Answer::Approve },
        ],
        faults: vec![
            Fault {
                when: When::Step { place: 0, nth: 112 },
                what: What::PowerCut { workers_too: false, back_after_ms: 8173 },
            },
            Fault { when: When::Step { place: 1, nth: 47 }, what: What::Pause { place: 1, for_ms: 7897 } },
        ],
        calm_at_ms: 22_257,
        ..Plan::quiet(13_398)
    }
}

/// The same, but the lost data was a call that a person was then asked about.
fn asked_about_a_call_that_was_lost() -> Plan {
    Plan {
        workers: 1,
        parallel: 1,
        together: true,
        questions: vec![
            Question { at_ms: 13_721, chat: 0, flow: Flow::Write },
            Question { at_ms: 13_073, chat: 0, flow: Flow::Repeats },
        ],
        decisions: vec![
            Decision { after_ms: 14_927, answer: Answer::EditBadly },
            Decision { after_ms: 100, answer: Answer::Approve },
        ],
        faults: vec![
            Fault { when: When::Step { place: 0, nth: 74 }, what: What::Pause { place: 0, for_ms: 27_279 } },
            Fault { when: When::At(28_560), what: What::PowerCut { workers_too: false, back_after_ms: 11_425 } },
        ],
        sketches: vec![(1, WireFate::Stalls { ms: 2500 })],
        calm_at_ms: 29_619,
        ..Plan::quiet(37_764)
    }
}

/// The same, but the next write was about the lost call.
fn moved_a_call_that_was_lost() -> Plan {
    Plan {
        parallel: 1,
        together: false,
        questions: vec![Question { at_ms: 5719, chat: 1, flow: Flow::Mixed }],
        decisions: vec![Decision { after_ms: 100, answer: Answer::Approve }; 6],
        faults: vec![
            Fault { when: When::Step { place: 0, nth: 58 }, what: What::Pause { place: 0, for_ms: 19_026 } },
            Fault { when: When::At(8598), what: What::PowerCut { workers_too: false, back_after_ms: 13_024 } },
        ],
        calm_at_ms: 26_014,
        ..Plan::quiet(280_858)
    }
}
