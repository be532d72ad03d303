//! Which of a network's connections a call uses: how a caller names it, and how we write it down.

use adagent_contract::{CONNECTION, SharedJson};
use adagent_domain::{ConnectionId, Source};
use serde_json::json;

/// Returns a tool's schema with an argument for the connection, if its source has several.
pub fn with_connection(schema: &SharedJson, source: Source, labels: &[&str]) -> SharedJson {
    let mut schema = schema.clone();
    if labels.len() > 1 && schema.is_object() {
        schema["properties"][CONNECTION] = json!({
            "type": "string",
            "enum": labels,
            "description": format!(
                "Which connected {} account to use. Leave it out if an ID identifies the account.",
                source.display_name()
            ),
        });
    }
    schema
}

/// Returns the place of a connection. It stays the same when tokens are renewed, and changes when other credentials are stored.
pub fn place_of(connection: ConnectionId, made: i64) -> String {
    format!("{connection}/{made}")
}

/// Returns the connection that a place names.
pub fn connection_of(place: &str) -> Option<ConnectionId> {
    place.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Network, SequentialIds};

    use super::*;

    #[test]
    fn a_connection_is_offered_among_several_only() {
        let schema = SharedJson::from(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
        let source = Source::Network(Network::AppLovin);
        assert_eq!(with_connection(&schema, source, &["One"]), schema);
        let offered = with_connection(&schema, source, &["One", "Two"]);
        assert_eq!(offered["properties"]["connection"]["enum"], json!(["One", "Two"]));
    }

    #[test]
    fn a_place_names_its_connection() {
        let id = ConnectionId::new(&SequentialIds::default());
        assert_eq!(connection_of(&place_of(id, 7)), Some(id));
        assert_eq!(connection_of("words"), None);
    }
}
