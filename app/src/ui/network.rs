//! Network marks: two letters on a quiet tint of our own, never a company's logo.

use adagent_domain::Network;
use leptos::prelude::*;

/// The two letters of a network.
pub const fn mark_letters(network: Network) -> &'static str {
    match network {
        Network::AdMob => "Ad",
        Network::AdManager => "GM",
        Network::AppLovin => "AL",
        Network::Unity => "Un",
        Network::Mintegral => "Mi",
        Network::Liftoff => "Li",
        Network::InMobi => "In",
        Network::Pangle => "Pa",
        Network::DtExchange => "DT",
    }
}

/// The mark stands beside the network's name or is decoration; it says nothing by itself.
#[component]
pub fn NetworkMark(
    network: Network,
    /// `small`, `large` or nothing.
    #[prop(optional)]
    size: &'static str,
    #[prop(optional)] off: bool,
) -> impl IntoView {
    let space = if size.is_empty() { "" } else { " " };
    let off = if off { " off" } else { "" };
    view! {
        <span class=format!("mark net-{}{space}{size}{off}", network.id()) aria-hidden="true">{mark_letters(network)}</span>
    }
}
