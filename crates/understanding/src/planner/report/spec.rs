//! Decides what exactly the question asks for: metrics, breakdown, period, comparison, filters resolved to IDs, accounts. This must say
//! what it assumes and what it leaves out.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use jiff::{ToSpan as _, civil::Date};

use super::days::zone_name;
pub(in crate::planner) use super::days::{Gaps, Open, Period};
pub(in crate::planner) use super::filter::Threshold;
use super::filter::in_filter;
use super::metric::{Dim, Metric, Source};
use super::narrate;
use crate::planner::{
    Answer, analyse,
    basis::Basis,
    fair,
    format::{and, plain, range, short},
    names,
    read::{Turn, contains_word},
    talk,
};
use crate::types::{ABOVE_AVERAGE, BELOW_AVERAGE};
use crate::{Filter, FilterValue, Slots};

/// The longest period, in days, that is drawn by day. Longer ones are drawn by month.
const MOST_DAILY: i32 = 92;

/// The most days of a report by day and app at once.
const MOST_DAYS_AT_ONCE: i32 = 35;

/// How many days a chart shows for a single day.
const CONTEXT_DAYS: i32 = 7;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::planner) enum Shape {
    /// One number per metric for the whole period.
    Figure,
    /// Only by day, week, month or quarter.
    Series,
    Breakdown,
}

