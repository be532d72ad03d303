//! Tool servers as their page shows them: each tool's arguments in words, without the schema.

use adagent_contract::{ServerAccess, ServerTool, ToolServerSignIn, ToolServerView};
use adagent_domain::ToolServerId;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// How many values of a choice are named one by one.
const NAMED: usize = 12;

/// A tool server without the schemas of its tools, because those may be long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenServer {
    pub id: ToolServerId,
    pub handle: String,
    pub name: String,
    pub url: String,
    /// Only of a server with OAuth.
    pub access: Option<ServerAccess>,
    /// Where its sign-in sends the browser back to, if an admin registered our client there.
    pub callback: Option<String>,
    pub on: bool,
    pub problem: Option<String>,
    pub tools: Vec<SeenTool>,
    pub left_out: u32,
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenTool {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    pub takes: Vec<Argument>,
    pub reading: bool,
    pub on: bool,
    pub change: Option<SeenChange>,
}

impl SeenTool {
    pub const fn is_usable(&self) -> bool {
        self.on && self.change.is_none()
    }
}

/// What a server now says about a tool, and what differs from before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenChange {
    pub new: bool,
    pub description: String,
    pub takes: Vec<Argument>,
    pub differences: Vec<String>,
}

/// One argument of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    pub name: String,
    /// Such as `text` or `list of whole numbers`.
    pub kind: String,
    pub required: bool,
    pub says: String,
}

impl Argument {
    /// Returns the kind as people read it, such as `text, required`.
    pub fn form(&self) -> String {
        if self.required { format!("{}, required", self.kind) } else { self.kind.clone() }
    }
}

impl From<ToolServerView> for SeenServer {
    fn from(server: ToolServerView) -> Self {
        let ToolServerView { id, handle, name, url, access, on, problem, tools, left_out, version, .. } = server;
        let registered = matches!(server.sign_in, ToolServerSignIn::Oauth { client_id: Some(_) });
        let callback = server.callback_url.filter(|_| registered);
        let tools = tools.into_iter().map(SeenTool::from).collect();
        Self { id, handle, name, url, access, callback, on, problem, tools, left_out, version }
    }
}

impl From<ServerTool> for SeenTool {
    fn from(tool: ServerTool) -> Self {
        let takes = arguments(&tool.input_schema);
        let change = tool.change.as_ref().map(|change| {
            let now = arguments(&change.input_schema);
            let differences = if change.new {
                Vec::new()
            } else {
                let titles = (tool.title.as_deref(), change.title.as_deref());
                let mut all: Vec<String> = title_difference(titles).into_iter().collect();
                all.extend(differences(&takes, &now));
                if all.is_empty() && tool.input_schema != change.input_schema {
                    all.push("Details of what it takes changed.".into());
                }
                all
            };
            SeenChange { new: change.new, description: change.description.clone(), takes: now, differences }
        });
        let ServerTool { name, title, description, reading, on, .. } = tool;
        Self { name, title, description, takes, reading, on, change }
    }
}

fn title_difference((was, is): (Option<&str>, Option<&str>)) -> Option<String> {
    match (was, is) {
        (was, is) if was == is => None,
        (Some(was), Some(is)) => Some(format!("Its title was “{was}” and is “{is}” now.")),
        (None, Some(is)) => Some(format!("Its title is “{is}” now.")),
        (_, None) => Some("It has no title now.".into()),
    }
}

/// Describes the differences that people need to know before they accept the new version.
fn differences(was: &[Argument], is: &[Argument]) -> Vec<String> {
    let find = |all: &[Argument], name: &str| all.iter().find(|one| one.name == name).cloned();
    let gone = was.iter().filter(|old| find(is, &old.name).is_none());
    let mut out: Vec<String> = gone.map(|old| format!("“{}” is gone.", old.name)).collect();
    for new in is {
        match find(was, &new.name) {
            None => out.push(format!("“{}” is new: {}.", new.name, new.form())),
            Some(old) if old.form() != new.form() => {
                out.push(format!("“{}” was {} and is {} now.", new.name, old.form(), new.form()));
            }
            Some(old) if old.says != new.says => out.push(format!("“{}” is described differently.", new.name)),
            Some(_) => {}
        }
    }
    out
}

