//! Builds a request from arguments, by the binding in the catalog. This module is pure; signing comes later.

use serde_json::{Map, Value as Json};
use url::Url;

use super::place;
use crate::{
    Credentials,
    catalogue::{BodyEncoding, HttpBinding, QueryStyle},
    sign::{Outgoing, Payload, Profile},
};

/// Builds the unsigned request; `None` if an argument that it needs is missing. The schema check comes first, so this is a second check.
pub fn build(profile: &Profile, binding: &HttpBinding, credentials: &Credentials, args: &Json) -> Option<Outgoing> {
    let mut out =
        Outgoing::new(binding.method, place::located(profile, credentials, &address(profile, binding, args)?));
    for name in &binding.query {
        add(&mut out, binding, name, args.get(name).unwrap_or(&Json::Null))?;
    }
    out.headers.extend(binding.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
    if binding.body {
        let body = args.get("body").cloned().unwrap_or_else(|| Json::Object(Map::new()));
        out.payload = match binding.body_encoding {
            None => Payload::Json(body),
            Some(BodyEncoding::Form) => Payload::Form(form(&body)?),
        };
    }
    Some(out)
}

/// Returns the network's own address for the operation.
fn address(profile: &Profile, binding: &HttpBinding, args: &Json) -> Option<Url> {
    let mut url = match &binding.base {
        Some(base) => base.clone(),
        None => format!("https://{}", profile.host).parse().ok()?,
    };
    let below = url.path_segments()?.filter(|part| !part.is_empty()).count();
    let mut wanted = below;
    {
        let mut segments = url.path_segments_mut().ok()?;
        segments.pop_if_empty();
        for part in binding.path.split('/').filter(|part| !part.is_empty()) {
            wanted += 1;
            match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
                Some((name, rest)) => segments.push(&segment(&plain(args.get(name)?)?, rest)?),
                None => segments.push(part),
            };
        }
    }
    // An ID may change the address, but the number of path segments must stay that of the operation.
    (url.path_segments()?.filter(|part| !part.is_empty()).count() == wanted).then_some(url)
}

/// Returns an ID as one path segment. Dots alone would mean another path, and URL parsers drop tabs and line ends.
fn segment(id: &str, rest: &str) -> Option<String> {
    let whole = format!("{id}{rest}");
    let plain = !id.is_empty() && !whole.chars().any(char::is_control);
    (plain && !matches!(whole.as_str(), "" | "." | "..")).then_some(whole)
}

fn add(out: &mut Outgoing, binding: &HttpBinding, name: &str, value: &Json) -> Option<()> {
    let wire = binding.query_names.get(name).map_or(name, String::as_str);
    match value {
        Json::Null => {}
        Json::Object(map) => {
            // Only maps that the binding knows are spread; other objects cannot go in a query.
            let prefix = binding.query_maps.get(name)?;
            for (key, value) in map {
                out.query.push((format!("{prefix}{key}"), joined(value)?));
            }
        }
        Json::Array(_) if binding.query_style.get(name) == Some(&QueryStyle::Csv) => {
            out.query.push((wire.to_owned(), joined(value)?));
        }
        Json::Array(values) => {
            for value in values {
                out.query.push((wire.to_owned(), plain(value)?));
            }
        }
        value => out.query.push((wire.to_owned(), plain(value)?)),
    }
    Some(())
}

/// Writes a body as a flat form: lists separated by commas, deeper values as JSON.
fn form(body: &Json) -> Option<Vec<(String, String)>> {
    let fields = body.as_object()?.iter().filter(|(_, value)| !value.is_null());
    Some(fields.map(|(name, value)| (name.clone(), joined(value).unwrap_or_else(|| value.to_string()))).collect())
}

fn joined(value: &Json) -> Option<String> {
    match value {
        Json::Array(values) => Some(values.iter().map(plain).collect::<Option<Vec<_>>>()?.join(",")),
        value => plain(value),
    }
}

fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::Network;
    use serde_json::json;

    use super::*;
    use crate::{SecretFields, catalogue::Catalogue, sign::profile};

    fn credentials(base: &str, sandbox: bool) -> Credentials {
        let base_url = base.parse().expect("valid");
        Credentials {
            fields: SecretFields::default(),
            base_url,
            sandbox,
            accounts: Vec::new(),
            connection: None,
            version: 1,
            made: 1,
        }
    }

    fn url(tool: &str, base: &str, args: &Json) -> String {
        let catalogue = Catalogue::built_in().expect("loads");
        let binding = &catalogue.get(tool).expect("known").http;
        build(profile(Network::AdMob), binding, &credentials(base, true), args).expect("complete").address().to_string()
    }

    fn built(network: Network, binding: &Json, args: &Json) -> Option<Outgoing> {
        let binding: HttpBinding = serde_json::from_value(binding.clone()).expect("a binding");
        build(profile(network), &binding, &credentials("http://127.0.0.1:9/n", true), args)
    }

    #[test]
    fn paths_queries_and_bases_are_put_together() {
        let args = json!({"account_id": "pub-1", "mediation_group_id": "7", "updateMask": "mediation_group_lines[\"1\"].state", "body": {}});
        assert_eq!(
            url("admob_update_mediation_group", "http://127.0.0.1:9/admob/", &args),
            "http://127.0.0.1:9/admob/v1beta/accounts/pub-1/mediationGroups/7?updateMask=mediation_group_lines%5B%221%22%5D.state"
        );
        assert_eq!(
            url("admob_generate_network_report", "https://admob.googleapis.com", &json!({"account_id": "pub-1"})),
            "https://admob.googleapis.com/v1beta/accounts/pub-1/networkReport:generate"
        );
        assert_eq!(
            url("admob_list_apps", "http://h", &json!({"account_id": "pub-1", "pageSize": 2, "pageToken": "a&b"})),
            "http://h/v1beta/accounts/pub-1/apps?pageSize=2&pageToken=a%26b"
        );
    }

    #[test]
    fn an_id_cannot_leave_its_segment() {
        let built_url = url("admob_get_account", "http://h/admob", &json!({"account_id": "../../x?y"}));
        assert_eq!(built_url, "http://h/admob/v1beta/accounts/..%2F..%2Fx%3Fy");
        let binding = json!({"method": "GET", "path": "/ad_unit/{id}/{segment}"});
        for id in ["..", ".", "", ".\t", ".\t.", "\r..\n", "a\tb", "\u{0}", "\n"] {
            assert!(built(Network::AppLovin, &binding, &json!({"id": id, "segment": "1"})).is_none(), "{id:?}");
        }
    }

    #[test]
    fn values_are_joined_repeated_renamed_and_spread_as_the_binding_says() {
        let binding = json!({"method": "GET", "base": "https://r.applovin.com", "path": "/maxReport",
            "query": ["columns", "ids", "filters", "sort", "skip_rows", "none"],
            "query_style": {"columns": "csv", "ids": "repeat"}, "query_names": {"skip_rows": "offset"},
            "query_maps": {"filters": "filter_", "sort": "sort_"}});
        let args = json!({"columns": ["day", "ecpm"], "ids": [1, 2], "filters": {"country": ["us", "de"]}, "sort": {"day": "ASC"}, "skip_rows": 5});
        let out = built(Network::AppLovin, &binding, &args).expect("complete");
        assert_eq!(out.url.path(), "/n/@r.applovin.com/maxReport");
        assert_eq!(
            out.address().query(),
            Some("columns=day%2Cecpm&ids=1&ids=2&filter_country=us%2Cde&sort_day=ASC&offset=5")
        );
        let wrong = json!({"columns": {"a": 1}});
        assert!(built(Network::AppLovin, &binding, &wrong).is_none(), "an object nobody spreads");
    }

    #[test]
    fn bodies_travel_as_forms_and_lists_and_fixed_headers_are_added() {
        let binding =
            json!({"method": "POST", "path": "/v2/unit/open_api_edit", "body": true, "body_encoding": "form"});
        let args = json!({"body": {"unit_id": 7, "names": ["a", "b"], "target_ecpm": {"US": 1.5}, "gone": null}});
        let out = built(Network::Mintegral, &binding, &args).expect("complete");
        let Payload::Form(fields) = &out.payload else { panic!("a form") };
        let texts: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(texts, ["unit_id=7", "names=a,b", r#"target_ecpm={"US":1.5}"#]);

        let binding = json!({"method": "PUT", "path": "/levelPlay/groups/v4/{app_key}", "body": true, "headers": {"Vungle-Version": "1"}});
        let args = json!({"app_key": "abc", "body": [{"groupId": 1}]});
        let out = built(Network::Unity, &binding, &args).expect("complete");
        assert!(matches!(&out.payload, Payload::Json(Json::Array(items)) if items.len() == 1));
        assert_eq!(out.headers, [("Vungle-Version".to_owned(), "1".to_owned())]);
    }
}
