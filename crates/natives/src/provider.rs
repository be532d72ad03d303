//! Offers the native tools as a source of tools.

use std::sync::Arc;

use adagent_contract::FieldError;
use adagent_domain::{Clock, Source};
use adagent_store::Store;
use adagent_tools::{
    ApprovalSketch, CallScope, Gateway, GroundingIssue, ProbeOutcome, ProgressSink, Provider, ToolError,
    ToolErrorClass, ToolInfo, ToolOutput, WriteTicket, schema,
};
use async_trait::async_trait;
use serde_json::Value as Json;

use crate::{
    ask_agent::AskAgent, changes::ListChanges, desk::Desk, documents, journal::ListJournal, members::ListMembers,
    saved, todos, tool::NativeTool,
};

struct Entry {
    info: Arc<ToolInfo>,
    tool: Box<dyn NativeTool>,
    validator: Result<jsonschema::Validator, String>,
}

/// Every native tool, with the store, networks and clock that they use.
pub struct Natives {
    desk: Desk,
    entries: Vec<Entry>,
}

impl Natives {
    pub fn new(store: Arc<dyn Store>, gateway: Arc<dyn Gateway>, clock: Arc<dyn Clock>) -> Self {
        let tools: [Box<dyn NativeTool>; 18] = [
            Box::new(AskAgent),
            Box::new(ListChanges),
            Box::new(ListJournal),
            Box::new(ListMembers),
            Box::new(saved::ListQuestions),
            Box::new(saved::SaveQuestion),
            Box::new(saved::DeleteQuestion),
            Box::new(todos::ListTodos),
            Box::new(todos::CreateTodo),
            Box::new(todos::UpdateTodo),
            Box::new(todos::DeleteTodo),
            Box::new(documents::ListDocuments),
            Box::new(documents::SearchDocuments),
            Box::new(documents::ReadDocument),
            Box::new(documents::CreateDocument),
            Box::new(documents::UpdateDocument),
            Box::new(documents::MoveDocument),
            Box::new(documents::DeleteDocument),
        ];
        let entry = |tool: Box<dyn NativeTool>| {
            let info = Arc::new(ToolInfo { source: Source::Native, ..tool.info() });
            Entry { validator: schema::compile(&info.input_schema), info, tool }
        };
        Self { desk: Desk { store, gateway, clock }, entries: tools.into_iter().map(entry).collect() }
    }

    fn entry(&self, tool: &ToolInfo) -> Result<&Entry, ToolError> {
        let found = self.entries.iter().find(|entry| entry.info.name == tool.name);
        found.ok_or_else(|| ToolError::unknown_tool(&tool.name))
    }

    /// Returns the entry of a tool if the arguments fit its schema.
    fn fitting(&self, tool: &ToolInfo, args: &Json) -> Result<&Entry, ToolError> {
        let entry = self.entry(tool)?;
        let errors = entry.check(args);
        if errors.is_empty() {
            return Ok(entry);
        }
        let message = format!("The arguments don't fit {}. Nothing was changed.", entry.info.title);
        Err(ToolError::invalid(message, errors).guide("Correct the named fields."))
    }
}

impl Entry {
    fn check(&self, args: &Json) -> Vec<FieldError> {
        match &self.validator {
            Ok(validator) => schema::check(validator, &self.info.input_schema, args),
            Err(reason) => vec![FieldError::new("", format!("cannot be checked: {reason}"))],
        }
    }
}

#[async_trait]
impl Provider for Natives {
    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        self.entries.iter().map(|entry| Arc::clone(&entry.info)).collect()
    }

    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        self.entries.iter().find(|entry| entry.info.name == name).map(|entry| Arc::clone(&entry.info))
    }

    fn check(&self, tool: &ToolInfo, args: &Json) -> Vec<FieldError> {
        match self.entry(tool) {
            Ok(entry) => entry.check(args),
            Err(error) => vec![FieldError::new("", error.message)],
        }
    }

    async fn ground(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        self.fitting(tool, args)?.tool.ground(&self.desk, scope, args).await
    }

    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError> {
        let entry = self.fitting(tool, args)?;
        Ok(entry.tool.sketch(&self.desk, scope, args).await?.whole(&entry.info))
    }

    fn unmade(&self, tool: &ToolInfo, _args: &Json, result: &Json) -> Option<(String, Json)> {
        self.entry(tool).ok()?.tool.unmade(result)
    }

    async fn execute(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        ticket: Option<&WriteTicket>,
        _progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        let entry = self.fitting(tool, args)?;
        // The entry decides whether the tool changes something, not the caller's copy of its description.
        let approved = || ticket.is_some_and(|it| it.call == scope.call && it.digest == self.digest(&entry.info, args));
        if !entry.info.read_only {
            if scope.settings.safe_mode {
                return Err(ToolError::out_of_context("Safe mode is on, so nothing was changed."));
            }
            if !approved() {
                let message = "This changes something and has no valid approval. Nothing was changed.";
                return Err(ToolError::new(ToolErrorClass::Deterministic, "NEEDS_APPROVAL", message));
            }
        }
        if let Some(issue) = entry.tool.ground(&self.desk, scope, args).await?.into_iter().next() {
            let errors = vec![FieldError::new(issue.pointer, issue.message.clone())];
            return Err(ToolError::invalid(issue.message, errors));
        }
        entry.tool.execute(&self.desk, scope, args).await
    }

    async fn probe(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        _baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError> {
        self.entry(tool)?.tool.probe(&self.desk, scope, args).await
    }
}
