use std::sync::atomic::Ordering;

use adagent_contract::{ContextMode, EntityKind, ReportData, Value};
use adagent_domain::Network;
use adagent_tools::{Gateway as _, Provider as _, ToolErrorClass};
use serde_json::{Value as Json, json};

use crate::support::{ACME, APPLOVIN_BID, LEXICON, Told, UNITY, group, report, world, world_with};

const DAY: (i32, i32, i32) = (2026, 11, 20);

fn micros(data: &ReportData) -> i64 {
    let at = data.column("revenue").expect("asked for");
    data.rows
        .iter()
        .map(|row| match row[at] {
            Value::Money { money } => money.micros,
            ref other => panic!("{other:?}"),
        })
        .sum()
}

#[tokio::test]
async fn every_read_answers_in_its_normal_form() {
    let world = world().await;
    let unit = world.banner().await;
    let digits = unit.rsplit('/').next().expect("digits").to_owned();
    let account = json!({"account_id": ACME});
    let lists = [
        ("admob_list_accounts", json!({}), "account"),
        ("admob_list_apps", account.clone(), "app"),
        ("admob_list_ad_units", account.clone(), "ad_unit"),
        ("admob_list_ad_sources", account.clone(), "ad_source"),
        ("admob_list_ad_source_adapters", json!({"account_id": ACME, "ad_source_id": UNITY}), "ad_source_adapter"),
        ("admob_list_ad_unit_mappings", json!({"account_id": ACME, "ad_unit_id": digits}), "ad_unit_mapping"),
        ("admob_list_mediation_groups", account.clone(), "mediation_group"),
    ];
    for (tool, args, entity) in lists {
        let output = world.read(tool, args).await.unwrap_or_else(|error| panic!("{tool}: {error:?}"));
        assert_eq!(
            (output.result["kind"].as_str(), output.result["entity"].as_str()),
            (Some("list"), Some(entity)),
            "{tool}"
        );
        assert!(!output.result["items"].as_array().expect("items").is_empty(), "{tool}");
        assert!(output.artifact.is_some(), "{tool}");
    }
    let one = world.read("admob_get_account", account).await.expect("answers");
    assert_eq!(one.result["item"]["publisherId"], ACME);
    let campaign = report(ACME, DAY, DAY, &["CAMPAIGN_NAME"], &["IMPRESSIONS", "ESTIMATED_COST"]);
    let output = world.read("admob_generate_campaign_report", campaign).await.expect("answers");
    assert!(ReportData::from_result(&output.result).is_some());
    let network = report(ACME, DAY, DAY, &["APP", "FORMAT"], &["ESTIMATED_EARNINGS", "IMPRESSION_RPM", "SHOW_RATE"]);
    let output = world.read("admob_generate_network_report", network).await.expect("answers");
    let data = ReportData::from_result(&output.result).expect("a report");
    assert!(
        matches!(&data.rows[0][0], Value::Entity { name, .. } if !name.starts_with("ca-app")),
        "{:?}",
        data.rows[0]
    );
    assert!(matches!(data.rows[0][3], Value::Money { .. }), "eCPM is money: {:?}", data.rows[0]);
}

#[tokio::test]
async fn report_figures_equal_the_sandboxs_truth() {
    let world = world().await;
    for account in [ACME, LEXICON] {
        let args = report(account, (2026, 11, 14), DAY, &["DATE", "COUNTRY"], &["ESTIMATED_EARNINGS", "IMPRESSIONS"]);
        let output = world.read("admob_generate_mediation_report", args).await.expect("answers");
        let data = ReportData::from_result(&output.result).expect("a report");
        assert_eq!((data.date_from.as_str(), data.date_to.as_str()), ("2026-11-14", "2026-11-20"));
        assert_eq!(data.time_zone.as_deref(), Some("Etc/UTC"));
        let truth =
            world.truth(&format!("network=admob&from=2026-11-14&to=2026-11-20&metric=revenue&account={account}")).await;
        assert_eq!(Json::from(micros(&data)), truth["micros"], "{truth}");
    }
}

