//! How a proposed change ended: made, denied, refused by the network, or unknown.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::planner::{
    Answer,
    format::{plain, thousands},
    read::Done,
    unsent,
};

/// Says how a change ended. `attempted`: an earlier attempt at the change was made in this chat. `edited`: a person changed the proposal.
pub(super) fn ended(done: &Done<'_>, attempted: bool, edited: bool) -> Answer {
    if done.ok {
        return succeeded(done);
    }
    if done.denied() {
        // What we saw when we looked at the network after an interrupted attempt.
        let found = done.content.get("found").is_some_and(|found| !found.is_null());
        let (why, otherwise) = not_sent(done);
        let text = if attempted || found {
            format!(
                "{why}, so it wasn't sent again. An earlier attempt may have already changed AdMob; check there before you try again."
            )
        } else {
            format!("{}{why}, {otherwise}", unsent::repeated(done))
        };
        return Answer::text(text).following([
            "List my mediation groups",
            "What was my revenue yesterday?",
            "eCPM by ad source, last 7 days",
        ]);
    }
    if let Some(answer) = unsent::waits_already(done) {
        return answer;
    }
    if done.content.get("unknown").and_then(Json::as_bool) == Some(true) {
        // If the problem says "The next attempt failed", we may have sent the change a second time, so this answer would be wrong.
        if done.problem().starts_with("Sending was interrupted")
            && !done.problem().contains(" The next attempt failed: ")
        {
            return Answer::text(
                "The first attempt was interrupted, and we don't know whether the change went through. We didn't send it again. Check AdMob before you try again.",
            )
            .following(["List my mediation groups", "Show my AdMob apps", "What was my revenue yesterday?"]);
        }
        return Answer::text(format!(
            "We sent the change, but can't confirm it. {}. Check AdMob before you try again.",
            done.problem()
        ))
        .following(["List my mediation groups", "Show my AdMob apps", "What was my revenue yesterday?"]);
    }
    let edits = if edited { " with your edits" } else { "" };
    let mut text = format!("AdMob didn't make the change{edits}: {}.", done.problem());
    if let Some(guidance) = done.guidance() {
        let _ = write!(text, " {}.", plain(guidance.trim_end_matches('.')).replace('\\', ""));
    }
    let candidates = candidates(done.content);
    if !candidates.is_empty() {
        let _ = write!(text, " Available: {}.", crate::planner::format::or(&candidates));
    }
    text += " Nothing has been changed.";
    if edited {
        text += " I didn't retry without your edits. Tell me what it should be instead.";
    }
    Answer::text(text).following(["List my mediation groups", "Show my AdMob apps", "What was my revenue yesterday?"])
}

/// Returns why a change was not sent, and what that means if it was never sent before. Only a person who said no denied it.
fn not_sent(done: &Done<'_>) -> (&'static str, &'static str) {
    const NOTHING: &str = "so nothing was sent to AdMob.";
    match done.content.get("cause").and_then(Json::as_str) {
        Some("already_there") => ("AdMob already has these values", NOTHING),
        Some("expired") => ("No one answered in time, and the approval expired", NOTHING),
        Some("cancelled") => ("It was canceled before anyone answered", NOTHING),
        Some("forked") => (
            "This change belongs to the run this one was forked from",
            "so it was not proposed or sent again here. That run shows what happened to it.",
        ),
        _ => ("You denied it", "so nothing was sent to AdMob. Tell me what should be different, and I'll draft that."),
    }
}

/// Returns the names and IDs that the engine offers instead of unknown ones.
fn candidates(content: &Json) -> Vec<String> {
    let issues = content.pointer("/error/issues").or_else(|| content.get("issues")).and_then(Json::as_array);
    issues
        .into_iter()
        .flatten()
        .filter_map(|issue| issue.get("candidates")?.as_array())
        .flatten()
        .filter_map(|c| Some(format!("{} (`{}`)", plain(c.get("name")?.as_str()?), c.get("id")?.as_str()?)))
        .take(6)
        .collect()
}

fn succeeded(done: &Done<'_>) -> Answer {
    let object = done.content.get("item").unwrap_or(done.content);
    let get = |key: &str| object.get(key).and_then(Json::as_str).filter(|t| !t.is_empty());
    let sent = |pointer: &str| done.args.pointer(pointer).and_then(Json::as_str);
    let name = get("displayName")
        .or_else(|| object.pointer("/manualAppInfo/displayName").and_then(Json::as_str))
        .or_else(|| object.pointer("/linkedAppInfo/displayName").and_then(Json::as_str))
        .or_else(|| sent("/body/displayName"));
    let named = |id: Option<&str>, what: &str| {
        let name = name.map_or_else(String::new, |n| format!(" **{}**", plain(n)));
        let id = id.map_or_else(String::new, |id| format!(" (`{id}`)"));
        format!("{what}{name}{id}")
    };
    let group = get("mediationGroupId").or_else(|| sent("/mediation_group_id"));
    let (text, follow_ups) = match done.name {
        "admob_create_mediation_group" => (
            format!("Done: {} was created as approved.", named(group, "the mediation group")),
            ["List my mediation groups", "Revenue by mediation group, last 7 days", "Start an A/B test on it"],
        ),
        "admob_update_mediation_group" => (
            format!("Done: {} was updated as approved.", named(group, "the mediation group")),
            ["List my mediation groups", "eCPM by ad source, last 7 days", "Revenue by mediation group, last 7 days"],
        ),
        "admob_create_app" => (
            format!("Done: {} was created.", named(get("appId"), "the app")),
            ["Show my AdMob apps", "Create a banner ad unit for it", "List my AdMob ad units"],
        ),
        "admob_create_ad_unit" => (
            format!("Done: {} was created.", named(get("adUnitId"), "the ad unit")),
            ["List my AdMob ad units", "Create a mediation group for it", "Show my AdMob apps"],
        ),
        "admob_create_ad_unit_mapping" => (
            format!("Done: {} was created.", named(get("name"), "the mapping")),
            ["Show its mappings", "List my mediation groups", "List my AdMob ad units"],
        ),
        "admob_batch_create_ad_unit_mappings" => {
            let count = object.get("adUnitMappings").and_then(Json::as_array).map_or(0, Vec::len);
            (
                format!("Done: {} mappings were created.", thousands(i64::try_from(count).unwrap_or(0))),
                ["List my AdMob ad units", "List my mediation groups", "eCPM by ad source, last 7 days"],
            )
        }
        "admob_create_mediation_ab_experiment" => (
            format!("Done: {} is running.", named(get("experimentId"), "the A/B test")),
            ["List my mediation groups", "eCPM by ad source, last 7 days", "Revenue by mediation group, last 7 days"],
        ),
        _ => (
            "Done: the A/B test has ended, with the variant you chose.".to_owned(),
            ["List my mediation groups", "Revenue by mediation group, last 7 days", "eCPM by ad source, last 7 days"],
        ),
    };
    Answer::text(text).following(follow_ups)
}
