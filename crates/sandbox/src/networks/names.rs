//! How a network names the apps and ad units of the sandbox. IDs are computed, so they are the same on every machine and nothing is stored.

use std::collections::BTreeSet;

use crate::world::apps::{APPS, SeedApp, SeedUnit};
use crate::world::figures::Leaf;
use crate::world::mix;

/// The names of apps, placements and formats at a network, from their index in the sandbox.
pub struct Listing {
    pub app: fn(usize) -> String,
    pub unit: fn(usize) -> String,
    /// The network's word for a format, from its index in [`crate::world::books::FORMATS`]. Formats may share a word.
    pub format: fn(usize) -> &'static str,
}

/// Computes a hexadecimal ID of this many digits (at most 32) from a few numbers.
pub fn hex_id(parts: &[u64], digits: usize) -> String {
    let second: Vec<u64> = parts.iter().copied().chain([1]).collect();
    let mut text = format!("{:016x}{:016x}", mix(parts), mix(&second));
    text.truncate(digits);
    text
}

/// Computes a number of this many decimal digits that does not start with zero.
pub fn number_id(parts: &[u64], digits: u32) -> u64 {
    let low = 10_u64.pow(digits.saturating_sub(1));
    low + mix(parts) % (low * 9)
}

/// Returns the package name or bundle ID. An app without a store page also has one.
pub fn package(app: &SeedApp) -> String {
    match app.store {
        Some(store) if app.platform == "ANDROID" => store.to_owned(),
        _ => {
            let word: String = app.name.chars().filter(char::is_ascii_alphanumeric).take(18).collect();
            let maker = ["acmegames", "lexicon", "etoile"][app.account];
            let system = if app.platform == "IOS" { ".ios" } else { "" };
            format!("com.{maker}.{}{system}", word.to_lowercase())
        }
    }
}

/// Returns the address in the app's store, if it has one.
pub fn store_url(app: &SeedApp) -> Option<String> {
    let store = app.store?;
    Some(if app.platform == "IOS" {
        format!("https://apps.apple.com/app/id{store}")
    } else {
        format!("https://play.google.com/store/apps/details?id={store}")
    })
}

/// Returns `android` or `ios`.
pub fn platform(app: &SeedApp) -> &'static str {
    if app.platform == "IOS" { "ios" } else { "android" }
}

/// Returns the apps that earn through these ad sources, in the order of `APPS`.
pub fn apps(sources: &[usize], units: &[SeedUnit], leaves: &[Leaf]) -> Vec<(usize, &'static SeedApp)> {
    let earning: BTreeSet<usize> =
        leaves.iter().filter(|leaf| sources.contains(&leaf.source)).map(|leaf| units[leaf.unit].app).collect();
    earning.into_iter().map(|index| (index, &APPS[index])).collect()
}
