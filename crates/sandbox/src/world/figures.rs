//! Daily numbers at the finest level: ad unit × country × ad source. They are whole numbers, so that every breakdown adds up.
//!
//! The numbers of a day depend only on its date, never on today's date, so past days never change. The computation uses only additions,
//! multiplications and divisions of doubles, which give the same bits on every machine.

use jiff::civil::{Date, Weekday, date};

use super::apps::{APPS, SeedUnit};
use super::countries::COUNTRIES;
use super::sources::SOURCES;
use super::{between, mix, step, unit};

/// The first day of the model; growth and launches count from here.
pub const EPOCH: Date = date(2024, 1, 1);

/// The sums of a group of leaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub requests: u64,
    pub matched: u64,
    pub impressions: u64,
    pub clicks: u64,
    pub micros: u64,
    /// Matched requests times the milliseconds that each took to load.
    pub latency: u64,
}

impl Totals {
    pub fn add(&mut self, other: &Totals) {
        self.requests += other.requests;
        self.matched += other.matched;
        self.impressions += other.impressions;
        self.clicks += other.clicks;
        self.micros += other.micros;
        self.latency += other.latency;
    }

    /// Returns the part from `from` to `to`, in thousandths. Parts that cover `0..1000` add up to the whole.
    pub fn part(&self, from: u64, to: u64) -> Totals {
        let cut = |value: u64| value * to / 1000 - value * from / 1000;
        Totals {
            requests: cut(self.requests),
            matched: cut(self.matched),
            impressions: cut(self.impressions),
            clicks: cut(self.clicks),
            micros: cut(self.micros),
            latency: cut(self.latency),
        }
    }
}

/// A combination that has traffic, with its averages.
pub struct Leaf {
    pub unit: usize,
    pub country: usize,
    pub source: usize,
    requests: f64,
    match_rate: f64,
    show_rate: f64,
    ctr: f64,
    /// The micros that one impression earns.
    micros: f64,
}

/// What all leaves have in common on one day.
pub struct Day {
    seed: u64,
    units: Vec<f64>,
    countries: Vec<f64>,
    sources: Vec<f64>,
    /// How many thousandths of the day have passed.
    share: u64,
}

/// Returns the share of requests, show rate, click rate and eCPM in dollars of a format.
fn format_traits(format: &str) -> (f64, f64, f64, f64) {
    match format {
        "BANNER" => (0.48, 0.93, 0.011, 0.62),
        "INTERSTITIAL" => (0.17, 0.71, 0.043, 8.4),
        "REWARDED" => (0.1, 0.62, 0.029, 15.5),
        "REWARDED_INTERSTITIAL" => (0.05, 0.66, 0.031, 11.8),
        "NATIVE" => (0.15, 0.78, 0.014, 1.9),
        _ => (0.08, 0.83, 0.021, 6.1),
    }
}

/// Returns all leaves of the ad units.
pub fn leaves(units: &[SeedUnit]) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (unit_index, seed) in units.iter().enumerate() {
        let app = &APPS[seed.app];
        let (share, show, ctr, ecpm) = format_traits(seed.format);
        let sources: Vec<usize> = (0..SOURCES.len())
            .filter(|index| SOURCES[*index].formats.contains(&seed.format))
            .filter(|index| *index == 0 || unit(mix(&[11, unit_index as u64, *index as u64])) < 0.34)
            .collect();
        let weight = |index: usize| {
            if index == 0 { 6.0 } else { between(mix(&[12, unit_index as u64, index as u64]), 0.6, 2.4) }
        };
        let all: f64 = sources.iter().map(|index| weight(*index)).sum();
        for (country_index, country) in COUNTRIES.iter().enumerate() {
            // Small countries do not use every app.
            if country_index >= 10 && unit(mix(&[13, seed.app as u64, country_index as u64])) < 0.3 {
                continue;
            }
            for source_index in sources.iter().copied() {
                let hash = mix(&[14, unit_index as u64, country_index as u64, source_index as u64]);
                let ios = if app.platform == "IOS" { 1.3 } else { 1.0 };
                let dollars = ecpm * country.worth * SOURCES[source_index].worth * ios * between(hash, 0.82, 1.18);
                leaves.push(Leaf {
                    unit: unit_index,
                    country: country_index,
                    source: source_index,
                    requests: app.thousands * share * country.traffic * weight(source_index) / all,
                    match_rate: between(step(hash), 0.64, 0.97),
                    show_rate: show * between(step(hash ^ 1), 0.94, 1.06),
                    ctr: ctr * between(step(hash ^ 2), 0.8, 1.2),
                    micros: dollars * 1000.0,
                });
            }
        }
    }
    leaves
}

/// Traffic and prices by month. Both are highest in December. Prices are lowest in January, traffic in May.
const TRAFFIC: [f64; 12] = [1.04, 1.0, 0.98, 0.97, 0.95, 0.98, 1.03, 1.05, 0.97, 0.98, 1.02, 1.09];
const PRICES: [f64; 12] = [0.82, 0.86, 0.93, 0.95, 0.98, 1.0, 0.97, 0.98, 1.03, 1.07, 1.18, 1.24];

