use adagent_contract::{ContextMode, EntityKind};
use adagent_domain::Network;
use adagent_tools::{GroundingIssue, Provider as _, ToolErrorClass};
use serde_json::{Value as Json, json};

use crate::support::{ACME, APPLOVIN_BID, LEXICON, UNITY, World, group, world};

async fn issues(world: &World, tool: &str, args: &Json) -> Vec<GroundingIssue> {
    let tool = world.networks.tool(tool).expect("known");
    world.networks.ground(&world.scope, &tool, args).await.expect("looks")
}

async fn pointer(world: &World, tool: &str, args: &Json) -> String {
    let found = issues(world, tool, args).await;
    assert_eq!(found.len(), 1, "{tool}: {found:?}");
    found[0].pointer.clone()
}

#[tokio::test]
async fn every_entity_parameter_of_the_catalogue_is_looked_up() {
    let world = world().await;
    let unit = world.banner().await;
    let digits = unit.rsplit('/').next().expect("digits");
    let nobody = "accounts/pub-3940256099942544/adUnits/0000000000/adUnitMappings/1";
    let map = json!({(unit.clone()): nobody});
    let group_id = world.id(EntityKind::MediationGroup, "Android Banner Global", "android").await;
    let cases = [
        ("admob_list_apps", json!({"account_id": "pub-0000000000000000"}), "/account_id"),
        ("admob_list_ad_source_adapters", json!({"account_id": ACME, "ad_source_id": "1"}), "/ad_source_id"),
        ("admob_list_ad_unit_mappings", json!({"account_id": ACME, "ad_unit_id": "0000000000"}), "/ad_unit_id"),
        (
            "admob_create_ad_unit",
            json!({"account_id": ACME, "body": {"appId": "ca-app-pub-3940256099942544~0000000000"}}),
            "/body/appId",
        ),
        (
            "admob_create_ad_unit_mapping",
            json!({"account_id": ACME, "ad_unit_id": digits, "body": {"adapterId": "1"}}),
            "/body/adapterId",
        ),
        (
            "admob_batch_create_ad_unit_mappings",
            json!({"account_id": ACME, "body": {"requests": [{"parent": format!("accounts/{ACME}/adUnits/{digits}"), "adUnitMapping": {"adapterId": "1"}}]}}),
            "/body/requests/0/adUnitMapping/adapterId",
        ),
        (
            "admob_batch_create_ad_unit_mappings",
            json!({"account_id": ACME, "body": {"requests": [{"parent": format!("accounts/{ACME}/adUnits/0000000000"), "adUnitMapping": {}}]}}),
            "/body/requests/0/parent",
        ),
        (
            "admob_create_mediation_group",
            group("G", "ca-app-pub-3940256099942544/0000000000", APPLOVIN_BID, UNITY),
            "/body/targeting/adUnitIds/0",
        ),
        ("admob_create_mediation_group", group("G", &unit, "1", UNITY), "/body/mediationGroupLines/-1/adSourceId"),
        (
            "admob_create_mediation_group",
            json!({"account_id": ACME, "body": {"mediationGroupLines": {"-1": {"adSourceId": UNITY, "adUnitMappings": map}}}}),
            &format!("/body/mediationGroupLines/-1/adUnitMappings/{}", unit.replace('/', "~1")),
        ),
        (
            "admob_update_mediation_group",
            json!({"account_id": ACME, "mediation_group_id": "1", "body": {}}),
            "/mediation_group_id",
        ),
        (
            "admob_update_mediation_group",
            json!({"account_id": ACME, "mediation_group_id": group_id, "body": {"mediationGroupLines": {"123": {"state": "DISABLED"}}}}),
            "/body/mediationGroupLines/123",
        ),
        (
            "admob_create_mediation_ab_experiment",
            json!({"account_id": ACME, "mediation_group_id": group_id, "body": {"treatmentMediationLines": [{"mediationGroupLine": {"adSourceId": "1"}}]}}),
            "/body/treatmentMediationLines/0/mediationGroupLine/adSourceId",
        ),
        (
            "admob_stop_mediation_ab_experiment",
            json!({"account_id": ACME, "mediation_group_id": "1"}),
            "/mediation_group_id",
        ),
        (
            "admob_generate_mediation_report",
            json!({"account_id": ACME, "body": {"reportSpec": {"dimensionFilters": [{"dimension": "APP", "matchesAny": {"values": ["x"]}}]}}}),
            "/body/reportSpec/dimensionFilters/0/matchesAny/values/0",
        ),
    ];
    for (tool, args, expected) in cases {
        // Wait longer than the pause between two loads for unknown IDs.
        world.clock.advance_millis(10_000);
        assert_eq!(pointer(&world, tool, &args).await, expected, "{tool}");
    }
    assert!(issues(&world, "admob_create_mediation_group", &group("G", &unit, APPLOVIN_BID, UNITY)).await.is_empty());
}

#[tokio::test]
async fn a_name_in_place_of_an_id_brings_the_one_that_was_meant() {
    let world = world().await;
    let args = json!({"account_id": ACME, "body": {"appId": "puzzle game"}});
    let found = issues(&world, "admob_create_ad_unit", &args).await;
    assert_eq!(found[0].candidates[0].1, "Puzzle Game");
    assert!(found[0].candidates[0].0.starts_with("ca-app-pub-"));
}

