//! Tests of the approvals of the other eight networks.

use adagent_contract::{EntityItem, EntityKind, PreviewKind, Risk, Widget};
use adagent_domain::Network;
use adagent_networks::Catalogue;
use adagent_tools::{ApprovalSketch, Provider as _};
use serde_json::{Value as Json, json};

use super::world::{World, world};

const CODE: &str = "21700000001";

async fn sketch(world: &World, tool: &str, args: &Json) -> ApprovalSketch {
    let tool = world.networks.tool(tool).expect("known");
    let args = world.networks.normalise_args(&tool, args);
    assert_eq!(world.networks.check(&tool, &args), [], "{} {args}", tool.name);
    world.networks.sketch(&world.scope, &tool, &args).await.unwrap_or_else(|error| panic!("{}: {error:?}", tool.name))
}

fn rows(sketch: &ApprovalSketch) -> Vec<String> {
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    sketch
        .preview
        .changes
        .iter()
        .filter(|row| row.before.is_none() || row.before != row.after)
        .map(|row| format!("{}: {} → {}", row.label, or(&row.before), or(&row.after)))
        .collect()
}

async fn first(world: &World, network: Network, kind: EntityKind) -> EntityItem {
    world.all(network, kind).await.into_iter().next().expect("one")
}

#[tokio::test]
async fn an_update_shows_before_and_after_only_where_they_differ() {
    let world = world().await;
    let unit = first(&world, Network::Liftoff, EntityKind::AdUnit).await;
    let args =
        json!({"placement_id": unit.id, "body": {"name": unit.name, "cpmFloor": {"default": 0.9, "geo": {"US": 4.0}}}});
    let shown = sketch(&world, "liftoff_update_placement", &args).await;
    let apps = world.all(Network::Liftoff, EntityKind::App).await;
    let app = apps.iter().find(|app| Some(&app.id) == unit.parent.as_ref()).expect("its app");
    let platform = if app.platform.as_deref() == Some("ios") { "iOS" } else { "Android" };
    assert_eq!(shown.title, format!("Change ad unit “{}” in {} ({platform}): CPM floor: default", unit.name, app.name));
    assert_eq!(rows(&shown), ["CPM floor: default: $0.50 → $0.90"]);
    assert_eq!((shown.preview.kind, shown.risk), (PreviewKind::Update, Risk::Write));
    assert_eq!(shown.warnings, ["Takes effect immediately on 1 ad unit."]);
    let args = json!({"placement_id": unit.id, "body": {"name": unit.name}});
    let same = sketch(&world, "liftoff_update_placement", &args).await;
    assert!(rows(&same).is_empty() && same.warnings[0].contains("nothing would change"), "{same:?}");
    let hint = shown.ui_hints.fields.iter().find(|hint| hint.pointer == "/placement_id").expect("there");
    assert_eq!(hint.widget, Widget::ReadOnly, "what it is about is not edited");
    let named = &shown.ui_hints.options[hint.options.as_deref().expect("a kind")];
    assert!(named.iter().any(|option| option.id == unit.id && option.name == unit.name), "{named:?}");
}

/// A request does not show its keys, so only this row distinguishes the sandbox from the real network.
#[tokio::test]
async fn every_change_says_to_which_connection_it_goes_on_both_sides() {
    let world = world().await;
    for (network, tool, shown) in [
        (Network::AppLovin, "applovin_create_ad_unit", "AppLovin (sandbox)"),
        (Network::AdManager, "admanager_create_company", "Google Ad Manager (sandbox)"),
    ] {
        let catalogue = Catalogue::built_in().expect("built in");
        let sketch = sketch(&world, tool, &catalogue.get(tool).expect("known").example).await;
        let row = sketch.preview.changes.iter().find(|row| row.before.is_some()).expect("said");
        assert!(matches!(row.label.as_str(), "Account" | "Connection"), "{row:?}");
        assert_eq!((row.before.as_deref(), row.after.as_deref()), (Some(shown), Some(shown)), "{network}");
    }
}

