//! The apps and ad units that every sandbox starts with.

use super::accounts::ACCOUNTS;
use super::{mix, ten_digits};
use crate::networks::admob::wire::{AdUnit, App, LinkedAppInfo, ManualAppInfo, RewardSettings};

/// An app, with the values that its numbers are computed from.
pub struct SeedApp {
    pub account: usize,
    fragment: &'static str,
    pub name: &'static str,
    pub platform: &'static str,
    pub store: Option<&'static str>,
    /// The requests per day of the whole app at the start, in thousands.
    pub thousands: f64,
    /// How many days after 2024-01-01 the app was launched; negative for before.
    pub launch: i32,
    pub versions: [&'static str; 3],
    formats: &'static [usize],
}

pub struct SeedUnit {
    pub app: usize,
    pub format: &'static str,
    pub wire: AdUnit,
}

const A: &str = "ANDROID";
const I: &str = "IOS";

/// Formats, with the names of their ad units.
const UNITS: [(&str, &str); 8] = [
    ("BANNER", "Main Menu Banner"),
    ("INTERSTITIAL", "Level Complete Interstitial"),
    ("REWARDED", "Extra Life Rewarded"),
    ("REWARDED_INTERSTITIAL", "Daily Bonus Rewarded Interstitial"),
    ("NATIVE", "News Feed Native"),
    ("APP_OPEN", "App Start Open Ad"),
    ("BANNER", "Gameplay Banner"),
    ("REWARDED", "Double Coins Rewarded"),
];

macro_rules! app {
    ($account:expr, $fragment:expr, $name:expr, $platform:expr, $store:expr, $thousands:expr, $launch:expr, $versions:expr, $formats:expr) => {
        SeedApp {
            account: $account,
            fragment: $fragment,
            name: $name,
            platform: $platform,
            store: $store,
            thousands: $thousands,
            launch: $launch,
            versions: $versions,
            formats: $formats,
        }
    };
}

/// The apps. One has a name that reads like an instruction, because anyone who reads names must treat them as data.
pub const APPS: [SeedApp; 14] = [
    app!(
        0,
        "3347511713",
        "Puzzle Game",
        A,
        Some("com.acmegames.puzzle"),
        420.0,
        -400,
        ["4.2.0", "4.1.3", "3.9.8"],
        &[0, 1, 2, 4, 5, 6]
    ),
    app!(
        0,
        "1458002511",
        "Puzzle Game",
        I,
        Some("1058401122"),
        260.0,
        -380,
        ["4.2.1", "4.1.3", "4.0.0"],
        &[0, 1, 2, 3, 5]
    ),
    app!(
        0,
        "2934735716",
        "My Game",
        A,
        Some("com.acmegames.mygame"),
        180.0,
        -120,
        ["2.7.0", "2.6.4", "2.5.0"],
        &[0, 1, 2, 4]
    ),
    app!(0, "5575463023", "My Game", I, Some("1211570034"), 110.0, -90, ["2.7.0", "2.6.5", "2.4.1"], &[0, 1, 2, 5]),
    app!(
        1,
        "4180926357",
        "Word Quest",
        A,
        Some("com.lexicon.wordquest"),
        310.0,
        -200,
        ["6.1.0", "6.0.2", "5.8.9"],
        &[0, 1, 2, 3, 4]
    ),
    app!(1, "4180926364", "Word Quest", I, Some("1340227781"), 190.0, -200, ["6.1.0", "6.0.2", "5.9.0"], &[0, 1, 2, 5]),
    app!(
        1,
        "7265110948",
        "Tower Blast",
        A,
        Some("com.lexicon.towerblast"),
        150.0,
        290,
        ["1.9.2", "1.9.0", "1.8.4"],
        &[0, 1, 2, 7]
    ),
    app!(1, "7265110955", "Tower Blast", I, Some("6449103825"), 95.0, 310, ["1.9.2", "1.9.1", "1.8.4"], &[1, 2, 7]),
    app!(1, "9042877316", "Sudoku Garden", A, None, 60.0, 520, ["1.3.0", "1.2.2", "1.1.0"], &[0, 1, 4]),
    app!(
        2,
        "6601928374",
        "Space Runner",
        A,
        Some("com.etoile.spacerunner"),
        130.0,
        -30,
        ["3.4.1", "3.4.0", "3.2.7"],
        &[0, 1, 2, 5]
    ),
    app!(2, "6601928381", "Space Runner", I, Some("1502277094"), 85.0, 10, ["3.4.1", "3.3.9", "3.2.7"], &[1, 2, 3]),
    app!(
        2,
        "8310047265",
        "Café Éclair – お菓子の城",
        A,
        Some("com.etoile.cafe"),
        70.0,
        150,
        ["1.12.0", "1.11.3", "1.10.1"],
        &[0, 2, 4]
    ),
    app!(2, "5129940816", "Pixel Farm Stories", A, None, 24.0, 200, ["0.9.4", "0.9.3", "0.8.0"], &[0, 1]),
    app!(2, "2017446390", "Kart Rivals", I, Some("6740118265"), 48.0, 640, ["1.1.0", "1.0.3", "1.0.0"], &[1, 2]),
];

impl SeedApp {
    pub fn publisher(&self) -> &'static str {
        ACCOUNTS[self.account]
    }

