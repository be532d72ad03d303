//! Tests of replies that must never become a result: text instead of rows, a yes without content, half of a list.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{
    server::{Answer, Server, json as reply, with},
    support::{Told, connection, credentials, desk, desk_with, failed, tuning},
};
use crate::{
    catalogue::{Catalogue, Operation},
    pipeline::{
        Follow,
        breaker::{BreakerPolicy, Circuit},
    },
};
use adagent_tools::ToolErrorClass as Class;

fn known(tool: &str) -> std::sync::Arc<Operation> {
    Catalogue::built_in().expect("loads").get(tool).unwrap_or_else(|| panic!("{tool} is known")).clone()
}

const WORDS: &str = "Service unavailable\nPlease try again later";

fn words() -> Answer {
    with(200, &[("content-type", "text/plain")], WORDS)
}

#[tokio::test]
async fn words_where_rows_should_be_are_no_report() {
    let reports = [
        "admob_generate_network_report",
        "admob_generate_mediation_report",
        "admanager_fetch_report_rows",
        "applovin_get_max_report",
        "unity_get_monetization_stats",
        "unity_get_levelplay_report",
        "mintegral_get_report",
        "liftoff_get_performance_report",
        "inmobi_get_report",
        "pangle_get_report",
    ];
    for name in reports {
        let operation = known(name);
        let network = operation.network;
        let server = Server::start(move |asked, _| {
            super::support::token(&asked.path).map_or_else(words, |token| reply(200, &token))
        })
        .await;
        let result = desk().call(&operation, &operation.example, &credentials(&server.base, network)).await;
        let error = failed(result);
        assert_eq!((error.class, error.code.as_str()), (Class::Retryable, "BROKEN_REPLY"), "{name}: {error:?}");
        let csv = json!({"format": "csv", "start": "2026-11-20", "end": "2026-11-20", "columns": ["day"]});
        if name == "applovin_get_max_report" {
            let error = failed(desk().call(&operation, &csv, &credentials(&server.base, network)).await);
            assert_eq!(error.code, "BROKEN_REPLY", "also where rows between commas were asked for");
        }
    }
}

#[tokio::test]
async fn admobs_report_in_words_is_retried_and_counted_by_the_breaker() {
    let report = known("admob_generate_network_report");
    let server = Server::start(|_, _| words()).await;
    let desk = desk_with(crate::Tuning { breaker: BreakerPolicy { failures: 1, open_millis: 1000 }, ..tuning() });
    let error = failed(desk.call(&report, &report.example, &credentials(&server.base, Network::AdMob)).await);
    assert_eq!((error.code.as_str(), server.asked().len()), ("BROKEN_REPLY", 4));
    assert!(matches!(desk.transport.circuit(Network::AdMob, Some(connection())), Circuit::Open { .. }));
}

#[tokio::test]
async fn a_redirected_report_is_refused_unless_its_rows_may_lie_elsewhere() {
    let target = Server::start(|_, _| with(200, &[], "timestamp,revenue_sum\n2026-11-20,1.5\n")).await;
    for name in ["admob_generate_network_report", "liftoff_get_performance_report"] {
        let location = format!("{}/elsewhere", target.base);
        let server = Server::start(move |_, _| with(302, &[("location", location.as_str())], "")).await;
        let operation = known(name);
        let credentials = credentials(&server.base, operation.network);
        let error = failed(desk().call(&operation, &operation.example, &credentials).await);
        assert_eq!((error.class, server.asked().len()), (Class::Deterministic, 1), "{name}: {error:?}");
    }
    let stats = known("unity_get_monetization_stats");
    let location = format!("{}/elsewhere", target.base);
    let server = Server::start(move |_, _| with(302, &[("location", location.as_str())], "")).await;
    let error = failed(desk().call(&stats, &stats.example, &credentials(&server.base, Network::Unity)).await);
    assert_eq!(error.code, "BROKEN_REPLY", "a place that is not the network's: {error:?}");
    assert!(target.asked().is_empty());

    let server = Server::start(|asked, _| {
        if asked.path == "/file.csv" {
            assert_eq!((asked.target.as_str(), asked.header("authorization")), ("/file.csv?sig=a%2Bb%20c~", None));
            return with(200, &[], "timestamp,revenue_sum\n2026-11-20,1.5\n");
        }
        let location = format!("http://{}/file.csv?sig=a%2Bb%20c~", asked.header("host").expect("a host"));
        with(302, &[("location", location.as_str())], "")
    })
    .await;
    let got = desk().call(&stats, &stats.example, &credentials(&server.base, Network::Unity)).await.expect("rows");
    assert_eq!(got.body, json!([{"timestamp": "2026-11-20", "revenue_sum": "1.5"}]));
}

