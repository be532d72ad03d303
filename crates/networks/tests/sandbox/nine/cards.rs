//! Compares every card with a golden file per network: every change of the catalog, with its example.
//!
//! `INSTA_UPDATE=always cargo test -p adagent-networks --test sandbox cards` writes the files. Read the difference like a person whose
//! money depends on these approvals.

use adagent_domain::Network;
use adagent_networks::Catalogue;
use adagent_tools::Provider as _;
use futures::future::join_all;

use super::{
    every_operation::{arguments, picks, things},
    world::world,
};
use crate::card::card;

/// Draws the cards of one network, in the order of its catalog.
async fn cards(network: Network) -> (Network, String) {
    let world = world().await;
    let catalogue = Catalogue::built_in().expect("loads");
    let facts = catalogue.network(network).expect("described");
    let all = things(&world, facts).await;
    let picks = picks(facts, &all);
    let mut drawn = Vec::new();
    for tool in catalogue.of_network(network).filter(|tool| !tool.read_only) {
        let operation = catalogue.get(&tool.name).expect("there");
        let args = world.networks.normalise_args(tool, &arguments(operation, &picks, &all));
        let sketch = world.networks.sketch(&world.scope, tool, &args).await;
        let sketch = sketch.unwrap_or_else(|error| panic!("{} {args}: {error:?}", tool.name));
        drawn.push(card(&tool.name, &sketch, &args));
        // The limits use the clock of the test, so advance it.
        world.clock.advance_millis(1500);
    }
    (network, drawn.join("\n"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_card_reads_as_its_golden_file() {
    let drawn = join_all(Network::ALL.map(|network| tokio::spawn(cards(network)))).await;
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("cards");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut changed = Vec::new();
    for drawn in drawn {
        let (network, text) = drawn.expect("no panic");
        let compare = || settings.bind(|| insta::assert_snapshot!(network.id(), text));
        // Compare every network, so that one run shows all changes.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(compare)).is_err() {
            changed.push(network);
        }
    }
    assert!(changed.is_empty(), "other cards than the golden files: {changed:?}");
}