#[tokio::test]
async fn what_is_made_is_shown_with_where_and_a_name_that_is_taken_is_warned_of() {
    let world = world().await;
    let unit = first(&world, Network::DtExchange, EntityKind::AdUnit).await;
    let apps = world.all(Network::DtExchange, EntityKind::App).await;
    let app = apps.iter().find(|app| Some(&app.id) == unit.parent.as_ref()).expect("its app");
    let args = |name: &str| {
        json!({"body": {"appId": app.id, "placementType": "Rewarded", "name": name, "coppa": false,
            "floorPrices": [{"country": "US", "price": 4.5}]}})
    };
    let shown = sketch(&world, "dtexchange_create_placement", &args("Level end 2")).await;
    let platform = if app.platform.as_deref() == Some("ios") { "iOS" } else { "Android" };
    assert_eq!(shown.title, format!("Create ad unit “Level end 2” in {} ({platform})", app.name));
    let rows = rows(&shown);
    assert!(rows.contains(&format!("App: - → {}", app.name)), "{rows:?}");
    assert!(rows.contains(&"COPPA: - → No".to_owned()), "{rows:?}");
    assert!(rows.contains(&"Floor prices: - → country US, price $4.50".to_owned()), "{rows:?}");
    assert_eq!((shown.preview.kind, shown.warnings.len()), (PreviewKind::Create, 0), "{:?}", shown.warnings);
    let choose = shown.ui_hints.fields.iter().find(|hint| hint.pointer == "/body/appId").expect("a field");
    assert_eq!(choose.widget, Widget::Entity);
    assert_eq!(shown.ui_hints.options["app"].len(), apps.len());
    let taken = sketch(&world, "dtexchange_create_placement", &args(&unit.name)).await;
    assert!(taken.warnings[0].contains("already exists; this creates a second one"), "{:?}", taken.warnings);
}

#[tokio::test]
async fn several_things_are_named_and_each_row_says_which() {
    let world = world().await;
    let units = world.all(Network::Unity, EntityKind::AdUnit).await;
    let app = units[0].parent.clone().expect("an app");
    let of: Vec<&EntityItem> = units.iter().filter(|unit| unit.parent.as_deref() == Some(&app)).take(2).collect();
    let body: Vec<Json> = of.iter().map(|unit| json!({"mediationAdUnitId": unit.id, "isPaused": true})).collect();
    let shown = sketch(&world, "unity_update_ad_units", &json!({"app_key": app, "body": body})).await;
    let (a, b) = (&of[0].name, &of[1].name);
    assert_eq!(shown.title, format!("Pause 2 ad units (“{a}” and “{b}”) in Puzzle Game (Android)"));
    assert_eq!(rows(&shown), [format!("{a} · Is paused: No → Yes"), format!("{b} · Is paused: No → Yes")]);
}

#[tokio::test]
async fn what_goes_is_named_destructive_and_confirmed_by_its_name() {
    let world = world().await;
    let instance = first(&world, Network::Unity, EntityKind::Instance).await;
    let args = json!({"app_key": instance.parent, "body": {"ids": [instance.id.parse::<i64>().expect("a number")]}});
    let shown = sketch(&world, "unity_delete_instances", &args).await;
    assert!(shown.title.starts_with(&format!("Delete instance “{}” in ", instance.name)), "{}", shown.title);
    assert_eq!((shown.preview.kind, shown.risk), (PreviewKind::Delete, Risk::Destructive));
    assert_eq!(rows(&shown), [format!("Instance: {} → -", instance.name)]);
    assert_eq!(shown.ui_hints.confirm_text.as_deref(), Some(instance.name.as_str()));
    assert!(shown.warnings[0].contains("can't undo"), "{:?}", shown.warnings);
}