#[tokio::test]
async fn pages_of_two_kinds_are_not_put_together() {
    let report = known("applovin_get_max_report");
    let args = json!({"format": "csv", "start": "2026-11-20", "end": "2026-11-20", "columns": ["day", "impressions"]});
    let table = |head: &str| (0..5000).fold(format!("{head}\n"), |all, n| all + &format!("2026-11-20,{n}\n"));
    let rows: Json = (0..5000).map(|n| json!({"day": "2026-11-20", "impressions": n})).collect();
    let firsts = [
        with(200, &[("content-type", "text/csv")], &table("day,impressions")),
        reply(200, &json!({"code": 200, "count": 7000, "results": rows})),
    ];
    for first in firsts {
        let second = with(200, &[("content-type", "text/csv")], &table("day,clicks"));
        let server = Server::start(move |_, n| if n == 0 { first.clone() } else { second.clone() }).await;
        let error = failed(desk().call(&report, &args, &credentials(&server.base, Network::AppLovin)).await);
        assert_eq!(error.code, "BROKEN_REPLY", "{error:?}");
    }
}

#[tokio::test]
async fn a_first_reply_between_commas_is_no_link_to_a_report() {
    let report = known("unity_get_user_revenue");
    let server = Server::start(|asked, _| match super::support::token(&asked.path) {
        Some(token) => reply(200, &token),
        None => with(200, &[("content-type", "text/csv")], "date,revenue\n2026-11-20,1\n"),
    })
    .await;
    let follow = Follow { files: vec!["urls".into()], ..Follow::default() };
    let credentials = credentials(&server.base, Network::Unity);
    let result = desk().follow(&report, &report.example, &credentials, &follow, &mut Told::default()).await;
    assert_eq!(failed(result).code, "BROKEN_REPLY");
}

#[tokio::test]
async fn a_yes_without_content_is_no_success() {
    let cases = [
        ("admanager_run_availability_forecast", json!({}), Class::Retryable),
        ("admanager_run_availability_forecast", json!({"availabilityForecastResult": {}}), Class::Retryable),
        ("inmobi_get_app", json!({"success": true, "data": null}), Class::Retryable),
        ("liftoff_get_application", json!({}), Class::Retryable),
        ("mintegral_create_app", json!({"code": 200, "msg": "success"}), Class::UnknownOutcome),
        ("pangle_create_app", json!({"code": 0, "message": "", "data": {}}), Class::UnknownOutcome),
        ("admanager_batch_create_orders", json!({}), Class::UnknownOutcome),
    ];
    for (name, body, class) in cases {
        let operation = known(name);
        let said = body.clone();
        let server = Server::start(move |asked, _| {
            super::support::token(&asked.path).map_or_else(|| reply(200, &said), |token| reply(200, &token))
        })
        .await;
        let credentials = credentials(&server.base, operation.network);
        let error = failed(desk().call(&operation, &operation.example, &credentials).await);
        assert_eq!((error.class, error.code.as_str()), (class, "UNEXPECTED_REPLY"), "{name} {body}: {error:?}");
    }
}

#[tokio::test]
async fn a_write_keeps_the_whole_reply() {
    let mappings = json!({"adUnitMappings": [{"name": "accounts/pub-1/adUnits/1/adUnitMappings/2"}]});
    let mintegral = json!({"code": 200, "msg": "success", "data": {"app_id": 7}});
    for (name, body) in [("admob_batch_create_ad_unit_mappings", mappings), ("mintegral_create_app", mintegral)] {
        let operation = known(name);
        let said = body.clone();
        let server = Server::start(move |_, _| reply(200, &said)).await;
        let credentials = credentials(&server.base, operation.network);
        let got = desk().call(&operation, &operation.example, &credentials).await.expect("made");
        assert_eq!(got.body, body, "{name}");
    }
}

