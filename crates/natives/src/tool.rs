//! What each native tool is made of.

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

    /// What is wrong with arguments that fit the schema: a date that ends before it begins, a thing that is not there.
    async fn ground(&self, _desk: &Desk, _scope: &CallScope, _args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        Ok(Vec::new())
    }

    /// What the approval of a change shows.
    async fn sketch(&self, _desk: &Desk, _scope: &CallScope, _args: &Json) -> Result<Sketch, ToolError> {
        Err(no_change(&self.info()))
    }

    /// Reads, or changes what was approved. A change made before under the same call is not made again.
    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError>;

    /// Whether the change of this call was made.
    async fn probe(&self, _desk: &Desk, _scope: &CallScope, _args: &Json) -> Result<ProbeOutcome, ToolError> {
        Err(no_change(&self.info()))
    }

    /// The call that takes back what this one made.
    fn unmade(&self, _result: &Json) -> Option<(String, Json)> {
        None
    }
}

/// What is wrong with a range of days that ends before it begins.
pub(crate) fn turned(from: Option<Date>, to: Option<Date>) -> Option<GroundingIssue> {
    from.zip(to).filter(|(from, to)| to < from).map(|_| GroundingIssue {
        pointer: "/to".into(),
        message: "The last day is before the first.".into(),
        candidates: Vec::new(),
    })
}

/// An instant as a table shows it, in the workspace's zone.
pub(crate) fn minute_of(at: Timestamp, zone: &TimeZone) -> String {
    at.to_jiff().to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// What a tool says of a change; the rest of its approval follows from its schema.
pub(crate) struct Sketch {
    pub title: String,
    pub warnings: Vec<String>,
    pub preview: Preview,
    pub fields: Vec<FieldHint>,
    /// What IDs in the form are called, by the key that a field names.
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

/// Arguments as the tool takes them; the schema has let them through.
pub(crate) fn typed<T: DeserializeOwned>(args: &Json) -> Result<T, ToolError> {
    T::deserialize(args).map_err(|error| ToolError::invalid(format!("The arguments don't fit: {error}."), Vec::new()))
}

/// A result that is a list, as the networks' lists are.
pub(crate) fn list(items: &[Json]) -> Json {
    json!({"kind": "list", "items": items})
}

/// A result that is one thing.
pub(crate) fn object(item: &Json) -> Json {
    json!({"kind": "object", "item": item})
}

pub(crate) fn output(result: Json, summary: impl Into<String>) -> ToolOutput {
    ToolOutput { result, summary: summary.into(), artifact: None, cached: false, attempts: 1 }
}

fn no_change(info: &ToolInfo) -> ToolError {
    ToolError::new(ToolErrorClass::Deterministic, "READ_ONLY", format!("{} changes nothing.", info.title))
}
