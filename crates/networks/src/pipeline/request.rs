//! From arguments to a request, by the catalogue's binding. Pure.

use serde_json::Value as Json;
use url::Url;

use crate::catalogue::HttpBinding;

/// Address and body; `None` when the arguments lack what the path needs (the schema check comes first, so this is a second wall).
pub fn build(
    binding: &HttpBinding,
    base: &Url,
    args: &Json,
    page_token: Option<(&str, &str)>,
) -> Option<(Url, Option<Json>)> {
    let mut url = base.clone();
    {
        let mut segments = url.path_segments_mut().ok()?;
        segments.pop_if_empty();
        for part in binding.path.split('/').filter(|part| !part.is_empty()) {
            match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
                Some((name, rest)) => segments.push(&format!("{}{rest}", plain(args.get(name)?)?)),
                None => segments.push(part),
            };
        }
    }
    for name in &binding.query {
        if page_token.is_some_and(|(param, _)| param == name) {
            continue;
        }
        match args.get(name) {
            None | Some(Json::Null) => {}
            // Google repeats a parameter for each value.
            Some(Json::Array(values)) => {
                for value in values {
                    url.query_pairs_mut().append_pair(name, &plain(value)?);
                }
            }
            Some(value) => {
                url.query_pairs_mut().append_pair(name, &plain(value)?);
            }
        }
    }
    if let Some((param, token)) = page_token {
        url.query_pairs_mut().append_pair(param, token);
    }
    let body = binding.body.then(|| args.get("body").cloned().unwrap_or_else(|| Json::Object(serde_json::Map::new())));
    Some((url, body))
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
    use serde_json::json;

    use super::*;
    use crate::catalogue::Catalogue;

    fn url(tool: &str, base: &str, args: &Json, page: Option<(&str, &str)>) -> String {
        let catalogue = Catalogue::built_in().expect("loads");
        let base = Url::parse(base).expect("valid");
        build(&catalogue.get(tool).expect("known").http, &base, args, page).expect("complete").0.to_string()
    }

    #[test]
    fn paths_queries_and_bases_are_put_together() {
        let args = json!({"account_id": "pub-1", "mediation_group_id": "7", "updateMask": "mediation_group_lines[\"1\"].state", "body": {}});
        assert_eq!(
            url("admob_update_mediation_group", "http://127.0.0.1:9/admob/", &args, None),
            "http://127.0.0.1:9/admob/v1beta/accounts/pub-1/mediationGroups/7?updateMask=mediation_group_lines%5B%221%22%5D.state"
        );
        assert_eq!(
            url("admob_generate_network_report", "https://admob.googleapis.com", &json!({"account_id": "pub-1"}), None),
            "https://admob.googleapis.com/v1beta/accounts/pub-1/networkReport:generate"
        );
        assert_eq!(
            url(
                "admob_list_apps",
                "http://h",
                &json!({"account_id": "pub-1", "pageSize": 2, "pageToken": "old"}),
                Some(("pageToken", "a&b"))
            ),
            "http://h/v1beta/accounts/pub-1/apps?pageSize=2&pageToken=a%26b"
        );
    }

    #[test]
    fn an_id_cannot_leave_its_segment() {
        let built = url("admob_get_account", "http://h/admob", &json!({"account_id": "../../x?y"}), None);
        assert_eq!(built, "http://h/admob/v1beta/accounts/..%2F..%2Fx%3Fy");
    }
}
