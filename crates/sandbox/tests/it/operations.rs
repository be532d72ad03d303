//! Tests of each operation: its answers and its refusals.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{A1, BANNER, Fixture, account, group};

async fn refused(fixture: &Fixture, path: &str, body: Value, code: u16, field: &str) {
    let (status, answer) = fixture.status(Method::POST, path, body).await;
    assert_eq!(status, code, "{field}: {answer}");
    if code == 400 && !field.is_empty() {
        assert_eq!(answer["error"]["details"][0]["fieldViolations"][0]["field"], field, "{answer}");
    }
}

#[tokio::test]
async fn lists_page_and_look_ups_find() {
    let fixture = Fixture::start().await;
    let (mut token, mut seen) = (String::new(), 0);
    loop {
        let page = fixture.get(&account(&format!("/adUnits?pageSize=7&pageToken={token}"))).await;
        seen += page["adUnits"].as_array().unwrap().len();
        match page["nextPageToken"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => break,
        }
    }
    assert_eq!(seen, 19);
    assert_eq!(fixture.get(&format!("/admob/v1/accounts/{A1}")).await["publisherId"], A1);
    assert_eq!(fixture.get(&account("/adSources")).await["adSources"].as_array().unwrap().len(), 22);
    let adapters = fixture.get(&account("/adSources/7069338991535737586/adapters")).await;
    assert_eq!(adapters["adapters"].as_array().unwrap().len(), 6);
    assert!(adapters["adapters"][0]["adapterConfigMetadata"][0]["isRequired"].as_bool().unwrap());
    let filter = "filter=IN(PLATFORM,%22IOS%22)%20AND%20CONTAINS_ANY(AD_SOURCE_IDS,%221328079684332308356%22)";
    let groups = fixture.get(&account(&format!("/mediationGroups?{filter}"))).await;
    assert_eq!(groups["mediationGroups"][0]["displayName"], "iOS Rewarded Global");
    let mappings = fixture.get(&account("/adUnits/6300978111/adUnitMappings")).await;
    assert_eq!(mappings["adUnitMappings"].as_array().unwrap().len(), 2);
    for (path, code) in
        [("/adUnits/1234567890/adUnitMappings", 404), ("/adSources/1/adapters", 404), ("/apps?pageToken=x", 400)]
    {
        assert_eq!(fixture.status(Method::GET, &account(path), json!({})).await.0, code, "{path}");
    }
    for (path, code) in [
        ("/v1beta/accounts/pub-1/apps", 400),
        ("/v1beta/accounts/pub-9999999999999999/apps", 403),
        ("/v2/accounts", 404),
    ] {
        assert_eq!(fixture.status(Method::GET, path, json!({})).await.0, code, "{path}");
    }
    let anonymous = fixture.http.get(format!("{}/v1beta/accounts", fixture.base)).send().await.unwrap();
    assert_eq!(anonymous.status(), 401);
}

#[tokio::test]
async fn apps_and_ad_units_are_created_and_checked() {
    let fixture = Fixture::start().await;
    let apps = account("/apps");
    let app = fixture.post(&apps, json!({"platform": "ANDROID", "manual_app_info": {"display_name": "New"}})).await;
    assert_eq!(app["manualAppInfo"]["displayName"], "New");
    refused(&fixture, &apps, json!({"platform": "WINDOWS"}), 400, "platform").await;
    refused(
        &fixture,
        &apps,
        json!({"platform": "IOS", "linkedAppInfo": {"appStoreId": "com.x.y"}}),
        400,
        "linkedAppInfo.appStoreId",
    )
    .await;
    refused(
        &fixture,
        &apps,
        json!({"platform": "ANDROID", "linkedAppInfo": {"appStoreId": "com.acmegames.puzzle"}}),
        409,
        "",
    )
    .await;
    refused(&fixture, &apps, json!({"platform": "IOS", "colour": 1}), 400, "colour").await;

    let units = account("/adUnits");
    let unit = json!({"appId": app["appId"], "displayName": "Prize", "adFormat": "REWARDED", "rewardSettings": {"unitAmount": 3, "unitType": "Gem"}});
    let made = fixture.post(&units, unit.clone()).await;
    assert_eq!(made["rewardSettings"]["unitAmount"], "3");
    let with = |name: &str, value: Value| {
        let mut changed = unit.clone();
        changed["displayName"] = json!("Other");
        changed[name] = value;
        changed
    };
    refused(&fixture, &units, unit.clone(), 409, "").await;
    refused(&fixture, &units, with("appId", json!("ca-app-pub-7682510348291046~4180926357")), 400, "appId").await;
    refused(&fixture, &units, with("adFormat", json!("BANNER")), 400, "rewardSettings").await;
    refused(&fixture, &units, with("adTypes", json!(["RICH_MEDIA"])), 400, "adTypes").await;
    refused(&fixture, &units, with("displayName", json!("x".repeat(81))), 400, "displayName").await;
    refused(&fixture, &units, with("displayName", json!("a\u{7}b")), 400, "displayName").await;
    let listed = fixture.get(&units).await;
    assert!(listed["adUnits"].as_array().unwrap().contains(&made));
}

