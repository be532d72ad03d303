//! Tests of the errors for wrong arguments, with the real schemas.

use serde_json::json;

use crate::catalogue::Catalogue;

fn errors(tool: &str, args: &serde_json::Value) -> Vec<(String, String)> {
    let catalogue = Catalogue::built_in().expect("loads");
    catalogue.get(tool).expect("known").check(args).into_iter().map(|e| (e.pointer, e.message)).collect()
}

fn one(tool: &str, args: &serde_json::Value) -> (String, String) {
    let mut found = errors(tool, args);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn pair(pointer: &str, message: &str) -> (String, String) {
    (pointer.into(), message.into())
}

#[test]
fn nested_fields_nobody_knows_and_blank_names_are_refused_before_anything_is_sent() {
    let group = |body: serde_json::Value| json!({"account_id": "pub-3940256099942544", "body": body});
    let targeting = json!({"platform": "ANDROID", "format": "BANNER"});
    let found = errors(
        "admob_create_mediation_group",
        &group(json!({"displayName": "  ", "targeting": {"platform": "ANDROID", "format": "BANNER", "evil": 1}})),
    );
    let pointers: Vec<&str> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
    assert!(pointers.contains(&"/body/displayName") && pointers.contains(&"/body/targeting/evil"), "{found:?}");
    assert_eq!(
        one(
            "admob_create_mediation_group",
            &group(json!({"displayName": "A", "targeting": targeting, "mediationGroupLines": {"-1": {"evil": 1}}}))
        )
        .0,
        "/body/mediationGroupLines/-1/evil"
    );
    assert_eq!(
        one(
            "admob_create_mediation_group",
            &group(json!({"displayName": "A", "targeting": {"platform": "ANDROID", "format": "BANNER",
                "targetedRegionCodes": ["US", "<b>"]}}))
        )
        .0,
        "/body/targeting/targetedRegionCodes/1"
    );
}

#[test]
fn every_kind_of_mistake_names_the_field_and_what_it_should_be() {
    assert_eq!(
        one("admob_get_account", &json!({"account_id": "12345"})),
        pair("/account_id", "must match the form pub-XXXXXXXXXXXXXXXX")
    );
    assert_eq!(
        one("admob_get_account", &json!({})),
        pair("/account_id", "is required: Publisher ID, form pub-XXXXXXXXXXXXXXXX")
    );
    assert_eq!(
        one("admob_list_accounts", &json!({"size": 3})),
        pair("/size", "isn't a known field. Known fields: pageSize, pageToken")
    );
    assert_eq!(
        one("admob_list_accounts", &json!({"pageSize": "3"})),
        pair("/pageSize", "must be a whole number, not text")
    );
    assert_eq!(one("admob_list_accounts", &json!({"pageSize": 0})), pair("/pageSize", "must be 1 or more"));
}

#[test]
fn nested_mistakes_are_addressed_by_pointer() {
    let found = errors(
        "admob_create_app",
        &json!({"account_id": "pub-1234567890123456", "body": {"platform": "WINDOWS", "manualAppInfo": {"displayName": "x".repeat(81)}}}),
    );
    assert!(found.contains(&pair("/body/platform", "must be one of IOS, ANDROID")), "{found:?}");
    assert!(
        found.contains(&pair("/body/manualAppInfo/displayName", "must have at most 80 characters, has 81")),
        "{found:?}"
    );
}

#[test]
fn control_characters_are_refused_wherever_they_stand() {
    let (pointer, message) = one(
        "admob_create_app",
        &json!({"account_id": "pub-1234567890123456", "body": {"platform": "IOS", "manualAppInfo": {"displayName": "a\u{0}b"}}}),
    );
    assert_eq!(pointer, "/body/manualAppInfo/displayName");
    assert!(message.contains("control character"));
}

#[test]
fn what_nobody_sees_is_refused_in_values_and_keys() {
    let app = |name: &str| json!({"account_id": "pub-1234567890123456", "body": {"platform": "IOS", "manualAppInfo": {"displayName": name}}});
    let (pointer, message) = one("admob_create_app", &app("Ban\u{202E}ren"));
    assert_eq!(pointer, "/body/manualAppInfo/displayName");
    assert_eq!(message, "contains the invisible character U+202E; type it again");
    assert!(errors("admob_create_app", &app("می\u{200C}خواهم 👩\u{200D}👧")).is_empty());
    let mapping = json!({"account_id": "pub-3940256099942544", "ad_unit_id": "6300978111",
        "body": {"adapterId": "500", "displayName": "M", "adUnitConfigurations": {"7\u{200B}01": "x"}}});
    let found = errors("admob_create_ad_unit_mapping", &mapping);
    assert!(found.iter().any(|(_, message)| message.contains("invisible")), "{found:?}");
}

#[test]
fn amounts_that_travel_as_text_have_bounds() {
    let reward = |amount: &str| {
        json!({"account_id": "pub-3940256099942544", "body": {"appId": "ca-app-pub-3940256099942544~3347511713",
            "displayName": "R", "adFormat": "REWARDED", "rewardSettings": {"unitAmount": amount, "unitType": "x"}}})
    };
    let told = "must be a whole number from 1 to 999999999";
    for amount in ["-5", "0", "99999999999999999999999", "1000000000"] {
        assert_eq!(
            one("admob_create_ad_unit", &reward(amount)),
            pair("/body/rewardSettings/unitAmount", told),
            "{amount}"
        );
    }
    assert!(errors("admob_create_ad_unit", &reward("50")).is_empty());
    let line = |micros: &str| {
        json!({"account_id": "pub-3940256099942544", "mediation_group_id": "12", "updateMask": "x",
            "body": {"mediationGroupLines": {"12": {"cpmMicros": micros}}}})
    };
    let (pointer, _) = one("admob_update_mediation_group", &line("-10000"));
    assert_eq!(pointer, "/body/mediationGroupLines/12/cpmMicros");
    assert!(errors("admob_update_mediation_group", &line("4500000")).is_empty());
}
