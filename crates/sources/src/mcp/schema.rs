//! Turns a server's schema into the form that we use: without references, and with checks that take linear time. This module is pure.

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value as Json, json};

use super::answer::{plain, said};

/// The most bytes of a schema, before and after its references are expanded.
const MOST_BYTES: usize = 32 * 1024;
/// How deep we follow references. If a schema contains itself, we check nothing below that depth.
const MOST_REFERENCES: usize = 12;
/// The most levels of a schema or an answer. We later read it as part of something larger, and the JSON reader stops at 128 levels.
pub const MOST_LEVELS: usize = 32;
/// The most patterns of a schema.
const MOST_PATTERNS: usize = 32;
/// The most bytes that one compiled pattern may take. Without a limit, a few letters could take megabytes.
const MOST_PATTERN_BYTES: usize = 64 * 1024;
/// The most characters of a title. The next three are the limits of a description, of a name, and of any other text.
const MOST_TITLE: usize = 80;
const MOST_SAID: usize = 1_000;
const MOST_NAME: usize = 100;
const MOST_WORD: usize = 1_000;
/// Below this level we follow no reference, so that a schema that contains itself leaves levels for its own content.
const MOST_REFERRED: usize = MOST_LEVELS / 2;

/// Returns the schema of an object without references. `None` if it is not one, is too long or too deep, or cannot be checked.
pub fn flat(schema: &Json) -> Option<Json> {
    if schema.to_string().len() > MOST_BYTES {
        return None;
    }
    let mut writer = Writer { root: schema, budget: MOST_BYTES };
    let mut flat = writer.written_out(schema, Place::default())?;
    let fields = flat.as_object_mut()?;
    fields.remove("$defs");
    fields.remove("definitions");
    match fields.get("type") {
        None => {
            fields.insert("type".into(), json!("object"));
        }
        Some(kind) if kind == "object" => {}
        Some(_) => return None,
    }
    if patterns(&flat) > MOST_PATTERNS {
        return None;
    }
    compiled(&flat)?;
    Some(flat)
}

/// Compiles a schema. `None` if we cannot check it. Patterns cannot use the features that make them slow, whatever the server sends.
pub fn compiled(schema: &Json) -> Option<Validator> {
    let patterns = PatternOptions::regex().size_limit(MOST_PATTERN_BYTES).dfa_size_limit(MOST_PATTERN_BYTES);
    let options = jsonschema::draft202012::options();
    options.with_pattern_options(patterns).should_validate_formats(false).build(schema).ok()
}

/// Counts the patterns anywhere in a schema.
fn patterns(schema: &Json) -> usize {
    match schema {
        Json::Array(items) => items.iter().map(patterns).sum(),
        Json::Object(fields) => {
            let own = |(name, value): (&String, &Json)| match (name.as_str(), value) {
                ("pattern", Json::String(_)) => 1,
                ("patternProperties", Json::Object(all)) => all.len() + patterns(value),
                _ => patterns(value),
            };
            fields.iter().map(own).sum()
        }
        _ => 0,
    }
}

/// Returns a text of a schema as people and models see it. We may cut a text that people only read. We keep a text that is compared or sent
/// whole, or refuse it.
fn text_of(keyword: &str, text: &str) -> Option<String> {
    match keyword {
        "title" => Some(said(text, MOST_TITLE, None)),
        "description" | "$comment" => Some(plain(text).chars().take(MOST_SAID).collect()),
        _ => one_line(text, MOST_WORD),
    }
}

fn one_line(text: &str, most: usize) -> Option<String> {
    let shown: String = plain(text).chars().filter(|c| !c.is_control()).collect();
    (shown.chars().count() <= most).then_some(shown)
}

/// Checks whether a value has at most this many levels.
pub fn is_shallow(value: &Json, levels: usize) -> bool {
    let below = |item: &Json| levels.checked_sub(1).is_some_and(|levels| is_shallow(item, levels));
    match value {
        Json::Array(items) => items.iter().all(below),
        Json::Object(fields) => fields.values().all(below),
        _ => true,
    }
}

