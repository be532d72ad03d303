//! Free words to the calls that are really made: understanding and planner together, three turns deep.

use adagent_llm::ProposedCall;
use serde_json::Value as Json;

use super::journey::Conversation;
use super::world::is_write;
use crate::Outcome;

fn words(list: &Json) -> String {
    list.as_array().into_iter().flatten().filter_map(Json::as_str).collect::<Vec<_>>().join(",")
}

fn date(json: &Json) -> String {
    format!("{:02}-{:02}", json["month"].as_i64().unwrap(), json["day"].as_i64().unwrap())
}

/// A report in one line: "mediation APP,COUNTRY · ESTIMATED_EARNINGS · 11-14..11-20 · PLATFORM=IOS".
fn line(call: &ProposedCall) -> String {
    let Some(kind) = call.name.strip_prefix("admob_generate_").and_then(|n| n.strip_suffix("_report")) else {
        return call.name.clone();
    };
    let spec = &call.args["body"]["reportSpec"];
    let range = &spec["dateRange"];
    let mut out = format!(
        "{kind} {} · {} · {}..{}",
        words(&spec["dimensions"]),
        words(&spec["metrics"]),
        date(&range["startDate"]),
        date(&range["endDate"])
    );
    for filter in spec["dimensionFilters"].as_array().into_iter().flatten() {
        let values = words(&filter["matchesAny"]["values"]);
        out += &format!(" · {}={values}", filter["dimension"].as_str().unwrap());
    }
    out
}

/// What a conversation's last turn called, without repetition over accounts, and the first sentence.
fn outcome(turns: &[&str]) -> (Vec<String>, String) {
    let mut talk = Conversation::new();
    let mut last = None;
    for turn in turns {
        last = Some(talk.say(turn));
    }
    let run = last.unwrap();
    let mut lines: Vec<String> = Vec::new();
    for call in run.rounds.iter().flatten() {
        let line = line(call);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    for write in run.reply.calls.iter().filter(|c| is_write(&c.name)) {
        lines.push(format!("{} {}", write.name, write.args));
    }
    (lines, run.reply.text)
}

#[test]
fn print() {
    for turns in CASES {
        let turns: Vec<&str> = turns.split(" > ").collect();
        let result = std::panic::catch_unwind(|| outcome(&turns));
        match result {
            Ok((lines, text)) => {
                println!("Q {}\n    {}\n    T {}", turns.join(" > "), lines.join("\n    "), text.replace('\n', " / "))
            }
            Err(_) => println!("Q {} PANIC", turns.join(" > ")),
        }
    }
}

#[test]
fn every_follow_up_that_is_offered_is_understood_and_served() {
    let mut bad = Vec::new();
    for case in CASES.iter().chain(&[
        "hi",
        "what is eCPM?",
        "AppLovin revenue",
        "write a poem",
        "why did revenue drop last week?",
        "Optimise my AdMob mediation",
    ]) {
        let mut talk = Conversation::new();
        let mut offered = Vec::new();
        for turn in case.split(" > ") {
            offered = talk.say(turn).reply.follow_ups;
        }
        for chip in offered {
            let mut next = talk.clone();
            let outcome = next.understand(&chip).outcome;
            let reply = next.say(&chip).reply;
            let served = matches!(outcome, Outcome::Answer | Outcome::Approval)
                && (!reply.calls.is_empty() || !reply.artifacts.is_empty());
            if !served {
                bad.push(format!("{case} → {chip}: {outcome:?} {}", reply.text));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

const CASES: &[&str] = &[
    "this week vs last week by app",
    "which ad unit lost the most revenue",
    "which ad unit lost the most revenue compared to last week?",
    "revenue month by month this year",
    "revenue last quarter",
    "earnings from 2026-10-05 to 2026-10-18",
    "impressions between Nov 1 and Nov 15 by day",
    "show rate by format last 7 days",
    "CTR by format yesterday",
    "latency by ad source",
    "revenue of Puzzle Game on iOS last week",
    "Puzzle Game Android revenue by country last 30 days",
    "eCPM in Germany and Japan yesterday",
    "top 3 ad sources by eCPM in Germany last month",
    "bottom 2 countries by match rate last 7 days",
    "countries where we made more than $10 yesterday",
    "ad sources with ecpm under $4 last 30 days",
    "yesterday vs the same day last week",
    "revenue yesterday compared to the day before",
    "compare October with September revenue by country",
    "revenue last 30 days excluding the US",
    "AppLovin revenue in AdMob mediation last 7 days",
    "what's AppLovin's eCPM in our AdMob mediation over the last week?",
    "how many requests did we get today",
    "match rate and fill by app this month",
    "weekly revenue for the last 4 weeks",
    "revenue by app and country yesterday",
    "Android vs iOS revenue last month",
    "which app earned the least last week",
    "clicks per day for Word Quest last 7 days",
    "how did we do yesterday",
    "how's revenue looking",
    "best performing ad unit this month",
    "why did revenue drop yesterday?",
    "revenue by app last 7 days > and by country? > only iOS",
    "revenue yesterday > make it 30 days > by ad source",
    "ecpm by country last week > only Germany > and impressions too",
    "what apps do we have? > and the ad units of Word Quest?",
    "revenue by app last 7 days > compare that to the week before > top 1",
    "what's in iOS Rewarded Global? > raise InMobi there to $5",
    "what's in iOS Rewarded Global? > disable AppLovin in it",
    "disable AppLovin in iOS Rewarded Global",
    "raise the InMobi floor in iOS Rewarded Global to $6",
    "pause the InMobi line in iOS Rewarded Global",
    "add Unity as a bidder to iOS Rewarded Global",
    "remove InMobi from iOS Rewarded Global",
    "put a $4.50 floor on InMobi in iOS Rewarded Global",
    "kick AppLovin out of iOS Rewarded Global",
    "turn AppLovin back on in iOS Rewarded Global",
    "lower InMobi to $2 in iOS Rewarded Global",
    "bump InMobi in iOS Rewarded Global up by 10%",
    "add InMobi at $7 to the iOS Rewarded Global waterfall",
    "remove Chartboost from iOS Rewarded Global",
    "disable AppLovin in US Interstitial",
    "target only US and Canada in iOS Rewarded Global",
    "rename iOS Rewarded Global to Best",
    "we want Unity bidding in iOS Rewarded Global",
    "create a banner ad unit called Footer in Word Quest",
    "create a banner ad unit in Puzzle Game",
    "create a banner ad unit in Puzzle Game > the Android one",
    "Create an iOS app called Bubble Pop in Acme Games",
    "start an A/B test on iOS Rewarded Global: 30% traffic with Unity bidding added",
    "stop the experiment on iOS Rewarded Global and keep variant B",
    "which mediation groups use AppLovin?",
    "what floor does InMobi have in iOS Rewarded Global?",
    "what's the app id of Word Quest?",
    "how many ad units does Puzzle Game have",
    "show all rewarded ad units on Android",
    "are there any disabled mediation groups",
];
