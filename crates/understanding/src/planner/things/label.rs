//! Names a field in a question to the person: in words for people, never in a schema's own text.

pub(super) use adagent_tools::schema::meanings;
use serde_json::Value as Json;

use super::tool::snake;

/// The beginning of our question for more values. The answer to it may be just the value.
pub(super) const ONE_MORE: &str = "I still need: ";

/// Returns short words for a field, from its key.
pub(super) fn label(name: &str, noun: &str) -> String {
    let key = snake(name);
    let words = match key.as_str() {
        "name" | "display_name" => return format!("{} name", noun.replace('_', " ")).trim_start().to_owned(),
        "is_audience_bidding_enabled" | "is_bidder" | "is_hbparticipation" | "is_hb_participation" | "bidding_type" => {
            "whether it takes part in bidding"
        }
        "coppa" | "is_coppa" | "coppa_value" | "child_directed" => "whether it is directed at children",
        "location_access" => "whether the app may pass the location",
        "is_live_in_store" => "whether the app is in a store",
        "store_url" | "download_url" => "store address",
        "app_category_code" => "category code",
        "category1" => "main category",
        "mediation_ad_unit_name" | "unit_name" => "ad unit name",
        "hb_unit_name" => "name of the bidding ad unit",
        "unit_names" => "name of the waterfall ad unit",
        "ad_type" | "ad_format" | "placement_type" | "ad_slot_type" | "ad_unit" => "ad format",
        "os" => "platform",
        "package" | "bundle" => "package name",
        "network_name" | "mediated_network_name" => "name of the other network",
        "line_item_type" => "line item type",
        "cost_type" => "billing type",
        "rate" | "price" | "cpm" => "price in the account's currency",
        "creative_rotation_type" => "creative rotation",
        "start_time" => "start",
        "trafficker" => "trafficker",
        "parent_ad_unit" => "parent ad unit",
        _ => "",
    };
    if !words.is_empty() {
        return words.to_owned();
    }
    key.trim_end_matches("_id").trim_end_matches("_ids").replace(['_', '-', '.'], " ")
}

/// Returns the possible answers, in words.
pub(super) fn options(schema: &Json) -> Vec<String> {
    let meanings = meanings(schema);
    if !meanings.is_empty() {
        return meanings.into_iter().map(|(_, meaning)| meaning).take(8).collect();
    }
    if schema["type"] == "boolean" {
        return vec!["yes".to_owned(), "no".to_owned()];
    }
    let options: Vec<&Json> = schema["enum"].as_array().into_iter().flatten().take(8).collect();
    if options.iter().all(|option| option.as_i64().is_some_and(|n| n == 0 || n == 1)) && !options.is_empty() {
        return vec!["yes".to_owned(), "no".to_owned()];
    }
    options
        .into_iter()
        .map(|option| option.as_str().map_or_else(|| option.to_string(), |text| text.replace('_', " ").to_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATALOGUES: [&str; 8] = [
        include_str!("../../../../networks/catalog/admanager.json"),
        include_str!("../../../../networks/catalog/applovin.json"),
        include_str!("../../../../networks/catalog/dtexchange.json"),
        include_str!("../../../../networks/catalog/inmobi.json"),
        include_str!("../../../../networks/catalog/liftoff.json"),
        include_str!("../../../../networks/catalog/mintegral.json"),
        include_str!("../../../../networks/catalog/pangle.json"),
        include_str!("../../../../networks/catalog/unity.json"),
    ];

    fn walk(node: &Json, seen: &mut usize) {
        if let Some(fields) = node["properties"].as_object() {
            for (name, schema) in fields.iter().filter(|(_, schema)| schema.is_object()) {
                for text in std::iter::once(label(name, "ad_unit")).chain(options(schema)) {
                    assert!(!text.is_empty() && !text.contains(['=', '{', '}', '_']), "{name}: {text}");
                }
                *seen += 1;
            }
        }
        match node {
            Json::Object(map) => map.values().for_each(|child| walk(child, seen)),
            Json::Array(list) => list.iter().for_each(|child| walk(child, seen)),
            _ => {}
        }
    }

    #[test]
    fn no_question_shows_a_schemas_own_text() {
        let mut seen = 0;
        for text in CATALOGUES {
            walk(&serde_json::from_str(text).unwrap(), &mut seen);
        }
        assert!(seen > 300, "{seen}");
    }

    #[test]
    fn numbers_are_told_by_what_they_stand_for() {
        let schema = serde_json::json!({"type": "integer", "enum": [2, 6], "description": "2 = live app, 6 = sandbox"});
        assert_eq!(options(&schema), ["live app", "sandbox"]);
        assert_eq!(meanings(&schema)[1].0, 6);
    }
}
