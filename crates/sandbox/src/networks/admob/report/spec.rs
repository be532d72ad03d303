//! Reads and checks the specification of a report, and reports errors as Google does.

use jiff::civil::Date;

use super::Kind;
use super::dimension::Dimension;
use super::run::Groups;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::state::Inner;
use crate::world::accounts::{ACCOUNTS, CURRENCY, TIME_ZONE};

const LARGEST: i64 = 100_000;
/// Longer ranges are refused.
const LONGEST_DAYS: i32 = 1_096;

/// The currencies that reports can be converted to, with the price of one US dollar in thousandths.
pub(crate) const RATES: [(&str, u64); 6] =
    [("USD", 1000), ("EUR", 920), ("GBP", 790), ("CHF", 880), ("CAD", 1370), ("JPY", 149_000)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    AdRequests,
    MatchedRequests,
    Impressions,
    Clicks,
    EstimatedEarnings,
    ImpressionCtr,
    ImpressionRpm,
    ObservedEcpm,
    MatchRate,
    ShowRate,
    AdLoadLatency,
}

use Metric as M;

const METRICS: [(Metric, &str); 11] = [
    (M::AdRequests, "AD_REQUESTS"),
    (M::MatchedRequests, "MATCHED_REQUESTS"),
    (M::Impressions, "IMPRESSIONS"),
    (M::Clicks, "CLICKS"),
    (M::EstimatedEarnings, "ESTIMATED_EARNINGS"),
    (M::ImpressionCtr, "IMPRESSION_CTR"),
    (M::ImpressionRpm, "IMPRESSION_RPM"),
    (M::ObservedEcpm, "OBSERVED_ECPM"),
    (M::MatchRate, "MATCH_RATE"),
    (M::ShowRate, "SHOW_RATE"),
    (M::AdLoadLatency, "AD_LOAD_LATENCY"),
];

impl Metric {
    pub fn name(self) -> &'static str {
        METRICS.iter().find(|(metric, _)| *metric == self).map_or("", |(_, name)| name)
    }

    fn parse(name: &str, kind: Kind) -> Option<Self> {
        let metric = METRICS.iter().find(|(_, known)| *known == name).map(|(metric, _)| *metric)?;
        let elsewhere = match kind {
            Kind::Network => matches!(metric, M::ObservedEcpm | M::AdLoadLatency),
            Kind::Mediation => matches!(metric, M::ImpressionRpm | M::ShowRate),
        };
        (!elsewhere).then_some(metric)
    }
}

fn dimension(name: &str, kind: Kind) -> Option<Dimension> {
    let dimension = Dimension::parse(name)?;
    let elsewhere = match kind {
        Kind::Network => {
            matches!(dimension, Dimension::AdSource | Dimension::AdSourceInstance | Dimension::MediationGroup)
        }
        Kind::Mediation => dimension == Dimension::AdType,
    };
    (!elsewhere).then_some(dimension)
}

#[derive(Debug, Clone, Copy)]
pub enum SortBy {
    Dimension(Dimension),
    Metric(Metric),
}

pub struct Spec {
    kind: Kind,
    account: usize,
    pub start: Date,
    pub end: Date,
    pub dimensions: Vec<Dimension>,
    pub metrics: Vec<Metric>,
    filters: Vec<(Dimension, Vec<String>)>,
    /// What to sort by, and whether the largest comes first.
    pub sort: Vec<(SortBy, bool)>,
    pub limit: usize,
    pub currency: &'static str,
    pub rate: u64,
    pub language: String,
}

impl Spec {
    pub fn groups(&self, _inner: &Inner) -> Groups {
        Groups {
            kind: self.kind,
            accounts: vec![self.account],
            start: self.start,
            end: self.end,
            dimensions: self.dimensions.clone(),
            filters: self.filters.clone(),
        }
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Network => "network",
        Kind::Mediation => "mediation",
    }
}

