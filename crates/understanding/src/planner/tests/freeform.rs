//! Tests from free text to the calls that are really made: understanding and planner together, up to several turns deep.

use std::fmt::Write as _;

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

/// Writes a report call in one line: "mediation APP,COUNTRY · 11-14..11-20 · PLATFORM=IOS".
fn line(call: &ProposedCall) -> String {
    let Some(kind) = call.name.strip_prefix("admob_generate_").and_then(|n| n.strip_suffix("_report")) else {
        return call.name.clone();
    };
    let spec = &call.args["body"]["reportSpec"];
    let range = &spec["dateRange"];
    let mut out =
        format!("{kind} {} · {}..{}", words(&spec["dimensions"]), date(&range["startDate"]), date(&range["endDate"]));
    for filter in spec["dimensionFilters"].as_array().into_iter().flatten() {
        let values = words(&filter["matchesAny"]["values"]).replace("ca-app-pub-1111111111111111~100000000", "~");
        write!(out, " · {}={values}", filter["dimension"].as_str().unwrap()).unwrap();
    }
    out
}

/// Returns the calls of a chat's last turn, each once even if it went to several accounts, and the first sentence of the answer.
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

/// Checks a call against the expected line. For a write, the line gives only the tool and a part of its arguments.
fn same(got: &str, expected: &str) -> bool {
    expected
        .split_once(" … ")
        .map_or_else(|| got == expected, |(tool, part)| got.strip_prefix(tool).is_some_and(|args| args.contains(part)))
}

#[test]
fn free_words_become_exactly_these_calls() {
    for (turns, calls, words) in CASES {
        let (lines, text) = outcome(&turns.split(" > ").collect::<Vec<_>>());
        let fits = lines.len() == calls.len() && lines.iter().zip(*calls).all(|(got, wanted)| same(got, wanted));
        assert!(fits, "{turns}: {lines:#?} {text}");
        assert!(text.contains(words), "{turns}: {text}");
    }
}

