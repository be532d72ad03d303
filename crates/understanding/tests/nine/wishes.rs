//! Lists and changes of every network, through checks, approval and back.

use adagent_contract::Artifact;
use adagent_domain::Network;

use crate::world::{Said, world};

fn listed(said: &Said) -> usize {
    said.reply
        .artifacts
        .iter()
        .find_map(|artifact| match artifact {
            Artifact::Table { table, .. } => Some(table.rows.len()),
            _ => None,
        })
        .unwrap_or_else(|| panic!("no table: {} {:#?}", said.reply.text, said.done))
}

#[tokio::test]
async fn what_every_network_has_is_listed() {
    for (network, question) in [
        (Network::AppLovin, "list my AppLovin ad units"),
        (Network::Unity, "show my Unity apps"),
        (Network::Unity, "list Unity ad units"),
        (Network::Mintegral, "list my Mintegral apps"),
        (Network::Mintegral, "show my Mintegral placements"),
        (Network::Liftoff, "list Liftoff applications"),
        (Network::Liftoff, "show my Liftoff placements"),
        (Network::InMobi, "list my InMobi apps"),
        (Network::InMobi, "list InMobi placements"),
        (Network::Pangle, "list my Pangle apps"),
        (Network::Pangle, "show Pangle ad slots"),
        (Network::DtExchange, "list my DT Exchange apps"),
        (Network::DtExchange, "list DT Exchange placements of Puzzle Game"),
        (Network::AdManager, "list my Ad Manager orders"),
        (Network::AdManager, "show Ad Manager line items"),
        (Network::AdManager, "list my Ad Manager ad units"),
    ] {
        let mut world = world(&[network]).await;
        let said = world.ask(question).await;
        assert!(listed(&said) > 0, "{question}: {}", said.reply.text);
    }
}

async fn changes(network: Network, wish: &str, tool: &str) {
    let mut world = world(&[network]).await;
    let said = world.ask(wish).await;
    assert_eq!(said.calls(tool), 1, "{wish}: {} {:#?} {:?}", said.reply.text, said.done, said.understood);
    assert!(said.reply.text.starts_with("Done"), "{wish}: {} {:#?}", said.reply.text, said.done);
    let writes = world.writes(network).await;
    assert_eq!(writes.len(), 1, "{wish}: {writes:#?}");
}

#[tokio::test]
async fn ad_units_and_placements_are_created() {
    changes(
        Network::AppLovin,
        "Create an AppLovin rewarded ad unit called \"Level end\" for com.example.puzzle on Android",
        "applovin_create_ad_unit",
    )
    .await;
    changes(
        Network::Unity,
        "Create a Unity rewarded ad unit called \"Level end\" for Puzzle Game on Android",
        "unity_create_ad_units",
    )
    .await;
    changes(
        Network::Liftoff,
        "Create a Liftoff rewarded placement called \"Level end\" for Puzzle Game on Android",
        "liftoff_create_placement",
    )
    .await;
    changes(
        Network::InMobi,
        "Create an InMobi interstitial placement \"Level end\" for Puzzle Game on Android with bidding",
        "inmobi_create_placement",
    )
    .await;
    changes(
        Network::Mintegral,
        "Create a Mintegral banner placement called \"Menu banner\" for Puzzle Game on Android",
        "mintegral_create_placement",
    )
    .await;
}