#[tokio::test]
async fn every_write_goes_out_once_and_shows_at_once() {
    let world = world().await;
    let unit = world.banner().await;
    let digits = unit.rsplit('/').next().expect("digits").to_owned();
    let app = world.id(EntityKind::App, "Puzzle Game", "android").await;
    let adapters = world
        .networks
        .entities_of(world.scope.workspace, Network::AdMob, EntityKind::AdSourceAdapter, false)
        .await
        .expect("loads");
    let adapter = adapters
        .iter()
        .find(|a| a.parent.as_deref() == Some(UNITY) && a.platform.as_deref() == Some("android"))
        .expect("there");
    let settings: Json = adapter.raw["adapterConfigMetadata"]
        .as_array()
        .expect("labels")
        .iter()
        .map(|label| (label["adapterConfigMetadataId"].as_str().expect("id").to_owned(), Json::from("x1")))
        .collect::<serde_json::Map<_, _>>()
        .into();

    let created = world.write(
        "admob_create_app",
        json!({"account_id": ACME, "body": {"platform": "IOS", "manualAppInfo": {"displayName": "Fresh"}}}),
    );
    let created = created.await.expect("created");
    assert!(created.summary.starts_with("Created app Fresh (ca-app-"), "{}", created.summary);
    world
        .write(
            "admob_create_ad_unit",
            json!({"account_id": ACME, "body": {"appId": app, "displayName": "Fresh banner", "adFormat": "BANNER"}}),
        )
        .await
        .expect("created");
    let mapping = json!({"adapterId": adapter.id, "adUnitConfigurations": settings, "displayName": "M1"});
    world
        .write("admob_create_ad_unit_mapping", json!({"account_id": ACME, "ad_unit_id": digits, "body": mapping}))
        .await
        .expect("created");
    let requests = json!([{"parent": format!("accounts/{ACME}/adUnits/{digits}"), "adUnitMapping": mapping}]);
    let batch = world
        .write("admob_batch_create_ad_unit_mappings", json!({"account_id": ACME, "body": {"requests": requests}}))
        .await
        .expect("created");
    let made = batch.result["item"]["adUnitMappings"].as_array().expect("the reply as it came");
    assert_eq!((made.len(), &made[0]["displayName"]), (1, &json!("M1")));
    let made = world.write("admob_create_mediation_group", group("Fresh group", &unit, APPLOVIN_BID, UNITY)).await;
    let made = made.unwrap_or_else(|error| panic!("{error:?}"));
    let id = made.result["item"]["mediationGroupId"].as_str().expect("an id").to_owned();
    // The registry knows the new group at once, so the update grounds.
    let lines = made.result["item"]["mediationGroupLines"].as_object().expect("lines");
    let line = lines.iter().find(|(_, line)| line["cpmMode"] == "MANUAL").expect("waterfall").0.clone();
    let update = json!({"account_id": ACME, "mediation_group_id": id, "updateMask": format!("mediation_group_lines[\"{line}\"].cpm_micros"),
        "body": {"mediationGroupLines": {line.clone(): {"id": line, "cpmMicros": "3000000"}}}});
    world.write("admob_update_mediation_group", update).await.unwrap_or_else(|error| panic!("{error:?}"));
    let experiment = json!({"account_id": ACME, "mediation_group_id": id, "body": {"displayName": "Test", "treatmentTrafficPercentage": "20",
        "treatmentMediationLines": [{"mediationGroupLine": {"id": "-1", "adSourceId": APPLOVIN_BID, "cpmMode": "LIVE", "state": "ENABLED", "displayName": "B"}}]}});
    world.write("admob_create_mediation_ab_experiment", experiment).await.unwrap_or_else(|error| panic!("{error:?}"));
    let stop = json!({"account_id": ACME, "mediation_group_id": id, "body": {"variantChoice": "VARIANT_CHOICE_B"}});
    world.write("admob_stop_mediation_ab_experiment", stop).await.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(world.writes().await.len(), 8);
    world.id(EntityKind::App, "Fresh", "ios").await;
}

#[tokio::test]
async fn a_write_without_the_ticket_of_exactly_these_arguments_is_not_sent() {
    let world = world().await;
    let tool = world.networks.tool("admob_create_app").expect("known");
    let args =
        |name: &str| json!({"account_id": ACME, "body": {"platform": "IOS", "manualAppInfo": {"displayName": name}}});
    let digest = world.networks.digest(&tool, &args("approved"));
    let ticket = adagent_tools::WriteTicket { call: world.scope.call, digest, place: None };
    for (args, ticket) in [(args("other"), Some(&ticket)), (args("approved"), None)] {
        let error = world
            .networks
            .execute(&world.scope, &tool, &args, ticket, &mut Told::default())
            .await
            .expect_err("refused");
        assert_eq!(error.code, "APPROVAL_REQUIRED");
    }
    assert!(world.writes().await.is_empty());
}

