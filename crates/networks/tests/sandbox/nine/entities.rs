//! Tests of the entities of each network, and of IDs that it does not have.

use adagent_contract::{ContextMode, EntityKind};
use adagent_domain::Network;
use adagent_networks::Catalogue;
use adagent_tools::{Gateway as _, Provider as _, ToolErrorClass as Class};
use serde_json::{Value as Json, json};

use super::world::{World, world};

#[tokio::test]
async fn every_kind_with_a_list_has_things_with_ids_names_and_parents() {
    let world = world().await;
    let catalogue = Catalogue::built_in().expect("loads");
    for network in Network::ALL {
        let facts = catalogue.network(network).expect("described");
        for entity in &facts.entities {
            let kind = entity.kind().expect("shared");
            let all = world.all(network, kind).await;
            // Google's ad unit sizes have no name. An entity that we can reach only through a parent that cannot be listed is not found on
            // its own.
            let none = [
                "ad_unit_size",
                "web_property",
                "ad_review_center_ad",
                "live_stream_event",
                "ad_break",
                "report_result",
            ];
            let none = none.contains(&entity.name.as_str());
            assert_eq!(all.is_empty(), none, "{network} {}", entity.name);
            for item in &all {
                assert!(!item.id.is_empty() && !item.name.is_empty(), "{network} {item:?}");
                assert!(item.account.is_some() || network == Network::AdMob, "{network} {item:?}");
                // An account without its own ID has the name of its network.
                let bare = network != Network::AdMob && kind != EntityKind::Account;
                assert!(!bare || facts.has_form(entity, &item.id), "{network} {} {}", entity.name, item.id);
            }
            let parent = entity.parent.as_deref().and_then(|parent| facts.entity(parent)?.kind());
            if let Some(parent) = parent.filter(|parent| *parent != EntityKind::Account && network != Network::AdMob) {
                let above = world.all(network, parent).await;
                for item in &all {
                    let found = above.iter().any(|one| Some(&one.id) == item.parent.as_ref());
                    assert!(found, "{network}: nothing above {item:?}");
                }
            }
        }
    }
}

/// Grounds these arguments and returns the only issue.
async fn issue(world: &World, tool: &str, args: Json) -> (String, String, Vec<(String, String)>) {
    let tool = world.networks.tool(tool).expect("known");
    let issues = world.networks.ground(&world.scope, &tool, &args).await.expect("looks");
    assert_eq!(issues.len(), 1, "{} {issues:?}", tool.name);
    let issue = issues.into_iter().next().expect("one");
    (issue.pointer, issue.message, issue.candidates)
}

#[tokio::test]
async fn an_unknown_id_is_stopped_with_what_there_is() {
    let world = world().await;
    let network = "21700000001";
    for (tool, args, pointer, said) in [
        ("applovin_get_ad_unit", json!({"ad_unit_id": "0000000000000000"}), "/ad_unit_id", "isn't in account"),
        ("unity_list_ad_units", json!({"app_key": "nobody"}), "/app_key", "isn't in account"),
        ("mintegral_update_app", json!({"body": {"app_id": 5, "app_name": "X"}}), "/body/app_id", "isn't in account"),
        ("mintegral_delete_ad_units", json!({"body": {"unit_ids": "5"}}), "/body/unit_ids", "isn't in account"),
        (
            "liftoff_get_placement",
            json!({"placement_id": "000000000000000000000000"}),
            "/placement_id",
            "isn't in account",
        ),
        ("inmobi_get_placement", json!({"placement_id": "5"}), "/placement_id", "isn't in account"),
        (
            "pangle_update_ad_slot",
            json!({"body": {"ad_slot_id": 5, "ad_slot_name": "X"}}),
            "/body/ad_slot_id",
            "isn't in account",
        ),
        ("dtexchange_get_instance", json!({"instanceInternalId": "5"}), "/instanceInternalId", "isn't in account"),
        ("dtexchange_list_apps", json!({"publisherId": "9"}), "/publisherId", "isn't an account of this connection: 9"),
        (
            "admanager_get_order",
            json!({"network_code": "1", "order_id": "5"}),
            "/network_code",
            "isn't an account of this connection",
        ),
        ("admanager_get_order", json!({"network_code": network, "order_id": "5"}), "/order_id", "isn't in account"),
        (
            "admanager_get_order",
            json!({"network_code": network, "order_id": "x5"}),
            "/order_id",
            "isn't a valid order ID: x5",
        ),
        (
            "admanager_batch_pause_line_items",
            json!({"network_code": network, "body": {"names": ["networks/9/lineItems/6500000001"]}}),
            "/body/names/0",
            "belongs to account 9, not to 21700000001",
        ),
        (
            "admanager_batch_pause_line_items",
            json!({"network_code": network, "body": {"names": [format!("networks/{network}/orders/6500000001")]}}),
            "/body/names/0",
            "isn't a valid line item name",
        ),
    ] {
        let (at, message, _) = issue(&world, tool, args.clone()).await;
        assert!(at == pointer && message.contains(said), "{tool}: {at} {message}");
        let error = world.run(tool, &args).await.expect_err("not sent");
        assert_eq!(error.class, Class::Invalid, "{tool}: {error:?}");
    }
    for network in Network::ALL {
        assert!(world.writes(network).await.is_empty(), "{network}: nothing was sent");
    }
}