/// Returns the value of the month; in its last ten days, it moves toward that of the next month.
fn seasonal(table: &[f64; 12], day: Date) -> f64 {
    let month = usize::from(day.month().unsigned_abs()) - 1;
    let here = table[month];
    here + (table[(month + 1) % 12] - here) * f64::from((day.day() - 21).max(0)) / 11.0
}

/// How many thousandths of a day's traffic come before each full hour.
pub const HOURS: [u64; 25] = [
    0, 27, 50, 71, 91, 111, 132, 156, 184, 216, 252, 291, 332, 374, 417, 461, 507, 555, 606, 661, 720, 783, 850, 926,
    1000,
];

/// Returns the factors of a day of which `hours` full hours have passed (24 for a day that is over).
pub fn day(units: &[SeedUnit], date: Date, hours: usize) -> Day {
    let number = EPOCH.until(date).map_or(0, |span| span.get_days());
    let seed = mix(&[21, u64::from(number.unsigned_abs())]);
    let weekend = match date.weekday() {
        Weekday::Saturday => 1.16,
        Weekday::Sunday => 1.2,
        Weekday::Friday => 1.05,
        Weekday::Monday => 0.95,
        _ => 0.98,
    };
    let years = f64::from(number.clamp(0, 3650)) / 365.0;
    let traffic = weekend * seasonal(&TRAFFIC, date) * (1.0 + 0.09 * years);
    let apps: Vec<f64> = APPS
        .iter()
        .enumerate()
        .map(|(index, app)| {
            let age = number - app.launch;
            let ramp = if age < 0 { 0.0 } else { (0.15 + f64::from(age) / 70.0).min(1.0) };
            traffic * ramp * between(mix(&[seed, 1, index as u64]), 0.93, 1.07)
        })
        .collect();
    let price = seasonal(&PRICES, date) * (1.0 + 0.03 * years);
    Day {
        seed,
        units: units
            .iter()
            .enumerate()
            .map(|(index, unit)| apps[unit.app] * between(mix(&[seed, 2, index as u64]), 0.95, 1.05))
            .collect(),
        countries: (0..COUNTRIES.len()).map(|index| between(mix(&[seed, 3, index as u64]), 0.95, 1.05)).collect(),
        sources: (0..SOURCES.len()).map(|index| price * between(mix(&[seed, 4, index as u64]), 0.92, 1.08)).collect(),
        share: HOURS[hours.min(24)],
    }
}

/// Returns a whole number near the value. `chance` decides whether the fraction is rounded up, so that small values do not vanish.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "figures are positive and far below 2^53")]
pub fn whole(value: f64, chance: f64) -> u64 {
    (value + chance) as u64
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn real(value: u64) -> f64 {
    value as f64
}

impl Leaf {
    /// Returns the numbers of this leaf on a day.
    pub fn on(&self, day: &Day) -> Totals {
        let hash = step(day.seed ^ ((self.unit as u64) << 40) ^ ((self.country as u64) << 20) ^ self.source as u64);
        let chance = unit(hash);
        let requests = whole(self.requests * day.units[self.unit] * day.countries[self.country], chance);
        if requests == 0 {
            return Totals::default();
        }
        let matched = whole(real(requests) * self.match_rate, 1.0 - chance).min(requests);
        let impressions = whole(real(matched) * self.show_rate, chance).min(matched);
        let clicks = whole(real(impressions) * self.ctr, unit(hash << 20)).min(impressions);
        let micros = whole(real(impressions) * self.micros * day.sources[self.source], 0.0);
        let latency = matched * SOURCES[self.source].latency_ms;
        let full = Totals { requests, matched, impressions, clicks, micros, latency };
        if day.share >= 1000 { full } else { full.part(0, day.share) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_sum_add_up_to_it() {
        let whole = Totals { requests: 1_001, matched: 777, impressions: 503, clicks: 7, micros: 123_457, latency: 9 };
        let mut sum = Totals::default();
        for (from, to) in [(0, 333), (333, 334), (334, 999), (999, 1000)] {
            sum.add(&whole.part(from, to));
        }
        assert_eq!(sum, whole);
    }

    #[test]
    fn a_leaf_never_shows_more_than_it_matched_and_nothing_before_launch() {
        let units = super::super::apps::units();
        let leaves = leaves(&units);
        for (date, hours) in [(date(2026, 11, 20), 24), (date(2026, 12, 24), 24), (date(2026, 3, 1), 7)] {
            let day = day(&units, date, hours);
            for leaf in &leaves {
                let it = leaf.on(&day);
                assert!(it.matched <= it.requests && it.impressions <= it.matched && it.clicks <= it.impressions);
            }
        }
        let early = day(&units, date(2025, 1, 1), 24);
        let kart = leaves.iter().filter(|leaf| APPS[units[leaf.unit].app].name == "Kart Rivals");
        assert!(kart.map(|leaf| leaf.on(&early).requests).sum::<u64>() == 0);
    }

    #[test]
    fn units_and_adapters_have_ids_of_their_own() {
        let units = super::super::apps::units();
        let mut ids: Vec<&str> = units.iter().map(|unit| unit.wire.ad_unit_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), units.len());
    }
}
