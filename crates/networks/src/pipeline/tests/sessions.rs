//! Tests of tokens from an exchange: got once, kept while they are valid, and renewed once if refused.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{
    cases::{Case, cases},
    server::{Answer, Asked, Server, json as reply, with},
    support::{credentials, desk, failed, token},
};
use crate::pipeline::SendError;

fn case(network: Network) -> Case {
    cases().into_iter().find(|case| case.network == network).expect("there")
}

fn is_token(asked: &Asked) -> bool {
    token(&asked.path).is_some()
}

#[tokio::test]
async fn many_calls_share_one_token_also_at_the_same_time() {
    for network in [Network::Unity, Network::Liftoff, Network::DtExchange] {
        let case = case(network);
        let good = case.good.clone();
        let server =
            Server::start(move |asked, _| reply(200, &token(&asked.path).unwrap_or_else(|| good.clone()))).await;
        let (desk, credentials, args) = (desk(), credentials(&server.base, network), json!({}));
        let all = futures::future::join_all((0..6).map(|_| desk.call(&case.read, &args, &credentials))).await;
        assert!(all.iter().all(Result::is_ok), "{network}");
        assert!(desk.call(&case.read, &args, &credentials).await.is_ok());
        assert_eq!(server.asked().iter().filter(|asked| is_token(asked)).count(), 1, "{network}");
    }
}

#[tokio::test]
async fn an_expired_token_is_renewed_once_and_the_call_goes_on() {
    let case = case(Network::Liftoff);
    let good = case.good.clone();
    let server = Server::start(move |asked, n| match (is_token(asked), asked.header("authorization")) {
        (true, _) => reply(200, &json!({"token": format!("jwt-{n}")})),
        (false, Some("Bearer jwt-0")) => reply(401, &json!({"message": "Token expired"})),
        (false, _) => reply(200, &good),
    })
    .await;
    let (desk, credentials) = (desk(), credentials(&server.base, Network::Liftoff));
    assert!(desk.call(&case.read, &json!({}), &credentials).await.is_ok());
    assert_eq!(server.asked().iter().filter(|asked| is_token(asked)).count(), 2);
    assert!(desk.call(&case.write, &json!({"body": {}}), &credentials).await.is_ok(), "the new one is kept");
    assert_eq!(server.asked().iter().filter(|asked| is_token(asked)).count(), 2);
}

#[tokio::test]
async fn a_new_token_that_is_refused_too_ends_it() {
    for network in [Network::Unity, Network::Liftoff, Network::DtExchange] {
        let case = case(network);
        let server = Server::start(|asked, _| {
            token(&asked.path).map_or_else(|| reply(401, &json!({})), |token| reply(200, &token))
        })
        .await;
        for operation in [&case.read, &case.write] {
            let result = desk().call(operation, &json!({"body": {}}), &credentials(&server.base, network)).await;
            assert!(matches!(result, Err(SendError::Unauthorized)), "{network}: {result:?}");
        }
        assert_eq!(server.asked().len(), 8, "{network}: token, call, token, call, for each");
    }
}

#[tokio::test]
async fn revoked_keys_end_at_the_token_endpoint() {
    let refusals: [(u16, Json); 3] = [
        (401, json!({"message": "Unauthorized"})),
        (400, json!({"error": "invalid_client"})),
        (403, json!({"message": "Invalid credentials"})),
    ];
    for network in [Network::Unity, Network::Liftoff, Network::DtExchange] {
        for (status, body) in refusals.clone() {
            let server = Server::start(move |_, _| reply(status, &body)).await;
            let result =
                desk().call(&case(network).write, &json!({"body": {}}), &credentials(&server.base, network)).await;
            assert!(matches!(result, Err(SendError::Unauthorized)), "{network} {status}: {result:?}");
            assert!(server.asked().iter().all(is_token), "{network}: nothing but the token endpoint was asked");
        }
    }
}

#[tokio::test]
async fn the_token_endpoint_keeps_the_retry_rules_and_its_failure_leaves_a_write_undone() {
    let case = case(Network::DtExchange);
    let good = case.good.clone();
    let server = Server::start(move |asked, n| match n {
        0 => with(503, &[("retry-after", "0")], ""),
        _ => reply(200, &token(&asked.path).unwrap_or_else(|| good.clone())),
    })
    .await;
    assert!(desk().call(&case.write, &json!({"body": {}}), &credentials(&server.base, case.network)).await.is_ok());

    let server = Server::start(|_, _| Answer::Reply { status: 500, headers: Vec::new(), body: Vec::new() }).await;
    let error = failed(desk().call(&case.write, &json!({"body": {}}), &credentials(&server.base, case.network)).await);
    assert_eq!(error.class, adagent_tools::ToolErrorClass::Retryable, "the change itself never left: {error:?}");
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn where_the_newer_token_address_is_not_there_the_older_one_is_asked() {
    let case = case(Network::Liftoff);
    let good = case.good.clone();
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/liftoff/@auth-api.vungle.com/v2/auth" => reply(404, &json!({"message": "Not Found"})),
        "/liftoff/@auth-api.vungle.com/auth" => reply(200, &json!({"token": "old"})),
        _ => reply(200, &good),
    })
    .await;
    assert!(desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await.is_ok());
    assert_eq!(server.paths().len(), 3);
}

#[tokio::test]
async fn inmobis_session_is_renewed_when_a_200_says_it_is_refused() {
    let http = json!({"method": "POST", "base": "https://api.inmobi.com", "path": "/v3.0/reporting/publisher", "body": true, "auth": "session"});
    let operation = super::support::operation(Network::InMobi, &http, "list", &json!("respList"), true);
    let server = Server::start(|asked, n| match (is_token(asked), asked.header("sessionid")) {
        (true, _) => {
            reply(200, &json!({"error": false, "respList": [{"sessionId": format!("s-{n}"), "accountId": "a-1"}]}))
        }
        (false, Some("s-0")) => {
            reply(200, &json!({"error": true, "errorList": [{"code": 5001, "message": "Invalid session"}]}))
        }
        (false, _) => reply(200, &json!({"error": false, "respList": [{"earnings": 1}]})),
    })
    .await;
    let got = desk()
        .call(&operation, &json!({"body": {}}), &credentials(&server.base, Network::InMobi))
        .await
        .expect("answers");
    assert_eq!(got.body, json!([{"earnings": 1}]));
    let last = server.asked().pop().expect("asked");
    assert_eq!(
        (last.header("accountid"), last.header("secretkey")),
        (Some("account_id-hush"), Some("secret_key-hush"))
    );
    assert_eq!(last.path, "/inmobi/@api.inmobi.com/v3.0/reporting/publisher");
}
