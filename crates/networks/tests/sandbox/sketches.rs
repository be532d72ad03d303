use adagent_contract::{EntityKind, PreviewKind, Risk, Widget};
use adagent_tools::{ApprovalSketch, Provider as _};
use serde_json::{Value as Json, json};

use crate::support::{ACME, APPLOVIN_BID, UNITY, World, group, world};

async fn sketch(world: &World, tool: &str, args: &Json) -> ApprovalSketch {
    let tool = world.networks.tool(tool).expect("known");
    world.networks.sketch(&world.scope, &tool, args).await.expect("draws")
}

fn rows(sketch: &ApprovalSketch) -> Vec<String> {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".into());
    sketch
        .preview
        .changes
        .iter()
        .map(|row| format!("{}: {} → {}", row.label, text(&row.before), text(&row.after)))
        .collect()
}

#[tokio::test]
async fn a_new_group_is_described_with_names() {
    let world = world().await;
    let unit = world.banner().await;
    let sketch =
        sketch(&world, "admob_create_mediation_group", &group("Banner test", &unit, APPLOVIN_BID, UNITY)).await;
    assert_eq!(
        sketch.title,
        "Create mediation group “Banner test” for Puzzle Game (Android) banner with 1 bidding line and 1 waterfall line"
    );
    assert_eq!((sketch.risk, sketch.preview.kind), (Risk::Write, PreviewKind::Create));
    let rows = rows(&sketch);
    for row in
        ["Name: – → Banner test", "Format: – → Banner", "Bidding: – → Bid (bidding)", "Waterfall: – → Fall at $2.00"]
    {
        assert!(rows.contains(&row.to_owned()), "{row} in {rows:?}");
    }
    assert!(
        sketch.warnings.iter().any(|warning| warning.contains("Takes effect on 1 ad unit")),
        "{:?}",
        sketch.warnings
    );
    assert!(
        sketch.warnings.iter().any(|warning| warning.contains("also in “Android Banner Global”")),
        "{:?}",
        sketch.warnings
    );
}

#[tokio::test]
async fn the_form_draws_entities_as_selects_with_names() {
    let world = world().await;
    let unit = world.banner().await;
    let hints = sketch(&world, "admob_create_mediation_group", &group("G", &unit, APPLOVIN_BID, UNITY)).await.ui_hints;
    let widget = |pointer: &str| hints.fields.iter().find(|hint| hint.pointer == pointer).map(|hint| hint.widget);
    assert_eq!(widget("/account_id"), Some(Widget::Entity));
    assert_eq!(widget("/body/displayName"), Some(Widget::Text));
    assert_eq!(widget("/body/targeting/adUnitIds"), Some(Widget::EntityList));
    assert_eq!(widget("/body/targeting/format"), Some(Widget::Select));
    assert_eq!(widget("/body/mediationGroupLines"), Some(Widget::MediationLines));
    let format = hints.fields.iter().find(|hint| hint.pointer == "/body/targeting/format").expect("there");
    assert!(format.choices.contains(&("REWARDED_INTERSTITIAL".into(), "Rewarded interstitial".into())));
    let option = hints.options["ad_unit"].iter().find(|option| option.id == unit).expect("there");
    assert_eq!(option.detail.as_deref(), Some("Puzzle Game (Android) · Banner"));
    assert_eq!(option.parent.as_deref(), Some(ACME));
    assert!(hints.options["ad_source"].iter().any(|option| option.name == "AppLovin (bidding)"));
    assert_eq!(hints.fields[0].pointer, "/account_id");
    assert!(hints.confirm_text.is_none());
}

