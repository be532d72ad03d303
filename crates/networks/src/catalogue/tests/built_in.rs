//! Tests of the built-in catalog: counts, schemas, examples, and the errors for wrong arguments.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use adagent_contract::EntityKind;
use serde_json::{Value as Json, json};

use crate::catalogue::*;

fn catalogue() -> Arc<Catalogue> {
    Catalogue::built_in().expect("loads")
}

fn errors(tool: &str, args: &Json) -> Vec<(String, String)> {
    catalogue().get(tool).expect("known").check(args).into_iter().map(|e| (e.pointer, e.message)).collect()
}

/// Returns an operation's example with one value changed.
fn changed(tool: &str, pointer: &str, value: Json) -> Json {
    let mut args = catalogue().get(tool).expect("known").example.clone();
    *args.pointer_mut(pointer).expect("there") = value;
    args
}

#[test]
fn every_network_has_its_operations() {
    let catalogue = catalogue();
    let count = |network| catalogue.of_network(network).count();
    let counts: Vec<usize> = Network::ALL.into_iter().map(count).collect();
    assert_eq!(counts, [19, 201, 20, 24, 12, 10, 9, 11, 17]);
    assert_eq!(catalogue.tools().len(), 323);
    for network in Network::ALL {
        assert!(!catalogue.network(network).expect("described").display_name.is_empty());
    }
}

#[test]
fn admobs_operations_read_eleven_times_and_stop_experiments_for_good() {
    let catalogue = catalogue();
    assert_eq!(catalogue.of_network(Network::AdMob).filter(|tool| tool.read_only).count(), 11);
    let stop = catalogue.get("admob_stop_mediation_ab_experiment").expect("there");
    assert!(stop.info.destructive && !stop.info.read_only && !stop.info.idempotent);
    assert!(catalogue.get("admob_delete_everything").is_none());
}

#[test]
fn no_file_of_the_folder_is_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog");
    let files: BTreeSet<String> = fs::read_dir(folder)
        .expect("is there")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, registry::ROWS.iter().map(|row| row.file.to_owned()).collect());
}

#[test]
fn every_schema_is_valid_json_schema() {
    let catalogue = catalogue();
    for tool in catalogue.tools() {
        let found = jsonschema::draft202012::meta::validate(&tool.input_schema).map_err(|error| error.to_string());
        assert_eq!(found, Ok(()), "{}", tool.name);
        assert!(schema::compile(&tool.input_schema).is_ok(), "{}", tool.name);
    }
}

#[test]
fn every_example_passes_the_checks_that_come_before_sending() {
    let catalogue = catalogue();
    for tool in catalogue.tools() {
        let operation = catalogue.get(&tool.name).expect("known");
        let args = mask::normalise_args(tool, &operation.example);
        assert_eq!(operation.check(&args), [], "{} {args}", tool.name);
    }
}

#[test]
fn ids_in_examples_have_the_form_of_their_entity() {
    let catalogue = catalogue();
    for tool in catalogue.tools() {
        let operation = catalogue.get(&tool.name).expect("known");
        for (path, entity) in operation.entities.iter().filter(|(path, _)| !path.contains('.')) {
            let Some(id) = operation.example.get(path).map(|id| id.to_string().trim_matches('"').to_owned()) else {
                continue;
            };
            let pattern = &operation.facts.entity(entity).expect("described").id_pattern;
            // In paths, AdMob takes only the last part of an ad unit ID.
            let fits = jsonschema::is_valid(&json!({"type": "string", "pattern": pattern}), &json!(id));
            assert!(fits || id.bytes().all(|byte| byte.is_ascii_digit()), "{}: {path} = {id}", tool.name);
        }
    }
}

#[test]
fn towards_live_networks_only_what_is_confirmed_is_offered() {
    let catalogue = catalogue();
    let offered = |sandbox: bool| catalogue.tools().iter().filter(|tool| tool.is_offered(sandbox)).count();
    assert_eq!((offered(true), offered(false)), (catalogue.tools().len(), catalogue.tools().len() - 9));
    assert!(catalogue.get("dtexchange_delete_app").is_some_and(|operation| !operation.info.is_offered(false)));
}

#[test]
fn people_who_traffic_orders_can_write_them() {
    let catalogue = catalogue();
    let orders: Vec<_> = catalogue.of_capability("orders").filter(|tool| !tool.read_only).collect();
    assert_eq!(orders.len(), 37);
    for name in [
        "admanager_batch_create_orders",
        "admanager_batch_approve_orders",
        "admanager_create_line_item",
        "admanager_update_line_item",
        "admanager_batch_pause_line_items",
        "admanager_batch_activate_creatives",
    ] {
        let tool = &catalogue.get(name).expect("there").info;
        assert!(
            !tool.read_only && !tool.destructive && tool.confidence == adagent_tools::Confidence::Verified,
            "{name}"
        );
    }
    assert!(catalogue.get("admanager_batch_archive_line_items").expect("there").info.destructive);
    assert!(catalogue.get("admanager_run_availability_forecast").expect("there").info.read_only);
}

