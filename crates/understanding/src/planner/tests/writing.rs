use adagent_contract::EntityKind;
use serde_json::{Value as Json, json};

use super::world::*;
use crate::planner::plan;
use crate::{Capability, Outcome};

fn ask(world: &World, text: &str) -> Run {
    let understood = understood(Capability::Mediation, Outcome::Approval, None, text);
    run(world, request(world, text, &understood))
}

const GROUP: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

#[test]
fn a_group_is_proposed_with_resolved_ids_negative_keys_and_a_name() {
    let world = World::default();
    let run = ask(&world, GROUP);
    let write = run.write();
    assert_eq!(write.name, "admob_create_mediation_group");
    assert_eq!(write.args["account_id"], ACME);
    let body = &write.args["body"];
    assert_eq!(body["displayName"], "Puzzle Game Android · Banner · AppLovin + Unity bidding");
    assert_eq!(
        body["targeting"],
        json!({"platform": "ANDROID", "format": "BANNER", "adUnitIds": [
            "ca-app-pub-1111111111111111/1100000001", "ca-app-pub-1111111111111111/1100000002",
        ]})
    );
    assert_eq!(body["mediationGroupLines"]["-1"]["adSourceId"], "1328079684332308356");
    assert_eq!(body["mediationGroupLines"]["-1"]["cpmMode"], "LIVE");
    assert_eq!(body["mediationGroupLines"]["-2"]["adSourceId"], "7069338991535737586");
    let mapped = &body["mediationGroupLines"]["-1"]["adUnitMappings"]["ca-app-pub-1111111111111111/1100000001"];
    assert_eq!(*mapped, "accounts/pub-1111111111111111/adUnits/1100000001/adUnitMappings/77");
    assert!(body["mediationGroupLines"]["-2"].get("adUnitMappings").is_none(), "no mapping is made up");
}

#[test]
fn a_name_of_our_own_is_free() {
    const OURS: &str = "Puzzle Game Android · Banner · AppLovin + Unity bidding";
    let mut world = World::default();
    world.add_group("3300000009", OURS);
    assert_eq!(ask(&world, GROUP).write().args["body"]["displayName"], format!("{OURS} (2)"));
    // We take a name as the person gives it; the card warns.
    let mut world = World::default();
    world.add_group("3300000009", "US tier");
    let named = "Create a mediation group 'US tier' for Puzzle Game Android banner with AppLovin bidding";
    let run = ask(&world, named);
    assert_eq!(run.write().args["body"]["displayName"], "US tier", "{:?}", run.write());
}

#[test]
fn a_floor_makes_a_waterfall_line() {
    let run = ask(
        &World::default(),
        "Create a mediation group for Puzzle Game Android banner with AppLovin bidding and a $5 floor for InMobi",
    );
    let lines = &run.write().args["body"]["mediationGroupLines"];
    assert_eq!(lines["-1"]["cpmMode"], "LIVE");
    assert_eq!((lines["-2"]["cpmMode"].as_str(), lines["-2"]["cpmMicros"].as_str()), (Some("MANUAL"), Some("5000000")));
    assert_eq!(lines["-2"]["adSourceId"], "7681903010231960328");
}

#[test]
fn countries_and_a_given_name_are_taken() {
    let run = ask(
        &World::default(),
        "Create a mediation group 'US tier' for Puzzle Game Android banner in the United States and Canada with AppLovin bidding",
    );
    let body = &run.write().args["body"];
    assert_eq!(body["displayName"], "US tier");
    assert_eq!(body["targeting"]["targetedRegionCodes"], json!(["US", "CA"]));
}

