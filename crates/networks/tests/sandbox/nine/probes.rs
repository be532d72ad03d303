//! Tests of lost replies to writes: what we look for at the network, and what that shows.

use adagent_contract::EntityKind;
use adagent_domain::Network;
use adagent_tools::{ProbeOutcome, Provider as _, ToolErrorClass as Class};
use serde_json::{Value as Json, json};

use super::world::{World, world};

fn word(outcome: &ProbeOutcome) -> &'static str {
    match outcome {
        ProbeOutcome::Happened { .. } => "happened",
        ProbeOutcome::DidNotHappen { .. } => "did not happen",
        ProbeOutcome::CannotTell { .. } => "cannot tell",
    }
}

/// Sends a write whose reply is lost (or that is refused before it is applied), and probes its outcome.
async fn after(world: &World, network: Network, tool: &str, args: &Json, applied: bool) -> ProbeOutcome {
    let info = world.networks.tool(tool).expect("known");
    let args = &world.networks.normalise_args(&info, args);
    let fault = if applied { json!({"kind": "truncate"}) } else { json!({"kind": "status", "status": 500}) };
    let mut planted = fault;
    planted["network"] = json!(network);
    planted["operation"] = json!(tool);
    planted["times"] = json!(9);
    let before = world.networks.baseline(&world.scope, &info, args).await.expect("looks");
    world.control("faults", &planted).await;
    let error = world.run(tool, args).await.expect_err("unclear");
    assert_eq!(error.class, Class::UnknownOutcome, "{tool}: {error:?}");
    world.networks.probe(&world.scope, &info, args, before.as_ref()).await.expect("looks")
}

#[tokio::test]
async fn what_was_made_is_found_and_what_was_not_is_missed() {
    for applied in [true, false] {
        let world = world().await;
        let unity = world.all(Network::Unity, EntityKind::App).await.remove(0);
        let inmobi = world.all(Network::InMobi, EntityKind::App).await.remove(0);
        let number = |id: &str| id.parse::<i64>().expect("a number");
        let cases = [
            (
                Network::AdManager,
                "admanager_create_company",
                json!({"network_code": "21700000001", "body": {"displayName": "Lost", "type": "ADVERTISER"}}),
            ),
            (
                Network::AdManager,
                "admanager_batch_create_teams",
                json!({"network_code": "21700000001", "body": {"requests": [
                    {"parent": "networks/21700000001", "team": {"displayName": "Lost one"}},
                    {"parent": "networks/21700000001", "team": {"displayName": "Lost two"}}]}}),
            ),
            (
                Network::AppLovin,
                "applovin_create_test_device",
                json!({"body": {"name": "Lost", "device_id": "7a1b0000-8cf0-11bd-b23e-10b96e40000d"}}),
            ),
            (
                Network::Unity,
                "unity_create_ad_units",
                json!({"app_key": unity.id, "body": [{"mediationAdUnitName": "Lost", "adFormat": "rewarded"}]}),
            ),
            (
                Network::Mintegral,
                "mintegral_create_app",
                json!({"body": {"app_name": "Lost", "os": "ANDROID", "package": "com.example.lost", "is_live_in_store": 0, "coppa": 0}}),
            ),
            (
                Network::InMobi,
                "inmobi_create_placement",
                json!({"body": {"appId": number(&inmobi.id), "placementType": "REWARDED_VIDEO", "placementName": "Lost",
                    "isAudienceBiddingEnabled": false}}),
            ),
            (
                Network::Pangle,
                "pangle_create_app",
                json!({"body": {"app_name": "Lost", "download_url": "https://play.google.com/store/apps/details?id=com.example.lost",
                    "app_category_code": 121_320, "status": 2}}),
            ),
            (
                Network::DtExchange,
                "dtexchange_create_app",
                json!({"body": {"name": "Lost", "category1": "Puzzle", "coppa": false, "bundle": "com.example.lost",
                    "platform": "android", "storeURL": "https://play.google.com/store/apps/details?id=com.example.lost"}}),
            ),
        ];
        for (network, tool, args) in cases {
            let outcome = after(&world, network, tool, &args, applied).await;
            let expected = if applied { "happened" } else { "did not happen" };
            assert_eq!(word(&outcome), expected, "{tool}: {outcome:?}");
            assert_eq!(
                world.writes(network).await.iter().filter(|write| write["operation"] == tool).count(),
                1,
                "{tool}"
            );
        }
    }
}

#[tokio::test]
async fn a_change_and_a_removal_are_seen_too() {
    for applied in [true, false] {
        let world = world().await;
        let unit = world.all(Network::Liftoff, EntityKind::AdUnit).await.remove(0);
        let line = world.all(Network::AdManager, EntityKind::LineItem).await.remove(0);
        let instance = world.all(Network::Unity, EntityKind::Instance).await.remove(0);
        let expected = if applied { "happened" } else { "did not happen" };
        for (network, tool, args) in [
            (
                Network::Liftoff,
                "liftoff_update_placement",
                json!({"placement_id": unit.id, "body": {"name": "Changed"}}),
            ),
            (
                Network::AdManager,
                "admanager_update_line_item",
                json!({"network_code": "21700000001", "line_item_id": line.id, "body": {"displayName": "Changed"}}),
            ),
            (
                Network::Unity,
                "unity_delete_instances",
                json!({"app_key": instance.parent, "body": {"ids": [instance.id.parse::<i64>().expect("a number")]}}),
            ),
        ] {
            // The transport repeats writes that may be repeated, so the network gets them several times.
            let outcome = after(&world, network, tool, &args, applied).await;
            assert_eq!(word(&outcome), expected, "{tool}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn what_has_no_list_to_look_at_cannot_be_told() {
    let world = world().await;
    let unit = world.all(Network::AppLovin, EntityKind::AdUnit).await.remove(0);
    let args = json!({"ad_unit_id": unit.id, "body": {"id": "30071", "experiment_name": "Higher floor", "test_group_allocation": 50}});
    let info = world.networks.tool("applovin_manage_experiment").expect("known");
    let outcome = world.networks.probe(&world.scope, &info, &args, None).await.expect("looks");
    assert_eq!(word(&outcome), "cannot tell", "{outcome:?}");
}