#[tokio::test]
async fn a_list_beyond_the_bound_is_kept_whole_and_only_called_cut_when_it_is() {
    let list = known("admob_list_apps");
    let server = Server::start(|asked, n| {
        let items: Json = (0..9990).map(|i| json!({"appId": n * 10_000 + i})).collect();
        let next = match asked.parameter("pageToken") {
            None => Some("b"),
            Some("b") => Some("c"),
            _ => None,
        };
        reply(200, &json!({"apps": items, "nextPageToken": next}))
    })
    .await;
    let desk = desk();
    let credentials = credentials(&server.base, Network::AdMob);
    let got = desk.call(&list, &json!({"account_id": "pub-1"}), &credentials).await.expect("pages");
    assert_eq!((got.body.as_array().map(Vec::len), got.truncated), (Some(29_970), false));
}

#[tokio::test]
async fn rows_without_names_get_no_definition_and_nothing_panics() {
    let path = "/v1/networks/{network_code}/reports/{report_id}/results/{result_id}:fetchRows";
    let text = json!({"type": "string"});
    let rows = Operation::for_tests(
        Network::AdManager,
        json!({"name": "admanager_fetch_report_rows", "title": "Rows", "description": "", "capability": "reporting", "tags": [],
            "read_only": true, "destructive": false, "idempotent": true, "entity_params": {},
            "http": {"method": "GET", "base": "https://admanager.googleapis.com", "path": path},
            "input_schema": {"type": "object", "properties": {"network_code": text, "report_id": text, "result_id": text}},
            "result": {"kind": "report", "items_path": "", "pagination": null}}),
    );
    let follow = Follow {
        poll: Some(known("admanager_get_report_run")),
        fetch: Some(std::sync::Arc::new(rows)),
        definition: Some(known("admanager_get_report")),
        files: Vec::new(),
    };
    let server = Server::start(|asked, _| match asked.path.as_str() {
        path if path.ends_with(":run") => reply(
            200,
            &json!({"name": "networks/12/operations/reports/runs/9", "done": true,
                "response": {"reportResult": "networks/12/reports/5/results/7"}}),
        ),
        path if path.ends_with(":fetchRows") => reply(200, &json!([{"a": 1}])),
        _ => reply(200, &json!({"reportDefinition": {}})),
    })
    .await;
    let run = known("admanager_run_report");
    let args = json!({"network_code": "12", "report_id": "5"});
    let credentials = credentials(&server.base, Network::AdManager);
    let result = desk().follow(&run, &args, &credentials, &follow, &mut Told::default()).await;
    assert_eq!(failed(result).code, "BROKEN_REPLY");
}

#[tokio::test]
async fn many_files_are_read_up_to_a_number_and_a_size() {
    let create = known("unity_get_user_revenue");
    let follow = Follow { files: vec!["urls".into()], ..Follow::default() };
    let start = || {
        Server::start(|asked, _| match super::support::token(&asked.path) {
            Some(token) => reply(200, &token),
            None if asked.path.starts_with("/f/") => with(200, &[], "date,revenue\n2026-11-20,1\n"),
            None => {
                let host = asked.header("host").expect("a host");
                reply(200, &json!({"urls": (0..150).map(|n| format!("http://{host}/f/{n}")).collect::<Vec<_>>()}))
            }
        })
    };
    let tuning = crate::Tuning { requests_per_second: std::num::NonZeroU32::new(10_000).expect("some"), ..tuning() };
    let server = start().await;
    let credentials = credentials(&server.base, Network::Unity);
    let quick = desk_with(tuning);
    let got = quick.follow(&create, &create.example, &credentials, &follow, &mut Told::default()).await.expect("rows");
    assert_eq!((got.body.as_array().map(Vec::len), got.truncated), (Some(100), true));

    let few = desk_with(crate::Tuning { max_report_rows: 3, ..tuning });
    let got = few.follow(&create, &create.example, &credentials, &follow, &mut Told::default()).await.expect("rows");
    assert_eq!((got.body.as_array().map(Vec::len), got.truncated), (Some(3), true));
    let files = server.paths().into_iter().filter(|path| path.starts_with("/f/")).count();
    assert_eq!(files, 103, "no file is fetched that no row is taken from");

    let small = desk_with(crate::Tuning { max_call_bytes: 6000, ..tuning });
    let result = small.follow(&create, &create.example, &credentials, &follow, &mut Told::default()).await;
    assert_eq!(failed(result).code, "TOO_LARGE", "bounded all together");
}