#[tokio::test]
async fn what_belongs_elsewhere_is_said_to() {
    let world = world().await;
    let app = world.id(EntityKind::App, "Word Quest", "android").await;
    let found = issues(&world, "admob_create_ad_unit", &json!({"account_id": ACME, "body": {"appId": app}})).await;
    assert!(found[0].message.contains(&format!("belongs to account {LEXICON}")), "{found:?}");
    // The platform and format of the banner must match the group.
    let unit = world.banner().await;
    let mut wrong = group("G", &unit, APPLOVIN_BID, UNITY);
    wrong["body"]["targeting"]["platform"] = "IOS".into();
    let found = issues(&world, "admob_create_mediation_group", &wrong).await;
    assert!(found[0].message.contains("platform android") && found[0].message.contains("targets ios"), "{found:?}");
    wrong["body"]["targeting"]["platform"] = "ANDROID".into();
    wrong["body"]["targeting"]["format"] = "REWARDED".into();
    let found = issues(&world, "admob_create_mediation_group", &wrong).await;
    assert!(found[0].message.contains("format banner"), "{found:?}");
}

#[tokio::test]
async fn a_waterfall_line_needs_a_price_of_a_cent_or_more() {
    let world = world().await;
    let unit = world.banner().await;
    let mut args = group("G", &unit, APPLOVIN_BID, UNITY);
    args["body"]["mediationGroupLines"]["-2"]["cpmMicros"] = "5".into();
    assert_eq!(pointer(&world, "admob_create_mediation_group", &args).await, "/body/mediationGroupLines/-2/cpmMicros");
    args["body"]["mediationGroupLines"]["-2"].as_object_mut().expect("object").remove("cpmMicros");
    assert_eq!(pointer(&world, "admob_create_mediation_group", &args).await, "/body/mediationGroupLines/-2/cpmMicros");
}

#[tokio::test]
async fn in_strict_mode_what_is_not_selected_is_out_of_context() {
    let mut world = world().await;
    let app = world.id(EntityKind::App, "My Game", "android").await;
    let unit = world.banner().await;
    world.scope.settings.mode = ContextMode::Strict;
    world.scope.settings.enabled_apps = Some(vec![app].into());
    let tool = world.networks.tool("admob_create_mediation_group").expect("known");
    let error =
        world.networks.ground(&world.scope, &tool, &group("G", &unit, APPLOVIN_BID, UNITY)).await.expect_err("outside");
    assert_eq!(error.class, ToolErrorClass::OutOfContext);
    world.scope.settings.enabled_accounts.insert(Network::AdMob, vec![LEXICON.into()]);
    let tool = world.networks.tool("admob_list_apps").expect("known");
    let error = world.networks.ground(&world.scope, &tool, &json!({"account_id": ACME})).await.expect_err("outside");
    assert!(error.message.contains(ACME), "{error}");
}

#[tokio::test]
async fn nothing_is_sent_that_does_not_ground() {
    let world = world().await;
    let args = json!({"account_id": ACME, "body": {"appId": "ca-app-pub-3940256099942544~0000000000", "displayName": "X", "adFormat": "BANNER"}});
    let error = world.write("admob_create_ad_unit", args).await.expect_err("unknown app");
    assert_eq!(error.class, ToolErrorClass::Invalid);
    assert_eq!(error.errors[0].pointer, "/body/appId");
    assert!(world.writes().await.is_empty());
}

fn unit_named(app: &str, name: &str) -> Json {
    json!({"account_id": ACME, "body": {"appId": app, "displayName": name, "adFormat": "BANNER"}})
}

#[tokio::test]
async fn what_another_server_made_a_moment_ago_is_found() {
    let world = world().await;
    let other = world.another_server();
    let app = world.id(EntityKind::App, "Puzzle Game", "android").await;
    // This server has just made a change itself, and it knows the lists after that change.
    world.write("admob_create_ad_unit", unit_named(&app, "Ours")).await.expect("made");
    world.banner().await;
    for name in ["Theirs", "Theirs too"] {
        let made = world.write_through(&other, "admob_create_ad_unit", unit_named(&app, name)).await.expect("made");
        let unit = made.result["item"]["adUnitId"].as_str().expect("an id");
        let args = group("G", unit, APPLOVIN_BID, UNITY);
        assert_eq!(issues(&world, "admob_create_mediation_group", &args).await, [], "{name}");
    }
}

#[tokio::test]
async fn a_stream_of_wrong_ids_loads_a_kind_once_per_pause() {
    let world = world().await;
    let wrong = |n: u32| group("G", &format!("ca-app-pub-3940256099942544/{n:010}"), APPLOVIN_BID, UNITY);
    assert_eq!(issues(&world, "admob_create_mediation_group", &wrong(0)).await.len(), 1);
    let before = world.source.asked.load(std::sync::atomic::Ordering::SeqCst);
    // Ask for the same ID again within the pause: it was missing a moment ago, so it is still missing.
    assert_eq!(issues(&world, "admob_create_mediation_group", &wrong(0)).await.len(), 1);
    assert_eq!(world.source.asked.load(std::sync::atomic::Ordering::SeqCst), before, "nothing was loaded");
    let wrong: Vec<Json> = (1..40).map(wrong).collect();
    let all = wrong.iter().map(|args| issues(&world, "admob_create_mediation_group", args));
    assert!(futures::future::join_all(all).await.iter().all(|found| found.len() == 1));
    let loads = world.source.asked.load(std::sync::atomic::Ordering::SeqCst) - before;
    assert!((1..=8).contains(&loads), "one load of the ad units with their apps per account, for all of them: {loads}");
}