#[tokio::test]
async fn orders_and_line_items_are_named_and_their_state_is_shown() {
    let world = world().await;
    let lines = world.all(Network::AdManager, EntityKind::LineItem).await;
    let (a, b) = (&lines[0], &lines[1]);
    let names: Vec<String> = [a, b].iter().map(|line| format!("networks/{CODE}/lineItems/{}", line.id)).collect();
    let args = json!({"network_code": CODE, "body": {"names": names}});
    let shown = sketch(&world, "admanager_batch_pause_line_items", &args).await;
    assert_eq!(shown.title, format!("Pause 2 line items (“{}” and “{}”)", a.name, b.name));
    assert_eq!(shown.preview.kind, PreviewKind::Action);
    assert!(rows(&shown)[0].starts_with(&format!("Line item “{}”: ", a.name)) || rows(&shown)[0].contains(&a.name));
    let order = format!("networks/{CODE}/orders/{}", a.parent.as_deref().expect("an order"));
    let orders = world.all(Network::AdManager, EntityKind::Order).await;
    let order_name = &orders.iter().find(|order| a.parent.as_ref() == Some(&order.id)).expect("there").name;
    let args = json!({"network_code": CODE, "line_item_id": a.id,
        "body": {"displayName": "Renamed", "rate": {"currencyCode": "USD", "units": "6", "nanos": 500_000_000}}});
    let shown = sketch(&world, "admanager_update_line_item", &args).await;
    assert!(shown.title.starts_with(&format!("Change line item “{}” in ", a.name)), "{}", shown.title);
    assert!(shown.title.ends_with(": name and rate"), "{} {:?}", shown.title, rows(&shown));
    assert_eq!(rows(&shown)[0], format!("Name: {} → Renamed", a.name));
    assert!(rows(&shown)[1].ends_with("→ $6.50"), "{:?}", rows(&shown));
    let catalogue = Catalogue::built_in().expect("loads");
    let mut example = catalogue.get("admanager_create_line_item").expect("known").example.clone();
    example["body"]["order"] = json!(order);
    let shown = sketch(&world, "admanager_create_line_item", &example).await;
    assert!(rows(&shown).contains(&format!("Order: - → {order_name}")), "{:?}", rows(&shown));
    let hint = shown.ui_hints.fields.iter().find(|hint| hint.pointer == "/body/order").expect("a field");
    let options = &shown.ui_hints.options[hint.options.as_deref().expect("a kind")];
    assert!(options.iter().any(|option| option.id == order && option.name == *order_name), "{options:?}");
}

#[tokio::test]
async fn a_mask_follows_the_body_and_is_shown_and_not_edited() {
    let world = world().await;
    let line = first(&world, Network::AdManager, EntityKind::LineItem).await;
    let args = json!({"network_code": CODE, "line_item_id": line.id, "updateMask": "lineItemType", "body": {"displayName": "Renamed"}});
    let shown = sketch(&world, "admanager_update_line_item", &args).await;
    let mask = shown.ui_hints.fields.iter().find(|hint| hint.pointer == "/updateMask").expect("shown");
    assert_eq!(mask.widget, Widget::ReadOnly);
    world.run("admanager_update_line_item", &args).await.expect("written");
    let written = world.writes(Network::AdManager).await;
    assert!(
        written[0].to_string().contains("displayName") && !written[0].to_string().contains("lineItemType"),
        "{written:?}"
    );
    let now = world.all(Network::AdManager, EntityKind::LineItem).await;
    assert!(now.iter().any(|item| item.id == line.id && item.name == "Renamed"), "it is there at once");
}

#[tokio::test]
async fn what_is_not_confirmed_says_so() {
    let world = world().await;
    let app = first(&world, Network::DtExchange, EntityKind::App).await;
    let shown = sketch(&world, "dtexchange_delete_app", &json!({"appId": app.id})).await;
    assert!(shown.title.starts_with(&format!("Delete app “{}”", app.name)), "{}", shown.title);
    assert!(
        shown.warnings[0].contains("DT Exchange's documentation doesn't confirm this operation"),
        "{:?}",
        shown.warnings
    );
}

#[tokio::test]
async fn a_date_in_a_form_is_numbers_with_the_name_of_the_date() {
    let world = world().await;
    let day = |day: u32| json!({"year": 2026, "month": 11, "day": day});
    let args = json!({"network_code": CODE, "body": {"displayName": "Week", "visibility": "HIDDEN", "reportDefinition": {
        "reportType": "HISTORICAL", "dimensions": ["DATE"], "metrics": ["IMPRESSIONS"],
        "dateRange": {"fixed": {"startDate": day(15), "endDate": day(21)}}}}});
    let shown = sketch(&world, "admanager_create_report", &args).await;
    let of = |pointer: &str| shown.ui_hints.fields.iter().find(|hint| hint.pointer == pointer);
    let start = of("/body/reportDefinition/dateRange/fixed/startDate/day").expect("drawn");
    assert_eq!((start.label.as_str(), start.widget), ("Start date: day", Widget::Number));
    assert!(of("/body/reportDefinition/dateRange/fixed/startDate").is_none());
}