#[tokio::test]
async fn pages_are_joined_and_a_named_page_size_gives_one_page() {
    let world = world().await;
    let all = world.read("admob_list_ad_units", json!({"account_id": ACME})).await.expect("answers");
    let total = all.result["items"].as_array().expect("items").len();
    let two = world.read("admob_list_ad_units", json!({"account_id": ACME, "pageSize": 2})).await.expect("answers");
    assert_eq!(two.result["items"].as_array().expect("items").len(), 2);
    assert_eq!(two.result["truncated"], true);
    let token = two.result["next_page_token"].as_str().expect("more");
    let rest = world
        .read("admob_list_ad_units", json!({"account_id": ACME, "pageToken": token, "pageSize": 1000}))
        .await
        .expect("answers");
    assert_eq!(rest.result["items"].as_array().expect("items").len(), total - 2);
}

#[tokio::test]
async fn a_read_is_cached_until_something_is_written() {
    let world = world().await;
    let apps = || world.read("admob_list_apps", json!({"account_id": LEXICON}));
    assert!(!apps().await.expect("answers").cached);
    assert!(apps().await.expect("answers").cached);
    let app = json!({"account_id": LEXICON, "body": {"platform": "IOS", "manualAppInfo": {"displayName": "New"}}});
    world.write("admob_create_app", app).await.expect("created");
    let after = apps().await.expect("answers");
    assert!(!after.cached);
    assert!(after.result.to_string().contains("\"New\""));
}

