//! The operation `accounts.apps.create`.

use super::{Done, Objects, json};
use crate::journal::Effect;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::networks::admob::wire::{App, LinkedAppInfo, ManualAppInfo, account_of};

const STORES: &[&str] = &[
    "GOOGLE_PLAY_APP_STORE",
    "AMAZON_APP_STORE",
    "OPPO_APP_STORE",
    "SAMSUNG_APP_STORE",
    "VIVO_APP_STORE",
    "XIAOMI_APP_STORE",
];

pub fn run(objects: &Objects, context: &Context) -> Done {
    let account = &context.call.account;
    let body = Fields::root(&context.body)?;
    body.known(&["name", "appId", "platform", "manualAppInfo", "linkedAppInfo", "appApprovalState"])?;
    let platform = body.need_choice("platform", &["ANDROID", "IOS"])?;
    let manual = match body.object("manualAppInfo")? {
        None => None,
        Some(info) => {
            info.known(&["displayName"])?;
            Some(ManualAppInfo { display_name: info.need_text("displayName", 80)? })
        }
    };
    let linked = body.object("linkedAppInfo")?.map(|info| linked(objects, &info, account, &platform)).transpose()?;
    let fragment = objects.fresh_id(1, |id| objects.apps.iter().any(|app| app.app_id.ends_with(id)));
    // Google names an app that nobody named.
    let placeholder = || ManualAppInfo { display_name: format!("App {fragment}") };
    let app = App {
        name: format!("accounts/{account}/apps/{fragment}"),
        app_id: format!("ca-app-{account}~{fragment}"),
        manual_app_info: Some(manual.unwrap_or_else(placeholder)),
        app_approval_state: if linked.is_some() { "IN_REVIEW" } else { "ACTION_REQUIRED" }.to_owned(),
        linked_app_info: linked,
        platform,
    };
    Ok((json(&app)?, vec![Effect::App(app)]))
}

fn linked(objects: &Objects, info: &Fields<'_>, account: &str, platform: &str) -> Result<LinkedAppInfo, ApiError> {
    info.known(&["appStoreId", "displayName", "androidAppStores"])?;
    let app_store_id = info.need_text("appStoreId", 255)?;
    if !store_id_fits(&app_store_id, platform) {
        let form = if platform == "IOS" { "digits such as 105169111" } else { "a package such as com.example.myapp" };
        return Err(info.invalid("appStoreId", format!("does not fit the platform {platform}; {form} is expected")));
    }
    let stores = info.strings("androidAppStores")?;
    if let Some(at) = stores.iter().position(|store| !STORES.contains(&store.as_str())) {
        return Err(
            info.invalid(&format!("androidAppStores[{at}]"), format!("one of {} is expected", STORES.join(", ")))
        );
    }
    let same = |app: &&App| {
        account_of(&app.name) == account
            && app.linked_app_info.as_ref().is_some_and(|it| it.app_store_id == app_store_id)
    };
    if let Some(app) = objects.apps.iter().find(same) {
        return Err(ApiError::exists(format!(
            "linkedAppInfo.appStoreId: {app_store_id} is already linked to {}.",
            app.app_id
        )));
    }
    let android_app_stores = match (platform, stores.is_empty()) {
        ("IOS", _) => Vec::new(),
        (_, true) => vec![STORES[0].to_owned()],
        (_, false) => stores,
    };
    Ok(LinkedAppInfo { app_store_id, display_name: None, android_app_stores })
}

fn store_id_fits(id: &str, platform: &str) -> bool {
    if platform == "IOS" {
        return id.len() <= 12 && id.bytes().all(|byte| byte.is_ascii_digit());
    }
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    id.contains('.') && id.split('.').all(part)
}