#[tokio::test]
async fn a_name_in_place_of_an_id_brings_the_one_that_was_meant() {
    let world = world().await;
    let app = world.all(Network::InMobi, EntityKind::App).await.remove(1);
    let (_, message, candidates) = issue(&world, "inmobi_list_placements", json!({"appId": app.name})).await;
    assert!(message.contains("isn't a valid app ID"), "{message}");
    assert!(candidates.iter().any(|(id, name)| *id == app.id && *name == app.name), "{candidates:?}");
    let args = json!({"network_code": "21700000001", "order_id": "Nordic Sneakers"});
    let orders = world.all(Network::AdManager, EntityKind::Order).await;
    let (_, _, candidates) = issue(&world, "admanager_get_order", args).await;
    assert!(candidates.iter().all(|(id, _)| orders.iter().any(|order| order.id == *id)), "{candidates:?}");
}

#[tokio::test]
async fn what_belongs_elsewhere_is_said_to() {
    let world = world().await;
    let placements = world.all(Network::Mintegral, EntityKind::Placement).await;
    let apps = world.all(Network::Mintegral, EntityKind::App).await;
    let placement = &placements[0];
    let other = apps.iter().find(|app| Some(&app.id) != placement.parent.as_ref()).expect("two apps");
    let number = |id: &str| id.parse::<i64>().expect("a number");
    let args = json!({"body": {"app_id": number(&other.id), "placement_id": number(&placement.id),
        "unit_name": "New", "bidding_type": 0}});
    let (pointer, message, _) = issue(&world, "mintegral_create_ad_unit", args).await;
    assert_eq!(pointer, "/body/placement_id");
    assert!(message.contains("belongs to app") && message.contains(&other.id), "{message}");
    let units = world.all(Network::Unity, EntityKind::AdUnit).await;
    let apps = world.all(Network::Unity, EntityKind::App).await;
    let other = apps.iter().find(|app| Some(&app.id) != units[0].parent.as_ref()).expect("two apps");
    let args = json!({"app_key": other.id, "body": [{"mediationAdUnitId": units[0].id, "isPaused": true}]});
    let (pointer, message, _) = issue(&world, "unity_update_ad_units", args).await;
    assert!(pointer == "/body/0/mediationAdUnitId" && message.contains(&format!("in app {}", other.id)), "{message}");
}

