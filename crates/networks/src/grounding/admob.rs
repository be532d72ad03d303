//! AdMob's own rules: ad units fit the group that targets them, mappings their ad unit, adapters their platform, and lines their group.

use adagent_contract::{EntityItem, EntityKind};
use adagent_tools::schema::escape;
use serde_json::Value as Json;

use super::{Grounded, MAX_CANDIDATES, near, short};
use crate::{
    Operation,
    entities::{self, Place},
    networks::Networks,
    paths,
};
use adagent_tools::ToolError;

impl Networks {
    pub(super) async fn resolve_admob(
        &self,
        place: Place<'_>,
        tool: &Operation,
        args: &Json,
        grounded: &mut Grounded,
    ) -> Result<(), ToolError> {
        let look = Look { networks: self, place, args };
        for (path, kind) in &tool.entity_params {
            if *kind == EntityKind::Account {
                continue;
            }
            for (pointer, value) in paths::values(args, path) {
                look.up(*kind, &pointer, value, grounded).await?;
            }
        }
        look.report_filters(grounded).await?;
        look.group_lines(tool, grounded).await
    }
}

struct Look<'a> {
    networks: &'a Networks,
    place: Place<'a>,
    args: &'a Json,
}

impl Look<'_> {
    async fn up(&self, kind: EntityKind, pointer: &str, value: &str, grounded: &mut Grounded) -> Result<(), ToolError> {
        let mut missing = (kind, value);
        // We look for a mapping only at its ad unit, because listing all mappings would take one call per ad unit.
        let pool = if kind == EntityKind::AdUnitMapping {
            let units = self.networks.of_account(self.place, EntityKind::AdUnit).await?;
            let parent = value.split_once("/adUnitMappings/").map(|(unit, _)| unit);
            if let Some(unit) = parent.and_then(|unit| units.iter().find(|item| entities::names(item, unit))) {
                grounded.resolved.push(unit.clone());
                self.networks.mappings_of(self.place, unit).await?
            } else {
                missing = parent.map_or(missing, |unit| (EntityKind::AdUnit, unit));
                std::sync::Arc::new(Vec::new())
            }
        } else {
            self.networks.of_account(self.place, kind).await?
        };
        let Some(item) = pool.iter().find(|item| entities::names(item, value)) else {
            grounded.unknown.push((missing.0, missing.1.to_owned()));
            let elsewhere = self.in_other_account(kind, value).await?;
            let noun = kind.label();
            let message = elsewhere.map_or_else(
                || format!("isn't in account {}: there is no {noun} {}", self.place.account, short(value)),
                |other| format!("{} belongs to account {other}, not to {}", short(value), self.place.account),
            );
            grounded.issue(pointer, message, near(value, &pool));
            return Ok(());
        };
        self.fits(item, pointer, grounded).await?;
        if kind == EntityKind::MediationGroup {
            let units = self.networks.of_account(self.place, EntityKind::AdUnit).await?;
            let targeted = paths::values(&item.raw, "targeting.adUnitIds[]");
            grounded
                .resolved
                .extend(units.iter().filter(|unit| targeted.iter().any(|(_, id)| *id == unit.id)).cloned());
        }
        grounded.resolved.push(item.clone());
        Ok(())
    }

    async fn in_other_account(&self, kind: EntityKind, value: &str) -> Result<Option<String>, ToolError> {
        if matches!(kind, EntityKind::AdSource | EntityKind::AdSourceAdapter | EntityKind::AdUnitMapping) {
            return Ok(None);
        }
        for account in self.networks.selected_accounts(self.place.via, self.place.network).await? {
            if account != self.place.account {
                let place = Place { account: &account, ..self.place };
                let items = self.networks.of_account(place, kind).await?;
                if items.iter().any(|item| item.id == value) {
                    return Ok(Some(account));
                }
            }
        }
        Ok(None)
    }

    /// Checks whether an entity fits the other arguments.
    async fn fits(&self, item: &EntityItem, pointer: &str, grounded: &mut Grounded) -> Result<(), ToolError> {
        let wanted = |path: &str| self.args.pointer(path).and_then(Json::as_str).map(str::to_lowercase);
        match item.kind {
            EntityKind::AdUnit if pointer.starts_with("/body/targeting/adUnitIds/") => {
                let units = self.networks.of_account(self.place, EntityKind::AdUnit).await?;
                let (platform, format) = self.targeting().await?;
                let (platform, format) =
                    (wanted("/body/targeting/platform").or(platform), wanted("/body/targeting/format").or(format));
                for (what, wanted, has) in [("platform", &platform, &item.platform), ("format", &format, &item.format)]
                {
                    if let (Some(wanted), Some(has)) = (wanted, has)
                        && wanted != has
                    {
                        let fitting: Vec<EntityItem> = units
                            .iter()
                            .filter(|unit| platform.is_none() || unit.platform == platform)
                            .filter(|unit| format.is_none() || unit.format == format)
                            .cloned()
                            .collect();
                        let message = format!("{} has the {what} {has}, but the group targets {wanted}", item.name);
                        grounded.issue(pointer, message, near(&item.name, &fitting));
                    }
                }
            }
            EntityKind::AdUnitMapping => {
                // The key in the arguments is the ad unit that the mapping must belong to.
                let key = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
                if item.parent.as_deref().is_some_and(|unit| unit != key) {
                    let message = format!(
                        "{} is a mapping of ad unit {}, not of {key}",
                        item.name,
                        item.parent.as_deref().unwrap_or_default()
                    );
                    grounded.issue(pointer, message, Vec::new());
                }
            }
            EntityKind::AdSourceAdapter => {
                let unit = self.mapped_unit(pointer).await?;
                if let Some(unit) = unit
                    && let (Some(has), Some(wanted)) = (&item.platform, &unit.platform)
                    && has != wanted
                {
                    let adapters = self.networks.of_account(self.place, EntityKind::AdSourceAdapter).await?;
                    let fitting: Vec<EntityItem> = adapters
                        .iter()
                        .filter(|other| other.parent == item.parent && other.platform.as_ref() == Some(wanted))
                        .cloned()
                        .collect();
                    let message =
                        format!("adapter {} is for {has}, but {} is an ad unit for {wanted}", item.name, unit.name);
                    grounded.issue(pointer, message, near(&item.name, &fitting));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the platform and format of the group that an update changes.
    async fn targeting(&self) -> Result<(Option<String>, Option<String>), ToolError> {
        let Some(id) = self.args.get("mediation_group_id").and_then(Json::as_str) else { return Ok((None, None)) };
        let groups = self.networks.of_account(self.place, EntityKind::MediationGroup).await?;
        let group = groups.iter().find(|group| group.id == id);
        Ok(group.map_or((None, None), |group| (group.platform.clone(), group.format.clone())))
    }

    /// Returns the ad unit that a mapping is made for.
    async fn mapped_unit(&self, pointer: &str) -> Result<Option<EntityItem>, ToolError> {
        let beside = pointer.strip_suffix("/adUnitMapping/adapterId").map(|request| format!("{request}/parent"));
        let value = beside
            .and_then(|path| self.args.pointer(&path))
            .or_else(|| self.args.get("ad_unit_id"))
            .and_then(Json::as_str);
        let Some(value) = value else { return Ok(None) };
        let units = self.networks.of_account(self.place, EntityKind::AdUnit).await?;
        Ok(units.iter().find(|unit| entities::names(unit, value)).cloned())
    }

    /// Looks up the IDs in a report's filters.
    async fn report_filters(&self, grounded: &mut Grounded) -> Result<(), ToolError> {
        let filters = self.args.pointer("/body/reportSpec/dimensionFilters").and_then(Json::as_array);
        for (i, filter) in filters.into_iter().flatten().enumerate() {
            let kind = match filter["dimension"].as_str() {
                Some("APP") => EntityKind::App,
                Some("AD_UNIT") => EntityKind::AdUnit,
                Some("AD_SOURCE") => EntityKind::AdSource,
                Some("MEDIATION_GROUP") => EntityKind::MediationGroup,
                _ => continue,
            };
            for (pointer, value) in paths::values(filter, "matchesAny.values[]") {
                // Reports write a mediation group as `ca-app-pub-…:mg:…`; lists write only its number.
                let value = match (kind, value.rsplit_once(":mg:")) {
                    (EntityKind::MediationGroup, Some((_, id))) => id,
                    _ => value,
                };
                self.up(kind, &format!("/body/reportSpec/dimensionFilters/{i}{pointer}"), value, grounded).await?;
            }
        }
        Ok(())
    }

    /// Checks the lines of a group that is changed: a positive key must be one of its lines, and a waterfall line needs a price.
    async fn group_lines(&self, tool: &Operation, grounded: &mut Grounded) -> Result<(), ToolError> {
        let Some(lines) = self.args.pointer("/body/mediationGroupLines").and_then(Json::as_object) else {
            return Ok(());
        };
        let group = match self.args.get("mediation_group_id").and_then(Json::as_str) {
            Some(id) => {
                let groups = self.networks.of_account(self.place, EntityKind::MediationGroup).await?;
                groups.iter().find(|group| group.id == id).cloned()
            }
            None => None,
        };
        for (key, line) in lines {
            let pointer = format!("/body/mediationGroupLines/{}", escape(key));
            let new = key.starts_with('-');
            if let Some(message) = line_key_problem(key, new, group.as_ref()) {
                let known = group.as_ref().map(lines_of).unwrap_or_default();
                if let (false, Some(group)) = (new, &group) {
                    grounded.unknown.push((EntityKind::MediationGroup, format!("{} {key}", group.id)));
                }
                grounded.issue(&pointer, message, known);
                continue;
            }
            if let Some(message) = source_problem(key, line, group.as_ref()) {
                grounded.issue(&format!("{pointer}/adSourceId"), message, Vec::new());
            }
            if let Some((field, message)) = price_problem(line, new) {
                grounded.issue(&format!("{pointer}{field}"), message.to_owned(), Vec::new());
            }
            if new && line["adSourceId"].as_str().is_none() {
                let sources = self.networks.of_account(self.place, EntityKind::AdSource).await?;
                let message = format!(
                    "a new line needs an ad source; {} can be listed with admob_list_ad_sources",
                    tool.network.display_name()
                );
                grounded.issue(&format!("{pointer}/adSourceId"), message, near("", &sources));
            }
        }
        Ok(())
    }
}

fn line_key_problem(key: &str, new: bool, group: Option<&EntityItem>) -> Option<String> {
    if key.parse::<i64>().is_err() {
        return Some("lines are keyed by their id, new ones by distinct negative numbers such as -1".into());
    }
    if new {
        return None;
    }
    match group {
        None => Some("new lines are keyed by distinct negative numbers such as -1".into()),
        Some(group) if group.raw["mediationGroupLines"].get(key).is_none() => {
            Some(format!("{} has no line {key}", group.name))
        }
        Some(_) => None,
    }
}

/// Reports a different ad source on an existing line. AdMob would not apply it, because no update mask names it.
fn source_problem(key: &str, line: &Json, group: Option<&EntityItem>) -> Option<String> {
    let serves = group?.raw["mediationGroupLines"].get(key)?["adSourceId"].as_str()?;
    let wanted = line["adSourceId"].as_str().filter(|wanted| *wanted != serves)?;
    Some(format!(
        "line {key} uses ad source {serves}, and that can't be changed to {wanted}. Remove the line and add a new one"
    ))
}

/// The lowest price that AdMob accepts: one US cent.
const MIN_CPM_MICROS: i64 = 10_000;

fn price_problem(line: &Json, new: bool) -> Option<(&'static str, &'static str)> {
    let mode = line["cpmMode"].as_str();
    if mode == Some("ANO") {
        return Some((
            "/cpmMode",
            "this price mode cannot be set through the API; use LIVE (bidding) or MANUAL (waterfall)",
        ));
    }
    let Some(price) = line["cpmMicros"].as_str() else {
        return (new && mode == Some("MANUAL")).then_some((
            "/cpmMicros",
            "a waterfall line needs its price in millionths of a US dollar, such as \"1500000\" for $1.50",
        ));
    };
    let too_low = price.parse::<i64>().map_or(true, |micros| micros < MIN_CPM_MICROS);
    (mode != Some("LIVE") && too_low).then_some(("/cpmMicros", "must be at least 10000 (one US cent)"))
}

fn lines_of(group: &EntityItem) -> Vec<(String, String)> {
    let lines = group.raw["mediationGroupLines"].as_object();
    lines
        .into_iter()
        .flatten()
        .take(MAX_CANDIDATES)
        .map(|(id, line)| (id.clone(), line["displayName"].as_str().unwrap_or(id).to_owned()))
        .collect()
}
