use std::time::Instant;

use adagent_tools::{ProbeOutcome, Provider as _, ToolErrorClass};
use serde_json::{Value as Json, json};

use crate::support::{ACME, APPLOVIN_BID, Told, UNITY, World, group, world};

fn app(name: &str) -> Json {
    json!({"account_id": ACME, "body": {"platform": "IOS", "manualAppInfo": {"displayName": name}}})
}

/// Probes without a baseline, as if it could not be read before the write.
async fn probe(world: &World, tool: &str, args: &Json) -> ProbeOutcome {
    probe_since(world, tool, args, None).await
}

async fn probe_since(world: &World, tool: &str, args: &Json, baseline: Option<&Json>) -> ProbeOutcome {
    let tool = world.networks.tool(tool).expect("known");
    world.networks.probe(&world.scope, &tool, args, baseline).await.expect("looks")
}

async fn baseline(world: &World, tool: &str, args: &Json) -> Option<Json> {
    let tool = world.networks.tool(tool).expect("known");
    world.networks.baseline(&world.scope, &tool, args).await.expect("looks")
}

#[tokio::test]
async fn a_read_gets_over_two_server_errors_and_says_so() {
    let world = world().await;
    world
        .fault(json!({"network": "admob", "operation": "admob_list_apps", "kind": "status", "status": 500, "times": 2}))
        .await;
    let tool = world.networks.tool("admob_list_apps").expect("known");
    let mut told = Told::default();
    // `resolve` loads only accounts, so the faults hit this call.
    let output = world
        .networks
        .execute(&world.scope, &tool, &json!({"account_id": ACME}), None, &mut told)
        .await
        .expect("answers");
    assert_eq!(output.attempts, 3);
    assert_eq!(told.0.len(), 2);
    assert!(told.0[0].contains("AdMob failed with 500"), "{:?}", told.0);
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let world = world().await;
    world.fault(json!({"network": "admob", "operation": "admob_list_accounts", "kind": "status", "status": 429, "times": 1})).await;
    let begun = Instant::now();
    let output = world.read("admob_list_accounts", json!({})).await.expect("answers");
    assert_eq!(output.attempts, 2);
    assert!(begun.elapsed().as_millis() >= 1000, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn broken_and_stalled_replies_of_reads_are_asked_for_again() {
    let world = world().await;
    for kind in ["truncate", "malformed", "stall"] {
        world
            .fault(json!({"network": "admob", "operation": "admob_list_mediation_groups", "kind": kind, "times": 1}))
            .await;
        let args = json!({"account_id": ACME, "filter": format!("IN(DISPLAY_NAME, \"{kind}\")")});
        let output =
            world.read("admob_list_mediation_groups", args).await.unwrap_or_else(|error| panic!("{kind}: {error:?}"));
        assert_eq!(output.attempts, 2, "{kind}");
    }
}

#[tokio::test]
async fn a_write_is_never_repeated_and_the_probe_tells_what_happened() {
    for (kind, happened) in [("truncate", true), ("malformed", true), ("stall", true), ("status", false)] {
        let world = world().await;
        let name = format!("App {kind}");
        world
            .fault(
                json!({"network": "admob", "operation": "admob_create_app", "kind": kind, "status": 500, "times": 1}),
            )
            .await;
        let before = baseline(&world, "admob_create_app", &app(&name)).await;
        let error = world.write("admob_create_app", app(&name)).await.expect_err("unclear");
        assert_eq!(error.class, ToolErrorClass::UnknownOutcome, "{kind}: {error:?}");
        let outcome = probe_since(&world, "admob_create_app", &app(&name), before.as_ref()).await;
        assert_eq!(matches!(outcome, ProbeOutcome::Happened { .. }), happened, "{kind}: {outcome:?}");
        assert_eq!(matches!(outcome, ProbeOutcome::DidNotHappen { .. }), !happened, "{kind}: {outcome:?}");
        let sent = world.writes().await.len();
        assert!(sent <= 1, "{kind}: sent {sent} times");
    }
}

/// Returns the arguments to update a new group; `lines` becomes part of the body.
async fn update_of_a_new_group(world: &World, lines: Json, mask: &str) -> Json {
    let unit = world.banner().await;
    let made = world
        .write("admob_create_mediation_group", group("Changed", &unit, APPLOVIN_BID, UNITY))
        .await
        .expect("made")
        .result["item"]
        .take();
    let fall = made["mediationGroupLines"].as_object().expect("lines").iter().find(|(_, l)| l["cpmMode"] == "MANUAL");
    let fall = fall.expect("a waterfall line").0;
    let put = |text: String| text.replace("$FALL", fall);
    let lines: Json = serde_json::from_str(&put(lines.to_string())).expect("json");
    json!({"account_id": ACME, "mediation_group_id": made["mediationGroupId"], "updateMask": put(mask.to_owned()),
        "body": {"mediationGroupLines": lines}})
}

#[tokio::test]
async fn an_update_that_adds_a_line_is_sent_once_whatever_becomes_of_the_reply() {
    for fault in [
        json!({"kind": "status", "status": 500, "apply": true}),
        json!({"kind": "stall"}),
        json!({"kind": "truncate"}),
        json!({"kind": "malformed"}),
    ] {
        let world = world().await;
        let line = json!({"-1": {"id": "-1", "adSourceId": UNITY, "cpmMode": "MANUAL", "cpmMicros": "3000000",
            "state": "ENABLED", "displayName": "Added"}});
        let update = update_of_a_new_group(&world, line, r#"mediation_group_lines["-1"]"#).await;
        let before = world.writes().await.len();
        let mut planted = fault.clone();
        planted["network"] = "admob".into();
        planted["operation"] = "admob_update_mediation_group".into();
        planted["times"] = 1.into();
        world.fault(planted).await;
        let lines = baseline(&world, "admob_update_mediation_group", &update).await;
        let error = world.write("admob_update_mediation_group", update.clone()).await.expect_err("unclear");
        assert_eq!(error.class, ToolErrorClass::UnknownOutcome, "{fault}: {error:?}");
        assert_eq!(world.writes().await.len() - before, 1, "{fault}");
        let outcome = probe_since(&world, "admob_update_mediation_group", &update, lines.as_ref()).await;
        assert!(matches!(outcome, ProbeOutcome::Happened { .. }), "{fault}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_definite_no_after_an_unclear_attempt_leaves_the_outcome_unknown() {
    for status in [401, 403, 404] {
        let world = world().await;
        let change = json!({"$FALL": {"cpmMicros": "3000000"}});
        let update = update_of_a_new_group(&world, change, r#"mediation_group_lines["$FALL"].cpm_micros"#).await;
        for fault in [
            json!({"kind": "status", "status": 500, "apply": true, "times": 1}),
            json!({"kind": "status", "status": status, "times": 2}),
        ] {
            let mut planted = fault;
            planted["network"] = "admob".into();
            planted["operation"] = "admob_update_mediation_group".into();
            world.fault(planted).await;
        }
        let error = world.write("admob_update_mediation_group", update.clone()).await.expect_err("unclear");
        assert_eq!(error.class, ToolErrorClass::UnknownOutcome, "{status}: {error:?}");
        assert!(matches!(probe(&world, "admob_update_mediation_group", &update).await, ProbeOutcome::Happened { .. }));
    }
}

#[tokio::test]
async fn an_equal_object_that_was_there_before_is_not_taken_for_the_new_one() {
    let world = world().await;
    world.write("admob_create_app", app("Twice")).await.expect("made");
    // We do not know what existed before.
    match probe(&world, "admob_create_app", &app("Twice")).await {
        ProbeOutcome::CannotTell { why } => assert!(why.contains("“Twice” (ca-app-pub-"), "{why}"),
        other => panic!("{other:?}"),
    }
    for (apply, happened) in [(false, false), (true, true)] {
        world
            .fault(
                json!({"operation": "admob_create_app", "kind": "status", "status": 500, "apply": apply, "times": 1}),
            )
            .await;
        let before = baseline(&world, "admob_create_app", &app("Twice")).await;
        let error = world.write("admob_create_app", app("Twice")).await.expect_err("unclear");
        assert_eq!(error.class, ToolErrorClass::UnknownOutcome);
        let outcome = probe_since(&world, "admob_create_app", &app("Twice"), before.as_ref()).await;
        assert_eq!(matches!(outcome, ProbeOutcome::Happened { .. }), happened, "{outcome:?}");
        assert_eq!(matches!(outcome, ProbeOutcome::DidNotHappen { .. }), !happened, "{outcome:?}");
    }
}

#[tokio::test]
async fn the_probe_knows_every_write() {
    let world = world().await;
    let unit = world.banner().await;
    let wanted = group("Probed", &unit, APPLOVIN_BID, UNITY);
    assert!(matches!(probe(&world, "admob_create_mediation_group", &wanted).await, ProbeOutcome::DidNotHappen { .. }));
    let made = world.write("admob_create_mediation_group", wanted.clone()).await.expect("made");
    assert!(matches!(probe(&world, "admob_create_mediation_group", &wanted).await, ProbeOutcome::Happened { .. }));
    let group = &made.result["item"];
    let id = group["mediationGroupId"].as_str().expect("id");
    let line = group["mediationGroupLines"]
        .as_object()
        .expect("lines")
        .iter()
        .find(|(_, l)| l["cpmMode"] == "MANUAL")
        .expect("one")
        .0;
    let update = json!({"account_id": ACME, "mediation_group_id": id, "updateMask": format!("mediation_group_lines[\"{line}\"].cpm_micros"),
        "body": {"mediationGroupLines": {line: {"cpmMicros": "5000000"}}}});
    assert!(matches!(probe(&world, "admob_update_mediation_group", &update).await, ProbeOutcome::DidNotHappen { .. }));
    world.write("admob_update_mediation_group", update.clone()).await.expect("changed");
    assert!(matches!(probe(&world, "admob_update_mediation_group", &update).await, ProbeOutcome::Happened { .. }));
    let stop = json!({"account_id": ACME, "mediation_group_id": id, "body": {"variantChoice": "VARIANT_CHOICE_A"}});
    let start = json!({"account_id": ACME, "mediation_group_id": id, "body": {"displayName": "T"}});
    assert!(matches!(
        probe(&world, "admob_create_mediation_ab_experiment", &start).await,
        ProbeOutcome::DidNotHappen { .. }
    ));
    assert!(matches!(probe(&world, "admob_stop_mediation_ab_experiment", &stop).await, ProbeOutcome::Happened { .. }));
    let unit = json!({"account_id": ACME, "body": {"appId": "ca-app-pub-3940256099942544~3347511713", "displayName": "Nope", "adFormat": "BANNER"}});
    assert!(matches!(probe(&world, "admob_create_ad_unit", &unit).await, ProbeOutcome::DidNotHappen { .. }));
}

#[tokio::test]
async fn a_definite_refusal_of_a_write_is_deterministic() {
    let world = world().await;
    world
        .fault(
            json!({"network": "admob", "operation": "admob_create_app", "kind": "status", "status": 403, "times": 1}),
        )
        .await;
    let error = world.write("admob_create_app", app("Refused")).await.expect_err("refused");
    assert_eq!((error.class, error.code.as_str()), (ToolErrorClass::Deterministic, "PERMISSION_DENIED"));
}

#[tokio::test]
async fn after_repeated_failures_the_network_is_left_alone_and_then_tried_again() {
    let world = world().await;
    world
        .networks
        .entities_of(
            world.scope.workspace,
            adagent_domain::Network::AdMob,
            adagent_contract::EntityKind::Account,
            false,
        )
        .await
        .expect("loads");
    world
        .fault(
            json!({"network": "admob", "operation": "admob_create_app", "kind": "status", "status": 503, "times": 3}),
        )
        .await;
    for i in 0..3 {
        // A write drops what we know, and loading the accounts again would close the circuit, so send only writes here.
        let error = world.write("admob_create_app", app(&format!("A{i}"))).await.expect_err("fails");
        assert_eq!(error.class, ToolErrorClass::UnknownOutcome);
    }
    // Successful lookups in between count as successes, so the circuit is still closed.
    world.read("admob_list_accounts", json!({})).await.expect("answers");
    world
        .fault(
            json!({"network": "admob", "operation": "admob_list_apps", "kind": "status", "status": 503, "times": 12}),
        )
        .await;
    for _ in 0..3 {
        let error = world.read("admob_list_apps", json!({"account_id": ACME})).await.expect_err("fails");
        assert_eq!(error.code, "UNAVAILABLE");
    }
    let error = world.read("admob_list_apps", json!({"account_id": ACME})).await.expect_err("not sent");
    assert_eq!(error.code, "CIRCUIT_OPEN");
    world.clock.advance_millis(1001);
    world.read("admob_list_apps", json!({"account_id": ACME})).await.expect("works again");
}