#[tokio::test]
async fn mappings_need_the_keys_of_their_adapter() {
    let fixture = Fixture::start().await;
    let adapters = fixture.get(&account("/adSources/1328079684332308356/adapters")).await;
    let adapters = adapters["adapters"].as_array().unwrap();
    let find =
        |format: &str| adapters.iter().find(|it| it["platform"] == "ANDROID" && it["formats"][0] == format).unwrap();
    let banner = find("BANNER");
    let key = |index: usize| banner["adapterConfigMetadata"][index]["adapterConfigMetadataId"].as_str().unwrap();
    let good = json!({"adapterId": banner["adapterId"], "displayName": "m", "adUnitConfigurations": {key(0): "sdk", key(1): "zone"}});
    let path = account("/adUnits/6300978111/adUnitMappings");
    let made = fixture.post(&path, good.clone()).await;
    assert_eq!(made["state"], "ENABLED");
    let mut short = good.clone();
    short["adUnitConfigurations"].as_object_mut().unwrap().remove(key(1));
    refused(&fixture, &path, short, 400, &format!("adUnitConfigurations.{}", key(1))).await;
    let mut other = good.clone();
    other["adapterId"] = find("REWARDED")["adapterId"].clone();
    refused(&fixture, &path, other, 400, "adapterId").await;

    let batch = account("/adUnitMappings:batchCreate");
    let request = json!({"parent": format!("accounts/{A1}/adUnits/6300978111"), "adUnitMapping": good});
    let answer = fixture.post(&batch, json!({"requests": [request, request]})).await;
    assert_eq!(answer["adUnitMappings"].as_array().unwrap().len(), 2);
    let before = fixture.get(&path).await;
    let mut wrong = request.clone();
    wrong["adUnitMapping"]["adapterId"] = json!("1");
    refused(&fixture, &batch, json!({"requests": [request, wrong]}), 400, "requests[1].adUnitMapping.adapterId").await;
    refused(&fixture, &batch, json!({"requests": vec![request.clone(); 101]}), 400, "requests").await;
    assert_eq!(fixture.get(&path).await, before, "a refused batch makes nothing");

    let mut mapped = group("Mapped");
    mapped["mediationGroupLines"] =
        json!({"-1": {"adSourceId": "1328079684332308356", "adUnitMappings": {BANNER: made["name"]}}});
    fixture.post(&account("/mediationGroups"), mapped.clone()).await;
    mapped["displayName"] = json!("Wrong source");
    mapped["mediationGroupLines"]["-1"]["adSourceId"] = json!("11198165126854996598");
    let field = format!("mediationGroupLines[\"-1\"].adUnitMappings.{BANNER}");
    refused(&fixture, &account("/mediationGroups"), mapped, 400, &field).await;
}

