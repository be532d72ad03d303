//! Reads AdMob's JSON as entities: ID, name, parent, platform, format. This module is pure.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Network, text::visible};
use serde_json::Value as Json;

use super::Found;

/// Reads one entity; `None` if it has no ID, because no operation could name it.
pub fn item(kind: EntityKind, raw: &Json, found: Found<'_>) -> Option<EntityItem> {
    let text =
        |pointer: &str| raw.pointer(pointer).and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let lower = |pointer: &str| text(pointer).map(|text| text.to_lowercase());
    let id = text(match kind {
        EntityKind::Account => "/publisherId",
        EntityKind::App => "/appId",
        EntityKind::AdUnit => "/adUnitId",
        EntityKind::AdSource => "/adSourceId",
        EntityKind::AdSourceAdapter => "/adapterId",
        EntityKind::AdUnitMapping => "/name",
        EntityKind::MediationGroup => "/mediationGroupId",
        _ => return None,
    })?;
    let account = found.account.map(str::to_owned);
    let parent = found.parent.map(str::to_owned);
    let (name, parent, platform, format, status) = match kind {
        EntityKind::Account => (text("/displayName"), None, None, None, None),
        EntityKind::App => (
            text("/linkedAppInfo/displayName")
                .or_else(|| text("/manualAppInfo/displayName"))
                .or_else(|| text("/linkedAppInfo/appStoreId")),
            account.clone(),
            lower("/platform"),
            None,
            lower("/appApprovalState"),
        ),
        EntityKind::AdUnit => (text("/displayName"), text("/appId"), None, lower("/adFormat"), None),
        EntityKind::AdSource => (text("/title"), None, None, None, None),
        EntityKind::AdSourceAdapter => (text("/title"), parent, lower("/platform"), None, None),
        EntityKind::AdUnitMapping => (text("/displayName"), parent, None, None, lower("/state")),
        EntityKind::MediationGroup => (
            text("/displayName"),
            account.clone(),
            lower("/targeting/platform"),
            lower("/targeting/format"),
            lower("/state"),
        ),
        _ => return None,
    };
    Some(EntityItem {
        network: Network::AdMob,
        kind,
        // A name may contain invisible characters that make it look like another name. Approvals, lists and answers must show them.
        name: name.map_or_else(|| id.clone(), |name| visible(&name).into_owned()),
        account: if kind == EntityKind::Account { Some(id.clone()) } else { account },
        id,
        parent,
        platform,
        format,
        status,
        connection: None,
        raw: raw.clone().into(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const IN: Found<'static> = Found { account: Some("pub-1"), parent: None };

    #[test]
    fn apps_are_named_by_store_listing_then_by_hand_then_by_store_id() {
        let app = |extra: Json| {
            let mut raw = json!({"appId": "ca-app-pub-1~2", "platform": "IOS"});
            raw.as_object_mut().expect("object").extend(extra.as_object().expect("object").clone());
            item(EntityKind::App, &raw, IN).expect("has an id")
        };
        let both = app(json!({"linkedAppInfo": {"displayName": "Store"}, "manualAppInfo": {"displayName": "Hand"}}));
        assert_eq!(
            (both.name.as_str(), both.platform.as_deref(), both.parent.as_deref()),
            ("Store", Some("ios"), Some("pub-1"))
        );
        assert_eq!(app(json!({"manualAppInfo": {"displayName": "Hand"}})).name, "Hand");
        assert_eq!(app(json!({"linkedAppInfo": {"appStoreId": "123"}})).name, "123");
        assert_eq!(app(json!({})).name, "ca-app-pub-1~2");
    }

    #[test]
    fn a_name_cannot_hide_what_it_is_made_of() {
        let raw = json!({"appId": "a", "manualAppInfo": {"displayName": "Puzzle\u{202E}emaG\nDelete"}});
        assert_eq!(item(EntityKind::App, &raw, IN).expect("has an id").name, "Puzzle[U+202E]emaG[U+000A]Delete");
    }

    #[test]
    fn objects_without_an_id_are_left_out() {
        assert_eq!(item(EntityKind::AdUnit, &json!({"displayName": "x"}), IN), None);
    }
}
