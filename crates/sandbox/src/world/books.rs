//! The books of the other networks: what each of them counts as served, derived from `AdMob`'s numbers per ad source.
//!
//! A network and its mediator never count exactly the same. Here, the impressions, requests and clicks of a mediated network are within two
//! percent of `AdMob`'s mediation report, and its revenue is within three percent, because `AdMob` estimates the revenue of bidding sources
//! from the bid. The deviation is the same for a whole day of an app. It is a constant bias of the network plus a little noise. It depends
//! only on the date, so past days never change. Nothing here changes what `AdMob` reports.

use std::collections::{BTreeMap, HashMap};

use jiff::Span;
use jiff::civil::{Date, Weekday};

use super::apps::APPS;
use super::figures::{self, Totals};
use super::{between, mix, step, unit};
use crate::state::Inner;

/// Numbers exist for the two years before today.
pub const DAYS_KEPT: i64 = 731;

/// What distinguishes the book of one network from another.
#[derive(Debug)]
pub struct Book {
    /// The ad sources of `AdMob` that this network serves, as indexes in [`super::sources::SOURCES`].
    pub sources: &'static [usize],
    /// The constant deviation from `AdMob`'s impressions: at most one percent if `AdMob` mediates the network. A network that sells in
    /// addition to `AdMob` uses the same traffic as a base, and its deviation says how much less it serves.
    pub impressions: f64,
    /// The constant deviation from `AdMob`'s revenue: at most 1.5 percent if `AdMob` mediates the network.
    pub revenue: f64,
    /// Makes the noise of each network different.
    pub salt: u64,
    /// The unit and the day in which the network itself reports, for people who read the truth.
    pub note: &'static str,
}

/// What numbers can be split by. Each value has a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Days since 2024-01-01.
    Date,
    /// The Sunday of the week, as a day.
    Week,
    /// Months since January of the year 0.
    Month,
    /// 0 to 23, in the requested time zone.
    Hour,
    /// Index in [`APPS`].
    App,
    /// Index in the `units` of the sandbox state.
    Unit,
    /// Index in [`super::countries::COUNTRIES`].
    Country,
    /// Index in [`FORMATS`].
    Format,
    /// 0 Android, 1 iOS.
    Platform,
    /// Index in [`super::sources::SOURCES`].
    Source,
    /// 0 phone, 1 tablet.
    Device,
}

/// The formats, by code.
pub const FORMATS: [&str; 6] = ["APP_OPEN", "BANNER", "INTERSTITIAL", "NATIVE", "REWARDED", "REWARDED_INTERSTITIAL"];
/// How many thousandths of the traffic come from phones.
const PHONES: u64 = 840;

impl Axis {
    pub fn is_time(self) -> bool {
        matches!(self, Self::Date | Self::Week | Self::Month | Self::Hour)
    }
}

/// Returns the code of a day.
pub fn day_code(date: Date) -> u32 {
    figures::EPOCH.until(date).map_or(0, |span| span.get_days().unsigned_abs())
}

/// Returns the day of a code.
pub fn day_of(code: u32) -> Date {
    figures::EPOCH.saturating_add(Span::new().days(i64::from(code)))
}

/// A question to a book.
pub struct Question {
    pub from: Date,
    pub to: Date,
    /// The time zone in which days are counted, in hours east of UTC.
    pub zone: i8,
    pub axes: Vec<Axis>,
    /// Axes to filter by, each with the codes to keep. Time axes do not work here.
    pub filters: Vec<(Axis, Vec<u32>)>,
}

impl Question {
    /// Returns a question about whole days in UTC, without a split.
    pub fn days(from: Date, to: Date) -> Self {
        Self { from, to, zone: 0, axes: Vec::new(), filters: Vec::new() }
    }
}

/// One line of an answer: a code for each axis, and the sums.
#[derive(Debug)]
pub struct Row {
    pub codes: Vec<u32>,
    pub totals: Totals,
}

/// A part of a UTC day, and the date and hour that it belongs to in the requested zone.
struct Stretch {
    date: Date,
    hour: u32,
    from: usize,
    to: usize,
}

fn stretches(utc: Date, question: &Question, hours: usize) -> Vec<Stretch> {
    let hourly = question.axes.contains(&Axis::Hour);
    let mut found: Vec<Stretch> = Vec::new();
    for hour in 0..hours {
        let local = i64::try_from(hour).unwrap_or(0) + i64::from(question.zone);
        let date = utc.saturating_add(Span::new().days(local.div_euclid(24)));
        if date < question.from || date > question.to {
            continue;
        }
        let clock = if hourly { u32::try_from(local.rem_euclid(24)).unwrap_or(0) } else { 0 };
        match found.last_mut() {
            Some(last) if last.date == date && last.hour == clock && last.to == hour => last.to = hour + 1,
            _ => found.push(Stretch { date, hour: clock, from: hour, to: hour + 1 }),
        }
    }
    found
}

fn time_code(axis: Axis, stretch: &Stretch) -> u32 {
    match axis {
        Axis::Week => {
            let sunday = stretch.date.weekday().since(Weekday::Sunday);
            day_code(stretch.date.saturating_sub(Span::new().days(i64::from(sunday))))
        }
        Axis::Month => {
            u32::from(stretch.date.year().unsigned_abs()) * 12 + u32::from(stretch.date.month().unsigned_abs()) - 1
        }
        Axis::Hour => stretch.hour,
        _ => day_code(stretch.date),
    }
}