/// Looks up each name of a list; the error says which one is unknown.
pub fn names<T: Copy + PartialEq>(
    fields: &Fields<'_>,
    name: &str,
    what: &str,
    find: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, ApiError> {
    let mut out = Vec::new();
    for (index, text) in fields.strings(name)?.iter().enumerate() {
        let place = format!("{name}[{index}]");
        let found = find(text)
            .ok_or_else(|| fields.invalid(&place, format!("Invalid value \"{text}\": no {what} of this report")))?;
        if out.contains(&found) {
            return Err(fields.invalid(&place, format!("{text} is named twice")));
        }
        out.push(found);
    }
    Ok(out)
}

fn day(range: &Fields<'_>, name: &str) -> Result<Date, ApiError> {
    let fields = range.need_object(name)?;
    fields.known(&["year", "month", "day"])?;
    let part = |part: &str| fields.int64(part)?.ok_or_else(|| fields.invalid(part, "is required"));
    let (year, month, day) = (part("year")?, part("month")?, part("day")?);
    let date = i16::try_from(year).ok().zip(i8::try_from(month).ok()).zip(i8::try_from(day).ok());
    let date = date.and_then(|((year, month), day)| Date::new(year, month, day).ok());
    date.ok_or_else(|| range.invalid(name, format!("{year}-{month}-{day} is no date")))
}

/// Returns the first and last day, both included.
pub fn range(spec: &Fields<'_>, longest: i32) -> Result<(Date, Date), ApiError> {
    let range = spec.need_object("dateRange")?;
    range.known(&["startDate", "endDate"])?;
    let (start, end) = (day(&range, "startDate")?, day(&range, "endDate")?);
    if start > end {
        return Err(range.invalid("startDate", format!("{start} is after endDate {end}")));
    }
    let days = start.until(end).map_or(i32::MAX, |span| span.get_days().saturating_add(1));
    if days > longest {
        return Err(spec.invalid("dateRange", format!("covers {days} days; at most {longest} are allowed")));
    }
    Ok((start, end))
}

pub fn read(body: &serde_json::Value, kind: Kind, account: &str) -> Result<Spec, ApiError> {
    let root = Fields::root(body)?;
    root.known(&["reportSpec"])?;
    let spec = root.need_object("reportSpec")?;
    spec.known(&[
        "dateRange",
        "dimensions",
        "metrics",
        "dimensionFilters",
        "sortConditions",
        "localizationSettings",
        "maxReportRows",
        "timeZone",
    ])?;
    let (start, end) = range(&spec, LONGEST_DAYS)?;
    let title = kind_name(kind);
    let mut dimensions = names(&spec, "dimensions", &format!("{title} dimension"), |name| dimension(name, kind))?;
    let metrics = names(&spec, "metrics", &format!("{title} metric"), |name| Metric::parse(name, kind))?;
    if metrics.is_empty() {
        return Err(spec.invalid("metrics", "at least one metric is required"));
    }
    if dimensions.iter().filter(|dimension| dimension.is_time()).count() > 1 {
        return Err(spec.invalid("dimensions", "at most one of DATE, WEEK and MONTH can be requested"));
    }
    let unfit = |metric: &&Metric| matches!(metric, M::AdRequests | M::MatchRate | M::ImpressionRpm);
    if dimensions.contains(&Dimension::AdType)
        && let Some(metric) = metrics.iter().find(unfit)
    {
        return Err(spec.invalid("dimensions", format!("AD_TYPE is incompatible with metric {}", metric.name())));
    }
    if dimensions.contains(&Dimension::AdUnit) && !dimensions.contains(&Dimension::App) {
        // Google adds APP itself.
        dimensions.push(Dimension::App);
    }
    let filters = filters(&spec, kind)?;
    let sort = sort(&spec, kind, &dimensions, &metrics)?;
    let limit = spec.int64("maxReportRows")?.unwrap_or(LARGEST);
    if !(1..=LARGEST).contains(&limit) {
        return Err(spec.invalid("maxReportRows", format!("must be from 1 to {LARGEST}, was {limit}")));
    }
    if let Some(zone) = spec.text("timeZone", 60)?.filter(|zone| zone != TIME_ZONE && zone != "UTC") {
        return Err(spec.invalid("timeZone", format!("{zone} is not supported; the account reports in {TIME_ZONE}")));
    }
    let (currency, rate, language) = localization(&spec)?;
    Ok(Spec {
        kind,
        account: ACCOUNTS.iter().position(|id| *id == account).unwrap_or(0),
        start,
        end,
        dimensions,
        metrics,
        filters,
        sort,
        limit: usize::try_from(limit).unwrap_or(1),
        currency,
        rate,
        language,
    })
}

fn localization(spec: &Fields<'_>) -> Result<(&'static str, u64, String), ApiError> {
    let Some(settings) = spec.object("localizationSettings")? else { return Ok((CURRENCY, 1000, "en-US".to_owned())) };
    settings.known(&["currencyCode", "languageCode"])?;
    let language = settings.text("languageCode", 35)?.unwrap_or_else(|| "en-US".to_owned());
    let code = settings.text("currencyCode", 3)?.unwrap_or_else(|| CURRENCY.to_owned());
    let known = RATES.iter().find(|(name, _)| *name == code);
    let (currency, rate) = known.ok_or_else(|| {
        settings.invalid("currencyCode", format!("{code} is no currency code this sandbox converts to"))
    })?;
    Ok((*currency, *rate, language))
}

fn filters(spec: &Fields<'_>, kind: Kind) -> Result<Vec<(Dimension, Vec<String>)>, ApiError> {
    let mut out = Vec::new();
    for filter in spec.items("dimensionFilters")? {
        filter.known(&["dimension", "matchesAny"])?;
        let name = filter.need_text("dimension", 40)?;
        let dimension =
            dimension(&name, kind).ok_or_else(|| filter.invalid("dimension", format!("Invalid value \"{name}\"")))?;
        let any = filter.need_object("matchesAny")?;
        any.known(&["values"])?;
        let values = any.strings("values")?;
        if values.is_empty() {
            return Err(any.invalid("values", "at least one value is required"));
        }
        out.push((dimension, values.iter().map(|value| value.to_lowercase()).collect()));
    }
    Ok(out)
}

fn sort(
    spec: &Fields<'_>,
    kind: Kind,
    dimensions: &[Dimension],
    metrics: &[Metric],
) -> Result<Vec<(SortBy, bool)>, ApiError> {
    let mut out = Vec::new();
    for condition in spec.items("sortConditions")? {
        condition.known(&["dimension", "metric", "order"])?;
        let descending = condition.choice("order", &["ASCENDING", "DESCENDING"])?.as_deref() == Some("DESCENDING");
        let by = match (condition.text("dimension", 40)?, condition.text("metric", 40)?) {
            (Some(name), None) => {
                let found = dimension(&name, kind).filter(|found| dimensions.contains(found));
                SortBy::Dimension(
                    found.ok_or_else(|| {
                        condition.invalid("dimension", format!("{name} is no dimension of this request"))
                    })?,
                )
            }
            (None, Some(name)) => {
                let found = Metric::parse(&name, kind).filter(|found| metrics.contains(found));
                SortBy::Metric(
                    found.ok_or_else(|| condition.invalid("metric", format!("{name} is no metric of this request")))?,
                )
            }
            _ => return Err(condition.invalid("metric", "exactly one of dimension and metric is expected")),
        };
        out.push((by, descending));
    }
    Ok(out)
}
