//! Checks that several writes share.

use serde_json::Value;

use crate::networks::body::Fields;

pub const FORMATS: [&str; 4] = ["rewarded", "interstitial", "banner", "native"];
pub const OLD_FORMATS: [&str; 3] = ["rewardedVideo", "interstitial", "banner"];
const RATES: [i64; 10] = [0, 10, 15, 20, 25, 30, 45, 60, 120, 240];

/// Checks the reward and the settings of an ad unit.
pub fn unit_parts(body: &Fields, format: &str) -> Result<(), String> {
    if let Some(reward) = body.object("reward")? {
        if format != "rewarded" {
            return Err("reward goes with adFormat rewarded only".to_owned());
        }
        reward.text("rewardItemName")?;
        reward.integer("rewardAmount", 1, 1_000_000)?;
    }
    for (path, item) in body.list("settings")?.unwrap_or_default() {
        let setting = Fields::of(item, &path)?;
        setting.choice("testGroup", &["A", "B"])?;
        setting.flag("cappingEnabled")?;
        setting.integer("cappingLimit", 1, 1_000_000)?;
        setting.choice("cappingInterval", &["d", "h"])?;
        setting.flag("pacingEnabled")?;
        setting.number("pacingMinutes", 0.1, 1000.0)?;
        if let Some(rate) = setting.integer("bannerRefreshRate", 0, 240)?
            && !RATES.contains(&rate)
        {
            return Err(format!(
                "{path}.bannerRefreshRate: {rate} is not one of 0, 10, 15, 20, 25, 30, 45, 60, 120, 240"
            ));
        }
    }
    Ok(())
}

/// Checks two-letter country codes.
pub fn countries(body: &Fields, name: &str) -> Result<(), String> {
    let codes = body.texts(name)?.unwrap_or_default();
    match codes.iter().find(|code| code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_alphabetic())) {
        Some(code) => Err(format!("{name}: \"{code}\" is no two-letter country code")),
        None => Ok(()),
    }
}

/// Checks capping and pacing of a placement, written as 0 and 1. The documentation and the official client use different field names, so
/// both are accepted.
pub fn delivery(body: &Fields) -> Result<(), String> {
    body.integer("adDelivery", 0, 1)?;
    body.text("itemName")?;
    body.integer("rewardAmount", 1, 1_000_000)?;
    if let Some(capping) = body.object("capping")? {
        capping.integer("enabled", 0, 1)?;
        for name in ["limit", "cappingLimit"] {
            capping.integer(name, 1, 1_000_000)?;
        }
        for name in ["interval", "cappingInterval"] {
            capping.choice(name, &["d", "h"])?;
        }
    }
    if let Some(pacing) = body.object("pacing")? {
        pacing.integer("enabled", 0, 1)?;
        for name in ["minutes", "pacingMinutes"] {
            pacing.number(name, 0.1, 1000.0)?;
        }
    }
    Ok(())
}

/// Returns the entries of a body that is a list; refuses an empty one.
pub fn entries(body: &Value) -> Result<Vec<(String, &Value)>, String> {
    let items = crate::networks::body::items(body, "")?;
    if items.is_empty() { Err("the body must have at least one entry".to_owned()) } else { Ok(items) }
}

/// Returns the `ids` of a delete.
pub fn ids(body: &Value) -> Result<Vec<i64>, String> {
    let ids = Fields::of(body, "")?.integers("ids")?.unwrap_or_default();
    if ids.is_empty() { Err("ids is required and must not be empty".to_owned()) } else { Ok(ids) }
}
