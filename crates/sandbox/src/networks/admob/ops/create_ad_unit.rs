//! The operation `accounts.adUnits.create`.

use super::{Done, Objects, json};
use crate::journal::Effect;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::networks::admob::wire::{AdUnit, RewardSettings, account_of};
use crate::world::apps::default_types;

const FORMATS: &[&str] = &["APP_OPEN", "BANNER", "INTERSTITIAL", "NATIVE", "REWARDED", "REWARDED_INTERSTITIAL"];

pub fn run(objects: &Objects, context: &Context) -> Done {
    let account = &context.call.account;
    let body = Fields::root(&context.body)?;
    body.known(&["name", "adUnitId", "appId", "displayName", "adFormat", "adTypes", "rewardSettings"])?;
    let app_id = body.need_text("appId", 60)?;
    let app = objects.app(&app_id).filter(|app| account_of(&app.name) == account);
    app.ok_or_else(|| body.invalid("appId", format!("App {app_id} was not found in account {account}")))?;
    let display_name = body.need_text("displayName", 80)?;
    let ad_format = body.need_choice("adFormat", FORMATS)?;
    let ad_types = types(&body, &ad_format)?;
    let reward_settings = body.object("rewardSettings")?.map(|info| reward(&body, &info, &ad_format)).transpose()?;
    if objects.ad_units.iter().any(|unit| unit.app_id == app_id && unit.display_name == display_name) {
        return Err(ApiError::exists(format!(
            "displayName: an ad unit named \"{display_name}\" exists in app {app_id}."
        )));
    }
    let fragment = objects.fresh_id(2, |id| objects.ad_units.iter().any(|unit| unit.ad_unit_id.ends_with(id)));
    let unit = AdUnit {
        name: format!("accounts/{account}/adUnits/{fragment}"),
        ad_unit_id: format!("ca-app-{account}/{fragment}"),
        app_id,
        display_name,
        ad_format,
        ad_types,
        reward_settings,
    };
    Ok((json(&unit)?, vec![Effect::AdUnit(unit)]))
}

fn types(body: &Fields<'_>, format: &str) -> Result<Vec<String>, ApiError> {
    let types = body.strings("adTypes")?;
    if let Some(at) = types.iter().position(|name| !["RICH_MEDIA", "VIDEO"].contains(&name.as_str())) {
        return Err(body.invalid(&format!("adTypes[{at}]"), "RICH_MEDIA or VIDEO is expected"));
    }
    let video = types.iter().any(|name| name == "VIDEO");
    let rich = types.iter().any(|name| name == "RICH_MEDIA");
    match format {
        _ if types.is_empty() => Ok(default_types(format)),
        "REWARDED" if !video => Err(body.invalid("adTypes", "VIDEO cannot be left out for REWARDED")),
        "REWARDED_INTERSTITIAL" if rich => {
            Err(body.invalid("adTypes", "only VIDEO is supported for REWARDED_INTERSTITIAL"))
        }
        _ => Ok(types),
    }
}

fn reward(body: &Fields<'_>, info: &Fields<'_>, format: &str) -> Result<RewardSettings, ApiError> {
    if format != "REWARDED" {
        return Err(body.invalid("rewardSettings", "can be set only when adFormat is REWARDED"));
    }
    info.known(&["unitAmount", "unitType"])?;
    let amount = info.int64("unitAmount")?.ok_or_else(|| info.invalid("unitAmount", "is required"))?;
    if amount < 1 {
        return Err(info.invalid("unitAmount", "must be at least 1"));
    }
    Ok(RewardSettings { unit_amount: amount.to_string(), unit_type: info.need_text("unitType", 80)? })
}
