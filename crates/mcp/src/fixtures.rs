//! What the protocol's conformance suite requires of a server: tools, prompts and resources with fixed contents.
//!
//! Compiled only for tests, and served only in workspaces that a test names. It is never part of a real server.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use adagent_contract::Progress;
use adagent_domain::{Actor, WorkspaceId};
use adagent_tools::ProgressSink as _;
use rmcp::{
    RoleServer,
    model::{
        CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, EmbeddedResource,
        GetPromptRequestParams, GetPromptResult, PromptMessage, ReadResourceResult, Reference, ResourceContents, Role,
        Tool,
    },
    service::RequestContext,
};
use serde_json::json;

use crate::{call::Told, tools::schema};

static SERVED: Mutex<BTreeSet<WorkspaceId>> = Mutex::new(BTreeSet::new());

/// An image of one red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A short silence.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const TEMPLATE: (&str, &str) = ("test://template/", "/data");

/// Serves the fixtures in this workspace from now on.
pub fn serve_in(workspace: WorkspaceId) {
    SERVED.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace);
}

fn served(actor: &Actor) -> bool {
    SERVED.lock().unwrap_or_else(PoisonError::into_inner).contains(&actor.workspace)
}

pub(crate) fn tools(actor: &Actor) -> Vec<Tool> {
    if !served(actor) {
        return Vec::new();
    }
    let newest = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": false
    });
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_progress",
        "test_reconnection",
    ];
    let mut tools: Vec<Tool> =
        plain.iter().map(|name| Tool::new(*name, "For the conformance suite.", schema(&json!({})))).collect();
    tools.push(Tool::new("json_schema_2020_12_tool", "For the conformance suite.", schema(&newest)));
    tools
}

pub(crate) async fn call(actor: &Actor, name: &str, context: &RequestContext<RoleServer>) -> Option<CallToolResult> {
    if !served(actor) {
        return None;
    }
    let embedded = |uri: &str| ContentBlock::embedded_text(uri, "An embedded text.");
    let blocks = match name {
        "test_simple_text" | "json_schema_2020_12_tool" | "test_reconnection" => {
            vec![ContentBlock::text("A plain text.")]
        }
        "test_image_content" => vec![ContentBlock::image(PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => vec![embedded("test://embedded-resource")],
        "test_multiple_content_types" => {
            vec![ContentBlock::text("Several."), ContentBlock::image(PNG, "image/png"), embedded("test://mixed")]
        }
        "test_error_handling" => return Some(CallToolResult::error(vec![ContentBlock::text("It failed on purpose.")])),
        "test_tool_with_progress" => {
            let mut told = Told::new(context);
            for done in [10, 50, 100] {
                told.progress("on the way", Some(Progress { done, total: 100 })).await;
            }
            vec![ContentBlock::text("Done.")]
        }
        _ => return None,
    };
    Some(CallToolResult::success(blocks))
}

/// Returns the suggestions that the suite asks for, for its own prompt.
pub(crate) fn completion(actor: &Actor, request: &CompleteRequestParams) -> Option<CompleteResult> {
    let Reference::Prompt(of) = &request.r#ref else { return None };
    let own = served(actor) && of.name == "test_prompt_with_arguments";
    own.then(|| CompleteResult::new(CompletionInfo::new(vec!["an argument".to_owned()]).unwrap_or_default()))
}

pub(crate) fn prompt(actor: &Actor, request: &GetPromptRequestParams) -> Option<GetPromptResult> {
    if !served(actor) {
        return None;
    }
    let given = |name: &str| {
        let value = request.arguments.as_ref().and_then(|given| given.get(name)).and_then(|value| value.as_str());
        value.unwrap_or_default().to_owned()
    };
    let say = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![say("A prompt.".into())],
        "test_prompt_with_arguments" => vec![say(format!("First {}, second {}.", given("arg1"), given("arg2")))],
        "test_prompt_with_embedded_resource" => {
            let resource = ResourceContents::text("An embedded text.", given("resourceUri"));
            let embedded = ContentBlock::Resource(EmbeddedResource::new(resource));
            vec![PromptMessage::new(Role::User, embedded), say("Read it.".into())]
        }
        "test_prompt_with_image" => {
            let image = ContentBlock::image(PNG, "image/png");
            vec![PromptMessage::new(Role::User, image), say("Look at it.".into())]
        }
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}

pub(crate) fn resource(actor: &Actor, uri: &str) -> Option<ReadResourceResult> {
    if !served(actor) {
        return None;
    }
    let contents = match uri {
        "test://static-text" => ResourceContents::text("A static text.", uri),
        "test://static-binary" => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
        _ => {
            let id = uri.strip_prefix(TEMPLATE.0)?.strip_suffix(TEMPLATE.1)?;
            let text = json!({"id": id, "data": format!("Data of {id}")}).to_string();
            ResourceContents::text(text, uri).with_mime_type("application/json")
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}