#[tokio::test]
async fn an_update_shows_before_and_after_only_where_they_differ() {
    let world = world().await;
    let unit = world.banner().await;
    let made =
        world.write("admob_create_mediation_group", group("Mine", &unit, APPLOVIN_BID, UNITY)).await.expect("made");
    let item = &made.result["item"];
    let lines = item["mediationGroupLines"].as_object().expect("lines");
    let id_of = |mode: &str| lines.iter().find(|(_, line)| line["cpmMode"] == mode).expect("one").0.clone();
    let (bid, fall) = (id_of("LIVE"), id_of("MANUAL"));
    let args = json!({"account_id": ACME, "mediation_group_id": item["mediationGroupId"],
        "updateMask": format!("mediation_group_lines[\"{fall}\"].cpm_micros,mediation_group_lines[\"{bid}\"].state"),
        "body": {"mediationGroupLines": {&fall: {"cpmMicros": "4500000"}, &bid: {"state": "DISABLED"}}}});
    let sketch = sketch(&world, "admob_update_mediation_group", &args).await;
    assert_eq!(sketch.title, "Change Fall’s floor from $2.00 to $4.50 and pause Bid in “Mine” (pub-3940256099942544)");
    assert_eq!(rows(&sketch), ["Line: Fall at $2.00 → Fall at $4.50", "Line: Bid (bidding) → Bid (bidding, paused)"]);
    assert!(
        sketch.warnings.contains(&"Fall's price changes by +125% ($2.00 → $4.50).".to_owned()),
        "{:?}",
        sketch.warnings
    );
    let shown = sketch.ui_hints.fields.iter().map(|hint| hint.pointer.as_str()).collect::<Vec<_>>();
    assert!(shown.contains(&"/body/mediationGroupLines"), "{shown:?}");
    assert!(
        !shown.contains(&"/body/targeting/adUnitIds"),
        "an empty list would replace the one that is there: {shown:?}"
    );
    let line = |key: &str| {
        let option = sketch.ui_hints.options["line"].iter().find(|option| option.id == key).expect("there");
        (option.name.clone(), option.detail.clone().unwrap_or_default())
    };
    assert_eq!((line(&fall), line(&bid)), (("Fall".into(), "MANUAL".into()), ("Bid".into(), "LIVE".into())));
    let back = sketch.preview.back.as_deref().expect("a way back");
    assert_eq!(
        back["body"]["mediationGroupLines"],
        json!({&fall: {"cpmMicros": "2000000"}, &bid: {"state": "ENABLED"}})
    );
    let mask = sketch.ui_hints.fields.last().expect("fields");
    assert_eq!((mask.pointer.as_str(), mask.widget), ("/updateMask", Widget::ReadOnly));
    let group = sketch.ui_hints.fields.iter().find(|hint| hint.pointer == "/mediation_group_id").expect("there");
    assert_eq!(group.widget, Widget::ReadOnly);
}

#[tokio::test]
async fn taking_the_last_line_away_is_warned_of() {
    let world = world().await;
    let unit = world.banner().await;
    let mut only = group("Single", &unit, APPLOVIN_BID, UNITY);
    only["body"]["mediationGroupLines"].as_object_mut().expect("lines").remove("-2");
    let made = world.write("admob_create_mediation_group", only).await.expect("made");
    let item = &made.result["item"];
    let lines = item["mediationGroupLines"].as_object().expect("lines");
    let off: serde_json::Map<String, Json> =
        lines.keys().map(|key| (key.clone(), json!({"state": "DISABLED"}))).collect();
    let args = json!({"account_id": ACME, "mediation_group_id": item["mediationGroupId"], "updateMask": "x", "body": {"mediationGroupLines": off}});
    let sketch = sketch(&world, "admob_update_mediation_group", &args).await;
    assert!(sketch.warnings.iter().any(|warning| warning.contains("last active line")), "{:?}", sketch.warnings);
}

#[tokio::test]
async fn what_a_change_takes_away_is_said_and_everything_at_once_is_destructive() {
    let world = world().await;
    let unit = world.banner().await;
    let made = world.write("admob_create_mediation_group", group("Mine", &unit, APPLOVIN_BID, UNITY)).await;
    let item = made.expect("made").result["item"].clone();
    let lines = item["mediationGroupLines"].as_object().expect("lines");
    let update = |body: Json| json!({"account_id": ACME, "mediation_group_id": item["mediationGroupId"], "updateMask": "x", "body": body});
    let removed = |most: usize| -> Json {
        let gone = lines.keys().take(most).map(|key| (key.clone(), json!({"state": "REMOVED"})));
        json!({"mediationGroupLines": gone.collect::<serde_json::Map<String, Json>>()})
    };
    let tool = "admob_update_mediation_group";
    let one = sketch(&world, tool, &update(removed(1))).await;
    assert_eq!((one.risk, one.ui_hints.confirm_text.clone()), (Risk::Write, None));
    assert!(one.warnings.iter().any(|warning| warning.starts_with("Removes 1 line: ")), "{:?}", one.warnings);
    assert!(rows(&one)[0].ends_with("→ Removed"), "{:?}", rows(&one));

    let all = sketch(&world, tool, &update(removed(2))).await;
    assert_eq!((all.risk, all.ui_hints.confirm_text.as_deref()), (Risk::Destructive, Some("Mine")));
    assert!(all.warnings.iter().any(|warning| warning.starts_with("Removes 2 lines: ")), "{:?}", all.warnings);

    let nobody = sketch(&world, tool, &update(json!({"targeting": {"adUnitIds": []}}))).await;
    assert_eq!(nobody.risk, Risk::Destructive);
    let told = |start: &str| nobody.warnings.iter().any(|warning| warning.starts_with(start));
    assert!(
        told("Removes 1 ad unit: ") && told("Takes effect immediately on 1 live ad unit."),
        "{:?}",
        nobody.warnings
    );
}