#[tokio::test]
async fn refused_credentials_are_renewed_once() {
    let world = world_with(true).await;
    world.read("admob_list_accounts", json!({})).await.expect("answers after renewal");
    assert_eq!(world.source.renewed.load(std::sync::atomic::Ordering::SeqCst), 1);
    assert_eq!(world.source.failed.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn strict_mode_shows_and_reports_the_selection_only() {
    let mut world = world().await;
    let app = world.id(EntityKind::App, "Puzzle Game", "android").await;
    world.scope.settings.mode = ContextMode::Strict;
    world.scope.settings.enabled_apps = Some(vec![app.clone()].into());
    let apps = world.read("admob_list_apps", json!({"account_id": ACME})).await.expect("answers");
    assert_eq!(apps.result["items"].as_array().expect("items").len(), 1);
    let args = report(ACME, DAY, DAY, &["APP"], &["ESTIMATED_EARNINGS"]);
    let output = world.read("admob_generate_mediation_report", args).await.expect("answers");
    let data = ReportData::from_result(&output.result).expect("a report");
    assert!(data.rows.iter().all(|row| matches!(&row[0], Value::Entity { id, .. } if *id == app)), "{:?}", data.rows);
    assert_eq!(data.warnings, ["Limited to your selected app."]);
    let other = report(LEXICON, DAY, DAY, &[], &["ESTIMATED_EARNINGS"]);
    let error = world.read("admob_generate_mediation_report", other).await.expect_err("outside");
    assert_eq!(error.class, ToolErrorClass::OutOfContext);
    let campaign = report(ACME, DAY, DAY, &[], &["IMPRESSIONS"]);
    let error = world.read("admob_generate_campaign_report", campaign).await.expect_err("cannot be limited");
    assert_eq!(error.class, ToolErrorClass::OutOfContext);
}

#[tokio::test]
async fn safe_mode_and_switched_off_networks_send_nothing() {
    let mut world = world().await;
    world.scope.settings.safe_mode = true;
    let app = json!({"account_id": ACME, "body": {"platform": "IOS", "manualAppInfo": {"displayName": "New"}}});
    assert_eq!(world.write("admob_create_app", app).await.expect_err("safe").class, ToolErrorClass::OutOfContext);
    world.scope.settings.enabled_networks = Some(vec![]);
    let error = world.read("admob_list_apps", json!({"account_id": ACME})).await.expect_err("off");
    assert_eq!(error.class, ToolErrorClass::Disabled);
    assert!(world.writes().await.is_empty());
}

#[tokio::test]
async fn today_is_a_civil_date_of_the_accounts_zone() {
    let world = world().await;
    assert_eq!(world.networks.today(world.scope.workspace).await, ("2026-11-21".to_owned(), "Etc/UTC".to_owned()));
}

#[tokio::test]
async fn an_edit_of_an_update_is_applied_as_it_was_shown_whatever_its_mask_said() {
    let world = world().await;
    let unit = world.banner().await;
    let made = world.write("admob_create_mediation_group", group("Edited", &unit, APPLOVIN_BID, UNITY)).await;
    let made = made.expect("made").result["item"].take();
    let lines = made["mediationGroupLines"].as_object().expect("lines");
    let id_of = |mode: &str| lines.iter().find(|(_, line)| line["cpmMode"] == mode).expect("one").0.clone();
    let (bid, fall) = (id_of("LIVE"), id_of("MANUAL"));
    // The proposal changes the price. In the form, the person also pauses the other line and renames this one, but the mask stays the same.
    let edited = json!({"account_id": ACME, "mediation_group_id": made["mediationGroupId"],
        "updateMask": format!("mediation_group_lines[\"{fall}\"].cpm_micros"),
        "body": {"mediationGroupLines": {
            (fall.as_str()): {"cpmMicros": "4500000", "displayName": "Floor"}, (bid.as_str()): {"state": "DISABLED"}}}});
    let tool = world.networks.tool("admob_update_mediation_group").expect("known");
    let normal = world.networks.normalise_args(&tool, &edited);
    assert_eq!(world.networks.digest(&tool, &edited), world.networks.digest(&tool, &normal));
    let sketch = world.networks.sketch(&world.scope, &tool, &edited).await.expect("drawn");
    assert_eq!(sketch.preview.changes.len(), 2, "{:?}", sketch.preview);
    let changed = world.write("admob_update_mediation_group", edited).await.expect("changed").result["item"].take();
    let now = &changed["mediationGroupLines"];
    assert_eq!((&now[&fall]["cpmMicros"], &now[&fall]["displayName"]), (&json!("4500000"), &json!("Floor")));
    assert_eq!(now[&bid]["state"], "DISABLED");
}

#[tokio::test]
async fn an_update_that_admob_would_ignore_is_refused_at_its_field() {
    let world = world().await;
    let id = world.id(EntityKind::MediationGroup, "Android Banner Global", "android").await;
    let update = |body: Json| json!({"account_id": ACME, "mediation_group_id": id, "updateMask": "x", "body": body});
    let tool = world.networks.tool("admob_update_mediation_group").expect("known");
    let errors =
        world.networks.check(&tool, &update(json!({"displayName": "Renamed", "targeting": {"adUnitIds": []}})));
    assert_eq!(errors.iter().map(|error| error.pointer.as_str()).collect::<Vec<_>>(), ["/body/displayName"]);
    let groups = world
        .networks
        .entities_of(world.scope.workspace, Network::AdMob, EntityKind::MediationGroup, false)
        .await
        .expect("loads");
    let group = groups.iter().find(|group| group.id == id).expect("there");
    let line = group.raw["mediationGroupLines"].as_object().expect("lines").keys().next().expect("one");
    let other = update(json!({"mediationGroupLines": {line: {"adSourceId": UNITY, "state": "ENABLED"}}}));
    let issues = world.networks.ground(&world.scope, &tool, &other).await.expect("looks");
    assert_eq!(issues[0].pointer, format!("/body/mediationGroupLines/{line}/adSourceId"));
}

#[tokio::test]
async fn what_is_known_of_one_connection_is_not_given_out_for_the_next() {
    let world = world().await;
    let (workspace, kind) = (world.scope.workspace, EntityKind::App);
    let apps = || async { world.networks.entities_of(workspace, Network::AdMob, kind, false).await.expect("loads") };
    let args = json!({"account_id": ACME});
    apps().await;
    world.read("admob_list_apps", args.clone()).await.expect("answers");
    let asked = world.source.asked.load(Ordering::SeqCst);
    apps().await;
    assert!(world.read("admob_list_apps", args.clone()).await.expect("answers").cached);
    assert_eq!(world.source.asked.load(Ordering::SeqCst), asked, "known, so not asked for again");
    // Another process connects another account, and this gateway is not told.
    world.source.version.fetch_add(1, Ordering::SeqCst);
    apps().await;
    assert!(world.source.asked.load(Ordering::SeqCst) > asked);
    world.source.version.fetch_add(1, Ordering::SeqCst);
    assert!(!world.read("admob_list_apps", args).await.expect("answers").cached);
}
