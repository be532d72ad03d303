//! New apps and new ad units.

use serde_json::json;

use super::{Prepared, Write, account_of, ask, the_account, the_app, wish};
use crate::planner::{Call, clarify, format::plain, names, read::Turn};

/// The longest name that AdMob takes, in characters.
const MAX_NAME: usize = 80;

/// The formats of ad units.
const FORMATS: [&str; 6] = ["Banner", "Interstitial", "Rewarded", "Rewarded interstitial", "Native", "App open"];

pub(super) fn create_app(turn: &Turn<'_>) -> Prepared {
    let store = store_id(&turn.text);
    let platform = names::platform_in(&turn.lower).or(match &store {
        Some(id) if id.bytes().all(|b| b.is_ascii_digit()) => Some("IOS"),
        Some(_) => Some("ANDROID"),
        None => None,
    });
    let Some(platform) = platform else {
        return Err(ask(clarify::missing("Is the app for Android or iOS?", &["Android", "iOS"])));
    };
    let account = the_account(turn)?;
    let mut body = json!({"platform": platform});
    match (store, wish::name(turn, MAX_NAME)?) {
        (Some(id), _) => {
            body["linkedAppInfo"] = json!({"appStoreId": id});
            if platform == "ANDROID" {
                body["linkedAppInfo"]["androidAppStores"] = json!(["GOOGLE_PLAY_APP_STORE"]);
            }
        }
        (None, Some(name)) => body["manualAppInfo"] = json!({"displayName": name}),
        (None, None) => {
            return Err(ask(clarify::missing(
                "What's the app's name, package name or App Store ID? With an ID, I can link it to its store listing; with only a name, it stays unlinked.",
                &["Create an Android app called 'Tile Tales'", "Add com.acme.snakeloop from Google Play"],
            )));
        }
    }
    Ok(Call { name: Write::CreateApp.tool().into(), args: json!({"account_id": account, "body": body}) })
}

/// Returns a package name such as `com.acme.game`, or the digits of an App Store ID.
fn store_id(text: &str) -> Option<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '\''))
        .map(|word| word.trim_end_matches(['.', '?', '!', ':']))
        .find(|word| {
            let package = word.matches('.').count() >= 2
                && word
                    .split('.')
                    .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
            let number = word.strip_prefix("id").unwrap_or(word);
            package || (number.len() >= 8 && number.len() <= 12 && number.bytes().all(|b| b.is_ascii_digit()))
        })
        .map(|word| if word.contains('.') { word.to_owned() } else { word.trim_start_matches("id").to_owned() })
}

pub(super) fn create_ad_unit(turn: &Turn<'_>) -> Prepared {
    let app = the_app(turn, &turn.lower)?;
    let Some(format) = names::format_in(&turn.lower) else {
        return Err(ask(clarify::missing(
            &format!(
                "Which format should the ad unit for {} have: banner, interstitial, rewarded, rewarded interstitial, native or app open?",
                plain(&app.name)
            ),
            &[],
        )
        .choosing(FORMATS)));
    };
    let account = account_of(turn, app)?;
    let platform = app.platform.as_deref().map(names::platform_label).unwrap_or_default();
    let default = format!("{} {platform} {}", app.name, names::format_label(format).to_lowercase());
    let default = default.split_whitespace().collect::<Vec<_>>().join(" ");
    // We may cut only a name that we made up.
    let name = wish::name(turn, MAX_NAME)?.unwrap_or_else(|| default.chars().take(MAX_NAME).collect());
    let mut body = json!({
        "appId": app.id,
        "displayName": &name,
        "adFormat": format,
        "adTypes": if matches!(format, "REWARDED" | "REWARDED_INTERSTITIAL") { json!(["VIDEO"]) } else { json!(["RICH_MEDIA", "VIDEO"]) },
    });
    if format == "REWARDED"
        && let Some((amount, unit)) = reward(&turn.text.replace(&name, " "))
    {
        body["rewardSettings"] = json!({"unitAmount": amount, "unitType": unit});
    }
    Ok(Call { name: Write::CreateAdUnit.tool().into(), args: json!({"account_id": account, "body": body}) })
}

/// Reads "worth 50 coins", "reward of 10 gems" or ", 50 coins": a whole number and its unit.
fn reward(text: &str) -> Option<(String, String)> {
    use crate::text::Kind;
    let tokens = crate::text::tokens(text);
    (0..tokens.len()).find_map(|at| {
        let number = tokens[at].norm.bytes().all(|b| b.is_ascii_digit()).then(|| tokens[at].norm.clone())?;
        if !matches!(tokens[at].kind, Kind::Number(_)) || at.checked_sub(1).is_some_and(|i| tokens[i].is_punct('$')) {
            return None;
        }
        let unit = tokens.get(at + 1).filter(|t| t.kind == Kind::Word && !t.capital && t.norm.len() > 2)?;
        let other = unit.any(&[
            "usd",
            "dollar",
            "buck",
            "euro",
            "percent",
            "day",
            "week",
            "month",
            "hour",
            "minute",
            "second",
            "time",
            "impression",
            "user",
            "ad",
            "unit",
            "for",
            "and",
            "with",
            "from",
            "app",
            "new",
            "more",
        ]);
        (!other).then(|| (number, unit.norm.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_ids_are_package_names_or_digits() {
        assert_eq!(store_id("add com.acme.snakeloop, android").as_deref(), Some("com.acme.snakeloop"));
        assert_eq!(store_id("App Store id 1662742277").as_deref(), Some("1662742277"));
        assert_eq!(store_id("create an app called Tile Tales"), None);
    }

    #[test]
    fn rewards_are_amount_and_unit() {
        assert_eq!(reward("worth 50 coins to ca-app"), Some(("50".to_owned(), "coins".to_owned())));
        assert_eq!(reward("for Word Quest Android, 50 coins"), Some(("50".to_owned(), "coins".to_owned())));
        assert_eq!(reward("a rewarded ad unit"), None);
        assert_eq!(reward("a rewarded ad unit with a floor of $5 for 2 days"), None);
    }
}
