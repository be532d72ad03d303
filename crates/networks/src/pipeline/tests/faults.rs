//! Tests nine networks with every kind of fault: each call ends in the right state, with a sentence that says so and no secret in it.

use std::time::Duration;

use adagent_domain::Network;
use serde_json::json;

use super::{
    cases::{Case, cases},
    server::{Answer, Asked, Server, json as reply, with},
    support::{connection, credentials, desk, desk_with, failed, token, tuning},
};
use crate::pipeline::{
    SendError,
    breaker::{BreakerPolicy, Circuit},
};
use adagent_tools::{ToolError, ToolErrorClass as Class};

/// Starts a server that issues tokens and answers everything else as told.
async fn network(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Server {
    Server::start(move |asked, _| token(&asked.path).map_or_else(|| answer(asked), |token| reply(200, &token))).await
}

fn innocent(case: &Case, error: &ToolError) {
    let said = format!("{error:?}");
    assert!(!said.contains("hush") && !said.contains("jwt-1") && !said.contains("at-1"), "{}: {said}", case.network);
    assert!(error.guidance.is_some(), "{}: {said}", case.network);
    assert!(error.message.contains(case.network.display_name()), "{}: {said}", case.network);
}

#[tokio::test]
async fn each_network_is_asked_in_its_own_way_and_answers() {
    for case in cases() {
        let good = case.good.clone();
        let server = network(move |_| reply(200, &good)).await;
        let got = desk().call(&case.read, &json!({"body": {}}), &credentials(&server.base, case.network)).await;
        assert_eq!(
            got.unwrap_or_else(|error| panic!("{}: {error:?}", case.network)).body,
            json!([{"id": 1}]),
            "{}",
            case.network
        );
        let asked = server.asked().pop().expect("asked");
        let proof = match case.network {
            Network::AdMob | Network::AdManager => asked.header("authorization") == Some("Bearer access_token-hush"),
            Network::AppLovin => asked.header("api-key") == Some("management_key-hush"),
            Network::Unity => asked.header("authorization") == Some("Bearer header.e30.sig"),
            Network::Liftoff => asked.header("authorization") == Some("Bearer jwt-1"),
            Network::DtExchange => asked.header("authorization") == Some("Bearer at-1"),
            Network::Mintegral => asked.parameter("skey").is_some() && asked.parameter("time") == Some("1795338000"),
            Network::InMobi => asked.header("x-client-secret") == Some("secret_key-hush"),
            Network::Pangle => asked.json()["sign"].is_string() && asked.json()["timestamp"] == json!(1_795_338_000),
        };
        assert!(proof, "{}: {asked:?}", case.network);
    }
}

#[tokio::test]
async fn wrong_credentials_are_a_definite_no_for_reads_and_writes() {
    for case in cases() {
        let (status, body) = case.wrong_credentials.clone();
        let server = network(move |_| reply(status, &body)).await;
        for operation in [&case.read, &case.write] {
            let result = desk().call(operation, &json!({"body": {}}), &credentials(&server.base, case.network)).await;
            assert!(matches!(result, Err(SendError::Unauthorized)), "{}: {result:?}", case.network);
        }
    }
}

#[tokio::test]
async fn an_unknown_id_is_said_with_the_networks_words() {
    for case in cases() {
        let (status, body) = case.unknown_id.clone();
        let server = network(move |_| reply(status, &body)).await;
        for operation in [&case.read, &case.write] {
            let error =
                failed(desk().call(operation, &json!({"body": {}}), &credentials(&server.base, case.network)).await);
            assert_eq!(
                (error.class, error.code.as_str()),
                (Class::Deterministic, "NOT_FOUND"),
                "{}: {error:?}",
                case.network
            );
            innocent(&case, &error);
        }
    }
}

#[tokio::test]
async fn what_breaks_a_reply_is_told_apart_and_leaves_a_write_unknown() {
    type Fault = (&'static str, fn() -> Answer, &'static str);
    let faults: [Fault; 7] = [
        ("500", || with(500, &[], "oops"), "UNAVAILABLE"),
        (
            "a web page",
            || with(200, &[("content-type", "text/html")], "<!doctype html><title>Maintenance</title>"),
            "HTML_REPLY",
        ),
        ("half a reply", || Answer::Cut(b"[{\"id\":".to_vec()), "TRUNCATED_REPLY"),
        ("half a JSON", || with(200, &[], "[{\"id\":"), "TRUNCATED_REPLY"),
        ("broken JSON", || with(200, &[], "{\"id\": nul}"), "BROKEN_REPLY"),
        ("a stall", || Answer::Stall(b"[".to_vec()), "TIMEOUT"),
        ("silence", || Answer::Silence, "TIMEOUT"),
    ];
    let tried = cases().into_iter().flat_map(|case| {
        let case = std::sync::Arc::new(case);
        faults.map(|fault| (case.clone(), fault))
    });
    let tried = tried.map(|(case, (name, fault, code))| async move {
        let server = network(move |_| fault()).await;
        let credentials = credentials(&server.base, case.network);
        // Only the case without any answer needs a short timeout.
        let total_timeout = Duration::from_secs(if code == "TIMEOUT" { 2 } else { 20 });
        let desk = desk_with(crate::Tuning { total_timeout, ..tuning() });
        let error = failed(desk.call(&case.write, &json!({"body": {}}), &credentials).await);
        let found = (error.class, error.code.as_str());
        assert_eq!(found, (Class::UnknownOutcome, code), "{} {name}: {error:?}", case.network);
        innocent(&case, &error);
        let sent = server.asked().into_iter().filter(|asked| token(&asked.path).is_none()).count();
        assert_eq!(sent, 1, "{} {name}: a write is sent once", case.network);
    });
    futures::future::join_all(tried).await;
}

#[tokio::test]
async fn a_read_gets_over_what_passes() {
    for case in cases() {
        let good = case.good.clone();
        let server = Server::start(move |asked, n| match token(&asked.path) {
            Some(token) => reply(200, &token),
            // If there is a token request, it came first.
            None if n < 2 => with(503, &[("retry-after", "0")], ""),
            None => reply(200, &good),
        })
        .await;
        let got = desk().call(&case.read, &json!({"body": {}}), &credentials(&server.base, case.network)).await;
        assert!(got.is_ok(), "{}: {got:?}", case.network);
    }
}

#[tokio::test]
async fn a_read_that_stays_broken_can_be_tried_again_later() {
    for case in
        cases().into_iter().filter(|case| matches!(case.network, Network::Mintegral | Network::Unity | Network::AdMob))
    {
        let server = network(|_| with(200, &[], "<html>")).await;
        let error = failed(desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await);
        assert_eq!((error.class, error.code.as_str()), (Class::Retryable, "HTML_REPLY"), "{error:?}");
    }
}

#[tokio::test]
async fn a_429_is_waited_for_when_that_is_short_and_said_when_it_is_long() {
    for case in cases() {
        let good = case.good.clone();
        let server = Server::start(move |asked, n| match token(&asked.path) {
            Some(token) => reply(200, &token),
            None if n < 2 => with(429, &[("retry-after", "0")], ""),
            None => reply(200, &good),
        })
        .await;
        assert!(
            desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await.is_ok(),
            "{}",
            case.network
        );

        let server = network(|_| with(429, &[("retry-after", "900")], "{\"message\":\"slow down\"}")).await;
        let error = failed(desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await);
        assert_eq!((error.class, error.code.as_str()), (Class::Retryable, "RATE_LIMITED"), "{}", case.network);
        assert!(error.message.contains("900 s"), "{error:?}");
        innocent(&case, &error);

        let server = network(|_| with(429, &[], "")).await;
        let error =
            failed(desk().call(&case.write, &json!({"body": {}}), &credentials(&server.base, case.network)).await);
        assert_eq!(
            (error.class, error.code.as_str()),
            (Class::Retryable, "RATE_LIMITED"),
            "{}: not applied",
            case.network
        );
    }
}

#[tokio::test]
async fn a_reply_of_fifty_megabytes_is_refused_before_it_fills_the_memory() {
    for case in cases() {
        let server = network(|_| Answer::Endless(50 * 1024 * 1024)).await;
        let tuning = crate::Tuning { max_response_bytes: 1024 * 1024, ..tuning() };
        let error =
            failed(desk_with(tuning).call(&case.read, &json!({}), &credentials(&server.base, case.network)).await);
        assert_eq!((error.class, error.code.as_str()), (Class::Deterministic, "TOO_LARGE"), "{}", case.network);
    }
}

#[tokio::test]
async fn a_clock_that_is_wrong_is_named_as_the_cause() {
    for (network_id, body) in [
        (Network::Mintegral, json!({"code": -2005, "msg": "time error"})),
        (Network::Pangle, json!({"code": 21_002, "message": "timestamp expired"})),
    ] {
        let case = cases().into_iter().find(|case| case.network == network_id).expect("there");
        let server = network(move |_| reply(200, &body)).await;
        let error = failed(desk().call(&case.read, &json!({}), &credentials(&server.base, network_id)).await);
        assert_eq!((error.class, error.code.as_str()), (Class::Deterministic, "CLOCK_SKEW"), "{error:?}");
        assert!(error.guidance.as_deref().is_some_and(|hint| hint.contains("clock")), "{error:?}");
    }
}

#[tokio::test]
async fn a_missing_allow_list_entry_sends_people_to_the_network() {
    for case in cases().into_iter().filter(|case| !case.network.uses_oauth()) {
        let server = network(|_| reply(403, &json!({"message": "Account is not on the allow-list"}))).await;
        let error = failed(desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await);
        assert_eq!((error.class, error.code.as_str()), (Class::Deterministic, "PERMISSION_DENIED"), "{}", case.network);
        assert!(error.guidance.as_deref().is_some_and(|hint| hint.contains("allowlist")), "{error:?}");
    }
}

#[tokio::test]
async fn a_reply_without_the_list_or_the_mark_is_no_empty_result() {
    for case in cases().into_iter().filter(|case| !case.network.uses_oauth()) {
        let server = network(|_| reply(200, &json!({"surprise": true}))).await;
        let error = failed(desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await);
        assert!(matches!(error.code.as_str(), "UNEXPECTED_REPLY" | "UNMARKED_REPLY"), "{}: {error:?}", case.network);
    }
}

#[tokio::test]
async fn the_circuit_opens_for_a_network_and_shows_it() {
    let case = cases().into_iter().find(|case| case.network == Network::Mintegral).expect("there");
    let server = network(|_| with(500, &[], "")).await;
    let tuning = crate::Tuning { breaker: BreakerPolicy { failures: 2, open_millis: 1000 }, ..tuning() };
    let desk = desk_with(tuning);
    let credentials = credentials(&server.base, case.network);
    for _ in 0..2 {
        failed(desk.call(&case.write, &json!({"body": {}}), &credentials).await);
    }
    let sent = server.asked().len();
    let error = failed(desk.call(&case.write, &json!({"body": {}}), &credentials).await);
    assert_eq!((error.class, error.code.as_str(), server.asked().len()), (Class::Retryable, "CIRCUIT_OPEN", sent));
    assert!(matches!(desk.transport.circuit(Network::Mintegral, Some(connection())), Circuit::Open { .. }));
    assert_eq!(desk.transport.circuit(Network::Unity, Some(connection())), Circuit::Closed);
    desk.clock.advance_millis(1001);
    failed(desk.call(&case.write, &json!({"body": {}}), &credentials).await);
    assert_eq!(server.asked().len(), sent + 1, "one call tries");
}

#[tokio::test]
async fn a_networks_own_limit_is_kept_before_anything_is_sent() {
    let http = json!({"method": "GET", "base": "https://open-api.pangleglobal.com", "path": "/union_pangle/open/api/rt/income", "auth": "md5_query"});
    let operation = super::support::operation(Network::Pangle, &http, "object", &json!(null), true);
    let server = Server::start(|_, _| reply(200, &json!({"Code": "100", "Data": {}}))).await;
    let (desk, credentials) = (desk(), credentials(&server.base, Network::Pangle));
    for _ in 0..5 {
        assert!(desk.call(&operation, &json!({}), &credentials).await.is_ok());
    }
    let error = failed(desk.call(&operation, &json!({}), &credentials).await);
    assert_eq!((error.class, error.code.as_str(), server.asked().len()), (Class::Retryable, "RATE_LIMITED", 5));
    desk.clock.advance_millis(1000);
    assert!(desk.call(&operation, &json!({}), &credentials).await.is_ok());
}

#[tokio::test]
async fn a_field_that_was_not_given_is_named_and_nothing_is_sent() {
    let http =
        json!({"method": "GET", "base": "https://monetization.api.unity.com", "path": "/stats", "auth": "stats_token"});
    let operation = super::support::operation(Network::Unity, &http, "list", &json!(""), true);
    let server = Server::start(|_, _| reply(200, &json!([]))).await;
    let mut credentials = credentials(&server.base, Network::Unity);
    credentials.fields = [("secret_key", "s-hush".to_owned().into())].into_iter().collect();
    let error = failed(desk().call(&operation, &json!({}), &credentials).await);
    assert_eq!((error.class, error.code.as_str()), (Class::NotConnected, "CREDENTIAL_MISSING"));
    assert!(error.message.contains("stats_api_key") && server.asked().is_empty(), "{error:?}");
}

#[tokio::test]
async fn a_redirect_is_never_followed_with_credentials() {
    let target = Server::start(|_, _| reply(200, &json!([]))).await;
    for case in cases() {
        let location = format!("{}/elsewhere", target.base);
        let server = network(move |_| with(302, &[("location", location.as_str())], "")).await;
        let error = failed(desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await);
        assert_eq!(error.class, Class::Deterministic, "{}: {error:?}", case.network);
    }
    assert!(target.asked().is_empty());
}
