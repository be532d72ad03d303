//! Dimensions: which group a leaf belongs to, and what the API calls the group.

use jiff::civil::Date;

use crate::networks::admob::groups;
use crate::state::Inner;
use crate::world::apps::{APPS, format_label};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Leaf;
use crate::world::mix;
use crate::world::sources::SOURCES;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    Date,
    Month,
    Week,
    AdSource,
    AdSourceInstance,
    AdUnit,
    App,
    AdType,
    MediationGroup,
    Country,
    Format,
    Platform,
    OsVersion,
    SdkVersion,
    AppVersion,
    ServingRestriction,
}

use Dimension as D;

const NAMES: [(Dimension, &str); 16] = [
    (D::Date, "DATE"),
    (D::Month, "MONTH"),
    (D::Week, "WEEK"),
    (D::AdSource, "AD_SOURCE"),
    (D::AdSourceInstance, "AD_SOURCE_INSTANCE"),
    (D::AdUnit, "AD_UNIT"),
    (D::App, "APP"),
    (D::AdType, "AD_TYPE"),
    (D::MediationGroup, "MEDIATION_GROUP"),
    (D::Country, "COUNTRY"),
    (D::Format, "FORMAT"),
    (D::Platform, "PLATFORM"),
    (D::OsVersion, "MOBILE_OS_VERSION"),
    (D::SdkVersion, "GMA_SDK_VERSION"),
    (D::AppVersion, "APP_VERSION_NAME"),
    (D::ServingRestriction, "SERVING_RESTRICTION"),
];

/// A kind of device. Every leaf is split among all kinds, so that sums by version match all other sums.
struct Profile {
    /// The share in thousandths.
    share: u64,
    app_version: usize,
    os: usize,
    sdk: usize,
    restricted: usize,
    ad_type: usize,
}

const fn p(share: u64, app_version: usize, os: usize, sdk: usize, restricted: usize, ad_type: usize) -> Profile {
    Profile { share, app_version, os, sdk, restricted, ad_type }
}

const PROFILES: [Profile; 12] = [
    p(214, 0, 0, 0, 0, 0),
    p(148, 0, 1, 0, 0, 1),
    p(121, 0, 0, 0, 0, 2),
    p(96, 0, 2, 1, 0, 1),
    p(84, 1, 1, 0, 0, 2),
    p(77, 1, 0, 1, 1, 0),
    p(68, 1, 2, 1, 0, 1),
    p(55, 0, 3, 1, 1, 0),
    p(48, 2, 1, 2, 0, 2),
    p(39, 2, 2, 2, 0, 1),
    p(31, 1, 3, 2, 1, 0),
    p(19, 2, 3, 2, 0, 1),
];

const OS: [[&str; 4]; 2] =
    [["Android 16", "Android 15", "Android 14", "Android 13"], ["iOS 26.1", "iOS 26.0", "iOS 18.7", "iOS 17.7"]];
const SDK: [[&str; 3]; 2] =
    [["Android 24.7.0", "Android 24.4.0", "Android 23.6.0"], ["iOS 12.13.0", "iOS 12.9.0", "iOS 11.13.0"]];
const RESTRICTIONS: [&str; 2] = ["Personalized ads", "Non-personalized ads"];
const TYPES: [(&str, &str); 3] = [("image", "Image"), ("video", "Video"), ("text", "Text")];

/// How many parts a leaf is split into.
pub const PARTS: usize = PROFILES.len();

pub fn part_bounds(part: usize) -> (u64, u64) {
    let from: u64 = PROFILES[..part].iter().map(|profile| profile.share).sum();
    (from, if part + 1 == PARTS { 1000 } else { from + PROFILES[part].share })
}

