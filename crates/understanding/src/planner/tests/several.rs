//! Tests for several accounts of one network: an answer says which of them it lacks.

use adagent_contract::{ConnectionName, EntityItem, EntityKind, NetworkState};
use adagent_domain::{ConnectionId, Network, SequentialIds};
use adagent_llm::ModelRequest;
use serde_json::{Value as Json, json};

use super::{fleet, world::*};
use crate::{Capability, Outcome};

const WEEK: (&str, &str) = ("2026-11-14", "2026-11-20");

fn named(network: Network, labels: &[(&str, NetworkState)]) -> Vec<ConnectionName> {
    let ids = SequentialIds::default();
    let one = |(label, state): &(&str, NetworkState)| ConnectionName {
        network,
        id: ConnectionId::new(&ids),
        label: (*label).to_owned(),
        state: *state,
        selected: true,
    };
    labels.iter().map(one).collect()
}

/// Returns a world with AdMob through two sign-ins, "Games" and "Words". Everything that we know belongs to "Games".
fn two(state: NetworkState) -> (World, Vec<ConnectionName>) {
    let mut world = World::default();
    for entity in &mut world.entities {
        entity.connection = Some("Games".into());
    }
    (world, named(Network::AdMob, &[("Games", NetworkState::Connected), ("Words", state)]))
}

fn asked(world: &World, text: &str, capability: Capability, connections: &[ConnectionName]) -> ModelRequest {
    let slots = (capability == Capability::Reporting).then(|| slots(&["revenue"], &[], WEEK.0, WEEK.1));
    let understood = understood(capability, Outcome::Answer, slots, text);
    let mut request = request(world, text, &understood);
    request.planner.connections = connections.to_vec();
    request
}

#[test]
fn figures_and_lists_say_which_account_they_are_without() {
    for (text, capability) in
        [("AdMob revenue last 7 days", Capability::Reporting), ("List my AdMob apps", Capability::Inventory)]
    {
        for (state, why) in [
            (NetworkState::AuthFailed, "it no longer accepts our sign-in"),
            (NetworkState::Connected, "I couldn't read its accounts"),
        ] {
            let (world, connections) = two(state);
            let run = run(&world, asked(&world, text, capability, &connections));
            let said = format!("**AdMob · Words isn't included**: {why}.");
            assert_eq!(run.reply.text.matches(&said).count(), 1, "{text}: {}", run.reply.text);
        }
    }
}

#[test]
fn what_is_read_or_left_out_on_purpose_is_not_said_to_be_missing() {
    let ask = |prepare: &dyn Fn(&mut ModelRequest)| {
        let (world, connections) = two(NetworkState::AuthFailed);
        let mut request = asked(&world, "AdMob revenue last 7 days", Capability::Reporting, &connections);
        prepare(&mut request);
        run(&world, request).reply.text
    };
    let account = |of: &ModelRequest| {
        let accounts = of.planner.entities.iter().filter(|item| item.kind == EntityKind::Account);
        EntityItem {
            connection: Some("Words".into()),
            ..accounts.max_by_key(|item| item.id.clone()).expect("some").clone()
        }
    };
    // Four cases: we know both accounts, a strict selection leaves one out, one is not selected, and there is only one connection.
    let both = ask(&|request| {
        let other = account(request);
        request.planner.entities.push(other);
    });
    let outside = ask(&|request| request.planner.outside.push(EntityItem { id: "pub-9".into(), ..account(request) }));
    let chosen = ask(&|request| request.planner.connections[1].selected = false);
    let one = ask(&|request| request.planner.connections.truncate(1));
    for text in [both, outside, chosen, one] {
        assert!(text.starts_with("AdMob earned **"), "{text}");
        assert!(!text.contains("isn't included"), "{text}");
    }
}

#[test]
fn a_sum_over_networks_names_the_account_that_is_missing_of_one() {
    let account = json!({
        "network": "admanager", "kind": "account", "id": "217", "name": "Acme", "connection": "Games",
        "raw": {"name": "networks/217", "networkCode": "217", "currencyCode": "USD"},
    });
    let account: EntityItem = serde_json::from_value(account).expect("an entity");
    let states = [("Games", NetworkState::Connected), ("Words", NetworkState::AuthFailed)];
    let definition = json!({
        "dimensions": ["DATE", "MOBILE_APP_ID", "MOBILE_APP_NAME"],
        "metrics": ["REVENUE", "IMPRESSIONS", "AD_REQUESTS", "RESPONSES_SERVED"],
        "dateRange": {"fixed": {
            "startDate": {"year": 2026, "month": 11, "day": 1}, "endDate": {"year": 2026, "month": 11, "day": 20},
        }},
    });
    let fleet = fleet::Fleet {
        saved: vec![json!({"name": "networks/217/reports/59", "reportId": "59", "reportDefinition": definition})],
        entities: vec![account],
        connections: named(Network::AdManager, &states),
        ..fleet::Fleet::default()
    };
    let text = "revenue last 7 days";
    let services = [Network::AdManager, Network::Liftoff];
    let slots = slots(&["revenue"], &[], WEEK.0, WEEK.1);
    let understood = fleet::asks(&services, Capability::Reporting, Outcome::Answer, slots, text);
    let run = fleet::play(&fleet, text, &understood);
    let said = "**Google Ad Manager · Words isn't included**: it no longer accepts our sign-in.";
    let sum = [Network::AdManager, Network::Liftoff].map(|network| fleet::earned(network, WEEK.0, WEEK.1, None));
    assert!(run.reply.text.contains(&fleet::dollars(sum.iter().sum())), "{}", run.reply.text);
    assert!(run.reply.text.contains(said), "{}", run.reply.text);
    let through: Vec<&Json> = run.results().iter().map(|(_, args, _)| &args["connection"]).collect();
    assert!(through.iter().all(|label| label.is_null() || **label == "Games"), "{through:?}");
}
