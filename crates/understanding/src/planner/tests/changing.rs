//! Tests for one change after the other in a chat: what continues the one before, and what is a new order.

use adagent_llm::ModelReply;
use serde_json::{Value as Json, json};

use super::{journey::Conversation, world::ended};
use crate::planner::plan;

/// Returns the change that the last of these messages drafts.
fn drafted(messages: &[&str]) -> Json {
    let mut talk = Conversation::new();
    let mut last = None;
    for message in messages {
        last = Some(talk.say(message));
    }
    let run = last.expect("a message");
    let [call] = run.reply.calls.as_slice() else { panic!("{messages:?}: {}", run.reply.text) };
    assert_eq!(call.args["mediation_group_id"], "3300000001", "{messages:?}");
    call.args["body"]["mediationGroupLines"].clone()
}

const PRICE: &str = "set the InMobi floor in iOS Rewarded Global to $4.50";
const PAUSE: &str = "pause the InMobi line in iOS Rewarded Global";

#[test]
fn another_amount_of_the_same_line_is_drafted_whatever_verb_hands_it_over() {
    for said in [
        "lower it to 3.80 dollar",
        "make it 3.80 dollar",
        "raise it to $3.80",
        "drop that to 3.80",
        "no, cut it to $3.80",
    ] {
        assert_eq!(drafted(&[PRICE, said]), json!({"9002": {"cpmMicros": "3800000"}}), "{said}");
    }
    // This also works for a line that was about to be paused.
    for said in ["lower it to 2 dollar", "just lower it to $2", "make it $2"] {
        assert_eq!(drafted(&[PAUSE, said]), json!({"9002": {"cpmMicros": "2000000"}}), "{said}");
    }
}

#[test]
fn an_order_of_its_own_keeps_the_things_of_the_one_before_and_nothing_it_did() {
    for said in ["pause InMobi in that group", "pauze inmobi in that group", "pause it", "turn it off please"] {
        assert_eq!(drafted(&[PRICE, said]), json!({"9002": {"state": "DISABLED"}}), "{said}");
    }
    assert_eq!(drafted(&[PRICE, "pause AppLovin in that group"]), json!({"9001": {"state": "DISABLED"}}));
    assert_eq!(drafted(&[PRICE, PAUSE, "and AppLovin there too: pause it"]), json!({"9001": {"state": "DISABLED"}}));
}

#[test]
fn another_thing_is_not_the_one_before() {
    let mut talk = Conversation::new();
    talk.say(PRICE);
    let run = talk.say("set a floor of 3,75 euro on level up bonus");
    assert!(run.reply.calls.is_empty(), "{:?}", run.reply.calls);
    assert!(!run.reply.text.contains("I'm not sure what you mean"), "{}", run.reply.text);
}

/// Returns the reply after a person denies a change.
fn denied(wish: &str, reason: &str) -> ModelReply {
    let run = Conversation::new().say(wish);
    let mut request = run.request.clone();
    ended(&mut request, run.write(), false, json!({"denied": true, "cause": "declined", "reason": reason}));
    plan(&request)
}

#[test]
fn a_reason_that_says_what_to_do_instead_is_the_next_order() {
    for (wish, reason, lines) in [
        (PAUSE, "dont pause it, just lower it to 2 dollar", json!({"9002": {"cpmMicros": "2000000"}})),
        (PAUSE, "lower it to $2 instead", json!({"9002": {"cpmMicros": "2000000"}})),
        (PRICE, "too much, just lower it to $2", json!({"9002": {"cpmMicros": "2000000"}})),
        (PRICE, "no, pause it instead", json!({"9002": {"state": "DISABLED"}})),
    ] {
        let reply = denied(wish, reason);
        let [call] = reply.calls.as_slice() else { panic!("{reason}: {}", reply.text) };
        assert_eq!(call.args["body"]["mediationGroupLines"], lines, "{reason}");
    }
}
