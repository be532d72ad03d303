//! Tests that our credentials never appear in an error, and that a value that cannot be sent is reported as such.

use adagent_domain::Network;
use serde_json::json;

use super::{
    cases::cases,
    server::{Server, json as reply},
    support::{connection, credentials, desk, desk_with, failed, token, tuning},
};
use crate::pipeline::breaker::{BreakerPolicy, Circuit};
use adagent_tools::ToolErrorClass as Class;

#[tokio::test]
async fn a_network_that_repeats_what_it_was_sent_gives_no_secret_away() {
    for case in cases() {
        let network = case.network;
        let server = Server::start(move |asked, _| {
            if let Some(token) = token(&asked.path) {
                return reply(200, &token);
            }
            let echo = format!("no such thing: {} {:?} {}", asked.target, asked.headers, asked.body);
            let (code, own) = (404, asked.target.clone());
            let google = json!({"code": code, "status": own, "message": echo,
                "details": [{"fieldViolations": [{"field": "name", "description": echo}]}]});
            match network {
                Network::AdMob | Network::AdManager => reply(code, &json!({"error": google})),
                Network::InMobi => reply(200, &json!({"success": false, "message": echo})),
                Network::Mintegral => reply(200, &json!({"code": -1, "msg": echo})),
                Network::Pangle => reply(200, &json!({"code": 5, "message": echo})),
                _ => reply(code, &json!({"code": own, "message": echo})),
            }
        })
        .await;
        for operation in [&case.read, &case.write] {
            let error = failed(desk().call(operation, &json!({"body": {}}), &credentials(&server.base, network)).await);
            let said = format!("{error:?}");
            assert!(said.contains("no such thing"), "{network}: {said}");
            let asked = server.asked().pop().expect("asked");
            let sign = asked.parameter("sign").map(str::to_owned);
            let mut secrets = vec!["hush".to_owned(), "jwt-1".into(), "at-1".into(), "header.e30.sig".into()];
            secrets.extend(sign);
            for secret in secrets {
                assert!(!said.contains(&secret), "{network} shows {secret}: {said}");
            }
        }
    }
}

#[tokio::test]
async fn half_a_secret_at_the_end_of_long_words_is_hidden_too() {
    let case = cases().into_iter().find(|case| case.network == Network::AppLovin).expect("there");
    let words = format!("{}management_key-hush", "x".repeat(390));
    let server = Server::start(move |_, _| reply(404, &json!({"message": words}))).await;
    let error = failed(desk().call(&case.read, &json!({}), &credentials(&server.base, case.network)).await);
    assert!(!error.message.contains("management"), "{error:?}");
}

#[tokio::test]
async fn a_key_with_a_line_break_inside_is_said_and_says_nothing_of_the_network() {
    for case in cases() {
        // These networks put keys in a query, a form or a body, where any text fits.
        if matches!(case.network, Network::Mintegral | Network::Pangle | Network::DtExchange) {
            continue;
        }
        let server = Server::start(|asked, _| reply(200, &token(&asked.path).unwrap_or_else(|| json!([])))).await;
        let mut broken = credentials(&server.base, case.network);
        let fields = broken.fields.names().map(|name| (name.to_owned(), "half\nand half".to_owned().into()));
        broken.fields = fields.collect();
        let desk = desk_with(crate::Tuning { breaker: BreakerPolicy { failures: 1, open_millis: 1000 }, ..tuning() });
        for operation in [&case.read, &case.write] {
            let error = failed(desk.call(operation, &json!({"body": {}}), &broken).await);
            let found = (error.class, error.code.as_str());
            assert_eq!(found, (Class::Invalid, "CREDENTIAL_UNUSABLE"), "{}: {error:?}", case.network);
            assert!(!format!("{error:?}").contains("half"), "{error:?}");
        }
        assert!(server.asked().is_empty(), "{}", case.network);
        assert_eq!(desk.transport.circuit(case.network, Some(connection())), Circuit::Closed, "{}", case.network);
    }
}

#[tokio::test]
async fn blanks_and_line_ends_around_a_key_are_left_away() {
    for case in cases() {
        let good = case.good.clone();
        let server =
            Server::start(move |asked, _| reply(200, &token(&asked.path).unwrap_or_else(|| good.clone()))).await;
        let mut pasted = credentials(&server.base, case.network);
        let plain = credentials(&server.base, case.network);
        let fields = plain.fields.names().map(|name| {
            let value = if matches!(name, "user_id" | "role_id") { "459".to_owned() } else { format!("{name}-hush") };
            (name.to_owned(), format!(" {value}\r\n").into())
        });
        pasted.fields = fields.collect();
        desk().call(&case.read, &json!({"body": {}}), &pasted).await.unwrap_or_else(|error| {
            panic!("{}: {error:?}", case.network);
        });
        let asked = server.asked();
        let sent = format!("{asked:?}");
        assert!(!sent.contains("hush%0D") && !sent.contains("hush\\r"), "{sent}");
    }
}