#[tokio::test]
async fn mediation_groups_are_checked_before_they_exist() {
    let fixture = Fixture::start().await;
    let path = account("/mediationGroups");
    fixture.post(&path, group("Mine")).await;
    refused(&fixture, &path, group("Mine"), 409, "").await;
    let cases: [(&str, Value, &str); 9] = [
        ("/targeting/platform", json!("IOS"), "targeting.adUnitIds[0]"),
        ("/targeting/format", json!("NATIVE"), "targeting.adUnitIds[0]"),
        ("/targeting/adUnitIds", json!(["ca-app-pub-1/2"]), "targeting.adUnitIds[0]"),
        ("/targeting/adUnitIds", json!([BANNER, BANNER]), "targeting.adUnitIds[1]"),
        ("/displayName", json!(""), "displayName"),
        ("/mediationGroupLines/-2/cpmMicros", json!(9_999), "mediationGroupLines[\"-2\"].cpmMicros"),
        ("/mediationGroupLines/-2/cpmMode", json!("LIVE"), "mediationGroupLines[\"-2\"].cpmMode"),
        ("/mediationGroupLines/-2/adSourceId", json!("1"), "mediationGroupLines[\"-2\"].adSourceId"),
        ("/mediationGroupLines", json!({"7": {"adSourceId": "5450213213286189855"}}), "mediationGroupLines.7"),
    ];
    for (pointer, value, field) in cases {
        let mut body = group("Other");
        *body.pointer_mut(pointer).unwrap() = value;
        refused(&fixture, &path, body, 400, field).await;
    }
    let (status, _) = fixture.status(Method::POST, &path, json!([])).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn a_patch_changes_what_its_mask_names_and_nothing_else() {
    let fixture = Fixture::start().await;
    let made = fixture.post(&account("/mediationGroups"), group("Patched")).await;
    let lines = made["mediationGroupLines"].as_object().unwrap();
    let id = lines.iter().find(|(_, line)| line["cpmMode"] == "MANUAL").unwrap().0;
    let path = |mask: &str| {
        let mask: String = mask.replace('"', "%22").replace('[', "%5B").replace(']', "%5D");
        account(&format!("/mediationGroups/{}?updateMask={mask}", made["mediationGroupId"].as_str().unwrap()))
    };
    let body = json!({"displayName": "ignored", "mediationGroupLines": {id: {"cpmMicros": "900000", "displayName": "New name"}}});
    let camel = path(&format!("mediationGroupLines[\"{id}\"].cpmMicros"));
    let (status, answer) = fixture.status(Method::PATCH, &camel, body.clone()).await;
    assert_eq!(status, 200, "{answer}");
    let mut expected = made.clone();
    expected["mediationGroupLines"][id]["cpmMicros"] = json!("900000");
    assert_eq!(answer, expected);

    let added =
        json!({"mediationGroupLines": {"-1": {"adSourceId": "11198165126854996598"}, id: {"state": "REMOVED"}}});
    let mask = path(&format!("mediation_group_lines[\"-1\"],mediation_group_lines[\"{id}\"].state"));
    let (status, answer) = fixture.status(Method::PATCH, &mask, added).await;
    assert_eq!(status, 200, "{answer}");
    let sources: Vec<_> =
        answer["mediationGroupLines"].as_object().unwrap().values().map(|line| line["adSourceId"].clone()).collect();
    assert_eq!(sources, [json!("5450213213286189855"), json!("11198165126854996598")]);

    for mask in ["", "display_name", "mediation_group_lines[\"5\"].state"] {
        let (status, _) = fixture.status(Method::PATCH, &path(mask), body.clone()).await;
        assert_eq!(status, 400, "{mask}");
    }
    let missing = account("/mediationGroups/1?updateMask=targeting.ad_unit_ids");
    assert_eq!(fixture.status(Method::PATCH, &missing, json!({})).await.0, 404);
    assert_eq!(fixture.writes().await.len(), 7);
}

#[tokio::test]
async fn one_experiment_runs_per_group_and_stopping_keeps_a_variant() {
    let fixture = Fixture::start().await;
    let made = fixture.post(&account("/mediationGroups"), group("Tested")).await;
    let parent = account(&format!("/mediationGroups/{}", made["mediationGroupId"].as_str().unwrap()));
    let start = format!("{parent}/mediationAbExperiments");
    let stop = format!("{start}:stop");
    let body = json!({
        "displayName": "Try Meta", "treatmentTrafficPercentage": "30",
        "treatmentMediationLines": [{"mediationGroupLine": {"id": "-1", "adSourceId": "11198165126854996598", "cpmMode": "LIVE"}}],
    });
    let mut wrong = body.clone();
    wrong["treatmentTrafficPercentage"] = json!(100);
    refused(&fixture, &start, wrong, 400, "treatmentTrafficPercentage").await;
    refused(&fixture, &stop, json!({"variantChoice": "VARIANT_CHOICE_B"}), 400, "").await;
    let running = fixture.post(&start, body.clone()).await;
    assert_eq!(running["state"], "RUNNING");
    assert_eq!(running["controlMediationLines"].as_array().unwrap().len(), 2);
    refused(&fixture, &start, body, 400, "").await;
    refused(&fixture, &stop, json!({}), 400, "variantChoice").await;
    let ended = fixture.post(&stop, json!({"variantChoice": "VARIANT_CHOICE_B"})).await;
    assert_eq!((ended["state"].as_str(), ended["endTime"].is_string()), (Some("ENDED"), true));
    let groups = fixture.get(&account("/mediationGroups?filter=IN(DISPLAY_NAME,%22Tested%22)")).await;
    let group = &groups["mediationGroups"][0];
    assert_eq!(group["mediationAbExperimentState"], "NOT_RUNNING");
    let lines = group["mediationGroupLines"].as_object().unwrap();
    assert_eq!(lines.values().map(|line| &line["adSourceId"]).collect::<Vec<_>>(), ["11198165126854996598"]);
}