#[test]
fn every_follow_up_that_is_offered_is_understood_and_served() {
    let mut bad = Vec::new();
    for case in CASES.iter().map(|(turns, ..)| turns).chain(&[
        "hi",
        "what is eCPM?",
        "AppLovin revenue",
        "write a poem",
        "why did revenue drop last week?",
        "Optimize my AdMob mediation",
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

/// The turns, the calls of the last one (for a write, part of its arguments), and words of its answer.
const CASES: &[(&str, &[&str], &str)] = &[
    (
        "this week vs last week by app",
        &["mediation APP · 11-16..11-20", "mediation APP · 11-09..11-13"],
        "Revenue by app, Nov 16–20, 2026 across all your accounts",
    ),
    (
        "which ad unit lost the most revenue",
        &["mediation AD_UNIT · 11-14..11-20", "mediation AD_UNIT · 11-07..11-13"],
        "Ad units whose revenue fell most, Nov 14–20, 2026 compared with Nov 7",
    ),
    (
        "which ad unit lost the most revenue compared to last week?",
        &["mediation AD_UNIT · 11-16..11-20", "mediation AD_UNIT · 11-09..11-13"],
        "Ad units whose revenue fell most, Nov 16–20, 2026 compared with Nov 9",
    ),
    (
        "revenue month by month this year",
        &["mediation MONTH · 01-01..11-21"],
        "Revenue by month, Jan 1 – Nov 21, 2026 across all your accounts",
    ),
    ("revenue last quarter", &["mediation DATE · 04-01..09-30", "mediation APP · 07-01..09-30"], "AdMob earned"),
    ("earnings from 2026-10-05 to 2026-10-18", &["mediation DATE,APP · 09-21..10-18"], "AdMob earned"),
    (
        "impressions between Nov 1 and Nov 15 by day",
        &["mediation DATE · 11-01..11-15"],
        "Impressions by day, Nov 1–15, 2026 across all your accounts",
    ),
    (
        "show rate by format last 7 days",
        &["mediation FORMAT · 11-14..11-20"],
        "Show rate by format, Nov 14–20, 2026 across all your accounts",
    ),
    (
        "CTR by format yesterday",
        &["mediation FORMAT · 11-20..11-20"],
        "CTR by format, Nov 20, 2026 across all your accounts",
    ),
    (
        "latency by ad source",
        &["mediation AD_SOURCE · 11-14..11-20"],
        "Latency by ad source, Nov 14–20, 2026 across all your accounts",
    ),
    (
        "revenue of Puzzle Game on iOS last week",
        &["mediation DATE,APP · 11-02..11-15 · APP=~1,~2 · PLATFORM=IOS"],
        "AdMob earned",
    ),
    (
        "Puzzle Game Android revenue by country last 30 days",
        &["mediation COUNTRY · 10-22..11-20 · APP=~1,~2 · PLATFORM=ANDROID"],
        "Revenue by country, Oct 22 – Nov 20, 2026",
    ),
    ("eCPM in Germany and Japan yesterday", &["mediation DATE,APP · 11-14..11-20 · COUNTRY=DE,JP"], "AdMob eCPM was"),
    (
        "top 3 ad sources by eCPM in Germany last month",
        &["mediation AD_SOURCE · 10-01..10-31 · COUNTRY=DE"],
        "eCPM by ad source, Oct 1–31, 2026",
    ),
    (
        "bottom 2 countries by match rate last 7 days",
        &["mediation COUNTRY · 11-14..11-20"],
        "Bottom 2 of 3 countries by match rate, Nov 14–20, 2026 across all yo",
    ),
    (
        "countries where we made more than $10 yesterday",
        &["mediation COUNTRY · 11-20..11-20"],
        "3 of 3 countries had revenue above $10.00. Revenue by country, Nov 20",
    ),
    (
        "ad sources with ecpm under $4 last 30 days",
        &["mediation AD_SOURCE · 10-22..11-20"],
        "3 of 3 ad sources had eCPM under $4.00. eCPM by ad source, Oct 22 – ",
    ),
    ("yesterday vs the same day last week", &["mediation DATE,APP · 11-13..11-20"], "AdMob earned"),
    ("revenue yesterday compared to the day before", &["mediation DATE,APP · 11-14..11-20"], "AdMob earned"),
    (
        "compare October with September revenue by country",
        &["mediation COUNTRY · 10-01..10-31", "mediation COUNTRY · 09-01..09-30"],
        "Revenue by country, Oct 1–31, 2026 across all your accounts",
    ),
    (
        "revenue last 30 days excluding the US",
        &["mediation DATE,COUNTRY · 09-22..11-20", "mediation APP,COUNTRY · 10-22..11-20"],
        "AdMob earned",
    ),
    (
        "AppLovin revenue in AdMob mediation last 7 days",
        &["mediation DATE,APP · 11-07..11-20 · AD_SOURCE=1063618907739174004,1328079684332308356"],
        "AdMob earned",
    ),
    (
        "what's AppLovin's eCPM in our AdMob mediation over the last week?",
        &["mediation DATE,APP · 11-02..11-15 · AD_SOURCE=1063618907739174004,1328079684332308356"],
        "AdMob eCPM was",
    ),
    ("how many requests did we get today", &["mediation DATE,APP · 11-15..11-21"], "AdMob requests were"),
    (
        "match rate and fill by app this month",
        &["mediation APP · 11-01..11-21"],
        "Match rate by app, Nov 1–21, 2026 across all your accounts",
    ),
    (
        "weekly revenue for the last 4 weeks",
        &["mediation DATE · 10-24..11-20"],
        "Revenue by week, Oct 24 – Nov 20, 2026 across all your accounts",
    ),
    (
        "revenue by app and country yesterday",
        &["mediation APP,COUNTRY · 11-20..11-20"],
        "Revenue by app and country, Nov 20, 2026 across all your accounts",
    ),
    (
        "Android vs iOS revenue last month",
        &["mediation PLATFORM · 10-01..10-31 · PLATFORM=ANDROID,IOS"],
        "Revenue by platform, Oct 1–31, 2026",
    ),
    (
        "which app earned the least last week",
        &["mediation APP · 11-09..11-15"],
        "Revenue by app, Nov 9–15, 2026 across all your accounts",
    ),
    (
        "clicks per day for Word Quest last 7 days",
        &["mediation DATE · 11-14..11-20 · APP=ca-app-pub-2222222222222222~2000000001"],
        "Clicks by day, Nov 14–20, 2026",
    ),
    ("how did we do yesterday", &["mediation DATE,APP · 11-14..11-20"], "AdMob earned"),
    ("revenue so far", &["mediation DATE,APP · 11-15..11-21"], "AdMob earned"),
    ("what is our revenue right now", &["mediation DATE,APP · 11-15..11-21"], "AdMob earned"),
    (
        "revenue by app last week excluding AppLovin",
        &["mediation APP,AD_SOURCE · 11-09..11-15"],
        "Revenue by app, Nov 9–15, 2026 across all your accounts",
    ),
    (
        "why did revenue drop in Germany last week",
        &[
            "mediation  · 11-09..11-15 · COUNTRY=DE",
            "mediation  · 11-02..11-08 · COUNTRY=DE",
            "mediation AD_SOURCE · 11-09..11-15 · COUNTRY=DE",
            "mediation AD_SOURCE · 11-02..11-08 · COUNTRY=DE",
            "mediation COUNTRY · 11-09..11-15 · COUNTRY=DE",
            "mediation COUNTRY · 11-02..11-08 · COUNTRY=DE",
            "mediation APP · 11-09..11-15 · COUNTRY=DE",
            "mediation APP · 11-02..11-08 · COUNTRY=DE",
            "mediation FORMAT · 11-09..11-15 · COUNTRY=DE",
            "mediation FORMAT · 11-02..11-08 · COUNTRY=DE",
        ],
        "AdMob revenue was",
    ),
    ("average revenue per app last week", &["mediation APP · 11-09..11-15"], "per app on average"),
    ("how's revenue looking", &["mediation DATE,APP · 11-07..11-20"], "AdMob earned"),
    (
        "best performing ad unit this month",
        &["mediation AD_UNIT · 11-01..11-21"],
        "Highest of 3 ad units by revenue, Nov 1–21, 2026 across all your acc",
    ),
    (
        "why did revenue drop yesterday?",
        &[
            "mediation  · 11-20..11-20",
            "mediation  · 11-19..11-19",
            "mediation AD_SOURCE · 11-20..11-20",
            "mediation AD_SOURCE · 11-19..11-19",
            "mediation COUNTRY · 11-20..11-20",
            "mediation COUNTRY · 11-19..11-19",
            "mediation APP · 11-20..11-20",
            "mediation APP · 11-19..11-19",
            "mediation FORMAT · 11-20..11-20",
            "mediation FORMAT · 11-19..11-19",
        ],
        "**It didn't drop:** AdMob revenue was",
    ),
    (
        "revenue by app last 7 days > and by country? > only iOS",
        &["mediation COUNTRY · 11-14..11-20 · PLATFORM=IOS"],
        "Revenue by country, Nov 14–20, 2026",
    ),
    (
        "revenue yesterday > make it 30 days > by ad source",
        &["mediation AD_SOURCE · 10-22..11-20"],
        "Revenue by ad source, Oct 22 – Nov 20, 2026 across all your accounts",
    ),
    (
        "ecpm by country last week > only Germany > and impressions too",
        &["mediation COUNTRY · 11-09..11-15 · COUNTRY=DE"],
        "eCPM by country, Nov 9–15, 2026",
    ),
    (
        "what apps do we have? > and the ad units of Word Quest?",
        &["admob_list_ad_units"],
        "**Word Quest** has no ad units",
    ),
    (
        "revenue by app last 7 days > compare that to the week before > top 1",
        &["mediation APP · 11-14..11-20", "mediation APP · 11-07..11-13"],
        "Highest of 3 apps by revenue, Nov 14–20, 2026 across all your accoun",
    ),
    (
        "what's in iOS Rewarded Global? > raise InMobi there to $5",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9002\"].cpm_micros","body":{"mediationGroupLines":{"9002":{"cpmMicros":"5000000""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "what's in iOS Rewarded Global? > disable AppLovin in it",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9001\"].state","body":{"mediationGroupLines":{"9001":{"state":"DISABLED""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "disable AppLovin in iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9001\"].state","body":{"mediationGroupLines":{"9001":{"state":"DISABLED""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "raise the InMobi floor in iOS Rewarded Global to $6",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9002\"].cpm_micros","body":{"mediationGroupLines":{"9002":{"cpmMicros":"6000000""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "pause the InMobi line in iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9002\"].state","body":{"mediationGroupLines":{"9002":{"state":"DISABLED""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "add Unity as a bidder to iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            "admob_list_ad_source_adapters",
            "admob_list_ad_unit_mappings",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"-1\"]","body":{"mediationGroupLines":{"-1":{"id":"-1","displayName":"Unity Ads (bidding)","adSourceId":"7069338991535737586","state":"ENABLED","cpmMode":"LIVE""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "remove InMobi from iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9002\"].state","body":{"mediationGroupLines":{"9002":{"state":"REMOVED""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "put a $4.50 floor on InMobi in iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9002\"].cpm_micros","body":{"mediationGroupLines":{"9002":{"cpmMicros":"4500000""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "kick AppLovin out of iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9001\"].state","body":{"mediationGroupLines":{"9001":{"state":"REMOVED""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "turn AppLovin back on in iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9001\"].state","body":{"mediationGroupLines":{"9001":{"state":"ENABLED""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "lower InMobi to $2 in iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9002\"].cpm_micros","body":{"mediationGroupLines":{"9002":{"cpmMicros":"2000000""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "bump InMobi in iOS Rewarded Global up by 10%",
        &[
            "admob_list_mediation_groups",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"9002\"].cpm_micros","body":{"mediationGroupLines":{"9002":{"cpmMicros":"3300000""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "add InMobi at $7 to the iOS Rewarded Global waterfall",
        &[
            "admob_list_mediation_groups",
            "admob_list_ad_source_adapters",
            "admob_list_ad_unit_mappings",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"-1\"]","body":{"mediationGroupLines":{"-1":{"id":"-1","displayName":"InMobi","adSourceId":"7681903010231960328","state":"ENABLED","cpmMode":"MANUAL","cpmMicros":"7000000""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "remove Chartboost from iOS Rewarded Global",
        &["admob_list_mediation_groups"],
        "**iOS Rewarded Global** has no Chartboost line. Its lines are AppLo",
    ),
    (
        "disable AppLovin in US Interstitial",
        &[],
        "I can't find a mediation group called “US Interstitial” in your connec",
    ),
    (
        "target only US and Canada in iOS Rewarded Global",
        &["admob_list_mediation_groups"],
        "AdMob's API can't change the countries of an existing mediation group",
    ),
    (
        "rename iOS Rewarded Global to Best",
        &["admob_list_mediation_groups"],
        "AdMob's API can't change the name of an existing mediation group",
    ),
    (
        "we want Unity bidding in iOS Rewarded Global",
        &[
            "admob_list_mediation_groups",
            "admob_list_ad_source_adapters",
            "admob_list_ad_unit_mappings",
            r#"admob_update_mediation_group … "updateMask":"mediation_group_lines[\"-1\"]","body":{"mediationGroupLines":{"-1":{"id":"-1","displayName":"Unity Ads (bidding)","adSourceId":"7069338991535737586","state":"ENABLED","cpmMode":"LIVE""#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "create a banner ad unit called Footer in Word Quest",
        &[
            r#"admob_create_ad_unit … "body":{"appId":"ca-app-pub-2222222222222222~2000000001","displayName":"Footer","adFormat":"BANNER","adTypes":["RICH_MEDIA","VIDEO"]"#,
        ],
        "Here is the change, for your approval.",
    ),
    ("create a banner ad unit in Puzzle Game", &[], "Two apps match “Puzzle Game”"),
    (
        "create a banner ad unit in Puzzle Game > the Android one",
        &[
            r#"admob_create_ad_unit … "body":{"appId":"ca-app-pub-1111111111111111~1000000001","displayName":"Puzzle Game Android banner","adFormat":"BANNER","adTypes":["RICH_MEDIA","VIDEO"]"#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "Create an iOS app called Bubble Pop in Acme Games",
        &[r#"admob_create_app … "body":{"platform":"IOS","manualAppInfo":{"displayName":"Bubble Pop""#],
        "Here is the change, for your approval.",
    ),
    (
        "start an A/B test on iOS Rewarded Global: 30% traffic with Unity bidding added",
        &[
            "admob_list_mediation_groups",
            "admob_list_ad_source_adapters",
            "admob_list_ad_unit_mappings",
            r#"admob_create_mediation_ab_experiment … "body":{"displayName":"iOS Rewarded Global with Unity Ads (bidding)","treatmentTrafficPercentage":"30","treatm"#,
        ],
        "Here is the change, for your approval.",
    ),
    (
        "stop the experiment on iOS Rewarded Global and keep variant B",
        &[
            "admob_list_mediation_groups",
            r#"admob_stop_mediation_ab_experiment … "body":{"variantChoice":"VARIANT_CHOICE_B""#,
        ],
        "Here is the change, for your approval.",
    ),
    ("which mediation groups use AppLovin?", &["admob_list_mediation_groups"], "You have one mediation group"),
    (
        "what floor does InMobi have in iOS Rewarded Global?",
        &["admob_list_mediation_groups"],
        "**iOS Rewarded Global**",
    ),
    (
        "what's the app id of Word Quest?",
        &["admob_list_apps"],
        "The app **Word Quest** has the id `ca-app-pub-2222222222222222~2000000",
    ),
    ("how many ad units does Puzzle Game have", &["admob_list_ad_units"], ""),
    ("show all rewarded ad units on Android", &["admob_list_ad_units"], "One of your ad units matches"),
    (
        "are there any disabled mediation groups",
        &["admob_list_mediation_groups"],
        "Your only mediation group doesn't match",
    ),
    (
        "please get AppLovin off iOS Rewarded Global",
        &["admob_list_mediation_groups", "admob_update_mediation_group … REMOVED"],
        "approval",
    ),
    (
        "raise the floor to $5",
        &["admob_list_mediation_groups"],
        "Only one line there has a price: InMobi in **iOS Rewarded Global** (now $3.00). Should I change it to $5.00?",
    ),
    (
        "what was the best day in October",
        &["mediation DATE · 10-01..10-31"],
        "Highest of 31 days by revenue, Oct 1–31, 2026 across all your accounts: **",
    ),
    ("which groups have Pangle as a bidder", &["admob_list_mediation_groups"], "doesn't match (with Pangle)"),
    (
        "I want an interstitial ad unit in Puzzle Game Android called level_end",
        &["admob_create_ad_unit … level_end"],
        "approval",
    ),
];
