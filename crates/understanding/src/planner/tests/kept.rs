//! Tests that an answer never shows numbers of another period, app or account than the question asks for. It answers the question as it is,
//! or says what can't be done.

use serde_json::Value as Json;

use super::{journey::Conversation, world};
use crate::planner::{read::Turn, unused};

/// Returns the answer, and how many calls it took.
fn ask(text: &str) -> (String, usize) {
    let run = Conversation::new().say(text);
    (run.reply.text.clone(), run.rounds.iter().flatten().count() + run.reply.calls.len())
}

#[test]
fn what_is_asked_is_what_is_answered() {
    let mut wrong = Vec::new();
    for (text, words) in [
        ("revenue of the 3rd best app last week", "3rd highest of 3 apps by revenue, Nov 9–15, 2026"),
        ("5th biggest app last 30 days", "There is no 5th highest of the apps over Oct 22 – Nov 20, 2026"),
        ("second best country last month", "2nd highest of 3 countries by revenue, Oct 1–31, 2026"),
        ("which country had the second highest revenue last month", "2nd highest of 3 countries"),
        ("3rd lowest ecpm ad source last week", "3rd lowest of 3 ad sources by eCPM"),
        ("which apps have the lowest revenue last week", "**Word Quest** $8,877.77, **"),
        ("apps with the lowest revenue last week", "**Word Quest** $8,877.77, **"),
        ("lowest eCPM countries last month", "eCPM by country"),
        ("highest revenue countries last month", "Revenue by country"),
        ("the 2nd app by revenue last week", "2nd highest of 3 apps by revenue"),
        ("2nd highest revenue day this month", "2nd highest of 21 days by revenue"),
        ("highest revenue day this month", "Highest of 21 days by revenue"),
        ("revenue on the last day of October", "on Oct 31, 2026"),
        ("revenue on the last day of February", "on Feb 28, 2026"),
        ("revenue until 5 November", "over Nov 1–5, 2026"),
        ("revenue until 5 November", "I started at the beginning of the month: Nov 1–5, 2026"),
        ("revenue before 10 November", "over Nov 1–9, 2026"),
        ("revenue after 5 November", "over Nov 6–21, 2026"),
        ("revenue through 10 November", "over Nov 1–10, 2026"),
        ("revenue up to 10 November", "over Nov 1–10, 2026"),
        ("revenue until yesterday this month", "over Nov 1–20, 2026"),
        ("revenue excluding yesterday last 7 days", "over Nov 14–19, 2026"),
        ("revenue same day last year", "on Nov 21, 2025"),
        ("revenue same week last year", "over Nov 17–23, 2025"),
        ("revenue same month last year", "over Nov 1–30, 2025"),
        ("revenue one year ago today", "on Nov 21, 2025"),
        ("revenue same day last week", "on Nov 14, 2026"),
        ("revenue between christmas and new year", "over Dec 25, 2025 – Jan 1, 2026"),
        ("revenue in the 1st week of november", "over Nov 1–7, 2026"),
        ("revenue last Friday 13th", "on Nov 13, 2026"),
        ("revenue in DACH yesterday", "(only Austria, Switzerland and Germany)"),
        ("revenue and ARPU yesterday", "AdMob doesn't report ARPU"),
        ("revenue on Android 14 last week", "can't filter by OS version or device (Android 14)"),
        ("revenue on iPhone 15 yesterday", "can't filter by OS version or device (iPhone 15)"),
        (
            "top -3 apps by revenue last week",
            "**Word Quest** $8,877.77; **$44,233.30** in total. \"top -3\" would list nothing",
        ),
        ("revenue of foobar yesterday", "I couldn't apply \"foobar\""),
        ("revenue gizmo last week", "I couldn't apply \"gizmo\""),
        ("revenue in october 2024 and october 2025", "doesn't cover Oct 1–31, 2025"),
        ("year over year revenue", "Which period should I compare with?"),
        ("median revenue per day last week", "doesn't report medians"),
        ("top 10% of countries by revenue", "I couldn't apply \"10\""),
        ("number of ad units without revenue last week", "4 of 7 ad units had revenue at most $0.00"),
        ("revenue in the EU yesterday", "(only Austria, Belgium,"),
        ("ebitda last month", "I couldn't apply \"ebitda\""),
        ("revenue over $100 yesterday", "so I didn't apply it"),
        ("third place app by revenue last week", "3rd highest of 3 apps"),
        ("runner-up country last week", "2nd highest of 3 countries"),
        ("which app is second by revenue last week", "2nd highest of 3 apps"),
        ("revenue bidding only last week", "this covers both"),
        ("revenue with vpn users last week", "I couldn't apply \"vpn\""),
    ] {
        let (answer, calls) = ask(text);
        if calls == 0 || !answer.contains(words) {
            wrong.push(format!("{text}: {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_cannot_be_answered_is_said_and_nothing_is_read() {
    let mut wrong = Vec::new();
    for (text, words) in [
        ("second highest revenue last month", "Which ranking do you want the 2nd one of"),
        ("revenue until end of month", "is in the future"),
        ("revenue excluding yesterday", "at the start or end of a period"),
        ("revenue last 7 days excluding 17 november", "at the start or end of a period"),
        ("revenue this month until 5 October", "no day in common"),
        ("revenue so far today vs same time yesterday", "AdMob reports whole days"),
        ("today compared to the same time last week", "AdMob reports whole days"),
        ("revenue same period last year", "doesn't say which period it should match"),
        ("is yesterday better than the 7 day average", "can't compare a period with an average"),
        ("revenue of all but the top app last week", "can't leave out rows by rank"),
        ("average cpc last week", "doesn't report numbers per click"),
        ("what did I earn net last month", "after taxes or fees"),
        ("revenue target for november", "targets or budgets"),
        ("compare yesterday with yesterday", "with itself"),
        ("revenue for account pub-0000000000000000 yesterday", "can't find a publisher account `pub-0000000000000000`"),
        ("revenue of my app `<script>alert(1)</script>` yesterday", "can't find an app called"),
        ("revenue of my app <script>alert(1)</script> yesterday", "can't find an app called"),
        ("revenue of my app foobar yesterday", "can't find an app called “foobar”"),
        ("revenue in Europe last week", "which countries you count as \"Europe\""),
        ("revenue in tier 1 countries last week", "which countries you count as \"tier 1\""),
        ("revenue for account 0000000000000000 yesterday", "publisher account `0000000000000000`"),
        ("revenue in LATAM yesterday", "which countries you count as \"LATAM\""),
        ("revenue in Asia by app last week", "which countries you count as \"Asia\""),
        ("ARPU yesterday", "doesn't report ARPU"),
        ("ARPDAU last week", "doesn't report ARPDAU"),
        ("profit last month", "doesn't report profit"),
        ("revenue minus costs last month", "doesn't report costs"),
        ("ad spend last week", "doesn't report ad spend"),
        ("net revenue after tax last month", "after taxes or fees"),
        ("ROAS last week", "doesn't report ROAS"),
        ("LTV last month", "doesn't report LTV"),
        ("revenue per session yesterday", "doesn't report sessions"),
        ("revenue per user yesterday", "doesn't report ARPU"),
        ("revenue from new users last week", "single groups of users"),
        ("revenue yesterday between 9am and 5pm", "time of day"),
        ("revenue yesterday at midnight", "time of day"),
        ("revenue every other day last week", "one kind of day"),
        ("waterfall vs bidding revenue last week", "doesn't add up bidding and waterfall"),
        ("how much did we ever earn", "don't know which days \"ever\" means"),
        ("revenue since launch", "don't know which days \"since launch\" means"),
        ("revenue last fiscal year", "don't know which days \"fiscal year\" means"),
        ("revenue on the last leap day", "don't know which days \"leap day\" means"),
        ("expected revenue this month", "can't forecast yet"),
    ] {
        let (answer, calls) = ask(text);
        if calls > 0 || !answer.contains(words) {
            wrong.push(format!("{text}: [{calls}] {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// If the note about unused words were common, nobody would read it.
#[test]
fn hardly_any_ordinary_question_is_told_of_unused_words() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../evals");
    let (mut all, mut alarms) = (0, Vec::new());
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let record: Json = serde_json::from_str(line).unwrap();
            let expect = &record["expect"];
            let admob = expect["services"].as_array().is_some_and(|s| s.iter().all(|n| n == "admob"));
            let first = record["context"]["history"].as_array().is_none_or(Vec::is_empty);
            if !(admob && first && expect["outcome"] == "answer" && expect["capability"] == "reporting") {
                continue;
            }
            all += 1;
            let text = record["query"].as_str().unwrap();
            let talk = Conversation::new();
            let request = world::request(&talk.world, text, &talk.understand(text));
            let unused = unused::unused(&Turn::read(&request, &[]).unwrap());
            if !unused.is_empty() {
                alarms.push(format!("{text}: {unused:?}"));
            }
        }
    }
    assert!(all > 100, "{all}");
    assert!(alarms.len() * 100 <= all, "{} of {all}: {alarms:#?}", alarms.len());
}

#[test]
fn a_follow_up_leans_on_the_period_before() {
    for (before, text, words) in [
        (
            "revenue by country last 30 days",
            "and the 2nd best one?",
            "2nd highest of 3 countries by revenue, Oct 22 – Nov 20",
        ),
        ("revenue by country last 30 days", "until 10 November", "Nov 1–10, 2026"),
        ("revenue yesterday", "same day last week?", "on Nov 13, 2026"),
        ("revenue last week", "same period last year", "over Nov 9–15, 2025"),
        ("revenue last week", "compare with the same period last year", "over Nov 9–15, 2025"),
        ("revenue last week", "and the week before last?", "over Nov 2–8, 2026"),
        ("revenue this month", "what about gizmo", "I couldn't apply \"gizmo\""),
    ] {
        let mut talk = Conversation::new();
        talk.say(before);
        let answer = talk.say(text).reply.text.clone();
        assert!(answer.contains(words), "{before} / {text}: {answer}");
    }
}
