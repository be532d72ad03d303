//! Nine networks with every kind of fault, through the gateway. Each cell ends in the right class and code, with a sentence that names the
//! network and a hint about what to do. The list of cells that do not apply gives the reasons.

use std::{sync::atomic::Ordering, time::Duration};

use adagent_domain::Network;
use adagent_networks::Tuning;
use adagent_sandbox::Standing;
use adagent_tools::{ToolError, ToolErrorClass as Class};
use futures::{StreamExt as _, stream};
use secrecy::ExposeSecret as _;
use serde_json::{Value as Json, json};

use super::world::{Source, World, tuning, world, world_with};
use crate::support::ACME;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    WrongKeys,
    Expired,
    Revoked,
    NotAllowed,
    UnknownId,
    Gone,
    LimitedFor60,
    Limited,
    Failing,
    WebPage,
    Truncated,
    Malformed,
    TooLarge,
    Stall,
    ClockSkew,
}

const ALL: [Fault; 15] = [
    Fault::WrongKeys,
    Fault::Expired,
    Fault::Revoked,
    Fault::NotAllowed,
    Fault::UnknownId,
    Fault::Gone,
    Fault::LimitedFor60,
    Fault::Limited,
    Fault::Failing,
    Fault::WebPage,
    Fault::Truncated,
    Fault::Malformed,
    Fault::TooLarge,
    Fault::Stall,
    Fault::ClockSkew,
];

/// How many cells run at the same time.
const AT_ONCE: usize = 24;

/// Why a cell does not apply.
const DOES_NOT_APPLY: [(Network, Fault, &str); 7] = [
    (Network::AdMob, Fault::ClockSkew, "a bearer token carries no time of ours"),
    (Network::AdManager, Fault::ClockSkew, "a bearer token carries no time of ours"),
    (Network::AppLovin, Fault::ClockSkew, "a key carries no time"),
    (Network::Unity, Fault::ClockSkew, "the token's end is the network's own time"),
    (Network::Liftoff, Fault::ClockSkew, "the token's end is the network's own time"),
    (Network::InMobi, Fault::ClockSkew, "keys and sessions carry no time"),
    (
        Network::DtExchange,
        Fault::ClockSkew,
        "the console's tokens carry no time of ours; its older report is tested by itself",
    ),
];