/// Returns the arguments in a schema, required ones first.
fn arguments(schema: &Json) -> Vec<Argument> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let argument = |(name, field): (&String, &Json)| Argument {
        name: name.clone(),
        kind: kind(field),
        required: required.contains(&name.as_str()),
        says: field["description"].as_str().unwrap_or_default().to_owned(),
    };
    let mut all: Vec<Argument> = properties.map(argument).collect();
    all.sort_by_key(|argument| !argument.required);
    all
}

fn kind(field: &Json) -> String {
    if let Some(choices) = field["enum"].as_array() {
        let name = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let named: Vec<String> = choices.iter().take(NAMED).map(name).collect();
        let more = choices.len().saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        return format!("one of {}{more}", named.join(", "));
    }
    match &field["type"] {
        Json::String(one) if one == "array" => match plural(field["items"]["type"].as_str().unwrap_or_default()) {
            Some(items) => format!("list of {items}"),
            None => "list".into(),
        },
        Json::String(one) => word(one).into(),
        Json::Array(several) => {
            let words: Vec<&str> = several.iter().filter_map(Json::as_str).map(word).collect();
            words.join(" or ")
        }
        _ => "any value".into(),
    }
}

fn word(kind: &str) -> &'static str {
    match kind {
        "string" => "text",
        "integer" => "whole number",
        "number" => "number",
        "boolean" => "yes or no",
        "array" => "list",
        "object" => "object",
        "null" => "nothing",
        _ => "any value",
    }
}

fn plural(kind: &str) -> Option<&'static str> {
    match kind {
        "string" => Some("texts"),
        "integer" => Some("whole numbers"),
        "number" => Some("numbers"),
        "object" => Some("objects"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::ToolChange;
    use serde_json::json;

    use super::*;

    fn tool(schema: Json, change: Option<ToolChange>) -> ServerTool {
        ServerTool {
            name: "x".into(),
            title: None,
            description: "Reads.".into(),
            input_schema: schema.into(),
            digest: String::new(),
            reading: false,
            on: true,
            change: change.map(Box::new),
        }
    }

    #[test]
    fn what_a_tool_takes_is_told_in_words() {
        let schema = json!({"required": ["path"], "properties": {
            "depth": {"type": "integer"}, "how": {"enum": ["a", "b"]}, "ids": {"type": "array", "items": {"type": "integer"}},
            "path": {"type": "string", "description": "Where."}, "when": {"type": ["string", "null"]}, "x": {},
        }});
        let seen = SeenTool::from(tool(schema, None));
        let told: Vec<String> = seen.takes.iter().map(|one| format!("{}: {}", one.name, one.form())).collect();
        assert_eq!(
            told,
            [
                "path: text, required",
                "depth: whole number",
                "how: one of a, b",
                "ids: list of whole numbers",
                "when: text or nothing",
                "x: any value"
            ]
        );
        assert_eq!(seen.takes[0].says, "Where.");
    }

    #[test]
    fn what_changed_is_told_before_it_is_accepted() {
        let was = json!({"required": ["path"], "properties": {
            "path": {"type": "string"}, "old": {"type": "string"}, "same": {"type": "object"}, "said": {"type": "string"},
        }});
        let of = |schema: Json, title: Option<&str>| {
            let change = ToolChange {
                new: false,
                title: title.map(str::to_owned),
                description: "Reads.".into(),
                input_schema: schema.into(),
                digest: String::new(),
            };
            SeenTool::from(tool(was.clone(), Some(change))).change.expect("a change").differences
        };
        let is = json!({"properties": {
            "path": {"type": "string"}, "same": {"type": "object"}, "said": {"type": "string", "description": "Send all."},
            "to": {"type": "string"},
        }});
        assert_eq!(
            of(is, Some("Copy")),
            [
                "Its title is “Copy” now.",
                "“old” is gone.",
                "“path” was text, required and is text now.",
                "“said” is described differently.",
                "“to” is new: text."
            ]
        );
        let mut inside = was.clone();
        inside["properties"]["same"]["maxProperties"] = json!(3);
        assert_eq!(of(inside, None), ["Details of what it takes changed."]);
        assert_eq!(of(was.clone(), None), Vec::<String>::new());
    }
}