#[test]
fn entities_are_what_the_common_registry_calls_them() {
    let catalogue = catalogue();
    let kind = |network, name: &str| catalogue.network(network).and_then(|facts| facts.entity(name)?.kind());
    assert_eq!(kind(Network::Pangle, "ad_slot"), Some(EntityKind::AdUnit));
    assert_eq!(kind(Network::Mintegral, "app"), Some(EntityKind::App));
    assert_eq!(kind(Network::DtExchange, "publisher"), Some(EntityKind::Account));
    for network in Network::ALL {
        let facts = catalogue.network(network).expect("described");
        for entity in &facts.entities {
            let kind = entity.kind().unwrap_or_else(|| panic!("{network} {} is of no shared kind", entity.name));
            let same = facts.of_kind(kind).expect("itself");
            assert_eq!(same.name, entity.name, "two things of {network} are both {kind:?}");
        }
    }
    for tool in catalogue.tools() {
        let operation = catalogue.get(&tool.name).expect("there");
        assert_eq!(operation.entities.len(), tool.entity_params.len(), "{}", tool.name);
    }
    let slot = catalogue.get("pangle_update_ad_slot").expect("there");
    assert_eq!(slot.info.entity_params, [("body.ad_slot_id".to_owned(), EntityKind::AdUnit)]);
    let order = catalogue.get("admanager_create_line_item").expect("there");
    assert!(order.entities.contains(&("body.order".to_owned(), "order".to_owned())));
}

#[test]
fn what_an_operation_yields_follows_from_lists_reads_and_names() {
    let catalogue = catalogue();
    let yields = |name: &str| catalogue.get(name).unwrap_or_else(|| panic!("no {name}")).yields;
    for (name, kind) in [
        ("admob_get_account", Some(EntityKind::Account)),
        ("admob_list_apps", Some(EntityKind::App)),
        ("admob_update_mediation_group", Some(EntityKind::MediationGroup)),
        ("admob_create_ad_unit_mapping", Some(EntityKind::AdUnitMapping)),
        ("admob_batch_create_ad_unit_mappings", None),
        ("admob_create_mediation_ab_experiment", None),
        ("admob_generate_network_report", None),
        ("admanager_get_order", Some(EntityKind::Order)),
        ("admanager_create_line_item", Some(EntityKind::LineItem)),
        ("applovin_get_ad_unit", Some(EntityKind::AdUnit)),
        ("unity_create_ad_units", Some(EntityKind::AdUnit)),
        ("unity_list_project_ad_units", None),
        ("inmobi_list_placements", Some(EntityKind::AdUnit)),
        ("mintegral_list_placements", Some(EntityKind::Placement)),
        ("pangle_query_ad_slots", Some(EntityKind::AdUnit)),
        ("pangle_get_report", None),
        ("dtexchange_update_instance", Some(EntityKind::Instance)),
    ] {
        assert_eq!(yields(name), kind, "{name}");
    }
}

#[test]
fn one_thing_is_read_by_the_operation_that_asks_for_nothing_else() {
    let catalogue = catalogue();
    let get = |network, kind| catalogue.network(network).and_then(|facts| facts.of_kind(kind)?.get.clone());
    let line = get(Network::AdManager, EntityKind::LineItem).expect("read by id");
    assert_eq!((line.name.as_str(), line.id.as_str()), ("admanager_get_line_item", "line_item_id"));
    assert_eq!(line.account.as_deref(), Some("network_code"));
    assert_eq!(get(Network::DtExchange, EntityKind::Instance).map(|get| get.account), Some(None));
    assert_eq!(get(Network::AppLovin, EntityKind::Waterfall), None, "it asks for the ad unit too");
}

#[test]
fn every_list_of_values_that_a_schema_names_is_there() {
    let catalogue = catalogue();
    let facts = catalogue.network(Network::AdManager).expect("described");
    assert_eq!(facts.values("ReportDefinition.dimension").map(ValueList::len), Some(874));
    assert_eq!(facts.values("ReportDefinition.metric").map(ValueList::len), Some(545));
    let impressions = &facts.values("ReportDefinition.metric").expect("there")["AD_SERVER_IMPRESSIONS"];
    assert_eq!(impressions.format.as_deref(), Some("INTEGER"));
    assert!(impressions.report_types.iter().any(|kind| kind == "HISTORICAL"));
}