    pub fn id(&self) -> String {
        format!("ca-app-{}~{}", self.publisher(), self.fragment)
    }

    pub fn wire(&self) -> App {
        App {
            name: format!("accounts/{}/apps/{}", self.publisher(), self.fragment),
            app_id: self.id(),
            platform: self.platform.to_owned(),
            manual_app_info: Some(ManualAppInfo { display_name: self.name.to_owned() }),
            linked_app_info: self.store.map(|store| LinkedAppInfo {
                app_store_id: store.to_owned(),
                display_name: Some(self.name.to_owned()),
                android_app_stores: if self.platform == A {
                    vec!["GOOGLE_PLAY_APP_STORE".to_owned()]
                } else {
                    Vec::new()
                },
            }),
            app_approval_state: if self.store.is_some() { "APPROVED" } else { "ACTION_REQUIRED" }.to_owned(),
        }
    }
}

/// Returns all ad units, in the order of the apps.
pub fn units() -> Vec<SeedUnit> {
    let mut units = Vec::new();
    for (app, seed) in APPS.iter().enumerate() {
        for index in seed.formats.iter().copied() {
            let (format, name) = UNITS[index];
            // Google's public test unit, so that the examples in its documentation also work here.
            let fragment = if app == 0 && index == 0 {
                "6300978111".to_owned()
            } else {
                ten_digits(mix(&[77, app as u64, index as u64]))
            };
            let wire = AdUnit {
                name: format!("accounts/{}/adUnits/{fragment}", seed.publisher()),
                ad_unit_id: format!("ca-app-{}/{fragment}", seed.publisher()),
                app_id: seed.id(),
                display_name: name.to_owned(),
                ad_format: format.to_owned(),
                ad_types: default_types(format),
                reward_settings: (format == "REWARDED")
                    .then(|| RewardSettings { unit_amount: "1".to_owned(), unit_type: "Life".to_owned() }),
            };
            units.push(SeedUnit { app, format, wire });
        }
    }
    units
}

pub fn default_types(format: &str) -> Vec<String> {
    let types: &[&str] = match format {
        "REWARDED_INTERSTITIAL" => &["VIDEO"],
        _ => &["RICH_MEDIA", "VIDEO"],
    };
    types.iter().map(|name| (*name).to_owned()).collect()
}

/// Turns `REWARDED_INTERSTITIAL` into `Rewarded interstitial`.
pub fn format_label(format: &str) -> &'static str {
    match format {
        "APP_OPEN" => "App open",
        "BANNER" => "Banner",
        "INTERSTITIAL" => "Interstitial",
        "NATIVE" => "Native",
        "REWARDED" => "Rewarded",
        "REWARDED_INTERSTITIAL" => "Rewarded interstitial",
        _ => "Banner or interstitial",
    }
}