impl Shape {
    pub fn of(dims: &[Dim]) -> Self {
        match dims {
            [] => Self::Figure,
            [one] if one.is_time() => Self::Series,
            _ => Self::Breakdown,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(in crate::planner) struct Against {
    pub period: Period,
    pub asked: bool,
    /// The other period in a sentence: "the day before (Nov 21)", "in the 7 days before (Nov 9–15, 2026)".
    pub words: String,
    /// The days that are compared with it: the main period without days that are not over.
    pub of: Period,
}

/// A filter that the network applies: wire values, each with its account if it belongs to one.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::planner) struct WireFilter {
    pub dim: Dim,
    pub values: Vec<(String, Option<String>)>,
    pub words: String,
}

#[expect(clippy::struct_excessive_bools, reason = "independent findings of one question")]
#[derive(Debug, Clone)]
pub(in crate::planner) struct Plan {
    pub source: Source,
    pub shape: Shape,
    /// The metrics that the question asks for, in its order. The first one leads the answer.
    pub asked: Vec<Metric>,
    /// The requested metrics, and others that make the answer readable.
    pub shown: Vec<Metric>,
    pub dims: Vec<Dim>,
    pub period: Period,
    pub assumed_period: bool,
    pub against: Option<Against>,
    pub filters: Vec<WireFilter>,
    pub exclude: Vec<(Dim, Vec<String>)>,
    pub thresholds: Vec<Threshold>,
    pub limit: Option<usize>,
    /// The rank that the question asks for, from 1. The limit is then one.
    pub rank: Option<usize>,
    pub sort: Option<(Metric, bool)>,
    /// Whether rows are sorted by how much they moved: losers first (`true`) or gainers first (`false`).
    pub movers: Option<bool>,
    /// Whether the question asks for the average per day.
    pub per_day: bool,
    /// The part whose share of the whole the question asks for.
    pub part: Option<WireFilter>,
    pub accounts: Vec<EntityItem>,
    pub all_accounts: usize,
    pub notes: Vec<String>,
    /// How we count; folded away under the answer.
    pub method: Vec<String>,
    /// What a reader must know before the first number: that we count in another way than before, or show another period than the question
    /// names.
    pub ahead: Vec<String>,
    /// Whether the answer is one of the reasons under a total that already names the periods.
    pub explains: bool,
    /// What the question assumes: that the number fell (`true`) or rose (`false`).
    pub premise: Option<bool>,
    pub today: Date,
    pub open: Open,
    /// The networks, if the question is not about AdMob alone. Otherwise empty.
    pub networks: Vec<Network>,
    /// Whether other networks are connected too. Then the answer says whose numbers it shows.
    pub beside: bool,
    /// Networks with numbers, but without any for the other period. The comparison leaves them out.
    pub uncompared: Vec<Network>,
    /// For networks that are connected more than once: the connections that we read.
    pub ways: Vec<(Network, Vec<String>)>,
    pub gaps: Gaps,
}

impl Plan {
    /// Makes a plan from the slots. `Err` holds an answer if something that the question names does not exist.
    #[expect(clippy::too_many_lines, reason = "one plan from top to bottom")]
    pub fn from(turn: &Turn<'_>) -> Result<Self, Box<Answer>> {
        let slots = turn.understood.slots.clone().unwrap_or_default();
        let mut notes = Vec::new();
        let (mut period, assumed_period) = period(&slots, turn.today);
        if period.from > turn.today {
            return Err(Box::new(
                Answer::text(format!(
                    "{} is in the future, so there are no numbers for it yet.",
                    range(period.from, period.to)
                ))
                .following(talk::EXAMPLES),
            ));
        }
        let open = turn.open(&[Network::AdMob]);
        not_begun(&period, &open, &[Network::AdMob])?;
        let mut dims = dims(&slots, &mut notes);
        let (asked, strange) = metrics_of(&slots);
        let per_day = asks_daily_average(turn) && asked.first().is_none_or(|m| m.adds_up());
        over_days(turn, &mut dims);
        let limited = slots.filters.iter().any(|f| matches!(f.value, FilterValue::Compare(_)));
        match dims.as_slice() {
            // The question asks for the average, not for each day.
            _ if per_day && !limited => dims.retain(|dim| *dim != Dim::Date),
            // "days with revenue under $5": the limit applies to days.
            [] if limited && turn.says(&["days", "which day", "what day"]) => dims.push(Dim::Date),
            _ => {}
        }
        let accounts = accounts(turn);
        notes.extend(currency_note(turn, &accounts));
        notes.extend(nothing_listed(turn));
        notes.extend(crate::planner::period::open_note(turn));
        notes.extend(crate::planner::beyond::notes(turn));
        if !strange.is_empty() && !notes.iter().any(|note| note.starts_with("AdMob doesn't report")) {
            notes.push(format!("AdMob doesn't report {}.", and(&strange)));
        }
        if asked.is_empty() && !strange.is_empty() {
            return Err(Box::new(
                Answer::text(format!(
                    "AdMob doesn't report {}. It does report revenue, eCPM, impressions, clicks, CTR, requests, matched \
                     requests, match rate, show rate and latency.",
                    and(&strange)
                ))
                .following(talk::EXAMPLES),
            ));
        }
        let mut ahead = Vec::new();
        let against = other_period(turn, &slots, &mut period, dims.is_empty(), &open, (&mut notes, &mut ahead))?;
        let source = source(turn, &asked, &dims, &slots);
        let basis = match source {
            Source::Mediation => Some(Basis::Everything),
            Source::Network => Some(Basis::Own),
            Source::Campaign => None,
        };
        let mut plan = Self {
            source,
            shape: Shape::of(&dims),
            asked,
            shown: Vec::new(),
            against,
            dims,
            period,
            assumed_period,
            filters: Vec::new(),
            exclude: Vec::new(),
            thresholds: Vec::new(),
            limit: slots.limit.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0),
            rank: slots.rank.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0),
            sort: None,
            movers: None,
            per_day,
            part: None,
            accounts,
            all_accounts: turn.all_accounts(adagent_domain::Network::AdMob),
            notes,
            method: basis.map(|basis| basis.line().to_owned()).into_iter().collect(),
            ahead: basis
                .and_then(|basis| basis.warning(&turn.request.planner.history))
                .into_iter()
                .chain(ahead)
                .collect(),
            explains: false,
            premise: premise(turn),
            today: turn.today,
            open,
            networks: Vec::new(),
            beside: turn.request.planner.connected.len() > 1,
            uncompared: Vec::new(),
            ways: Vec::new(),
            gaps: Gaps::default(),
        };
        plan.method.extend(accounts_note(turn, &plan.accounts));
        plan.rank_by_change(turn);
        plan.place_is_served()?;
        plan.settle_metrics();
        plan.sort_by(slots.sort.as_deref());
        for filter in &slots.filters {
            plan.take_filter(turn, filter)?;
        }
        plan.limits_need_rows();
        let moved_by = ["by more than", "by over", "by at least", "by less than", "by under", "by up to", "by at most"];
        if plan.thresholds.is_empty() && turn.says(&moved_by) && turn.says(&["%", "percent"]) {
            plan.notes.push("I **can't limit rows** by how much they changed, so this shows every row.".to_owned());
        }
        plan.ask_for_share(turn);
        plan.keep_accounts_of_filters();
        Ok(plan)
    }