#[test]
fn what_is_missing_or_ambiguous_is_asked_and_nothing_is_proposed() {
    let world = World::default();
    for (text, expected) in [
        ("Create a mediation group for Puzzle Game banner with AppLovin bidding", "Two apps match"),
        (
            "Create a mediation group for Tower Blast on Android banner with AppLovin bidding",
            "can't find an app called “Tower Blast”",
        ),
        ("Create a mediation group for Puzzle Game on Android with AppLovin bidding", "Which format"),
        (
            "Create a mediation group for Puzzle Game on Android interstitial with AppLovin bidding",
            "has no interstitial ad unit",
        ),
        ("Create a mediation group for Puzzle Game on Android banner", "Which ad sources"),
        ("Rename the group iOS Rewarded Global to Best", "can't change the name"),
        ("Stop the a/b test of iOS Rewarded Global", "Which variant"),
        ("turn off Chartboost in the group iOS Rewarded Global", "has no Chartboost line"),
        ("turn off the group iOS Rewarded Global", "AdMob's API can't change the state"),
    ] {
        let run = ask(&world, text);
        assert!(run.reply.calls.is_empty(), "{text}: {:?}", run.reply.calls);
        assert!(run.reply.text.contains(expected), "{text}: {}", run.reply.text);
    }
}

#[test]
fn lines_are_changed_by_mask() {
    let world = World::default();
    for (text, mask, pointer, value) in [
        (
            "turn off applovin in the group 'iOS Rewarded Global'",
            r#"mediation_group_lines["9001"].state"#,
            "/9001/state",
            json!("DISABLED"),
        ),
        (
            "remove InMobi from group 3300000001",
            r#"mediation_group_lines["9002"].state"#,
            "/9002/state",
            json!("REMOVED"),
        ),
        (
            "set the InMobi floor in iOS Rewarded Global to $4.50",
            r#"mediation_group_lines["9002"].cpm_micros"#,
            "/9002/cpmMicros",
            json!("4500000"),
        ),
        (
            "drop the floor of iOS Rewarded Global to 2",
            r#"mediation_group_lines["9002"].cpm_micros"#,
            "/9002/cpmMicros",
            json!("2000000"),
        ),
        (
            "add Unity as a bidder to iOS Rewarded Global",
            r#"mediation_group_lines["-1"]"#,
            "/-1/adSourceId",
            json!("7069338991535737586"),
        ),
    ] {
        let run = ask(&world, text);
        let write = run.write();
        assert_eq!(write.name, "admob_update_mediation_group", "{text}");
        assert_eq!(write.args["updateMask"], mask, "{text}");
        assert_eq!(write.args["body"]["mediationGroupLines"].pointer(pointer), Some(&value), "{text}");
    }
}

