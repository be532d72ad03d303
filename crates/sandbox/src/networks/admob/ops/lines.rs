//! The rules for mediation lines, wherever they come from.

use std::collections::BTreeMap;

use super::Objects;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::networks::admob::wire::{Line, Targeting};
use crate::world::sources::{self, ADMOB_NETWORK};

pub const SMALLEST_CPM: i64 = 10_000;
const NAMES: &[&str] =
    &["id", "displayName", "adSourceId", "cpmMode", "cpmMicros", "state", "adUnitMappings", "experimentVariant"];

/// Reads a whole line; `id` is the ID that it will have.
pub fn read(objects: &Objects, fields: &Fields<'_>, targeting: &Targeting, id: String) -> Result<Line, ApiError> {
    fields.known(NAMES)?;
    let ad_source_id = fields.need_text("adSourceId", 32)?;
    let source = sources::source(&ad_source_id)
        .ok_or_else(|| fields.invalid("adSourceId", format!("Ad source {ad_source_id} was not found")))?;
    if !source.formats.contains(&targeting.format.as_str()) && targeting.format != "BANNER_INTERSTITIAL" {
        return Err(fields.invalid("adSourceId", format!("{} does not serve {}", source.title, targeting.format)));
    }
    let default = if source.bidding { "LIVE" } else { "MANUAL" };
    let cpm_mode = mode(fields)?.unwrap_or_else(|| default.to_owned());
    let price = price(fields)?;
    let line = Line {
        id,
        display_name: fields.text("displayName", 255)?.unwrap_or_else(|| source.title.to_owned()),
        ad_source_id,
        cpm_micros: price.unwrap_or(SMALLEST_CPM).to_string(),
        state: fields.choice("state", &["ENABLED", "DISABLED"])?.unwrap_or_else(|| "ENABLED".to_owned()),
        ad_unit_mappings: mappings(objects, fields, targeting, source.id)?,
        experiment_variant: None,
        cpm_mode,
    };
    fits_mode(fields, &line)?;
    if line.cpm_mode == "MANUAL" && price.is_none() {
        return Err(fields.invalid("cpmMicros", format!("is required when cpmMode is MANUAL, at least {SMALLEST_CPM}")));
    }
    Ok(line)
}

/// Checks the price mode: bidding sources bid, others have a fixed price, and the `AdMob` Network may do both.
pub fn fits_mode(fields: &Fields<'_>, line: &Line) -> Result<(), ApiError> {
    let Some(source) = sources::source(&line.ad_source_id).filter(|source| source.id != ADMOB_NETWORK) else {
        return Ok(());
    };
    match (source.bidding, line.cpm_mode.as_str()) {
        (true, "MANUAL") => {
            Err(fields.invalid("cpmMode", format!("{} is a bidding ad source; LIVE is expected", source.title)))
        }
        (false, "LIVE") => {
            Err(fields.invalid("cpmMode", format!("{} is no bidding ad source; MANUAL is expected", source.title)))
        }
        _ => Ok(()),
    }
}

pub fn mode(fields: &Fields<'_>) -> Result<Option<String>, ApiError> {
    let mode = fields.choice("cpmMode", &["LIVE", "MANUAL", "ANO"])?;
    match mode.as_deref() {
        Some("ANO") => Err(fields.invalid("cpmMode", "ANO cannot be written through the API; LIVE and MANUAL can")),
        _ => Ok(mode),
    }
}

pub fn price(fields: &Fields<'_>) -> Result<Option<i64>, ApiError> {
    match fields.int64("cpmMicros")? {
        Some(micros) if micros < SMALLEST_CPM => {
            Err(fields.invalid("cpmMicros", format!("must be at least {SMALLEST_CPM} (0.01 USD), was {micros}")))
        }
        Some(micros) if micros > 10_000_000_000 => {
            Err(fields.invalid("cpmMicros", "must be at most 10000000000 (10,000 USD)"))
        }
        other => Ok(other),
    }
}

/// Reads `adUnitMappings`: targeted ad units → mappings of this source.
pub fn mappings(
    objects: &Objects,
    fields: &Fields<'_>,
    targeting: &Targeting,
    source: &str,
) -> Result<BTreeMap<String, String>, ApiError> {
    let Some(map) = fields.object("adUnitMappings")? else { return Ok(BTreeMap::new()) };
    let mut out = BTreeMap::new();
    for (unit, name) in map.texts(200)? {
        mapping_fits(objects, &map, targeting, source, unit, &name)?;
        out.insert(unit.to_owned(), name);
    }
    Ok(out)
}

pub fn mapping_fits(
    objects: &Objects,
    map: &Fields<'_>,
    targeting: &Targeting,
    source: &str,
    unit: &str,
    name: &str,
) -> Result<(), ApiError> {
    if !targeting.ad_unit_ids.iter().any(|id| id == unit) {
        return Err(map.invalid(unit, "is no ad unit of targeting.adUnitIds"));
    }
    if source == ADMOB_NETWORK {
        // The discovery document says that mappings are ignored for the AdMob Network.
        return Ok(());
    }
    let mapping = objects.mappings.iter().find(|it| it.name == name);
    let mapping = mapping.ok_or_else(|| map.invalid(unit, format!("Ad unit mapping {name} was not found")))?;
    let own = objects.ad_unit(unit).is_some_and(|unit| mapping.name.starts_with(&format!("{}/", unit.name)));
    if !own {
        return Err(map.invalid(unit, format!("{name} belongs to another ad unit")));
    }
    match sources::adapter(&mapping.adapter_id) {
        Some(adapter) if adapter.source.id == source => Ok(()),
        _ => Err(map.invalid(unit, format!("{name} belongs to another ad source than {source}"))),
    }
}

/// Checks that each bidding source bids only once.
pub fn no_duplicates<'a>(lines: impl Iterator<Item = &'a Line>, field: &str) -> Result<(), ApiError> {
    let mut seen = Vec::new();
    for line in lines.filter(|line| line.cpm_mode == "LIVE" && line.state != "REMOVED") {
        if seen.contains(&&line.ad_source_id) {
            return Err(ApiError::invalid(
                field,
                format!("ad source {} has more than one LIVE line", line.ad_source_id),
            ));
        }
        seen.push(&line.ad_source_id);
    }
    Ok(())
}

/// Returns the ID of the n-th line of a group: sixteen digits.
pub fn line_id(group: &str, taken: impl Fn(&str) -> bool, mut number: usize) -> String {
    loop {
        let id = format!("{group}{:06}", 100_001 + number);
        if !taken(&id) {
            return id;
        }
        number += 1;
    }
}

/// Checks whether a key is the placeholder of a new line.
pub fn is_placeholder(key: &str) -> bool {
    key.parse::<i64>().is_ok_and(|number| number < 0)
}