    /// Sets the requested order if the source has its metric, and shows that metric.
    fn sort_by(&mut self, sort: Option<&str>) {
        self.sort = sort.and_then(|sort| {
            let (key, descending) = sort.strip_prefix('-').map_or((sort, false), |key| (key, true));
            Metric::parse(key)
                .filter(|m| m.base().iter().all(|b| b.wire(self.source).is_some()))
                .map(|metric| (metric, descending))
        });
        if let Some((metric, _)) = self.sort
            && !self.shown.contains(&metric)
        {
            self.shown.push(metric);
        }
    }

    /// Handles "which ad unit lost the most": the question asks what moved, so there must be a period to compare with.
    pub(super) fn rank_by_change(&mut self, turn: &Turn<'_>) {
        let losing = turn.says(&[
            "lost",
            "lose",
            "losing",
            "dropped",
            "drop",
            "fell",
            "fallen",
            "declined",
            "decreased",
            "shrank",
            "losers",
            "decline",
        ]);
        let gaining = turn.says(&[
            "gained",
            "grew",
            "grown",
            "growing",
            "increased",
            "improved",
            "climbed",
            "rose",
            "gainers",
            "winners",
            "growth",
        ]);
        // The written-out form of a follow-up lacks these words.
        let moved = crate::slots::moved(&crate::text::tokens(turn.question()));
        let (losing, gaining) = moved.map_or((losing, gaining), |losing| (losing, !losing));
        let asks = self.against.is_some()
            || moved.is_some()
            || turn.says(&["most", "biggest", "largest", "hardest", "fastest", "which", "what", "losers", "gainers"]);
        if losing == gaining || !asks || self.shape != Shape::Breakdown || self.dims.iter().any(|d| d.is_time()) {
            return;
        }
        self.movers = Some(losing);
        if self.against.is_none() {
            match fair::compare(&self.period, None, &self.open) {
                Ok(fair) => {
                    self.notes.extend(fair.note);
                    self.against =
                        Some(Against { of: fair.now.clone(), period: fair.before, asked: false, words: fair.words });
                    self.period = fair.now;
                }
                Err(why) => {
                    self.movers = None;
                    self.notes.push(why);
                }
            }
        }
    }

    /// Checks whether we can serve a rank: it needs things to rank, and does not work with an order by change.
    pub(super) fn place_is_served(&self) -> Result<(), Box<Answer>> {
        let Some(rank) = self.rank.filter(|_| self.dims.is_empty() || self.movers.is_some()) else { return Ok(()) };
        let words = narrate::place(rank);
        let text = if self.dims.is_empty() {
            format!(
                "Which ranking do you want the {words} one of: days, apps, ad units, countries, formats or ad sources?"
            )
        } else {
            format!("I can list what changed the most, but not pick the {words} one; ask for the list.")
        };
        Err(Box::new(Answer::text(text).following(talk::EXAMPLES)))
    }