/// Returns a read and a write of each network that need no other entity.
fn calls(network: Network) -> [(&'static str, Json); 2] {
    let name = "Faulty";
    match network {
        Network::AdMob => [
            ("admob_list_apps", json!({"account_id": ACME})),
            (
                "admob_create_app",
                json!({"account_id": ACME, "body": {"platform": "IOS", "manualAppInfo": {"displayName": name}}}),
            ),
        ],
        Network::AdManager => [
            ("admanager_list_orders", json!({"network_code": "21700000001"})),
            (
                "admanager_create_company",
                json!({"network_code": "21700000001", "body": {"displayName": name, "type": "ADVERTISER"}}),
            ),
        ],
        Network::AppLovin => [
            ("applovin_list_ad_units", json!({})),
            (
                "applovin_create_test_device",
                json!({"body": {"name": name, "device_id": "7a1b0000-8cf0-11bd-b23e-10b96e40000d"}}),
            ),
        ],
        Network::Unity => [
            ("unity_list_applications", json!({})),
            ("unity_create_application", json!({"body": {"appName": name, "platform": "Android"}})),
        ],
        Network::Mintegral => [
            ("mintegral_list_apps", json!({})),
            (
                "mintegral_create_app",
                json!({"body": {"app_name": name, "os": "ANDROID", "package": "com.example.faulty", "is_live_in_store": 0, "coppa": 0}}),
            ),
        ],
        Network::Liftoff => [
            ("liftoff_list_applications", json!({})),
            (
                "liftoff_create_application",
                json!({"body": {"name": name, "platform": "android", "isCoppa": false,
                    "store": {"id": "com.example.faulty", "category": "Bubble Shooter", "isPaid": false, "isManual": true}}}),
            ),
        ],
        Network::InMobi => [
            ("inmobi_list_apps", json!({})),
            (
                "inmobi_create_app",
                json!({"body": {"storeUrl": "https://play.google.com/store/apps/details?id=com.example.faulty",
                    "appName": name, "childDirected": 1, "locationAccess": false}}),
            ),
        ],
        Network::Pangle => [
            ("pangle_query_apps", json!({"body": {"page": 1, "page_size": 100}})),
            (
                "pangle_create_app",
                json!({"body": {"app_name": name, "download_url": "https://play.google.com/store/apps/details?id=com.example.faulty",
                    "app_category_code": 121_320, "status": 2}}),
            ),
        ],
        Network::DtExchange => [
            ("dtexchange_list_apps", json!({"publisherId": "104001"})),
            (
                "dtexchange_create_app",
                json!({"body": {"name": name, "category1": "Puzzle", "coppa": false, "bundle": "com.example.faulty",
                    "platform": "android", "storeURL": "https://play.google.com/store/apps/details?id=com.example.faulty"}}),
            ),
        ],
    }
}

/// Returns a read of an entity that does not exist.
fn nobody(network: Network) -> (&'static str, Json) {
    match network {
        Network::AdMob => ("admob_list_ad_unit_mappings", json!({"account_id": ACME, "ad_unit_id": "9999999999"})),
        Network::AdManager => ("admanager_get_order", json!({"network_code": "21700000001", "order_id": "5"})),
        Network::AppLovin => ("applovin_get_ad_unit", json!({"ad_unit_id": "0000000000000000"})),
        Network::Unity => ("unity_list_ad_units", json!({"app_key": "nobody"})),
        Network::Mintegral => ("mintegral_list_ad_units", json!({"app_id": 5})),
        Network::Liftoff => ("liftoff_get_application", json!({"application_id": "000000000000000000000000"})),
        Network::InMobi => ("inmobi_get_app", json!({"app_id": "5"})),
        Network::Pangle => ("pangle_query_ad_slots", json!({"body": {"page": 1, "page_size": 10, "app_id": [5]}})),
        Network::DtExchange => ("dtexchange_get_app", json!({"appId": "5"})),
    }
}

/// Class, code, and words from the sentence or the hint.
type End = (Class, &'static str, &'static str);

/// Returns how a fault ends: for a read, and for a write that the network may have made.
fn ends(fault: Fault) -> [End; 2] {
    let both = |end: End| [end, end];
    let unclear = |code, words| [(Class::Retryable, code, words), (Class::UnknownOutcome, code, "don't know whether")];
    match fault {
        Fault::WrongKeys | Fault::Expired | Fault::Revoked => {
            both((Class::AuthFailed, "AUTH_FAILED", "no longer accepts the stored credentials"))
        }
        Fault::NotAllowed => both((Class::Deterministic, "PERMISSION_DENIED", "network")),
        Fault::UnknownId => both((Class::Invalid, "INVALID_ARGUMENT", "Nothing was sent")),
        Fault::Gone => both((Class::Deterministic, "NOT_FOUND", "may have been removed")),
        Fault::LimitedFor60 => both((Class::Retryable, "RATE_LIMITED", "It asks us to wait 60 seconds")),
        Fault::Limited => both((Class::Retryable, "RATE_LIMITED", "Wait a bit")),
        Fault::Failing => unclear("UNAVAILABLE", "failed with status 500"),
        Fault::WebPage => unclear("HTML_REPLY", "couldn't"),
        Fault::Truncated => unclear("TRUNCATED_REPLY", "couldn't"),
        Fault::Malformed => unclear("BROKEN_REPLY", "couldn't"),
        Fault::Stall => unclear("TIMEOUT", "stopped partway"),
        Fault::TooLarge => [
            (Class::Deterministic, "TOO_LARGE", "too large"),
            (Class::UnknownOutcome, "TOO_LARGE", "don't know whether"),
        ],
        Fault::ClockSkew => both((Class::Deterministic, "CLOCK_SKEW", "clock")),
    }
}

async fn world_for(fault: Fault) -> World {
    match fault {
        // Only requests that never end get a short timeout.
        Fault::Stall => world_with(Tuning { total_timeout: Duration::from_millis(1500), ..tuning() }).await,
        Fault::TooLarge => world_with(Tuning { max_response_bytes: 1_000_000, ..tuning() }).await,
        _ => world().await,
    }
}

/// Plants the fault for this operation.
async fn plant(world: &World, network: Network, tool: &str, fault: Fault) {
    let planted = match fault {
        Fault::WrongKeys => {
            *world.source.wrong.lock().expect("free") = true;
            return;
        }
        Fault::Expired => {
            *world.source.standing.lock().expect("free") = Standing::Expired;
            return;
        }
        Fault::Revoked => {
            *world.source.standing.lock().expect("free") = Standing::Revoked;
            return;
        }
        // The sandbox's AdMob has no user whom Google does not allow.
        Fault::NotAllowed if network == Network::AdMob => json!({"kind": "status", "status": 403}),
        Fault::NotAllowed => {
            *world.source.standing.lock().expect("free") = Standing::NotAllowed;
            return;
        }
        Fault::UnknownId => return,
        Fault::ClockSkew => {
            world.clock.advance_millis(3_600_000);
            return;
        }
        Fault::Gone => json!({"kind": "status", "status": 404}),
        Fault::LimitedFor60 => json!({"kind": "status", "status": 429, "retry_after": 60}),
        Fault::Limited => json!({"kind": "status", "status": 429, "retry_after": 0}),
        Fault::Failing => json!({"kind": "status", "status": 500}),
        Fault::WebPage => json!({"kind": "html"}),
        Fault::Truncated => json!({"kind": "truncate"}),
        Fault::Malformed => json!({"kind": "malformed"}),
        Fault::TooLarge => json!({"kind": "huge", "bytes": 3_000_000}),
        Fault::Stall => json!({"kind": "stall"}),
    };
    let mut planted = planted;
    planted["network"] = json!(network);
    planted["operation"] = json!(tool);
    planted["times"] = json!(9);
    world.control("faults", &planted).await;
}

fn judge(cell: &str, network: Network, error: &ToolError, (class, code, words): End) -> Option<String> {
    let said = format!("{} {}", error.message, error.guidance.as_deref().unwrap_or_default());
    let fits = error.class == class
        && error.code == code
        && said.to_lowercase().contains(&words.to_lowercase())
        && error.message.contains(network.display_name())
        && error.guidance.is_some()
        && !said.contains("sandbox-");
    (!fits).then(|| format!("{cell}: {error:?}"))
}

async fn cell(network: Network, fault: Fault) -> Vec<String> {
    let world = world_for(fault).await;
    let mut wrong = Vec::new();
    if fault == Fault::UnknownId {
        let (tool, args) = nobody(network);
        let outcome = world.run(tool, &args).await;
        let said = outcome.map_or_else(
            |error| {
                let named = error.errors.len() == 1 && error.errors[0].message.starts_with("isn't in ");
                let off = judge(tool, network, &error, ends(fault)[0]);
                off.or_else(|| (!named).then(|| format!("{tool}: {:?}", error.errors)))
            },
            |output| Some(format!("{tool}: {output:?}")),
        );
        wrong.extend(said);
        return wrong;
    }
    for ((tool, args), end) in calls(network).into_iter().zip(ends(fault)) {
        let cell = format!("{network} {fault:?} {tool}");
        let before = world.writes(network).await.len();
        // Load the accounts first, so that the fault hits the call and not the lookup of its IDs.
        let known = network.uses_oauth() && world.source.standing() == Standing::Valid && fault != Fault::WrongKeys;
        if known {
            world.all(network, adagent_contract::EntityKind::Account).await;
        }
        plant(&world, network, tool, fault).await;
        let mut args = args;
        if args["publisherId"].is_string() {
            // Each set of keys belongs to a different publisher.
            let fields = Source::fields(network, world.source.standing());
            args["publisherId"] = json!(fields.get("publisher_id").map(|id| id.expose_secret().to_owned()));
        }
        match world.run(tool, &args).await {
            Err(error) => wrong.extend(judge(&cell, network, &error, end)),
            Ok(output) => wrong.push(format!("{cell}: {output:?}")),
        }
        let written = world.writes(network).await.len() - before;
        if written > 1 {
            wrong.push(format!("{cell}: sent {written} times"));
        }
        if end.0 == Class::AuthFailed && world.source.failed.load(Ordering::SeqCst) == 0 {
            wrong.push(format!("{cell}: the connection is not marked"));
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_of_every_network_ends_where_it_should() {
    let empty = |network, fault| DOES_NOT_APPLY.iter().any(|(of, what, _)| (*of, *what) == (network, fault));
    let cells: Vec<(Network, Fault)> =
        Network::ALL.iter().flat_map(|network| ALL.map(|fault| (*network, fault))).collect();
    assert_eq!(cells.len(), 9 * ALL.len());
    let tried: Vec<_> = cells.into_iter().filter(|(network, fault)| !empty(*network, *fault)).collect();
    assert_eq!(tried.len(), 9 * ALL.len() - DOES_NOT_APPLY.len());
    let mut wrong = Vec::new();
    // Run a limited number at a time: each has its own sandbox, and most of them wait.
    let tasks = tried.into_iter().map(|(network, fault)| tokio::spawn(cell(network, fault)));
    let mut tasks = stream::iter(tasks).buffer_unordered(AT_ONCE);
    while let Some(outcome) = tasks.next().await {
        wrong.extend(outcome.expect("no panic"));
    }
    assert!(wrong.is_empty(), "{} cells: {wrong:#?}", wrong.len());
}

#[tokio::test]
async fn the_older_report_of_dt_exchange_is_signed_with_the_time_too() {
    let world = world().await;
    let args = json!({"publisher_id": "104001", "start_epoch": 1_763_424_000, "end_epoch": 1_763_510_400});
    world.clock.advance_millis(3_600_000);
    let error = world.run("dtexchange_get_performance_report", &args).await.expect_err("too late");
    assert_eq!((error.class, error.code.as_str()), (Class::Deterministic, "CLOCK_SKEW"), "{error:?}");
}