#[tokio::test]
async fn in_strict_mode_only_the_selected_apps_are_seen_and_changed() {
    let mut world = world().await;
    let apps = world.all(Network::DtExchange, EntityKind::App).await;
    let (mine, other) = (apps[0].clone(), apps[1].clone());
    world.scope.settings.mode = ContextMode::Strict;
    world.scope.settings.enabled_apps = Some(vec![mine.id.clone()].into());
    let filter = adagent_tools::EntityFilter::default();
    for (kind, some) in [(EntityKind::App, 1), (EntityKind::AdUnit, 1), (EntityKind::Instance, 1)] {
        let seen = world.networks.entities(&world.scope, Network::DtExchange, kind, filter).await.expect("lists");
        let all = world.all(Network::DtExchange, kind).await;
        assert!(seen.len() >= some && seen.len() < all.len(), "{kind:?}: {} of {}", seen.len(), all.len());
    }
    let listed = world.run("dtexchange_list_apps", &json!({"publisherId": mine.account})).await.expect("lists");
    assert_eq!(listed.result["items"].as_array().map(Vec::len), Some(1));
    let instances = world.all(Network::DtExchange, EntityKind::Instance).await;
    let units = world.all(Network::DtExchange, EntityKind::AdUnit).await;
    let app_of = |id: &str| units.iter().find(|unit| unit.id == id).and_then(|unit| unit.parent.clone());
    let of = |app: &str| {
        instances.iter().find(|one| one.parent.as_deref().and_then(app_of).as_deref() == Some(app)).expect("one")
    };
    let args = |id: &str| json!({"instanceInternalId": id, "body": {"status": "inactive"}});
    world.run("dtexchange_update_instance", &args(&of(&mine.id).id)).await.expect("selected");
    let error = world.run("dtexchange_update_instance", &args(&of(&other.id).id)).await.expect_err("not selected");
    assert_eq!(error.class, Class::OutOfContext, "{error:?}");
    assert_eq!(world.writes(Network::DtExchange).await.len(), 1);
    let report = json!({"body": {"source": "mediation", "metrics": ["Impressions"],
        "dateRange": {"start": "2026-11-16", "end": "2026-11-18"}}});
    let error = world.run("dtexchange_create_report", &report).await.expect_err("covers every app");
    assert_eq!(error.class, Class::OutOfContext, "{error:?}");
}

#[tokio::test]
async fn in_strict_mode_a_report_that_takes_apps_is_limited_to_the_selected_ones() {
    let mut world = world().await;
    let apps = world.all(Network::Unity, EntityKind::App).await;
    let args = json!({"startDate": "2026-11-16", "endDate": "2026-11-18", "metrics": ["revenue", "impressions"], "breakdowns": ["app"]});
    let all = world.run("unity_get_levelplay_report", &args).await.expect("answers");
    world.scope.settings.mode = ContextMode::Strict;
    world.scope.settings.enabled_apps = Some(vec![apps[0].id.clone()].into());
    let one = world.run("unity_get_levelplay_report", &args).await.expect("answers");
    let rows = |output: &adagent_tools::ToolOutput| output.result["rows"].as_array().map_or(0, Vec::len);
    assert!(rows(&one) >= 1 && rows(&one) < rows(&all), "{} of {}", rows(&one), rows(&all));
    assert!(one.result["warnings"].to_string().contains("Limited to your selected app."), "{}", one.result);
    world.scope.settings.enabled_apps = Some(vec!["ca-app-pub-1~2".to_owned()].into());
    let error = world.run("unity_get_levelplay_report", &args).await.expect_err("none is selected");
    assert!(error.message.contains("No Unity app is in your current selection"), "{error:?}");
}

#[tokio::test]
async fn what_is_not_confirmed_works_in_the_sandbox_and_is_off_on_live_connections() {
    let world = world().await;
    let args = json!({"start_date": "2026-11-16", "end_date": "2026-11-18"});
    world.run("pangle_get_app_report", &args).await.expect("simulated");
    let offered = async || world.networks.offered(world.scope.workspace).await.expect("looks").len();
    assert_eq!(offered().await, world.networks.tools().len());
    *world.source.live.lock().expect("free") = true;
    assert_eq!(offered().await, world.networks.tools().len() - 9);
    let error = world.run("pangle_get_app_report", &args).await.expect_err("live");
    assert_eq!((error.class, error.code.as_str()), (Class::OutOfContext, "NOT_CONFIRMED"), "{error:?}");
    let tool = world.networks.tool("dtexchange_delete_app").expect("known");
    let error = world.networks.ground(&world.scope, &tool, &json!({"appId": "204101"})).await.expect_err("live");
    assert_eq!(error.code, "NOT_CONFIRMED");
    world.run("pangle_query_apps", &json!({"body": {"page": 1, "page_size": 10}})).await.expect("confirmed");
}