impl Book {
    /// Returns what the network counts where `AdMob` counts `theirs`.
    fn seen(&self, day: u64, app: usize, chance: u64, theirs: &Totals) -> Totals {
        let noise = mix(&[self.salt, day, app as u64]);
        let count = 1.0 + self.impressions + between(noise, -0.009, 0.009);
        let money = 1.0 + self.revenue + between(step(noise), -0.014, 0.014);
        let rounding = unit(step(chance ^ self.salt));
        let scaled = |value: u64| figures::whole(figures::real(value) * count, rounding);
        let requests = scaled(theirs.requests);
        let matched = scaled(theirs.matched).min(requests);
        let impressions = scaled(theirs.impressions).min(matched);
        Totals {
            requests,
            matched,
            impressions,
            clicks: scaled(theirs.clicks).min(impressions),
            micros: if impressions == 0 { 0 } else { figures::whole(figures::real(theirs.micros) * money, 0.5) },
            latency: scaled(theirs.latency),
        }
    }

    /// Sums the book. Rows are in the order of their codes, and empty ones are left out. A small count may fall into a different hour than
    /// its revenue, so a row without requests can still have revenue.
    pub fn sum(&self, inner: &Inner, question: &Question) -> Vec<Row> {
        let device = question.axes.contains(&Axis::Device) || question.filters.iter().any(|it| it.0 == Axis::Device);
        let parts: &[(u32, u64, u64)] = if device { &[(0, 0, PHONES), (1, PHONES, 1000)] } else { &[(0, 0, 1000)] };
        let mut ids: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut members = Vec::new();
        for (index, leaf) in inner.leaves.iter().enumerate() {
            if !self.sources.contains(&leaf.source) {
                continue;
            }
            for part in parts {
                let code = |axis: Axis| {
                    let seed = &inner.units[leaf.unit];
                    match axis {
                        Axis::App => seed.app,
                        Axis::Unit => leaf.unit,
                        Axis::Country => leaf.country,
                        Axis::Format => FORMATS.iter().position(|format| *format == seed.format).unwrap_or(0),
                        Axis::Platform => usize::from(APPS[seed.app].platform == "IOS"),
                        Axis::Source => leaf.source,
                        Axis::Device => part.0 as usize,
                        Axis::Date | Axis::Week | Axis::Month | Axis::Hour => 0,
                    }
                };
                let short = |axis: Axis| u32::try_from(code(axis)).unwrap_or(0);
                if question.filters.iter().all(|(axis, codes)| codes.contains(&short(*axis))) {
                    let codes: Vec<u32> =
                        question.axes.iter().filter(|axis| !axis.is_time()).map(|axis| short(*axis)).collect();
                    let next = ids.len();
                    members.push((index, part, *ids.entry(codes).or_insert(next)));
                }
            }
        }
        let mut sums: BTreeMap<Vec<u32>, Vec<Totals>> = BTreeMap::new();
        let (today, passed) = inner.clock();
        let oldest = today.saturating_sub(Span::new().days(DAYS_KEPT));
        let margin = i64::from(question.zone != 0);
        let mut date = question.from.saturating_sub(Span::new().days(margin)).max(oldest);
        while date <= question.to.saturating_add(Span::new().days(margin)).min(today) {
            let stretches = stretches(date, question, if date == today { passed } else { 24 });
            if !stretches.is_empty() {
                let day = figures::day(&inner.units, date, 24);
                let seed = u64::from(day_code(date));
                let mut periods: Vec<(Vec<u32>, &Stretch)> = Vec::new();
                for stretch in &stretches {
                    let times = question.axes.iter().filter(|axis| axis.is_time());
                    let key: Vec<u32> = times.map(|axis| time_code(*axis, stretch)).collect();
                    sums.entry(key.clone()).or_insert_with(|| vec![Totals::default(); ids.len()]);
                    periods.push((key, stretch));
                }
                let mut last: Option<(usize, Totals)> = None;
                for (index, (_, low, high), group) in &members {
                    let leaf = &inner.leaves[*index];
                    let totals = match last {
                        Some((same, totals)) if same == *index => totals,
                        _ => self.seen(seed, inner.units[leaf.unit].app, mix(&[*index as u64, seed]), &leaf.on(&day)),
                    };
                    last = Some((*index, totals));
                    let totals = totals.part(*low, *high);
                    for (key, stretch) in &periods {
                        if let Some(list) = sums.get_mut(key) {
                            list[*group].add(&totals.part(figures::HOURS[stretch.from], figures::HOURS[stretch.to]));
                        }
                    }
                }
            }
            date = date.saturating_add(Span::new().days(1));
        }
        let mut rows: Vec<Row> = Vec::new();
        for (times, list) in sums {
            for (rest, id) in &ids {
                if list[*id] != Totals::default() {
                    rows.push(Row { codes: merged(&question.axes, &times, rest), totals: list[*id] });
                }
            }
        }
        rows.sort_by(|a, b| a.codes.cmp(&b.codes));
        rows
    }

    /// Returns the ad units that earn on this network, each with the ad sources that it earns through, sorted by index.
    pub fn pairs(&self, leaves: &[figures::Leaf]) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = leaves
            .iter()
            .filter(|leaf| self.sources.contains(&leaf.source))
            .map(|leaf| (leaf.unit, leaf.source))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

fn merged(axes: &[Axis], times: &[u32], rest: &[u32]) -> Vec<u32> {
    let (mut times, mut rest) = (times.iter(), rest.iter());
    let pick = |axis: &Axis| if axis.is_time() { times.next() } else { rest.next() };
    axes.iter().map(pick).map(|code| code.copied().unwrap_or(0)).collect()
}
