//! Reads and checks the definition of a report, so that errors appear before a run starts.

use jiff::civil::Date;
use serde_json::Value;

use super::{dates, fields, filters};
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::report::RATES;
use crate::world::accounts::CURRENCY;

/// A definition that the sandbox can answer.
#[derive(Debug)]
pub struct Definition {
    pub dimensions: Vec<&'static fields::Field>,
    pub metrics: Vec<&'static fields::Field>,
    pub filters: Vec<Value>,
    pub sorts: Vec<Value>,
    pub range: (Date, Date),
    pub comparison: Option<(Date, Date)>,
    /// The price of one dollar in the report's currency, in thousandths.
    pub rate: u64,
    /// Hours east of UTC.
    pub zone: i8,
    /// Whether this is a historical report. Other reports have no numbers in the sandbox.
    pub historical: bool,
}

/// The most dimensions and metrics that a definition may have.
const MOST: (usize, usize) = (10, 50);

fn named(letter: char, value: &Value, path: &str, kind: &str) -> Result<&'static fields::Field, ApiError> {
    let field = fields::find(letter, value).ok_or_else(|| ApiError::invalid(path, format!("{value} is not known")))?;
    if field.works_with(kind) {
        return Ok(field);
    }
    Err(ApiError::invalid(path, format!("{} is not compatible with report type {kind}.", field.name)))
}

/// Returns the hours east of UTC on the first day of the report.
fn zone(value: &Value, from: Date) -> Result<i8, ApiError> {
    if value["timeZoneSource"] != "PROVIDED" {
        return Ok(0);
    }
    let name = value["timeZone"].as_str().unwrap_or_default();
    let wrong = |message: &str| ApiError::invalid("reportDefinition.timeZone", format!("\"{name}\" {message}"));
    let zone = jiff::tz::TimeZone::get(name).map_err(|_| wrong("is no time zone"))?;
    let noon = from.at(12, 0, 0, 0).to_zoned(zone).map_err(|_| wrong("is no time zone"))?;
    let seconds = noon.offset().seconds();
    if seconds % 3600 != 0 {
        return Err(wrong("is not a whole number of hours from UTC, which this sandbox needs"));
    }
    i8::try_from(seconds / 3600).map_err(|_| wrong("is no time zone"))
}

/// Checks a `ReportDefinition` whose types were already checked.
pub fn read(value: &Value, today: Date) -> Result<Definition, ApiError> {
    let at = |name: &str| format!("reportDefinition.{name}");
    let list = |name: &str| value[name].as_array().map_or(&[][..], Vec::as_slice);
    let kind = value["reportType"].as_str().unwrap_or_default();
    let each = |letter: char, name: &str| {
        let items = list(name).iter().enumerate();
        let items = items.map(|(index, item)| named(letter, item, &at(&format!("{name}[{index}]")), kind));
        items.collect::<Result<Vec<_>, _>>()
    };
    let (dimensions, metrics) = (each('D', "dimensions")?, each('M', "metrics")?);
    if dimensions.len() > MOST.0 || metrics.len() > MOST.1 {
        let message = format!("at most {} dimensions and {} metrics can be asked for", MOST.0, MOST.1);
        return Err(ApiError::invalid("reportDefinition", message));
    }
    for (index, field) in dimensions.iter().enumerate() {
        if dimensions[..index].iter().any(|earlier| earlier.name == field.name) {
            return Err(ApiError::invalid(at("dimensions"), format!("{} is asked for twice", field.name)));
        }
    }
    if metrics.is_empty() {
        return Err(ApiError::invalid(at("metrics"), "at least one metric is required"));
    }
    let range = dates::range(&value["dateRange"], &at("dateRange"), today, None)?;
    let compared = value.get("comparisonDateRange");
    let comparison = compared.map(|it| dates::range(it, &at("comparisonDateRange"), today, Some(range))).transpose()?;
    if comparison.is_some() && dimensions.iter().any(|field| field.is_time()) {
        let message = "this sandbox compares periods only without a dimension of time";
        return Err(ApiError::invalid(at("comparisonDateRange"), message));
    }
    if value.get("timePeriodColumn").is_some() {
        return Err(ApiError::invalid(at("timePeriodColumn"), "this sandbox does not split columns by time"));
    }
    let code = value["currencyCode"].as_str().unwrap_or(CURRENCY);
    let rate = RATES.iter().find(|(name, _)| *name == code);
    let unknown =
        || ApiError::invalid(at("currencyCode"), format!("{code} is no currency code this sandbox converts to"));
    let (_, rate) = rate.ok_or_else(unknown)?;
    let filters = list("filters").to_vec();
    for (index, filter) in filters.iter().enumerate() {
        filters::check(filter, &at(&format!("filters[{index}]")))?;
    }
    let sorts = list("sorts").to_vec();
    for (index, sort) in sorts.iter().enumerate() {
        let (letter, name) = filters::field_of(&sort["field"]);
        let shown = dimensions.iter().chain(&metrics).any(|field| field.letter == letter && field.name == name);
        if !shown {
            return Err(ApiError::invalid(at(&format!("sorts[{index}].field")), "must be a field of the report"));
        }
    }
    Ok(Definition {
        dimensions,
        metrics,
        filters,
        sorts,
        range,
        comparison,
        rate: *rate,
        zone: zone(value, range.0)?,
        historical: kind == "HISTORICAL",
    })
}
