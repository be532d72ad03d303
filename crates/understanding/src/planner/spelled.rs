//! Demand sources in any spelling: "Fyber" and `FYBER_NETWORK` are DT Exchange.

use adagent_domain::Network;

use crate::text::tokens;
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};

/// Returns the network that a spelling means: "Fyber", `FYBER_NETWORK`.
pub(super) fn network_in(text: &str) -> Option<Network> {
    let tokens = tokens(&text.replace('_', " "));
    (0..tokens.len()).find_map(|at| NETWORKS.at(&tokens, at)).map(|(network, _)| network)
}

/// Checks whether both texts name the same demand source, in any spelling: "Fyber" is DT Exchange.
pub(super) fn same(one: &str, other: &str) -> bool {
    let source = |text: &str| {
        let tokens = tokens(&text.replace('_', " "));
        (0..tokens.len()).find_map(|at| OTHER_SOURCES.at(&tokens, at)).map(|(source, _)| source)
    };
    match ((network_in(one), source(one)), (network_in(other), source(other))) {
        ((Some(one), _), (Some(other), _)) => one == other,
        ((None, Some(one)), (None, Some(other))) => one == other,
        _ => {
            let joined = |text: &str| tokens(text).iter().map(|token| token.norm.clone()).collect::<String>();
            let (one, other) = (joined(one), joined(other));
            !one.is_empty() && !other.is_empty() && (one.contains(&other) || other.contains(&one))
        }
    }
}

/// Checks whether a text names this demand source, which is none of the nine networks: "Meta Audience Network" names Facebook.
pub(super) fn names(text: &str, source: &str) -> bool {
    let of = |text: &str| {
        let tokens = tokens(&text.replace('_', " "));
        let found = OTHER_SOURCES.all(&tokens);
        found.into_iter().map(|found| found.what).collect::<Vec<_>>()
    };
    let own = of(text);
    of(source).iter().any(|source| own.contains(source))
}
