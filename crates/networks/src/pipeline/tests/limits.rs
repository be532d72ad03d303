//! Tests of limits and breakers between attempts: a change that may have been made stays unknown, and an unused trial is given back.

use adagent_domain::Network;
use serde_json::json;

use super::{
    server::{Server, with},
    support::{Desk, connection, credentials, desk_with, failed, operation, tuning},
};
use crate::{
    Credentials,
    catalogue::Operation,
    pipeline::breaker::{BreakerPolicy, Circuit},
    sign::profile,
};
use adagent_tools::ToolErrorClass as Class;

fn put() -> Operation {
    let http = json!({"method": "PUT", "base": "https://o.applovin.com/mediation/v1", "path": "/ad_unit", "body": true,
        "header_auth": {"Api-Key": "management_key"}});
    let tool = json!({"name": "applovin_update_test", "title": "Test", "description": "", "capability": "inventory", "tags": [],
        "read_only": false, "destructive": false, "idempotent": true, "http": http, "input_schema": {"type": "object"},
        "entity_params": {}, "result": {"kind": "object", "items_path": null, "pagination": null}});
    Operation::for_tests(Network::AppLovin, tool)
}

/// Takes this many places in AppLovin's own window; returns whether there was room for all.
fn take(desk: &Desk, credentials: &Credentials, places: u32) -> bool {
    let window = profile(Network::AppLovin).windows[0];
    let owner = desk.transport.windows.owner(credentials);
    let now = adagent_domain::Clock::now(&*desk.clock);
    (0..places).all(|_| desk.transport.windows.take(Network::AppLovin, owner, &[(0, window)], now, 0).is_ok())
}

#[tokio::test]
async fn a_write_that_may_have_been_applied_stays_unknown_when_there_is_no_room_for_a_second_try() {
    let server = Server::start(|_, _| with(500, &[], "")).await;
    let desk = desk_with(tuning());
    let credentials = credentials(&server.base, Network::AppLovin);
    assert!(take(&desk, &credentials, profile(Network::AppLovin).windows[0].calls - 1));
    let error = failed(desk.call(&put(), &json!({"body": {}}), &credentials).await);
    assert_eq!((error.class, error.code.as_str()), (Class::UnknownOutcome, "RATE_LIMITED"), "{error:?}");
    assert!(!error.message.contains("Nothing was sent"), "{error:?}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_write_without_room_was_never_sent_and_gives_its_trial_back() {
    let server = Server::start(|_, _| with(500, &[], "")).await;
    let desk = desk_with(crate::Tuning { breaker: BreakerPolicy { failures: 1, open_millis: 1000 }, ..tuning() });
    let credentials = credentials(&server.base, Network::AppLovin);
    let read = operation(
        Network::AppLovin,
        &json!({"method": "GET", "base": "https://o.applovin.com/mediation/v1", "path": "/ad_units", "header_auth": {"Api-Key": "management_key"}}),
        "list",
        &json!(""),
        true,
    );
    failed(desk.call(&read, &json!({}), &credentials).await);
    assert!(matches!(desk.transport.circuit(Network::AppLovin, Some(connection())), Circuit::Open { .. }));
    desk.clock.advance_millis(1000);
    assert!(!take(&desk, &credentials, profile(Network::AppLovin).windows[0].calls), "full");
    let before = server.asked().len();
    let error = failed(desk.call(&put(), &json!({"body": {}}), &credentials).await);
    assert_eq!((error.class, error.code.as_str()), (Class::Retryable, "RATE_LIMITED"), "{error:?}");
    assert!(error.message.contains("Nothing was sent") && server.asked().len() == before, "{error:?}");
    assert_ne!(desk.transport.circuit(Network::AppLovin, Some(connection())), Circuit::HalfOpen, "nobody is on trial");
    desk.clock.advance_millis(3_600_000);
    failed(desk.call(&put(), &json!({"body": {}}), &credentials).await);
    assert!(server.asked().len() > before, "the next one tries");
}

#[tokio::test]
async fn the_sandboxs_breaker_says_nothing_of_the_network() {
    let desk = desk_with(crate::Tuning { breaker: BreakerPolicy { failures: 1, open_millis: 1000 }, ..tuning() });
    let server = Server::start(|_, _| with(500, &[], "")).await;
    failed(desk.call(&put(), &json!({"body": {}}), &credentials(&server.base, Network::AppLovin)).await);
    assert!(desk.transport.admit((Network::AppLovin, true, Some(connection()))).is_err());
    assert!(desk.transport.admit((Network::AppLovin, true, None)).is_ok(), "nor of another connection");
    assert!(desk.transport.admit((Network::AppLovin, false, Some(connection()))).is_ok());
}

/// A caller that can wait, and what it is told.
struct Patient(adagent_domain::Timestamp, Vec<String>);

#[async_trait::async_trait]
impl adagent_tools::ProgressSink for Patient {
    async fn progress(&mut self, message: &str, _: Option<adagent_contract::Progress>) {
        self.1.push(message.to_owned());
    }

    fn waits_until(&self) -> Option<adagent_domain::Timestamp> {
        Some(self.0)
    }
}

#[tokio::test]
async fn room_in_a_limit_is_waited_for_as_long_as_a_run_promises() {
    let desk = desk_with(tuning());
    let now = adagent_domain::Clock::now(&*desk.clock);
    let owner = super::super::windows::Owner::Keys(1);
    let window = |seconds| [(0, crate::sign::Window { calls: 1, seconds, schemes: &[] })];
    assert!(desk.transport.windows.take(Network::Unity, owner, &window(6), now, 0).is_ok());
    // The clock of the test stands still, but the sleep is real.
    let mut patient = Patient(now.plus_seconds(60), Vec::new());
    let waited = desk.transport.wait_for(Network::Unity, owner, &window(6), &mut patient).await;
    assert_eq!(waited, Ok(()));
    let told = &patient.1[0];
    assert!(told.starts_with("Unity takes no more requests for now. Going on in 6 seconds, at "), "{told}");
    assert!(told.ends_with(" UTC"), "{told}");
    // The wait is longer than the run has time.
    let mut patient = Patient(now.plus_seconds(3), Vec::new());
    assert!(desk.transport.wait_for(Network::Unity, owner, &window(6), &mut patient).await.is_err());
    let error = super::super::deliver::crowded(Network::Unity, 400_000, true);
    assert!(error.message.contains("Ask again in 7 minutes."), "{}", error.message);
}
