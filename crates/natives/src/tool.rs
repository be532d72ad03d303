//! The parts of a native tool.

use adagent_contract::{EntityOption, FieldHint, Preview, Risk, UiHints};
use adagent_domain::Timestamp;
use adagent_tools::{
    ApprovalSketch, CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass, ToolInfo, ToolOutput,
};
use async_trait::async_trait;
use jiff::{civil::Date, tz::TimeZone};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::desk::Desk;

#[async_trait]
pub(crate) trait NativeTool: Send + Sync {
    fn info(&self) -> ToolInfo;

    /// Returns what is wrong with arguments that fit the schema, such as a period that ends before it begins or a thing that does not
    /// exist.
    async fn ground(&self, _desk: &Desk, _scope: &CallScope, _args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        Ok(Vec::new())
    }

    /// Returns what the approval of a change shows.
    async fn sketch(&self, _desk: &Desk, _scope: &CallScope, _args: &Json) -> Result<Sketch, ToolError> {
        Err(no_change(&self.info()))
    }

    /// Reads, or makes the approved change. If the same call already made it, this does not make it again.
    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError>;

    /// Checks whether this call already made its change.
    async fn probe(&self, _desk: &Desk, _scope: &CallScope, _args: &Json) -> Result<ProbeOutcome, ToolError> {
        Err(no_change(&self.info()))
    }

    /// Returns the call that undoes what this one did.
    fn unmade(&self, _result: &Json) -> Option<(String, Json)> {
        None
    }
}

/// Returns what is wrong with an argument, without candidates for it.
pub(crate) fn issue(pointer: &str, message: impl Into<String>) -> GroundingIssue {
    GroundingIssue { pointer: pointer.into(), message: message.into(), candidates: Vec::new() }
}

/// Returns an issue if a period ends before it begins.
pub(crate) fn turned(from: Option<Date>, to: Option<Date>) -> Option<GroundingIssue> {
    from.zip(to).filter(|(from, to)| to < from).map(|_| issue("/to", "The last day is before the first."))
}

/// Returns an instant as tables show it, in the workspace's time zone.
pub(crate) fn minute_of(at: Timestamp, zone: &TimeZone) -> String {
    at.to_jiff().to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// What a tool says about a change. The rest of its approval follows from its schema.
pub(crate) struct Sketch {
    pub title: String,
    pub warnings: Vec<String>,
    pub preview: Preview,
    pub fields: Vec<FieldHint>,
    /// Names for the IDs in the form, by the key in a field's `options`.
    pub options: Vec<(String, Vec<EntityOption>)>,
}

impl Sketch {
    pub fn whole(self, info: &ToolInfo) -> ApprovalSketch {
        ApprovalSketch {
            title: self.title,
            risk: if info.destructive { Risk::Destructive } else { Risk::Write },
            warnings: self.warnings,
            preview: self.preview,
            ui_hints: UiHints {
                fields: self.fields,
                options: self.options.into_iter().collect(),
                ..UiHints::default()
            },
            parameter_schema: Json::clone(&info.input_schema),
        }
    }
}

/// Reads the arguments into the tool's own type, after they passed the schema.
pub(crate) fn typed<T: DeserializeOwned>(args: &Json) -> Result<T, ToolError> {
    T::deserialize(args).map_err(|error| ToolError::invalid(format!("The arguments don't fit: {error}."), Vec::new()))
}

/// Returns a result that is a list, in the form that lists of networks have.
pub(crate) fn list(items: &[Json]) -> Json {
    json!({"kind": "list", "items": items})
}

/// Returns a result that is one thing.
pub(crate) fn object(item: &Json) -> Json {
    json!({"kind": "object", "item": item})
}

pub(crate) fn output(result: Json, summary: impl Into<String>) -> ToolOutput {
    ToolOutput { result, summary: summary.into(), artifact: None, cached: false, attempts: 1 }
}

fn no_change(info: &ToolInfo) -> ToolError {
    ToolError::new(ToolErrorClass::Deterministic, "READ_ONLY", format!("{} changes nothing.", info.title))
}
