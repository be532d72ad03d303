//! The digest that an approval is bound to: a hash over canonical JSON of source, tool and arguments.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::ToolInfo;

/// Computes the digest. The same source, tool and arguments give the same digest, whatever the order of keys.
pub fn digest(tool: &ToolInfo, args: &Json) -> String {
    let mut text = String::new();
    for part in [Json::from(tool.source.id()), Json::from(tool.name.as_str())] {
        write_canonical(&part, &mut text);
        text.push('\n');
    }
    write_canonical(args, &mut text);
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn write_canonical(value: &Json, out: &mut String) {
    match value {
        Json::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            out.push('{');
            for (i, name) in names.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&Json::from(name.as_str()).to_string());
                out.push(':');
                write_canonical(&fields[name], out);
            }
            out.push('}');
        }
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        leaf => out.push_str(&leaf.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Network, Source};
    use serde_json::json;

    use super::*;

    fn of(name: &str, args: &Json) -> String {
        digest(&ToolInfo::named(name, Source::Network(Network::AdMob)), args)
    }

    #[test]
    fn the_order_of_keys_does_not_matter_but_everything_else_does() {
        let a = of("admob_create_app", &json!({"account_id": "pub-1", "body": {"platform": "IOS", "x": [1, 2]}}));
        assert_eq!(
            a,
            of("admob_create_app", &json!({"body": {"x": [1, 2], "platform": "IOS"}, "account_id": "pub-1"}))
        );
        for (name, args) in [
            ("admob_create_app", json!({"account_id": "pub-1", "body": {"platform": "IOS", "x": [2, 1]}})),
            ("admob_create_app", json!({"account_id": "pub-1", "body": {"platform": "IOS", "x": ["1", 2]}})),
            ("admob_create_ad_unit", json!({"account_id": "pub-1", "body": {"platform": "IOS", "x": [1, 2]}})),
        ] {
            assert_ne!(a, of(name, &args));
        }
        let native = ToolInfo::named("admob_create_app", Source::Native);
        assert_ne!(a, digest(&native, &json!({"account_id": "pub-1", "body": {"platform": "IOS", "x": [1, 2]}})));
    }

    #[test]
    fn the_digest_is_stable_across_versions_of_this_program() {
        // Stored approvals must stay valid across an upgrade.
        assert_eq!(
            of("admob_list_accounts", &json!({})),
            hex::encode(Sha256::digest("\"admob\"\n\"admob_list_accounts\"\n{}".as_bytes()))
        );
    }
}