/// A position in a schema.
#[derive(Clone, Copy, Default)]
struct Place {
    /// How many references lead here.
    references: usize,
    /// How many levels are above, in the written schema.
    levels: usize,
}

impl Place {
    fn below(self) -> Option<Self> {
        (self.levels < MOST_LEVELS).then_some(Self { levels: self.levels + 1, ..self })
    }
}

struct Writer<'a> {
    root: &'a Json,
    /// How many bytes may still be written.
    budget: usize,
}

impl Writer<'_> {
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.budget = self.budget.checked_sub(bytes)?;
        Some(())
    }

    fn written_out(&mut self, schema: &Json, at: Place) -> Option<Json> {
        self.written_at("", schema, at)
    }

    fn written_at(&mut self, keyword: &str, schema: &Json, at: Place) -> Option<Json> {
        self.spend(1)?;
        match schema {
            Json::Object(fields) => match fields.get("$ref") {
                Some(reference) => self.referred(reference.as_str()?, at),
                None => self.object(fields, at),
            },
            Json::Array(items) => {
                let below = at.below()?;
                let items = items.iter().map(|item| self.written_out(item, below));
                items.collect::<Option<Vec<_>>>().map(Json::Array)
            }
            Json::String(text) => {
                self.spend(text.len())?;
                text_of(keyword, text).map(Json::String)
            }
            _ => Some(schema.clone()),
        }
    }

    /// Expands a reference within the schema itself. It fetches nothing.
    fn referred(&mut self, reference: &str, at: Place) -> Option<Json> {
        let target = self.root.pointer(reference.strip_prefix('#')?)?;
        if at.references >= MOST_REFERENCES || at.levels > MOST_REFERRED {
            return Some(json!({}));
        }
        self.written_out(target, Place { references: at.references + 1, ..at })
    }

    fn object(&mut self, fields: &serde_json::Map<String, Json>, at: Place) -> Option<Json> {
        let below = at.below()?;
        let mut out = serde_json::Map::new();
        for (name, value) in fields {
            self.spend(name.len())?;
            match name.as_str() {
                "$dynamicRef" | "$recursiveRef" => return None,
                "$schema" | "$id" | "$anchor" | "$dynamicAnchor" => {}
                "$defs" | "definitions" if at.references == 0 => {}
                _ => {
                    let value = self.written_at(name, value, below)?;
                    // A person could not tell two such names apart in a form.
                    if out.insert(one_line(name, MOST_NAME)?, value).is_some() {
                        return None;
                    }
                }
            }
        }
        Some(Json::Object(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_written_out() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"who": {"$ref": "#/$defs/who"}},
            "$defs": {"who": {"type": "string", "maxLength": 3}},
        });
        assert_eq!(
            flat(&schema),
            Some(json!({"properties": {"who": {"type": "string", "maxLength": 3}}, "type": "object"}))
        );
    }

    #[test]
    fn what_contains_itself_ends() {
        let tree = json!({"properties": {"tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": {
            "type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}},
        }}});
        let flat = flat(&tree).expect("a schema");
        assert!(compiled(&flat).expect("compiles").is_valid(&json!({"tree": {"left": {"left": {}}}})));
        let own = json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}});
        assert!(super::flat(&own).is_some());
        // Each step multiplies the size, so the schema exceeds the limit.
        let wide = json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {
            "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}],
        }}});
        assert!(super::flat(&wide).is_none());
    }

    #[test]
    fn what_nobody_sees_is_in_no_word_of_it() {
        let schema = json!({"type": "object", "required": ["pa\u{200B}th"], "properties": {"pa\u{200B}th": {
            "type": "string", "title": "T\u{202E}itle\nof it", "description": format!("Where\u{E0041}.\u{7} {}", "x".repeat(5_000)),
            "enum": ["a\u{2066}b"], "default": "a\u{FEFF}b",
        }}});
        let kept = flat(&schema).expect("a schema");
        let field = &kept["properties"]["path"];
        assert_eq!((&kept["required"], &field["title"]), (&json!(["path"]), &json!("Title of it")));
        assert_eq!((&field["enum"], &field["default"]), (&json!(["ab"]), &json!("ab")));
        let said = field["description"].as_str().expect("words");
        assert!(said.starts_with("Where. xx") && said.chars().count() == MOST_SAID);
        for bad in [
            json!({"properties": {"path": {}, "pa\u{200B}th": {}}}),
            json!({"properties": {"n".repeat(101): {}}}),
            json!({"properties": {"a": {"enum": ["v".repeat(1_001)]}}}),
        ] {
            assert_eq!(flat(&bad), None);
        }
    }

    /// Nests an object this many levels deep.
    fn nested(levels: usize, inside: Json) -> Json {
        (0..levels).fold(inside, |inner, _| json!({"not": inner}))
    }

    #[test]
    fn what_is_kept_can_be_read_again() {
        // Twelve references, each through a definition of many levels.
        let deep = json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {
            "a": nested(110, json!({"$ref": "#/$defs/a"})),
        }});
        assert_eq!(flat(&deep), None);
        assert_eq!(flat(&json!({"properties": {"a": nested(40, json!({}))}})), None);
        // A tree of lists, with three levels at each step.
        let tree = json!({"properties": {"tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": {
            "type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        }}});
        for schema in [tree, json!({"properties": {"a": nested(28, json!({}))}})] {
            let kept = flat(&schema).expect("a schema");
            assert!(is_shallow(&kept, MOST_LEVELS));
            let whole = nested(60, json!({"tools": [{"change": {"input_schema": kept}}]}));
            assert!(serde_json::from_str::<Json>(&whole.to_string()).is_ok());
        }
    }

    #[test]
    fn what_cannot_be_checked_is_no_schema() {
        for bad in [
            json!([]),
            json!({"type": "string"}),
            json!({"type": "object", "properties": {"a": {"$ref": "https://evil.example/schema.json"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}),
            json!({"type": "object", "properties": {"a": {"type": "no such"}}}),
            json!({"type": "object", "properties": {"a": {"pattern": "(?=x)y"}}}),
            json!({"type": "object", "properties": {"a": {"$dynamicRef": "#a"}}}),
            json!({"type": "object", "description": "x".repeat(MOST_BYTES)}),
        ] {
            assert_eq!(flat(&bad), None, "{}", bad.to_string().chars().take(80).collect::<String>());
        }
    }

    #[test]
    fn patterns_take_little_memory_and_time() {
        let of = |count: usize, pattern: &str| {
            let fields = (0..count).map(|n| (format!("f{n}"), json!({"type": "string", "pattern": pattern})));
            json!({"properties": fields.collect::<serde_json::Map<_, _>>()})
        };
        assert!(flat(&of(1, r"\pL{99}")).is_none(), "megabytes");
        assert!(flat(&of(600, "^a$")).is_none(), "too many");
        let named: serde_json::Map<_, _> = (0..40).map(|n| (format!("^x{n}$"), json!({}))).collect();
        assert!(flat(&json!({"patternProperties": named})).is_none(), "too many");
        let began = std::time::Instant::now();
        for usual in [
            r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$",
            r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$",
            "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
            r"^https?://[^\s/$.?#].[^\s]*$",
            "^[A-Za-z0-9_-]{1,64}$",
        ] {
            assert!(flat(&of(MOST_PATTERNS, usual)).is_some(), "{usual}");
        }
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }

    #[test]
    fn slow_patterns_are_not_slow() {
        let slow = json!({"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}});
        let validator = compiled(&flat(&slow).expect("a schema")).expect("compiles");
        assert!(!validator.is_valid(&json!({"a": format!("{}b", "a".repeat(5_000))})));
    }
}