#[tokio::test]
async fn stopping_a_test_is_destructive_and_asks_for_the_groups_name() {
    let world = world().await;
    let id = world.id(EntityKind::MediationGroup, "Android Inter US", "android").await;
    let args = json!({"account_id": ACME, "mediation_group_id": id, "body": {"variantChoice": "VARIANT_CHOICE_B"}});
    let sketch = sketch(&world, "admob_stop_mediation_ab_experiment", &args).await;
    assert_eq!(sketch.title, "Stop the A/B test on mediation group “Android Inter US” and keep variant B (the test)");
    assert_eq!(sketch.risk, Risk::Destructive);
    assert_eq!(sketch.ui_hints.confirm_text.as_deref(), Some("Android Inter US"));
    assert!(rows(&sketch).contains(&"Variant A (original): Serving → Removed".to_owned()));
}

#[tokio::test]
async fn every_other_write_has_a_title_with_names() {
    let world = world().await;
    let unit = world.banner().await;
    let digits = unit.rsplit('/').next().expect("digits");
    let app = world.id(EntityKind::App, "Puzzle Game", "android").await;
    let group = world.id(EntityKind::MediationGroup, "Android Banner Global", "android").await;
    let adapters = world
        .networks
        .entities_of(world.scope.workspace, adagent_domain::Network::AdMob, EntityKind::AdSourceAdapter, false)
        .await
        .expect("loads");
    let adapter = adapters
        .iter()
        .find(|a| a.parent.as_deref() == Some(UNITY) && a.platform.as_deref() == Some("android"))
        .expect("there");
    let mapping = json!({"adapterId": adapter.id, "adUnitConfigurations": {}});
    let cases = [
        (
            "admob_create_app",
            json!({"account_id": ACME, "body": {"platform": "IOS", "manualAppInfo": {"displayName": "Puzzle Game"}}}),
            format!("Register app “Puzzle Game” (iOS) in account {ACME}"),
            "An app named “Puzzle Game” already exists, so AdMob will refuse this one. Edit the name.",
        ),
        (
            "admob_create_ad_unit",
            json!({"account_id": ACME, "body": {"appId": app, "displayName": "Main Menu Banner", "adFormat": "BANNER"}}),
            "Create banner ad unit “Main Menu Banner” in Puzzle Game (Android)".to_owned(),
            "An ad unit named “Main Menu Banner” already exists, so AdMob will refuse this one. Edit the name.",
        ),
        (
            "admob_create_ad_unit_mapping",
            json!({"account_id": ACME, "ad_unit_id": digits, "body": mapping}),
            format!("Link ad unit “Main Menu Banner” to {}", adapter.name),
            "needs Game ID and Placement ID, which are empty.",
        ),
        (
            "admob_batch_create_ad_unit_mappings",
            json!({"account_id": ACME, "body": {"requests": [{"parent": format!("accounts/{ACME}/adUnits/{digits}"), "adUnitMapping": mapping}]}}),
            format!("Create 1 ad unit mapping for “Main Menu Banner” ({})", adapter.name),
            "needs Game ID",
        ),
        (
            "admob_create_mediation_ab_experiment",
            json!({"account_id": ACME, "mediation_group_id": group, "body": {"displayName": "T", "treatmentTrafficPercentage": "60", "treatmentMediationLines": []}}),
            "Start A/B test “T” on mediation group “Android Banner Global” with 60% of the traffic".to_owned(),
            "Variant B gets most of the traffic (60%).",
        ),
    ];
    for (tool, args, title, warning) in cases {
        let sketch = sketch(&world, tool, &args).await;
        assert_eq!(sketch.title, title);
        assert!(sketch.warnings.iter().any(|found| found.contains(warning)), "{tool}: {:?}", sketch.warnings);
        assert!(!sketch.preview.changes.is_empty(), "{tool}");
    }
}