#[tokio::test]
async fn lists_of_objects_and_maps_are_rows_with_fields_of_their_own() {
    let world = world().await;
    let catalogue = Catalogue::built_in().expect("built in");
    let example = |tool: &str| catalogue.get(tool).expect("known").example.clone();
    let hint = |sketch: &ApprovalSketch, pointer: &str| {
        let found = sketch.ui_hints.fields.iter().find(|hint| hint.pointer == pointer);
        found.unwrap_or_else(|| panic!("{pointer} in {:#?}", sketch.ui_hints.fields)).clone()
    };
    let app = first(&world, Network::Unity, EntityKind::App).await;
    let mut args = example("unity_create_placements");
    args["body"]["appKey"] = app.id.clone().into();
    let made = sketch(&world, "unity_create_placements", &args).await;
    let rows = hint(&made, "/body/placements");
    assert_eq!((rows.widget, rows.fixed), (Widget::Objects, false));
    let part = |pointer: &str| rows.fields.iter().find(|part| part.pointer == pointer).expect(pointer).clone();
    assert_eq!((part("/adUnit").widget, part("/adUnit").choices.len()), (Widget::Select, 3));
    assert_eq!((part("/name").widget, part("/name").required), (Widget::Text, true));
    assert_eq!(part("/adDelivery").choices.iter().map(|(wire, _)| wire.as_str()).collect::<Vec<_>>(), ["0", "1"]);
    assert_eq!(
        (part("/capping/limit").widget, part("/capping/limit").label.as_str()),
        (Widget::Number, "Capping: limit")
    );
    assert_eq!(rows.of_row("1")[0].pointer, format!("/body/placements/1{}", rows.fields[0].pointer));

    // The entities that the rows are about are shown by name and cannot be edited, and no row can be added.
    let units = world.all(Network::Unity, EntityKind::AdUnit).await;
    let body = json!([{"mediationAdUnitId": units[0].id, "isPaused": true}]);
    let args = json!({"app_key": units[0].parent, "body": body});
    let changed = sketch(&world, "unity_update_ad_units", &args).await;
    let rows = hint(&changed, "/body");
    assert_eq!((rows.widget, rows.fixed, rows.label.as_str()), (Widget::Objects, true, "Ad unit"));
    let id = rows.fields.iter().find(|part| part.pointer == "/mediationAdUnitId").expect("there");
    assert_eq!(id.widget, Widget::ReadOnly);
    let named = &changed.ui_hints.options[id.options.as_deref().expect("a kind")];
    assert!(named.iter().any(|option| option.name == units[0].name), "{named:?}");

    let unit = first(&world, Network::Liftoff, EntityKind::AdUnit).await;
    let args =
        json!({"placement_id": unit.id, "body": {"name": unit.name, "cpmFloor": {"default": 0.9, "geo": {"US": 4.0}}}});
    let floors = sketch(&world, "liftoff_update_placement", &args).await;
    let map = hint(&floors, "/body/cpmFloor/geo");
    assert_eq!((map.widget, map.fields.len(), map.fields[0].widget), (Widget::Entries, 1, Widget::Number));
    assert_eq!(map.of_row("US")[0].pointer, "/body/cpmFloor/geo/US");
}