#[test]
fn a_dimension_nobody_has_is_refused_with_near_ones() {
    let args = changed("admanager_create_report", "/body/reportDefinition/dimensions/0", json!("LINE_ITEM_NAMES"));
    let found = errors("admanager_create_report", &args);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "/body/reportDefinition/dimensions/0");
    assert!(found[0].1.contains("LINE_ITEM_NAME,"), "{found:?}");
}

#[test]
fn a_dimension_of_another_type_of_report_is_refused_with_the_types_it_works_with() {
    let dimension = "/body/reportDefinition/dimensions/1";
    let mut args = changed("admanager_create_report", "/body/reportDefinition/reportType", json!("PARTNER_FINANCE"));
    let found = errors("admanager_create_report", &args);
    let said = found.iter().find(|(at, _)| at == dimension).map_or("", |(_, message)| message);
    assert!(said.starts_with("doesn't work with report type PARTNER_FINANCE. Use it with HISTORICAL"), "{found:?}");
    // An update that does not name the report type is not checked against it.
    args["body"]["reportDefinition"].as_object_mut().expect("an object").remove("reportType");
    let found = errors("admanager_create_report", &args);
    assert!(found.iter().all(|(at, _)| at != dimension), "{found:?}");
}

#[test]
fn filters_are_checked_however_deep_they_lie() {
    let test = |dimension: &str| json!({"fieldFilter": {"field": {"dimension": dimension}, "operation": "EQUALS", "values": [{"intValue": "1"}]}});
    let deep = json!([{"andFilter": {"filters": [{"notFilter": {"orFilter": {"filters": [test("NO_SUCH")]}}}]}}]);
    let found =
        errors("admanager_create_report", &changed("admanager_create_report", "/body/reportDefinition/filters", deep));
    let at = "/body/reportDefinition/filters/0/andFilter/filters/0/notFilter/orFilter/filters/0/fieldFilter";
    let said = |pointer: String| found.iter().find(|(at, _)| *at == pointer).map_or("", |(_, message)| message);
    assert!(said(format!("{at}/operation")).starts_with("must be one of IN, NOT_IN"), "{found:?}");
    assert!(said(format!("{at}/field/dimension")).contains("isn't one of the 874 known"), "{found:?}");
}

#[test]
fn what_must_be_given_in_the_alternative_is_said() {
    let found = errors("unity_create_application", &json!({"body": {"coppa": 1}}));
    let told = "must give either storeUrl and taxonomy, or appName and platform";
    assert_eq!(found, [("/body".to_owned(), told.to_owned())]);
}

#[test]
fn of_fields_that_exclude_each_other_only_one_may_be_given() {
    let body = json!({"audienceSegmentId": "1", "customTargetingValueId": "2", "taxonomyCategoryIds": ["3"]});
    let args = json!({"network_code": "21700000001", "body": body});
    let told = "must give at most one of audienceSegmentId, contentBundleId, customTargetingValueId";
    assert_eq!(errors("admanager_create_entity_signals_mapping", &args), [("/body".to_owned(), told.to_owned())]);
    let both = json!({"fixed": {"startDate": {}, "endDate": {}}, "relative": "TODAY"});
    let args = changed("admanager_create_report", "/body/reportDefinition/dateRange", both);
    let found = errors("admanager_create_report", &args);
    let told = "must have only one of its fields";
    assert_eq!(found, [("/body/reportDefinition/dateRange".to_owned(), told.to_owned())]);
}

#[test]
fn dates_that_are_none_are_refused() {
    let found = errors("pangle_get_report", &json!({"date": "2026-02-30"}));
    assert_eq!(found, [("/date".to_owned(), "must be a date such as 2026-11-21".to_owned())]);
}

#[test]
fn an_update_that_changes_nothing_and_a_blank_name_are_refused() {
    let found = errors("pangle_update_ad_slot", &json!({"body": {"ad_slot_id": 980_250_011}}));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0 == "/body" && found[0].1.starts_with("changes nothing"), "{found:?}");
    let found = errors("inmobi_update_app", &json!({"app_id": "1650001112", "body": {}}));
    assert_eq!(found, [("/body".to_owned(), "must have at least one field".to_owned())]);
    let found = errors("inmobi_update_app", &json!({"app_id": "1650001112", "body": {"appName": " "}}));
    assert_eq!(found, [("/body/appName".to_owned(), "must not be blank".to_owned())]);
}

#[test]
fn fields_the_network_does_not_know_are_refused_in_bodies_too() {
    let args = json!({"body": {"app_id": 1, "ad_slot_type": 5, "ad_slot_name": "A", "floor": 3}});
    let found = errors("pangle_create_ad_slot", &args);
    assert_eq!(found[0].0, "/body/floor");
}
