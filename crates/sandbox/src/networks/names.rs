//! How a network names what the world holds. Ids are derived, so that they are the same on every machine; nothing is stored.

use std::collections::BTreeSet;

use crate::world::apps::{APPS, SeedApp, SeedUnit};
use crate::world::figures::Leaf;
use crate::world::mix;

/// Names of apps, placements and formats at a network, by their position in the world.
pub struct Listing {
    pub app: fn(usize) -> String,
    pub unit: fn(usize) -> String,
    /// Its word for a format, by the position in [`crate::world::books::FORMATS`]; formats may share one.
    pub format: fn(usize) -> &'static str,
}

/// A hexadecimal id of this many digits (at most 32) out of a few numbers.
pub fn hex_id(parts: &[u64], digits: usize) -> String {
    let second: Vec<u64> = parts.iter().copied().chain([1]).collect();
    let mut text = format!("{:016x}{:016x}", mix(parts), mix(&second));
    text.truncate(digits);
    text
}

/// A number of this many decimal digits that does not start with zero.
pub fn number_id(parts: &[u64], digits: u32) -> u64 {
    let low = 10_u64.pow(digits.saturating_sub(1));
    low + mix(parts) % (low * 9)
}

/// The package name or bundle id; an app without a store has one all the same.
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

/// Address in the app's store, if it has one.
pub fn store_url(app: &SeedApp) -> Option<String> {
    let store = app.store?;
    Some(if app.platform == "IOS" {
        format!("https://apps.apple.com/app/id{store}")
    } else {
        format!("https://play.google.com/store/apps/details?id={store}")
    })
}

/// `android` or `ios`.
pub fn platform(app: &SeedApp) -> &'static str {
    if app.platform == "IOS" { "ios" } else { "android" }
}

/// Apps that earn through these sources, in the world's order.
pub fn apps(sources: &[usize], units: &[SeedUnit], leaves: &[Leaf]) -> Vec<(usize, &'static SeedApp)> {
    let earning: BTreeSet<usize> =
        leaves.iter().filter(|leaf| sources.contains(&leaf.source)).map(|leaf| units[leaf.unit].app).collect();
    earning.into_iter().map(|index| (index, &APPS[index])).collect()
}