impl Dimension {
    pub fn parse(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(dimension, _)| *dimension)
    }

    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(dimension, _)| *dimension == self).map_or("", |(_, name)| name)
    }

    pub fn is_time(self) -> bool {
        matches!(self, D::Date | D::Month | D::Week)
    }

    /// Checks whether the dimension needs leaves to be split by device profile.
    pub fn is_device(self) -> bool {
        matches!(self, D::AdType | D::OsVersion | D::SdkVersion | D::AppVersion | D::ServingRestriction)
    }

    /// Returns the number of the group that a leaf belongs to; 0 for time dimensions.
    pub fn code(self, inner: &Inner, leaf: &Leaf, part: usize) -> u32 {
        let app = inner.units[leaf.unit].app;
        let ios = usize::from(APPS[app].platform == "IOS");
        let profile = &PROFILES[part];
        let code = match self {
            D::Date | D::Month | D::Week => 0,
            D::AdSource => leaf.source,
            D::AdSourceInstance => APPS[app].account * 100 + leaf.source,
            D::AdUnit => leaf.unit,
            D::App => app,
            D::AdType => profile.ad_type,
            D::MediationGroup => APPS[app].account * 100 + groups::serving(inner.units.as_slice(), leaf),
            D::Country => leaf.country,
            D::Format => FORMATS.iter().position(|name| *name == inner.units[leaf.unit].format).unwrap_or(0),
            D::Platform => ios,
            D::OsVersion => ios * 100 + profile.os,
            D::SdkVersion => ios * 100 + profile.sdk,
            D::AppVersion => app * 100 + profile.app_version,
            D::ServingRestriction => profile.restricted,
        };
        u32::try_from(code).unwrap_or(u32::MAX)
    }

    /// Returns the value and the label of a group.
    pub fn text(self, inner: &Inner, code: u32) -> (String, Option<String>) {
        let code = code as usize;
        let (high, low) = (code / 100, code % 100);
        let labelled = |value: String, label: &str| (value, Some(label.to_owned()));
        match self {
            D::Date | D::Month | D::Week => (String::new(), None),
            D::AdSource => labelled(SOURCES[code].id.to_owned(), SOURCES[code].title),
            D::AdSourceInstance => {
                let account = crate::world::accounts::ACCOUNTS[high];
                let id = 1_000_000_000 + mix(&[41, code as u64]) % 9_000_000_000;
                (format!("ca-app-{account}:asi:{id}"), Some(format!("{} (default)", SOURCES[low].title)))
            }
            D::AdUnit => labelled(inner.units[code].wire.ad_unit_id.clone(), &inner.units[code].wire.display_name),
            D::App => labelled(APPS[code].id(), APPS[code].name),
            D::AdType => labelled(TYPES[code].0.to_owned(), TYPES[code].1),
            D::MediationGroup => {
                let account = crate::world::accounts::ACCOUNTS[high];
                let (id, name) = groups::serving_name(low);
                (format!("ca-app-{account}:mg:{id}"), Some(name.to_owned()))
            }
            D::Country => labelled(COUNTRIES[code].code.to_owned(), COUNTRIES[code].name),
            D::Format => labelled(FORMATS[code].to_lowercase(), format_label(FORMATS[code])),
            D::Platform => (["Android", "iOS"][code].to_owned(), None),
            D::OsVersion => (OS[high][low].to_owned(), None),
            D::SdkVersion => (SDK[high][low].to_owned(), None),
            D::AppVersion => (APPS[high].versions[low].to_owned(), None),
            D::ServingRestriction => (RESTRICTIONS[code].to_owned(), None),
        }
    }

    /// Returns the API's value for the period of a day.
    pub fn period(self, day: Date) -> String {
        match self {
            D::Month => format!("{:04}{:02}", day.year(), day.month()),
            D::Week => {
                let back = i64::from(day.weekday().to_sunday_zero_offset());
                let first = day.saturating_sub(jiff::Span::new().days(back));
                format!("{:04}{:02}{:02}", first.year(), first.month(), first.day())
            }
            _ => format!("{:04}{:02}{:02}", day.year(), day.month(), day.day()),
        }
    }
}

const FORMATS: [&str; 6] = ["APP_OPEN", "BANNER", "INTERSTITIAL", "NATIVE", "REWARDED", "REWARDED_INTERSTITIAL"];
