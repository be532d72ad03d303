//! Tests of pages and of reports that take time, over HTTP.

use std::sync::Arc;

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{
    server::{Answer, Server, json as reply, with},
    support::{Told, credentials, desk, failed, operation},
};
use crate::{catalogue::Operation, pipeline::Follow};

fn tool(network: Network, name: &str, http: &Json, result: &Json) -> Operation {
    Operation::for_tests(
        network,
        json!({"name": name, "title": "Test", "description": "", "capability": "reporting", "tags": [], "read_only": true,
            "destructive": false, "idempotent": false, "http": http, "input_schema": schema(http), "entity_params": {}, "result": result}),
    )
}

/// Returns a schema with the properties that the path names.
fn schema(http: &Json) -> Json {
    let path = http["path"].as_str().unwrap_or_default();
    let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let properties: serde_json::Map<String, Json> =
        names.map(|(name, _)| (name.to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": properties})
}

const GAM: &str = "https://admanager.googleapis.com";

fn admanager() -> (Operation, Follow) {
    let run = tool(
        Network::AdManager,
        "admanager_run_report",
        &json!({"method": "POST", "base": GAM, "path": "/v1/networks/{network_code}/reports/{report_id}:run", "body": true}),
        &json!({"kind": "operation", "items_path": null, "pagination": null, "poll_tool": "admanager_get_report_run", "poll_id": "name",
            "done_field": "done", "result_field": "response.reportResult", "next_tool": "admanager_fetch_report_rows"}),
    );
    let poll = tool(
        Network::AdManager,
        "admanager_get_report_run",
        &json!({"method": "GET", "base": GAM, "path": "/v1/networks/{network_code}/operations/reports/runs/{run_id}"}),
        &json!({"kind": "operation", "items_path": null, "pagination": null, "done_field": "done", "progress_field": "metadata.percentComplete", "error_field": "error"}),
    );
    let fetch = tool(
        Network::AdManager,
        "admanager_fetch_report_rows",
        &json!({"method": "GET", "base": GAM, "path": "/v1/networks/{network_code}/reports/{report_id}/results/{result_id}:fetchRows", "query": ["pageSize", "pageToken"]}),
        &json!({"kind": "report", "items_path": "rows", "pagination": {"kind": "token", "request_param": "pageToken", "response_field": "nextPageToken", "page_size_param": "pageSize"}}),
    );
    let definition = tool(
        Network::AdManager,
        "admanager_get_report",
        &json!({"method": "GET", "base": GAM, "path": "/v1/networks/{network_code}/reports/{report_id}"}),
        &json!({"kind": "object", "items_path": null, "pagination": null}),
    );
    let follow = Follow {
        poll: Some(Arc::new(poll)),
        fetch: Some(Arc::new(fetch)),
        definition: Some(Arc::new(definition)),
        files: Vec::new(),
    };
    (run, follow)
}

fn args() -> Json {
    json!({"network_code": "12", "report_id": "5", "body": {}})
}

#[tokio::test]
async fn ad_managers_report_is_run_asked_after_and_fetched_page_by_page() {
    let (run, follow) = admanager();
    let server = Server::start(|asked, n| {
        let name = "networks/12/operations/reports/runs/9";
        match (asked.path.as_str(), asked.parameter("pageToken")) {
            ("/admanager/v1/networks/12/reports/5:run", _) => reply(200, &json!({"name": name})),
            ("/admanager/v1/networks/12/operations/reports/runs/9", _) if n < 3 => {
                reply(200, &json!({"name": name, "metadata": {"percentComplete": 40}}))
            }
            ("/admanager/v1/networks/12/operations/reports/runs/9", _) => reply(
                200,
                &json!({"name": name, "done": true, "response": {"reportResult": "networks/12/reports/5/results/7"}}),
            ),
            ("/admanager/v1/networks/12/reports/5/results/7:fetchRows", None) => {
                reply(200, &json!({"rows": [{"a": 1}], "nextPageToken": "p2"}))
            }
            ("/admanager/v1/networks/12/reports/5/results/7:fetchRows", Some("p2")) => {
                reply(200, &json!({"rows": [{"a": 2}]}))
            }
            ("/admanager/v1/networks/12/reports/5", _) => {
                reply(200, &json!({"reportDefinition": {"dimensions": ["DATE"]}}))
            }
            other => panic!("{other:?}"),
        }
    })
    .await;
    let mut told = Told::default();
    let got = desk()
        .follow(&run, &args(), &credentials(&server.base, Network::AdManager), &follow, &mut told)
        .await
        .expect("rows");
    assert_eq!(got.body["rows"], json!([{"a": 1}, {"a": 2}]));
    assert_eq!(got.body["definition"], json!({"reportDefinition": {"dimensions": ["DATE"]}}));
    assert!(told.0.contains(&"Building report, 40%".to_owned()), "{:?}", told.0);
    assert_eq!(got.attempts, 7);
}

#[tokio::test]
async fn a_report_that_fails_or_never_ends_is_said() {
    let (run, follow) = admanager();
    let name = "networks/12/operations/reports/runs/9";
    let server = Server::start(move |_, _| {
        reply(200, &json!({"name": name, "done": true, "error": {"code": 3, "message": "Bad dimension"}}))
    })
    .await;
    let result = desk()
        .follow(&run, &args(), &credentials(&server.base, Network::AdManager), &follow, &mut Told::default())
        .await;
    let error = failed(result);
    assert_eq!(error.code, "REPORT_FAILED");
    assert!(error.message.contains("Bad dimension"), "{error:?}");

    let server = Server::start(move |_, _| reply(200, &json!({"name": name}))).await;
    let error = failed(
        desk()
            .follow(&run, &args(), &credentials(&server.base, Network::AdManager), &follow, &mut Told::default())
            .await,
    );
    assert_eq!(error.code, "REPORT_NOT_READY");

    let server = Server::start(|_, _| reply(200, &json!({"name": "something/else"}))).await;
    let error = failed(
        desk()
            .follow(&run, &args(), &credentials(&server.base, Network::AdManager), &follow, &mut Told::default())
            .await,
    );
    assert_eq!(error.code, "BROKEN_REPLY");
}

fn dt() -> (Operation, Follow) {
    let create = tool(
        Network::DtExchange,
        "dtexchange_create_report",
        &json!({"method": "POST", "base": "https://reporting.fyber.com", "path": "/api/v1/report", "query": ["format"], "body": true, "auth": "reporting_bearer"}),
        &json!({"kind": "operation", "items_path": null, "pagination": null, "result_field": "url", "format": "csv"}),
    );
    (create, Follow { files: vec!["url".into()], ..Follow::default() })
}

fn dt_server(
    file: impl Fn(usize) -> Answer + Send + Sync + 'static,
    link: impl Fn(&str) -> String + Send + Sync + 'static,
) -> impl Future<Output = Server> {
    Server::start(move |asked, n| match asked.path.as_str() {
        "/dtexchange/@reporting.fyber.com/auth/v1/token" => reply(200, &json!({"accessToken": "at-1"})),
        "/dtexchange/@reporting.fyber.com/api/v1/report" => {
            reply(200, &json!({"id": "r", "url": link(asked.header("host").expect("a host"))}))
        }
        "/dtexchange/files/r.csv" => {
            assert_eq!(asked.header("authorization"), None, "files are fetched without credentials");
            file(n)
        }
        other => panic!("{other}"),
    })
}

#[tokio::test]
async fn dt_exchanges_link_is_asked_until_the_file_is_there() {
    let (create, follow) = dt();
    let file = |n| {
        if n < 4 {
            with(404, &[], "")
        } else {
            with(200, &[("content-type", "text/csv")], "Date,Impressions\n2026-11-20,7\n")
        }
    };
    let server = dt_server(file, |host| format!("http://{host}/dtexchange/files/r.csv?sig=1")).await;
    let mut told = Told::default();
    let got = desk()
        .follow(&create, &json!({"body": {}}), &credentials(&server.base, Network::DtExchange), &follow, &mut told)
        .await
        .expect("rows");
    assert_eq!(got.body, json!([{"Date": "2026-11-20", "Impressions": "7"}]));
    assert_eq!(told.0.len(), 2, "{:?}", told.0);
}

#[tokio::test]
async fn a_link_that_leads_elsewhere_is_not_followed() {
    let (create, follow) = dt();
    let other = Server::start(|_, _| with(200, &[], "a\n1\n")).await;
    for link in
        [format!("{}/f.csv", other.base), "file:///etc/passwd".to_owned(), "not a link".to_owned(), String::new()]
    {
        let server = dt_server(|_| with(404, &[], ""), move |_| link.clone()).await;
        let result = desk()
            .follow(
                &create,
                &json!({"body": {}}),
                &credentials(&server.base, Network::DtExchange),
                &follow,
                &mut Told::default(),
            )
            .await;
        assert_eq!(failed(result).code, "BROKEN_REPLY");
    }
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn a_file_that_never_comes_or_is_no_table_is_an_error() {
    let (create, follow) = dt();
    for (file, code) in [
        ((|_| with(404, &[], "")) as fn(usize) -> Answer, "REPORT_NOT_READY"),
        (|_| with(403, &[], "<Error>Request has expired</Error>"), "PERMISSION_DENIED"),
        (|_| with(200, &[], "<html>sign in</html>"), "HTML_REPLY"),
        (|_| with(200, &[], "a,b\n1\n"), "BROKEN_REPLY"),
    ] {
        let server = dt_server(file, |host| format!("http://{host}/dtexchange/files/r.csv")).await;
        let result = desk()
            .follow(
                &create,
                &json!({"body": {}}),
                &credentials(&server.base, Network::DtExchange),
                &follow,
                &mut Told::default(),
            )
            .await;
        assert_eq!(failed(result).code, code);
    }
}

/// Returns a report whose rows may come as CSV or be behind a link.
fn stats() -> Operation {
    tool(
        Network::Unity,
        "unity_get_monetization_stats",
        &json!({"method": "GET", "base": "https://monetization.api.unity.com", "path": "/stats", "auth": "stats_token"}),
        &json!({"kind": "report", "items_path": "", "pagination": null, "format": "csv"}),
    )
}

#[tokio::test]
async fn a_read_answered_between_commas_gives_rows() {
    let operation = stats();
    let server = Server::start(|_, _| {
        with(200, &[("content-type", "text/csv")], "timestamp,revenue_sum\n2026-11-20T00:00:00Z,1.5\n")
    })
    .await;
    let got = desk().call(&operation, &json!({}), &credentials(&server.base, Network::Unity)).await.expect("rows");
    assert_eq!(got.body, json!([{"timestamp": "2026-11-20T00:00:00Z", "revenue_sum": "1.5"}]));
}

#[tokio::test]
async fn pages_inside_the_body_are_signed_anew_each_time() {
    let list = tool(
        Network::Pangle,
        "pangle_query_apps",
        &json!({"method": "POST", "base": "https://open-api.pangleglobal.com", "path": "/union/media/open_api/site/query", "body": true, "auth": "sha1_body"}),
        &json!({"kind": "list", "items_path": "data.app_list", "pagination": {"kind": "page", "request_param": "body.page", "page_size_param": "body.page_size", "total_field": "data.page_info.total_page"}}),
    );
    let server = Server::start(|asked, _| {
        let body = asked.json();
        assert!(body["sign"].is_string() && body["status"] == json!([2]), "{body}");
        reply(200, &json!({"code": 0, "data": {"app_list": [{"page": body["page"]}], "page_info": {"page": body["page"], "total_page": 3}}}))
    })
    .await;
    let args = json!({"body": {"status": [2]}});
    let got = desk().call(&list, &args, &credentials(&server.base, Network::Pangle)).await.expect("pages");
    assert_eq!(got.body, json!([{"page": 1}, {"page": 2}, {"page": 3}]));
}

#[tokio::test]
async fn an_object_that_is_not_where_it_should_be_is_no_result_of_a_read() {
    let bind = |method: &str| json!({"method": method, "base": "https://dev.mintegral.com", "path": "/app/open_api_edit", "auth": "md5_time"});
    let server = Server::start(|_, _| reply(200, &json!({"code": 200, "msg": "success"}))).await;
    let credentials = credentials(&server.base, Network::Mintegral);
    let read = operation(Network::Mintegral, &bind("GET"), "object", &json!("data"), true);
    assert_eq!(failed(desk().call(&read, &json!({}), &credentials).await).code, "UNEXPECTED_REPLY");
    let write = operation(Network::Mintegral, &bind("POST"), "object", &json!("data"), false);
    let done = desk().call(&write, &json!({}), &credentials).await.expect("the network said yes");
    assert_eq!(done.body, json!({"code": 200, "msg": "success"}));
}

fn max_report() -> Operation {
    tool(
        Network::AppLovin,
        "applovin_get_max_report",
        &json!({"method": "GET", "base": "https://r.applovin.com", "path": "/maxReport", "query": ["format", "limit", "offset"], "query_auth": {"api_key": "report_key"}}),
        &json!({"kind": "report", "items_path": "results", "pagination": {"kind": "offset", "request_param": "offset", "page_size_param": "limit", "total_field": "count"}}),
    )
}

/// Returns one page of a report with 7012 rows.
fn lines(offset: &str) -> String {
    let offset: usize = offset.parse().expect("a number");
    (offset..7012.min(offset + 5000)).fold("day,impressions\n".to_owned(), |all, n| all + &format!("2026-11-20,{n}\n"))
}

#[tokio::test]
async fn rows_between_commas_are_fetched_page_by_page_to_the_last() {
    let server = Server::start(|asked, _| {
        with(200, &[("content-type", "text/csv")], &lines(asked.parameter("offset").expect("named")))
    })
    .await;
    let got = desk()
        .call(&max_report(), &json!({"format": "csv"}), &credentials(&server.base, Network::AppLovin))
        .await
        .expect("rows");
    let rows = got.body["results"].as_array().expect("rows");
    assert_eq!((rows.len(), got.truncated, server.asked().len()), (7012, false, 2));
    assert_eq!(rows[7011], json!({"day": "2026-11-20", "impressions": "7011"}));
}

#[tokio::test]
async fn rows_beyond_the_bound_are_said_to_be_missing() {
    let server = Server::start(|asked, _| {
        with(200, &[("content-type", "text/csv")], &lines(asked.parameter("offset").unwrap_or("0")))
    })
    .await;
    let desk = super::support::desk_with(crate::Tuning { max_report_rows: 100, ..super::support::tuning() });
    let credentials = credentials(&server.base, Network::AppLovin);
    let paged = desk.call(&max_report(), &json!({"format": "csv"}), &credentials).await.expect("rows");
    assert_eq!((paged.body["results"].as_array().map(Vec::len), paged.truncated), (Some(100), true));
    let whole = tool(
        Network::AppLovin,
        "applovin_get_max_report",
        &json!({"method": "GET", "base": "https://r.applovin.com", "path": "/maxReport", "query_auth": {"api_key": "report_key"}}),
        &json!({"kind": "report", "items_path": "results", "pagination": null}),
    );
    let whole = desk.call(&whole, &json!({"format": "csv"}), &credentials).await.expect("rows");
    assert_eq!((whole.body.as_array().map(Vec::len), whole.truncated), (Some(100), true));
}