/// A network without a mask replaces the fields that are sent. The card shows what is removed, and the undo restores all of it.
#[tokio::test]
async fn what_a_change_replaces_is_shown_and_comes_back_whole() {
    let world = world().await;
    let unit = first(&world, Network::Liftoff, EntityKind::AdUnit).await;
    let args = json!({"placement_id": unit.id, "body": {"name": unit.name, "cpmFloor": {"geo": {"US": 5.0}}}});
    let shown = sketch(&world, "liftoff_update_placement", &args).await;
    assert_eq!(rows(&shown), ["CPM floor: geo: US: $4.00 → $5.00", "CPM floor: default: $0.50 → -"]);
    let back = shown.preview.back.as_deref().expect("a way back");
    assert_eq!(back["body"]["cpmFloor"], json!({"default": 0.5, "geo": {"US": 4.0}}));

    // AppLovin returns some parts only if they are requested, but the card has them.
    let unit = first(&world, Network::AppLovin, EntityKind::AdUnit).await;
    let floors =
        json!([{"country_group_name": "US", "cpm": "4.00", "countries": {"type": "INCLUDE", "values": ["us"]}}]);
    let body = json!({
        "id": unit.id, "name": unit.name, "platform": unit.raw["platform"], "package_name": unit.raw["package_name"],
        "ad_format": unit.raw["ad_format"], "bid_floors": floors,
    });
    let args = json!({"ad_unit_id": unit.id, "body": body});
    let shown = sketch(&world, "applovin_update_ad_unit", &args).await;
    let row = shown.preview.changes.iter().find(|row| row.label.starts_with("Bid floors")).expect("a row");
    assert!(row.before.as_deref().is_some_and(|before| before.contains("1.50")), "{row:?}");
    assert!(shown.preview.back.as_deref().is_some_and(|back| back["body"]["bid_floors"] != floors), "{shown:?}");
}

/// Tests paging with InMobi, which returns 5,000 rows per page.
#[tokio::test]
async fn a_report_of_several_pages_is_whole_and_one_page_says_that_it_is_not() {
    let world = world().await;
    let request = json!({"metrics": ["earnings"], "timeFrame": "2026-08-01:2026-11-20", "groupBy": ["date", "placement", "country"]});
    let whole = world.run("inmobi_get_report", &json!({"body": {"reportRequest": request}})).await.expect("read");
    let rows = whole.result["rows"].as_array().map_or(0, Vec::len);
    assert!(rows > 5_000 && whole.result["truncated"] == false, "{rows} {}", whole.result["truncated"]);
    let mut page = request.clone();
    (page["offset"], page["length"]) = (json!(0), json!(5_000));
    let page = world.run("inmobi_get_report", &json!({"body": {"reportRequest": page}})).await.expect("read");
    assert_eq!(page.result["truncated"], true, "there is more behind it");
}

/// A list replaces the current one, so the card warns about items that are missing from the new list.
#[tokio::test]
async fn what_an_update_takes_out_of_a_list_is_warned_of() {
    let world = world().await;
    let unit = first(&world, Network::AppLovin, EntityKind::AdUnit).await;
    let floor = |name: &str, cpm: &str, values: &[&str]| json!({"country_group_name": name, "cpm": cpm, "countries": {"type": "INCLUDE", "values": values}});
    let args = |floors: Json| {
        json!({"ad_unit_id": unit.id, "body": {
            "id": unit.id, "name": unit.name, "platform": unit.raw["platform"], "package_name": unit.raw["package_name"],
            "ad_format": unit.raw["ad_format"], "bid_floors": floors,
        }})
    };
    let shown = sketch(&world, "applovin_update_ad_unit", &args(json!([floor("US", "6.50", &["US"])]))).await;
    assert_eq!(shown.warnings[0], "Removes GB and DE from bid floors.", "{:?}", shown.warnings);
    let both = json!([floor("US", "6.50", &["US"]), floor("Tier 1", "1.50", &["gb", "de"])]);
    let shown = sketch(&world, "applovin_update_ad_unit", &args(both)).await;
    assert!(shown.warnings.iter().all(|warning| !warning.starts_with("Removes")), "{:?}", shown.warnings);
}

/// Several apps have an ad unit of the same name, so the card names the app.
#[tokio::test]
async fn a_title_says_in_which_app_an_ad_unit_is() {
    let world = world().await;
    let apps = world.all(Network::Pangle, EntityKind::App).await;
    let unit = first(&world, Network::Pangle, EntityKind::AdUnit).await;
    let app = apps.iter().find(|app| Some(&app.id) == unit.parent.as_ref()).expect("its app");
    let platform =
        if app.platform.as_deref().is_some_and(|own| own.eq_ignore_ascii_case("ios")) { "iOS" } else { "Android" };
    let id = unit.id.parse::<i64>().expect("a number");
    let paused = sketch(&world, "pangle_update_ad_slot", &json!({"body": {"ad_slot_id": id, "status": 3}})).await;
    assert!(paused.title.contains(&format!("“{}” in {} ({platform})", unit.name, app.name)), "{}", paused.title);
}