    /// Drops metrics that the report doesn't have, and adds others that make the answer readable.
    fn settle_metrics(&mut self) {
        let source = self.source;
        let (kept, lost): (Vec<Metric>, Vec<Metric>) =
            self.asked.iter().copied().partition(|m| m.base().iter().all(|b| b.wire(source).is_some()));
        if !lost.is_empty() {
            let lost: Vec<String> = lost.iter().map(|m| m.word()).collect();
            self.notes.push(match source {
                Source::Mediation => {
                    format!("The mediation report doesn't have {}. Ask without ad sources to get it.", and(&lost))
                }
                Source::Network => format!("The AdMob Network report has no {}.", and(&lost)),
                Source::Campaign => format!("House campaigns have no {}.", and(&lost)),
            });
        }
        self.asked = kept;
        let first = if source == Source::Campaign { Metric::Impressions } else { Metric::Revenue };
        if self.asked.is_empty() {
            self.asked.push(first);
        }
        self.shown.clone_from(&self.asked);
        let companions: &[Metric] = match (source, self.shape) {
            (Source::Campaign, _) => &[Metric::Impressions, Metric::Clicks, Metric::Installs],
            (_, Shape::Figure) => &[Metric::Revenue, Metric::Ecpm, Metric::Impressions, Metric::MatchRate],
            _ => &[Metric::Revenue, Metric::Impressions, Metric::Ecpm],
        };
        let room = if self.shape == Shape::Figure { 4 } else { 3 };
        for metric in companions {
            if self.shown.len() < room && !self.shown.contains(metric) {
                self.shown.push(*metric);
            }
        }
    }

