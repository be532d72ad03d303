//! Counterparts that answer at once: a model with one report call, a network with one row, and rules that are always sure.

use std::sync::Arc;

use adagent_contract::{
    EntityItem, EntityKind, FieldError, ModelTier, NetworkState, Preview, PreviewKind, Risk, UiHints,
};
use adagent_domain::{Network, WorkspaceId};
use adagent_llm::{
    Checked, Delta, Judgment, Model, ModelError, ModelMessage, ModelReply, ModelRequest, Models, ProposedCall,
    Question, Routing, StopReason, TextSink, Understanding, Usage,
};
use adagent_tools::{
    ApprovalSketch, CallScope, EntityFilter, Gateway, GroundingIssue, ProbeOutcome, ProgressSink, Provider, ToolError,
    ToolInfo, ToolOutput, WriteTicket,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

/// A model with this ID that asks for one report and then states its number.
pub struct OneReport(pub &'static str);

#[async_trait]
impl Model for OneReport {
    fn id(&self) -> &'static str {
        self.0
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
        let done = request.messages.iter().any(|message| matches!(message, ModelMessage::Tool { .. }));
        let mut reply = ModelReply {
            text: String::new(),
            calls: vec![],
            plan: None,
            artifacts: vec![],
            method: vec![],
            covers: None,
            follow_ups: vec![],
            usage: Usage { input_tokens: 900, output_tokens: 40, cost_micros: 2, estimated: false },
            stop: StopReason::End,
            model: self.0.into(),
        };
        if done {
            "You earned 1,234.56 USD yesterday, 4 % more than the day before.".clone_into(&mut reply.text);
            sink.push(Delta::Text(reply.text.clone())).await;
        } else {
            reply.stop = StopReason::ToolCalls;
            reply.calls.push(ProposedCall { id: None, name: "report".into(), args: json!({"day": "2026-11-20"}) });
        }
        Ok(reply)
    }
}

impl Models for OneReport {
    fn model(&self, _: ModelTier, _: Option<&str>) -> Arc<dyn Model> {
        Arc::new(Self(self.0))
    }
}

/// Rules that route everything in the same way.
pub struct Sure;

impl Understanding for Sure {
    fn route(&self, _: &Question) -> Routing {
        Routing::to(vec![Network::AdMob], "reporting")
    }

    fn may_hand_on(&self, text: &str) -> bool {
        text.contains('@')
    }

    fn retrieve(&self, _: &Json, tools: &[Arc<ToolInfo>]) -> Vec<String> {
        tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn verify(&self, _: &Checked<'_>) -> Judgment {
        Judgment::Holds
    }
}

/// A network with one read-only tool.
pub struct OneRow(Arc<ToolInfo>);

impl Default for OneRow {
    fn default() -> Self {
        Self(Arc::new(ToolInfo {
            title: "Network report".into(),
            description: "Figures by day.".into(),
            capability: "reporting".into(),
            input_schema: json!({"type": "object", "properties": {"day": {"type": "string"}}}).into(),
            ..ToolInfo::named("report", Network::AdMob.into())
        }))
    }
}

#[async_trait]
impl Provider for OneRow {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        (name == self.0.name).then(|| Arc::clone(&self.0))
    }

    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        vec![Arc::clone(&self.0)]
    }

    fn check(&self, _: &ToolInfo, _: &Json) -> Vec<FieldError> {
        vec![]
    }

    async fn ground(&self, _: &CallScope, _: &ToolInfo, _: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        Ok(vec![])
    }

    async fn sketch(&self, _: &CallScope, tool: &ToolInfo, _: &Json) -> Result<ApprovalSketch, ToolError> {
        Ok(ApprovalSketch {
            title: tool.title.clone(),
            risk: Risk::Write,
            warnings: vec![],
            preview: Preview::new(PreviewKind::Create, vec![]),
            ui_hints: UiHints::default(),
            parameter_schema: Json::clone(&tool.input_schema),
        })
    }

    fn digest(&self, tool: &ToolInfo, args: &Json) -> String {
        format!("{}:{args}", tool.name)
    }

    async fn execute(
        &self,
        _: &CallScope,
        _: &ToolInfo,
        args: &Json,
        _: Option<&WriteTicket>,
        _: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput {
            result: json!({"rows": [{"date": args["day"], "estimated_earnings": 1_234_560_000, "impressions": 812_345}]}),
            summary: "1 row".into(),
            artifact: None,
            cached: false,
            attempts: 1,
        })
    }

    async fn probe(&self, _: &CallScope, _: &ToolInfo, _: &Json, _: Option<&Json>) -> Result<ProbeOutcome, ToolError> {
        Ok(ProbeOutcome::CannotTell { why: "Nothing is written here.".into() })
    }
}

#[async_trait]
impl Gateway for OneRow {
    async fn networks(&self, _: WorkspaceId) -> Result<Vec<(Network, NetworkState)>, ToolError> {
        Ok(vec![(Network::AdMob, NetworkState::Connected)])
    }

    async fn entities(
        &self,
        _: &CallScope,
        _: Network,
        _: EntityKind,
        _: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError> {
        Ok(vec![])
    }

    async fn today(&self, _: WorkspaceId) -> (String, String) {
        ("2026-11-21".into(), "Etc/UTC".into())
    }
}
