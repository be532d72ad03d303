//! Tests that every operation of every catalog file can be built and signed, in a sandbox and live.

use std::collections::{BTreeMap, BTreeSet};

use adagent_domain::Network;

use super::support::credentials;
use crate::{
    catalogue::{Catalogue, Method, ResultKind},
    normalise::shapes,
    pipeline::request,
    sign::{self, Material, Moment, Payload, Session},
};

fn session() -> Session {
    let values = ["token", "session_id", "account"].into_iter().map(|name| (name, "s-1".to_owned().into()));
    Session { values: values.collect(), good_until: adagent_domain::Timestamp::EPOCH }
}

#[test]
fn every_operation_is_built_and_signed_from_its_example() {
    let catalogue = Catalogue::built_in().expect("loads");
    let mut hosts: BTreeMap<Network, BTreeSet<String>> = BTreeMap::new();
    for tool in catalogue.tools() {
        let operation = catalogue.get(&tool.name).expect("there");
        let profile = sign::profile(tool.network().expect("a network's"));
        let (_, scheme) =
            profile.scheme(&operation.http).unwrap_or_else(|| panic!("{}: {:?}", tool.name, operation.http.auth));
        let mut credentials = credentials("http://127.0.0.1:9", tool.network().expect("a network's"));
        let moment = Moment { now: adagent_domain::Timestamp::EPOCH, nonce: 7 };
        let session = session();
        for sandbox in [true, false] {
            credentials.sandbox = sandbox;
            if !sandbox {
                credentials.base_url = format!("https://{}", profile.host).parse().expect("valid");
            }
            let mut out = request::build(profile, &operation.http, &credentials, &operation.example)
                .unwrap_or_else(|| panic!("{} cannot be built from its example", tool.name));
            let before = (out.query.len(), out.headers.len());
            let material =
                Material { fields: &credentials.fields, session: Some(&session), binding: &operation.http, moment };
            scheme.sign(&mut out, &material).unwrap_or_else(|missing| panic!("{}: {missing}", tool.name));
            let in_body =
                matches!(out.payload, Payload::Form(_) | Payload::Json(_)) && !matches!(out.method, Method::Get);
            assert!((out.query.len(), out.headers.len()) != before || in_body, "{} leaves unsigned", tool.name);
            assert!(!out.url.path().contains(['{', '}']), "{}: {}", tool.name, out.url);
            if !sandbox {
                assert_eq!(out.url.scheme(), "https", "{}", tool.name);
                hosts
                    .entry(tool.network().expect("a network's"))
                    .or_default()
                    .insert(out.url.host_str().expect("a host").to_owned());
            }
        }
    }
    for (network, hosts) in hosts {
        assert!(hosts.contains(sign::profile(network).host), "{network}: {hosts:?}");
    }
}

#[test]
fn every_report_has_a_shape_or_a_reader_of_its_own() {
    let catalogue = Catalogue::built_in().expect("loads");
    let without: Vec<&str> = catalogue
        .tools()
        .iter()
        .filter(|tool| {
            tool.network() != Some(Network::AdMob)
                && catalogue.get(&tool.name).expect("there").result.kind == ResultKind::Report
        })
        .map(|tool| tool.name.as_str())
        .filter(|name| shapes::of(name).is_none())
        .collect();
    // The rows of the first are fetched as part of a report run, whose operation knows the columns. No documentation describes the form of
    // the second.
    assert_eq!(without, ["admanager_fetch_report_rows", "dtexchange_get_performance_report"]);
}

#[test]
fn every_shape_belongs_to_an_operation_and_its_definition_to_another() {
    let catalogue = Catalogue::built_in().expect("loads");
    // The made-up network has its own catalog.
    for (tool, shape) in shapes::all().filter(|(tool, _)| !tool.starts_with("tenth_")) {
        assert!(catalogue.get(tool).is_some(), "{tool}");
        let definition = shape.definition.as_deref();
        assert!(definition.is_none_or(|definition| catalogue.get(definition).is_some()), "{tool}");
    }
}