    fn take_filter(&mut self, turn: &Turn<'_>, filter: &Filter) -> Result<(), Box<Answer>> {
        if let (Some(metric), FilterValue::Compare(limits)) = (Metric::parse(&filter.field), &filter.value) {
            self.thresholds.extend(limits.iter().map(|limit| Threshold::of(metric, limit, turn.question())));
            if !self.shown.contains(&metric) {
                self.shown.push(metric);
            }
            return Ok(());
        }
        let Some(dim) = Dim::parse(&filter.field) else {
            self.notes.push(match filter.field.as_str() {
                "bidding" => "AdMob doesn't add up bidding and waterfall separately; this covers both.".to_owned(),
                other => format!("I can't filter by {}; this covers everything.", other.replace('_', " ")),
            });
            return Ok(());
        };
        if dim.wire(self.source).is_none() {
            self.notes.push(format!("This report can't be filtered by {}, so it covers everything.", dim.word()));
            return Ok(());
        }
        match &filter.value {
            FilterValue::In(values) if !values.is_empty() => {
                let filter = in_filter(turn, dim, values)?;
                self.filters.push(filter);
            }
            FilterValue::Not { not } if !not.is_empty() => {
                let left_out = in_filter(turn, dim, not)?;
                self.notes.push(format!("Excludes {}.", left_out.words));
                self.exclude.push((dim, left_out.values.into_iter().map(|(value, _)| value).collect()));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn limits_need_rows(&mut self) {
        if self.shape == Shape::Figure && !self.thresholds.is_empty() {
            self.notes.push(
                "You asked for only the rows above or below a value, but a single total has no rows, so I didn't apply it. Add a breakdown, such as by day or by app.".to_owned(),
            );
        }
    }

    /// Handles "what share comes from the US": we find the part in the whole, so we must read the whole.
    pub(super) fn ask_for_share(&mut self, turn: &Turn<'_>) {
        let lead = self.asked.first().copied().unwrap_or(Metric::Revenue);
        // "rewarded versus interstitial" also splits by the dimension that it names.
        let split = self.filters.iter().all(|filter| self.dims.iter().all(|dim| *dim == filter.dim));
        if self.filters.len() == 1 && split && lead.adds_up() && asks_share(turn) {
            self.part = self.filters.pop();
            self.dims = self.part.iter().map(|part| part.dim).collect();
            self.shape = Shape::Breakdown;
            self.against = self.against.take().filter(|against| against.asked);
        }
    }

    /// Drops accounts that have none of the named apps.
    fn keep_accounts_of_filters(&mut self) {
        for filter in &self.filters {
            if filter.values.iter().all(|(_, account)| account.is_some()) {
                self.accounts
                    .retain(|a| filter.values.iter().any(|(_, account)| account.as_deref() == Some(a.id.as_str())));
            }
        }
    }

    /// Returns the unit of a chart: days for short periods, months for long ones.
    pub fn grain(&self) -> Dim {
        if self.period.days() > MOST_DAILY { Dim::Month } else { Dim::Date }
    }

    /// Returns the dimension of the table below a single number.
    pub fn detail(&self) -> Dim {
        let filtered = |dim| self.filters.iter().find(|f| f.dim == dim).is_some_and(|f| f.values.len() == 1);
        match self.source {
            _ if self.ways.iter().any(|(_, labels)| labels.len() > 1) => Dim::Account,
            _ if self.networks.len() > 1 => Dim::Network,
            Source::Campaign => Dim::Campaign,
            _ if filtered(Dim::App) => Dim::AdUnit,
            _ => Dim::App,
        }
    }

    /// Returns the first and last day that the daily call for a single number covers: the period, the period before, and the week up to a
    /// single day.
    pub fn window(&self) -> Period {
        let mut from = self.period.from;
        if !self.networks.is_empty() {
            return self.period.clone();
        }
        if self.period.days() == 1 {
            from = from.saturating_sub((CONTEXT_DAYS - 1).days());
        }
        if let Some(against) = self.against.as_ref().filter(|_| self.compares_in_window()) {
            from = from.min(against.period.from);
        }
        Period { from, to: self.period.to }
    }

    /// Checks whether one daily call also covers the compared period.
    pub fn compares_in_window(&self) -> bool {
        self.networks.is_empty()
            && self.grain() == Dim::Date
            && self.against.as_ref().is_some_and(|a| {
                let before = self.period.from.saturating_sub(1.day());
                a.period.to == before
                    || (a.period.to < before
                        && (self.period.to - a.period.from).get_days() < 31
                        && a.period.to < self.period.from)
            })
    }

    /// Checks whether one report returns both the days and the details of a single number. Such a report has one row per day and detail,
    /// and we keep all of them.
    pub fn in_one_report(&self) -> bool {
        !self.networks.is_empty() || self.grain() == Dim::Date && self.window().days() <= MOST_DAYS_AT_ONCE
    }

    /// Returns whose numbers these are, for the beginning of a sentence.
    pub fn label(&self) -> String {
        match self.networks.as_slice() {
            [] => self.source.label().to_owned(),
            several if several.len() > 3 => format!("Your {} networks together", several.len()),
            few => and(&few.iter().map(|network| self.called(*network)).collect::<Vec<_>>()),
        }
    }

    /// Returns a network's name, with the accounts that we read if it has several: "AppLovin (Games EU and Casual)".
    fn called(&self, network: Network) -> String {
        let name = network.display_name();
        match self.ways.iter().find(|(own, _)| *own == network).map(|(_, labels)| labels.as_slice()) {
            None | Some([]) => name.to_owned(),
            Some([one]) => crate::planner::ways::called(network, Some(one)),
            Some(several) => format!("{name} ({})", and(&several.iter().map(|label| plain(label)).collect::<Vec<_>>())),
        }
    }

    /// Returns who says what a report lacks.
    pub fn speaker(&self) -> &'static str {
        match self.networks.as_slice() {
            [] => "AdMob",
            [one] => one.display_name(),
            _ => "The networks",
        }
    }

    /// Returns "revenue and eCPM".
    pub fn asked_words(&self) -> String {
        let metrics: Vec<String> = self.asked.iter().map(|m| m.word()).collect();
        and(&metrics)
    }

    /// Returns "revenue by country, Oct 22 – Nov 20, 2026".
    pub fn describe(&self) -> String {
        let dims: Vec<String> = self.dims.iter().map(|d| d.word()).collect();
        let by = if dims.is_empty() { String::new() } else { format!(" by {}", and(&dims)) };
        format!("{}{by}, {}", self.asked_words(), range(self.period.from, self.period.to))
    }

    /// Returns "only Germany, only banner" for titles and sentences. Empty if there are no filters.
    pub fn restriction(&self) -> String {
        self.filters.iter().map(|f| f.words.clone()).collect::<Vec<_>>().join(", ")
    }

    pub fn is_partial(&self) -> bool {
        self.period.to >= self.open.day
    }
}

/// Says which sign-in has which accounts, if AdMob is connected more than once.
fn accounts_note(turn: &Turn<'_>, accounts: &[EntityItem]) -> Option<String> {
    let mut by: Vec<(&str, Vec<String>)> = Vec::new();
    for account in accounts {
        let way = account.connection.as_deref().filter(|_| !turn.ways(Network::AdMob).is_empty())?;
        match by.iter_mut().find(|(own, _)| *own == way) {
            Some((_, names)) => names.push(plain(&account.name)),
            None => by.push((way, vec![plain(&account.name)])),
        }
    }
    let parts: Vec<String> = by.iter().map(|(way, names)| format!("{} in {}", and(names), plain(way))).collect();
    (!parts.is_empty()).then(|| format!("Accounts: {}.", parts.join("; ")))
}

/// We don't convert to a currency other than the account's. Says which one the numbers are in.
fn currency_note(turn: &Turn<'_>, accounts: &[EntityItem]) -> Option<String> {
    let account = accounts.first()?.raw.get("currencyCode").and_then(serde_json::Value::as_str).unwrap_or("USD");
    let asked = CURRENCIES.iter().find(|(code, words)| *code != account && turn.says(words))?;
    Some(format!("Numbers are in the account's currency, {account}; I don't convert them to {}.", asked.0))
}

const CURRENCIES: [(&str, &[&str]); 6] = [
    ("EUR", &["eur", "euro", "euros"]),
    ("GBP", &["gbp", "in pounds", "pound sterling"]),
    ("JPY", &["jpy", "in yen"]),
    ("INR", &["inr", "in rupees"]),
    ("CHF", &["chf", "in francs"]),
    ("USD", &["usd", "in dollars", "us dollars"]),
];

/// Returns the accounts that the question names, or all that we can reach if it names none.
fn accounts(turn: &Turn<'_>) -> Vec<EntityItem> {
    let all = turn.accounts();
    let named: Vec<String> =
        names::mentioned(turn, EntityKind::Account, turn.question()).into_iter().map(|a| a.id.clone()).collect();
    let chosen: Vec<EntityItem> = all.iter().filter(|a| named.contains(&a.id)).map(|a| (*a).clone()).collect();
    if chosen.is_empty() { all.into_iter().cloned().collect() } else { chosen }
}

/// "top 0" asks for an empty list, which nobody wants to see.
pub(super) fn nothing_listed(turn: &Turn<'_>) -> Option<String> {
    let tokens = crate::text::tokens(turn.question());
    let at = tokens.iter().position(|t| t.any(&["top", "bottom", "first", "best", "worst"]))?;
    let minus = tokens.get(at + 1).is_some_and(|t| t.is_punct('-'))
        && tokens[at].end < tokens.get(at + 1).map_or(0, |t| t.start);
    let n = tokens.get(at + 1 + usize::from(minus)).and_then(crate::text::Token::number)?;
    (minus || n < 1.0).then(|| {
        let said = format!("{} {}{}", tokens[at].norm, if minus { "-" } else { "" }, n);
        format!("\"{said}\" would list nothing, so I listed all rows.")
    })
}

/// Checks for "share of", "what percentage".
pub(super) fn asks_share(turn: &Turn<'_>) -> bool {
    turn.says(&[
        "share",
        "what percent",
        "what percentage",
        "percentage of",
        "percent of",
        "portion",
        "proportion",
        "how much of",
        "percentage",
        "fraction",
    ])
}

/// Checks for "average daily revenue".
pub(super) fn asks_daily_average(turn: &Turn<'_>) -> bool {
    let slots = turn.understood.slots.as_ref();
    // "days below average": the average is a limit, and the question asks for the days.
    let limits = |filter: &Filter| match &filter.value {
        FilterValue::Compare(limits) => limits.contains_key(BELOW_AVERAGE) || limits.contains_key(ABOVE_AVERAGE),
        _ => false,
    };
    if slots.is_some_and(|slots| slots.filters.iter().any(limits)) {
        return false;
    }
    let average = turn.says(&["average", "avg", "mean", "on average"]);
    average && turn.says(&["daily", "per day", "a day", "each day", "day"])
}

pub(in crate::planner) fn period(slots: &Slots, today: Date) -> (Period, bool) {
    let parse = |text: &Option<String>| text.as_deref().and_then(|t| t.parse::<Date>().ok());
    let yesterday = today.saturating_sub(1.day());
    match (parse(&slots.date_from), parse(&slots.date_to)) {
        (Some(a), Some(b)) => (Period { from: a.min(b), to: a.max(b) }, false),
        (Some(from), None) => (Period { from, to: today.max(from) }, false),
        (None, Some(to)) => (Period { from: to.saturating_sub(6.days()), to }, false),
        (None, None) => (Period { from: yesterday.saturating_sub(6.days()), to: yesterday }, true),
    }
}

/// Returns the period to compare with, which is never the period itself. If the question asks for the comparison, this cuts the main period
/// to its finished days.
pub(super) fn other_period(
    turn: &Turn<'_>,
    slots: &Slots,
    main: &mut Period,
    single: bool,
    open: &Open,
    (notes, ahead): (&mut Vec<String>, &mut Vec<String>),
) -> Result<Option<Against>, Box<Answer>> {
    let named = slots.compare_to.as_ref().and_then(|compare| {
        let (from, to) = (compare.date_from.parse::<Date>().ok()?, compare.date_to.parse::<Date>().ok()?);
        Some(Period { from: from.min(to), to: from.max(to) })
    });
    if named.as_ref() == Some(&*main) {
        return Err(Box::new(
            Answer::text(format!(
                "You're comparing {} with itself. Name another period to compare with.",
                range(main.from, main.to)
            ))
            .following(talk::EXAMPLES),
        ));
    }
    let why = analyse::asks_why(turn);
    if named.is_none() && !single && !why {
        return Ok(None);
    }
    let asked = named.is_some() || why;
    match fair::compare(main, named.as_ref(), open) {
        // In a report by month, we can't separate the finished days from the day in progress.
        Ok(fair) if !asked && fair.now != *main && main.days() > MOST_DAILY => Ok(None),
        Ok(fair) => {
            if asked {
                // If we show another period than the question names, the reader must know that before the number.
                if fair.now.from == main.from {
                    notes.extend(fair.note);
                } else {
                    ahead.extend(fair.note);
                }
                *main = fair.now.clone();
            }
            Ok(Some(Against { period: fair.before, asked: named.is_some(), words: fair.words, of: fair.now }))
        }
        Err(why) => {
            if asked {
                notes.push(why);
            }
            Ok(None)
        }
    }
}

/// Returns whether a question about a change assumes that the number fell (`true`) or rose (`false`).
pub(super) fn premise(turn: &Turn<'_>) -> Option<bool> {
    let falls = turn.says(&[
        "drop",
        "dropped",
        "drops",
        "dropping",
        "fall",
        "fell",
        "fallen",
        "falling",
        "down",
        "decline",
        "declined",
        "declining",
        "decrease",
        "decreased",
        "less",
        "lower",
        "lost",
        "lose",
        "losing",
        "worse",
        "dip",
        "dipped",
        "crash",
        "crashed",
    ]);
    let rises = turn.says(&[
        "rise",
        "rose",
        "risen",
        "rising",
        "up",
        "increase",
        "increased",
        "higher",
        "more",
        "grow",
        "grew",
        "grown",
        "jump",
        "jumped",
        "spike",
        "spiked",
        "better",
        "climb",
        "climbed",
    ]);
    (analyse::asks_why(turn) && falls != rises).then_some(falls)
}

/// Returns the requested metrics, each once, and the words for those that AdMob doesn't have.
fn metrics_of(slots: &Slots) -> (Vec<Metric>, Vec<String>) {
    let mut asked: Vec<Metric> = Vec::new();
    let mut strange = Vec::new();
    for slot in &slots.metrics {
        match Metric::parse(slot) {
            Some(metric) if !asked.contains(&metric) => asked.push(metric),
            Some(_) => {}
            None => strange.push(slot.replace('_', " ")),
        }
    }
    (asked, strange)
}

/// Handles "eCPM trend by format": shows each format over the days, not one number for each.
pub(super) fn over_days(turn: &Turn<'_>, dims: &mut Vec<Dim>) {
    let trend = turn.says(&["trend", "trends", "trending", "trendline", "over time", "develop", "developed"]);
    if trend && dims.len() == 1 && !dims[0].is_time() && turn.understood.slots.as_ref().is_none_or(|s| s.rank.is_none())
    {
        dims.insert(0, Dim::Date);
    }
}

fn dims(slots: &Slots, notes: &mut Vec<String>) -> Vec<Dim> {
    let mut dims = Vec::new();
    for slot in &slots.dimensions {
        match (slot.as_str(), Dim::parse(slot)) {
            (_, Some(dim)) if !dims.contains(&dim) => dims.push(dim),
            (_, Some(_)) => {}
            ("network", None) => {
                notes.push("Only AdMob has numbers here.".to_owned());
            }
            (other, None) => notes.push(format!("AdMob can't break down numbers by {}.", other.replace('_', " "))),
        }
    }
    dims
}

fn source(turn: &Turn<'_>, asked: &[Metric], dims: &[Dim], slots: &Slots) -> Source {
    let campaign = |m: &Metric| matches!(m, Metric::Installs | Metric::Cost | Metric::Cpi | Metric::Interactions);
    if dims.contains(&Dim::Campaign)
        || asked.iter().any(campaign)
        || turn.says(&["house ads", "house ad", "house campaigns", "house campaign", "cross-promo", "cross promotion"])
    {
        return Source::Campaign;
    }
    let mediated = |dim: Dim| dim.wire(Source::Network).is_none();
    let needs_mediation =
        dims.iter().copied().any(mediated) || slots.filters.iter().filter_map(|f| Dim::parse(&f.field)).any(mediated);
    if needs_mediation || asked.contains(&Metric::Latency) {
        return Source::Mediation;
    }
    // The written-out form of a follow-up lacks this name.
    let own = ["admob network", "network report", "google demand"];
    let asked = turn.question().to_lowercase();
    let network_named = turn.says(&own) || own.iter().any(|word| contains_word(&asked, word));
    // The mediation report has no show rate, but it has the sums for it, over all ad sources.
    if network_named { Source::Network } else { Source::Mediation }
}

/// Returns the ID that reports use. They write a mediation group as `ca-app-pub-…:mg:…`, while lists show only its number.
pub(in crate::planner) fn report_id(item: &EntityItem) -> String {
    match (&item.account, item.kind) {
        (Some(account), EntityKind::MediationGroup) => format!("ca-app-{account}:mg:{}", item.id),
        _ => item.id.clone(),
    }
}

/// Returns an answer instead of numbers for a day that has not begun in the networks' time zone.
pub(super) fn not_begun(period: &Period, last: &Open, networks: &[Network]) -> Result<(), Box<Answer>> {
    let Some(zone) = last.zone.as_deref().filter(|_| period.from > last.day) else { return Ok(()) };
    let names: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
    let text = format!(
        "{} hasn't begun yet in {}, where {} days. There are no numbers for it so far; {} is still in progress there.",
        range(period.from, period.to),
        zone_name(zone),
        if names.len() == 1 { format!("{} counts its", and(&names)) } else { format!("{} count their", and(&names)) },
        short(last.day)
    );
    Err(Box::new(Answer::text(text).following(["And yesterday?"])))
}