#[test]
fn experiments_start_with_the_groups_lines_and_stop_with_a_variant() {
    let world = World::default();
    let run = ask(
        &world,
        "start ab test in admob: group 'iOS Rewarded Global', treatment = add Unity bidding, 20% of traffic",
    );
    let body = &run.write().args["body"];
    assert_eq!(body["treatmentTrafficPercentage"], "20");
    let sources: Vec<&Json> = body["treatmentMediationLines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| &l["mediationGroupLine"]["adSourceId"])
        .collect();
    assert_eq!(sources, ["1328079684332308356", "7681903010231960328", "7069338991535737586"]);
    let run = ask(&world, "Stop the a/b experiment on mediation group 3300000001 and keep variant B");
    assert_eq!(run.write().args["body"], json!({"variantChoice": "VARIANT_CHOICE_B"}));
}

#[test]
fn apps_ad_units_and_mappings_are_proposed() {
    let world = World::default();
    let run = ask(&world, "Create a rewarded ad unit 'RV_LevelEnd' worth 50 coins for Puzzle Game Android");
    assert_eq!(run.write().name, "admob_create_ad_unit");
    assert_eq!(run.write().args["body"]["displayName"], "RV_LevelEnd");
    assert_eq!(run.write().args["body"]["rewardSettings"], json!({"unitAmount": "50", "unitType": "coins"}));
    let run = ask(&world, "add our new game com.acme.snakeloop to Acme Games, android");
    assert_eq!(run.write().args["body"]["linkedAppInfo"]["appStoreId"], "com.acme.snakeloop");
    let run = ask(&world, "Map ad unit 1100000001 to the AppLovin bidding placement BANNER-88231");
    assert_eq!(run.write().name, "admob_create_ad_unit_mapping");
    assert_eq!(run.write().args["body"]["adUnitConfigurations"], json!({"701": "BANNER-88231"}));
}

#[test]
fn denial_success_and_failure_end_the_matter() {
    let world = World::default();
    for (ok, content, expected) in [
        (false, json!({"denied": true, "reason": "Denied."}), "You denied it"),
        (
            true,
            json!({"kind": "object", "item": {"mediationGroupId": "3300000099", "displayName": "Edited"}}),
            "**Edited** (`3300000099`) was created",
        ),
        (
            false,
            json!({"error": {"code": "INVALID_ARGUMENT", "message": "displayName is taken.", "guidance": "Choose another."}}),
            "displayName is taken. Choose another.",
        ),
        (false, json!({"unknown": true, "reason": "The connection broke."}), "can't confirm it"),
        (false, json!({"denied": true, "reason": "Denied.", "found": "The change is not there."}), "wasn't sent again"),
        (false, json!({"unknown": true, "reason": "Sending was interrupted, and why."}), "didn't send it again"),
    ] {
        let run = ask(&world, GROUP);
        let mut request = run.request.clone();
        ended(&mut request, run.write(), ok, content);
        let reply = plan(&request);
        assert!(reply.calls.is_empty(), "never a second time");
        assert!(reply.text.contains(expected), "{}", reply.text);
    }
}

#[test]
fn only_who_said_no_is_told_so() {
    let world = World::default();
    for (cause, found, expected) in [
        ("declined", Json::Null, "You denied it, so nothing was sent to AdMob. Tell me what should be different"),
        ("expired", Json::Null, "No one answered in time, and the approval expired, so nothing was sent"),
        (
            "expired",
            json!("It may have gone through."),
            "expired, so it wasn't sent again. An earlier attempt may have already changed AdMob",
        ),
        ("cancelled", Json::Null, "It was canceled before anyone answered"),
        ("forked", Json::Null, "belongs to the run this one was forked from, so it was not proposed or sent again"),
    ] {
        let run = ask(&world, GROUP);
        let mut request = run.request.clone();
        let mut content = json!({"denied": true, "cause": cause, "reason": "Because."});
        content["found"] = found;
        ended(&mut request, run.write(), false, content);
        let reply = plan(&request);
        assert!(reply.calls.is_empty(), "never a second time");
        assert!(reply.text.contains(expected), "{}", reply.text);
        assert!(cause == "declined" || !reply.text.contains("You declined"), "{}", reply.text);
        assert!(cause != "forked" || !reply.text.contains("nothing has changed"), "{}", reply.text);
    }
}

#[test]
fn the_reason_of_a_denial_is_taken_up() {
    let world = World::default();
    let wish =
        "Create a mediation group for Puzzle Game Android banner with AppLovin bidding and a $5 floor for InMobi";
    let denied = |reason: &str| {
        let run = ask(&world, wish);
        let mut request = run.request.clone();
        let content = json!({"denied": true, "cause": "declined", "reason": reason});
        ended(&mut request, run.write(), false, content);
        (request.clone(), plan(&request))
    };
    // Another price: we draft the same change with that price, and show the reason with it.
    let (mut request, reply) = denied("too much, make it $4");
    let [call] = reply.calls.as_slice() else { panic!("{}", reply.text) };
    assert_eq!(call.args["body"]["mediationGroupLines"]["-2"]["cpmMicros"], "4000000");
    assert!(reply.text.contains("You denied it: “too much, make it $4”"), "{}", reply.text);
    // After a second denial, the last reason counts, and we never propose an earlier change again.
    let again = call.clone();
    ended(&mut request, &again, false, json!({"denied": true, "cause": "declined", "reason": "5 was fine"}));
    let reply = plan(&request);
    assert!(reply.calls.is_empty(), "{:?}", reply.calls);
    assert!(reply.text.contains("Your reason: “5 was fine”"), "{}", reply.text);
    // The reason names another app.
    let (_, reply) = denied("not this app, do it for Word Quest");
    assert!(reply.calls.len() <= 1 && reply.text.contains("Word Quest"), "{}", reply.text);
    // If the reason gives no value, we repeat the reason and draft nothing.
    let (_, reply) = denied("the boss has to look first");
    assert!(reply.calls.is_empty(), "{:?}", reply.calls);
    assert!(reply.text.contains("Your reason: “the boss has to look first”. You denied it"), "{}", reply.text);
}

#[test]
fn a_denial_that_names_another_line_is_about_that_line() {
    let mut world = World::default();
    let group = world.entities.iter_mut().find(|item| item.kind == EntityKind::MediationGroup).unwrap();
    group.raw["mediationGroupLines"]["9003"] = json!({
        "id": "9003", "displayName": "Unity high", "adSourceId": "7069338991535737586", "cpmMode": "MANUAL",
        "cpmMicros": "2000000", "state": "ENABLED",
    });
    let denied = |reason: &str| {
        let run = ask(&world, "set the InMobi floor in iOS Rewarded Global to $4.50");
        let mut request = run.request.clone();
        ended(&mut request, run.write(), false, json!({"denied": true, "cause": "declined", "reason": reason}));
        plan(&request)
    };
    // Both the line and the price change, not only the price.
    for reason in ["wrong line: I meant the Unity floor, make it $9", "not this line. Unity at 9 please"] {
        let reply = denied(reason);
        let [call] = reply.calls.as_slice() else { panic!("{reason}: {}", reply.text) };
        assert_eq!(call.args["body"]["mediationGroupLines"], json!({"9003": {"cpmMicros": "9000000"}}), "{reason}");
    }
    // If we can't draft what the reason asks for, we say so, and don't apply the price to the other line.
    let reply = denied("wrong line: I meant the AppLovin floor, make it $9");
    assert!(reply.calls.is_empty(), "{:?}", reply.calls);
    assert!(reply.text.contains("You denied it, so nothing was sent. That line bids"), "{}", reply.text);
    let reply = denied("wrong line, and make it $9");
    assert!(reply.calls.is_empty(), "{:?}", reply.calls);
    assert!(reply.text.contains("Your reason: “wrong line, and make it $9”"), "{}", reply.text);
}

#[test]
fn what_is_there_already_and_what_waits_already_is_said_as_that() {
    let world = World::default();
    let run = ask(&world, GROUP);
    let mut request = run.request.clone();
    let content =
        json!({"denied": true, "cause": "already_there", "reason": "Nothing sent: the values are already there."});
    ended(&mut request, run.write(), false, content);
    let reply = plan(&request);
    assert!(reply.text.starts_with("AdMob already has these values, so nothing was sent"), "{}", reply.text);
    let mut request = run.request.clone();
    let content = json!({"error": {"code": "ALREADY_WAITING", "message": "This exact change is already waiting.", "issues": [
        {"pointer": "", "message": "", "candidates": [{"id": "0192", "name": "Create “X”"}]},
    ]}});
    ended(&mut request, run.write(), false, content);
    let reply = plan(&request);
    assert!(reply.calls.is_empty());
    assert!(
        reply.text.starts_with(
            "This change is already waiting for your approval: [Create “X”](/approvals?show=waiting&id=0192)"
        ),
        "{}",
        reply.text
    );
}

#[test]
fn what_a_person_edited_and_the_network_refused_is_said_and_never_proposed_unedited() {
    let world = World::default();
    let run = ask(&world, "Create a banner ad unit 'Main' for Puzzle Game Android");
    let mut edited = run.write().clone();
    edited.args["body"]["adFormat"] = json!("REWARDED");
    let mut request = run.request.clone();
    ended(&mut request, &edited, false, json!({"error": {"code": "INVALID_ARGUMENT", "message": "No such reward."}}));
    let reply = plan(&request);
    assert!(reply.calls.is_empty(), "{:?}", reply.calls);
    assert!(reply.text.contains("didn't make the change with your edits: No such reward"), "{}", reply.text);
    assert!(reply.text.contains("didn't retry without your edits"), "{}", reply.text);
}

#[test]
fn a_name_is_never_cut_and_never_empty() {
    let world = World::default();
    let long = "x".repeat(200);
    for (text, expected) in [
        (
            format!("create a banner ad unit called \"{long}\" for Puzzle Game Android"),
            "up to 80 characters, and that one has 200",
        ),
        (
            format!("create a banner ad unit called {long} for Puzzle Game Android"),
            "up to 80 characters, and that one has 200",
        ),
        (format!("Create an Android app called '{long}' in Acme Games"), "up to 80"),
        (
            format!("Create a mediation group '{long}' for Puzzle Game Android banner with AppLovin bidding"),
            "up to 120",
        ),
        ("create a banner ad unit called \"\" for Puzzle Game Android".into(), "What should the name be?"),
        ("create a banner ad unit called “ ” for Puzzle Game Android".into(), "What should the name be?"),
    ] {
        let run = ask(&world, &text);
        assert!(run.reply.calls.is_empty(), "{text}: {:?}", run.reply.calls);
        assert!(run.reply.text.contains(expected), "{text}: {}", run.reply.text);
    }
    for answer in ["Use the name 'Short'", "use the name Short"] {
        for wish in [format!("called \"{long}\""), "called \"\"".to_owned()] {
            let run = ask(&world, &format!("create a banner ad unit {wish} for Puzzle Game Android, {answer}"));
            assert_eq!(run.write().args["body"]["displayName"], "Short", "{wish} {answer}");
        }
    }
}

#[test]
fn a_name_made_of_another_leaves_out_what_nobody_sees() {
    let mut world = World::default();
    let app = world.entities.iter_mut().find(|e| e.kind == EntityKind::App && e.name == "Word Quest").unwrap();
    app.name = "Word\u{200B} Quest".into();
    let run = ask(&world, "create a banner ad unit for ca-app-pub-2222222222222222~2000000001");
    assert_eq!(run.write().args["body"]["displayName"], "Word Quest Android banner");
}

#[test]
fn safe_mode_prepares_nothing() {
    let world = World::default();
    let mut request = request(&world, GROUP, &understood(Capability::Mediation, Outcome::Approval, None, GROUP));
    request.planner.settings.safe_mode = true;
    let reply = plan(&request);
    assert!(reply.calls.is_empty() && reply.text.contains("Safe mode"));
}

/// Every text in a proposal that looks like an ID must come from an entity, a line of a group, or a result.
#[test]
fn no_proposal_holds_an_id_that_nothing_brought() {
    let world = World::default();
    let known = |id: &str| {
        world.entities.iter().any(|e| e.id == id || e.id.ends_with(&format!("/{id}")) || e.raw.to_string().contains(id))
            || ["500", "600", "701"].contains(&id)
    };
    let ids = regex::Regex::new(r"(ca-app-)?pub-\d+([~/]\d+)?|\b\d{9,}\b").unwrap();
    for text in [
        GROUP,
        "remove InMobi from group 3300000001",
        "Map ad unit 1100000001 to the AppLovin bidding placement BANNER-88231",
        "Create a mediation group for ca-app-pub-9999999999999999~1234567890 on Android banner with AppLovin bidding",
        "remove InMobi from group 8822110044",
        "Create a rewarded ad unit for ca-app-pub-3940256099942544~1458002511",
        "Stop the a/b experiment on mediation group 4411223344 and keep variant B",
        "add Unity as a bidder to iOS Rewarded Global",
    ] {
        let run = ask(&world, text);
        for call in run.rounds.iter().flatten().chain(&run.reply.calls) {
            for id in ids.find_iter(&call.args.to_string()) {
                assert!(known(id.as_str()), "{text}: {} in {}", id.as_str(), call.args);
            }
        }
    }
    assert!(world.entities.iter().any(|e| e.kind == EntityKind::AdSource));
}
