//! Names and nicknames of the nine networks, and of demand sources that are not among them.

use std::sync::LazyLock;

use adagent_domain::Network;

use adagent_scorer::tables::networks as tables;

use super::phrases::Phrases;

pub static NETWORKS: LazyLock<Phrases<Network>> = LazyLock::new(|| Phrases::new(tables::NETWORKS));

/// Demand sources in mediation that aren't among the nine networks.
pub static OTHER_SOURCES: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::new(tables::OTHER_SOURCES));
