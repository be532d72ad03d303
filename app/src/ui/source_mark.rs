//! Marks of sources: two letters on a quiet tint of our own, never a company's logo.

use adagent_domain::{Network, Source};
use leptos::prelude::*;

/// Returns the two letters of a source.
const fn mark_letters(source: Source) -> &'static str {
    let network = match source {
        Source::Network(network) => network,
        Source::Native => return "AA",
        Source::Mcp => return "TS",
    };
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

/// Draws the mark. The name of the source stands next to it, or the mark is decoration; it conveys nothing by itself.
#[component]
pub fn SourceMark(
    #[prop(into)] source: Source,
    /// `small`, `large` or empty.
    #[prop(optional)]
    size: &'static str,
    #[prop(optional)] off: bool,
) -> impl IntoView {
    let space = if size.is_empty() { "" } else { " " };
    let off = if off { " off" } else { "" };
    view! {
        <span class=format!("mark net-{}{space}{size}{off}", source.id()) aria-hidden="true">{mark_letters(source)}</span>
    }
}
