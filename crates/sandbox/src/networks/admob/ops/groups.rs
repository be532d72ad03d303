//! `accounts.mediationGroups.create`, and the rules for targeting.

use std::collections::BTreeMap;

use super::{Done, Objects, json, lines};
use crate::journal::Effect;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::networks::admob::wire::{MediationGroup, Targeting, account_of};
use crate::world::countries::COUNTRIES;

pub const FORMATS: &[&str] =
    &["APP_OPEN", "BANNER", "BANNER_INTERSTITIAL", "INTERSTITIAL", "NATIVE", "REWARDED", "REWARDED_INTERSTITIAL"];
pub const NAMES: &[&str] = &[
    "name",
    "mediationGroupId",
    "displayName",
    "targeting",
    "state",
    "mediationGroupLines",
    "mediationAbExperimentState",
];

pub fn create(objects: &Objects, context: &Context) -> Done {
    let account = context.call.account.as_str();
    let body = Fields::root(&context.body)?;
    body.known(NAMES)?;
    let display_name = body.need_text("displayName", 120)?;
    let targeting = targeting(objects, &body.need_object("targeting")?, account)?;
    let state = body.choice("state", &["ENABLED", "DISABLED"])?.unwrap_or_else(|| "ENABLED".to_owned());
    let mine = |group: &&MediationGroup| account_of(&group.name) == account;
    if objects.groups.iter().filter(mine).any(|group| group.display_name == display_name) {
        return Err(ApiError::exists(format!(
            "displayName: a mediation group named \"{display_name}\" exists in account {account}."
        )));
    }
    let id = objects.fresh_id(3, |id| objects.groups.iter().any(|group| group.mediation_group_id == id));
    let mut made = BTreeMap::new();
    if let Some(given) = body.object("mediationGroupLines")? {
        for (key, line) in given.objects()? {
            if !lines::is_placeholder(key) || line.int64("id")?.is_some_and(|own| own.to_string() != key) {
                return Err(given.invalid(key, "new lines need distinct negative numbers as key and id"));
            }
            let line_id = lines::line_id(&id, |id| made.contains_key(id), made.len());
            made.insert(line_id.clone(), lines::read(objects, &line, &targeting, line_id)?);
        }
    }
    lines::no_duplicates(made.values(), "mediationGroupLines")?;
    let group = MediationGroup {
        name: format!("accounts/{account}/mediationGroups/{id}"),
        mediation_group_id: id,
        display_name,
        targeting,
        state,
        mediation_group_lines: made,
        mediation_ab_experiment_state: "NOT_RUNNING".to_owned(),
    };
    Ok((json(&group)?, vec![Effect::Group(group)]))
}

fn targeting(objects: &Objects, fields: &Fields<'_>, account: &str) -> Result<Targeting, ApiError> {
    fields.known(&[
        "platform",
        "format",
        "adUnitIds",
        "targetedRegionCodes",
        "excludedRegionCodes",
        "idfaTargeting",
    ])?;
    let platform = fields.need_choice("platform", &["ANDROID", "IOS"])?;
    let mut out = Targeting {
        idfa_targeting: fields.choice("idfaTargeting", &["ALL", "AVAILABLE", "NOT_AVAILABLE"])?,
        format: fields.need_choice("format", FORMATS)?,
        targeted_region_codes: regions(fields, "targetedRegionCodes")?,
        excluded_region_codes: regions(fields, "excludedRegionCodes")?,
        ad_unit_ids: fields.strings("adUnitIds")?,
        platform,
    };
    if out.platform == "IOS" {
        out.idfa_targeting.get_or_insert_with(|| "ALL".to_owned());
    } else if out.idfa_targeting.take().is_some_and(|idfa| idfa != "ALL") {
        return Err(fields.invalid("idfaTargeting", "is for IOS only"));
    }
    if !out.targeted_region_codes.is_empty() && !out.excluded_region_codes.is_empty() {
        return Err(fields.invalid("excludedRegionCodes", "cannot be combined with targetedRegionCodes"));
    }
    units_fit(objects, fields, &out, account)?;
    Ok(out)
}

/// Checks that every targeted ad unit is in the account and has the group's platform and format.
pub fn units_fit(objects: &Objects, fields: &Fields<'_>, targeting: &Targeting, account: &str) -> Result<(), ApiError> {
    for (index, id) in targeting.ad_unit_ids.iter().enumerate() {
        let place = format!("adUnitIds[{index}]");
        let unit = objects.ad_unit(id).filter(|unit| account_of(&unit.name) == account);
        let unit =
            unit.ok_or_else(|| fields.invalid(&place, format!("Ad unit {id} was not found in account {account}")))?;
        let platform = objects.app(&unit.app_id).map_or("", |app| app.platform.as_str());
        if platform != targeting.platform || unit.ad_format != targeting.format {
            let message = format!(
                "ad unit {id} is {} on {platform}, the group is {} on {}",
                unit.ad_format, targeting.format, targeting.platform
            );
            return Err(fields.invalid(&place, message));
        }
        if targeting.ad_unit_ids[..index].contains(id) {
            return Err(fields.invalid(&place, format!("ad unit {id} is named twice")));
        }
    }
    Ok(())
}

fn regions(fields: &Fields<'_>, name: &str) -> Result<Vec<String>, ApiError> {
    let codes = fields.strings(name)?;
    let known = |code: &str| COUNTRIES.iter().any(|country| country.code == code);
    let well_formed =
        |code: &str| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) && !code.starts_with('X');
    match codes.iter().position(|code| !known(code) && !well_formed(code)) {
        None => Ok(codes),
        Some(at) => Err(fields.invalid(&format!("{name}[{at}]"), "a CLDR region code such as US is expected")),
    }
}
