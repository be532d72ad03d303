//! What the driver asks of the understanding: route, choose tools, check an answer. No I/O; called where a thread may be held.
//!
//! [`LocalUnderstanding`] is a thin adapter over `adagent_understanding`; it must not know more than that crate does.

use std::sync::Arc;

use adagent_contract::Artifact;
use adagent_domain::{Network, Source};
use adagent_run_core::Verdict;
use adagent_tools::ToolInfo;
use adagent_understanding::{
    Capability, Figures, Missing, Question, RetrievableTool, ToolIndex, ToolResult, Understood, Verdict as Rules,
    understand, verify_said,
};
use serde_json::Value as Json;

/// A call that worked, as an answer may rest on it.
#[derive(Debug, Clone, Copy)]
pub struct CheckedCall<'a> {
    pub name: &'a str,
    pub args: &'a Json,
    pub result: &'a Json,
}

/// A written answer and what it rests on.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'a> {
    pub understood: &'a Understood,
    /// Networks that could be read at all.
    pub usable: &'a [Network],
    /// Which model wrote it.
    pub model: &'a str,
    pub answer: &'a str,
    pub artifacts: &'a [Artifact],
    pub results: &'a [CheckedCall<'a>],
    /// The conversation and the names it may use: what stands there may be repeated.
    pub said: &'a [String],
}

impl Checked<'_> {
    fn tool_results(&self) -> Vec<ToolResult<'_>> {
        self.results
            .iter()
            .map(|call| ToolResult { tool: call.name, arguments: call.args, output: call.result })
            .collect()
    }
}

/// Understanding, as the driver needs it.
pub trait Understanding: Send + Sync {
    fn route(&self, question: &Question) -> Understood;

    /// Names of the tools to bind, best first, out of those that are visible.
    fn retrieve(&self, understood: &Understood, visible: &[Arc<ToolInfo>]) -> Vec<String>;

    fn verify(&self, checked: &Checked<'_>) -> Verdict;

    /// The check of figures alone, for sentences of an answer that is still being written.
    fn figures(&self, checked: &Checked<'_>) -> Box<dyn Fn(&str) -> bool + Send + Sync>;
}

/// Rules, learned scores and index of this process; no model is asked.
pub struct LocalUnderstanding {
    index: ToolIndex,
}

impl LocalUnderstanding {
    /// Indexes the catalogue once, and readies the learned scores.
    pub fn new(tools: &[Arc<ToolInfo>]) -> Self {
        adagent_understanding::prepare();
        let tools: Vec<_> = tools.iter().filter_map(|tool| retrievable(tool)).collect();
        Self { index: ToolIndex::new(&tools) }
    }
}

/// The index ranks what networks have; this program's own tools are few, and always bound.
fn retrievable(tool: &ToolInfo) -> Option<RetrievableTool> {
    let network = tool.network()?;
    let params = tool.input_schema.get("properties").and_then(Json::as_object);
    let params = params.map(|map| map.keys().cloned().collect::<Vec<_>>().join(" ")).unwrap_or_default();
    let capability = serde_json::from_value(tool.capability.clone().into()).unwrap_or(Capability::Inventory);
    Some(RetrievableTool {
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        network,
        capability,
        read_only: tool.read_only,
        destructive: tool.destructive,
        params,
    })
}

/// Reads accounts and needs to know nothing beforehand.
fn lists_accounts(tool: &ToolInfo) -> bool {
    let required = tool.input_schema.get("required").and_then(Json::as_array);
    tool.read_only && tool.capability == "accounts" && required.is_none_or(Vec::is_empty)
}

impl Understanding for LocalUnderstanding {
    fn route(&self, question: &Question) -> Understood {
        understand(question)
    }

    fn retrieve(&self, understood: &Understood, visible: &[Arc<ToolInfo>]) -> Vec<String> {
        let mut networks: Vec<_> = visible.iter().filter_map(|tool| tool.network()).collect();
        networks.sort_unstable();
        networks.dedup();
        let mut names: Vec<_> = self
            .index
            .rank(understood, &understood.standalone, &networks)
            .into_iter()
            .map(|(name, _)| name)
            // A change that is only asked about is prepared by no model.
            .filter(|name| {
                let fits =
                    |tool: &&Arc<ToolInfo>| tool.name == *name && (tool.read_only || understood.supposed.is_none());
                visible.iter().any(|tool| fits(&tool))
            })
            .collect();
        // Whatever is asked: without an account nothing else can be read.
        let always = |tool: &&Arc<ToolInfo>| lists_accounts(tool) || tool.source == Source::Native;
        for tool in visible.iter().filter(always) {
            if !names.contains(&tool.name) {
                names.push(tool.name.clone());
            }
        }
        names
    }

    fn verify(&self, checked: &Checked<'_>) -> Verdict {
        let mut understood = checked.understood.clone();
        understood.services.retain(|network| checked.usable.contains(network));
        if checked.results.is_empty() {
            // Nothing worked: the answer can only say so, and must not hold a figure.
            understood.services.clear();
            understood.slots = None;
        }
        let Rules::Incomplete { reasons, missing, needs_reroute, needs_entity_refresh } =
            verify_said(&understood, checked.answer, checked.artifacts, &checked.tool_results(), checked.said)
        else {
            return Verdict::Complete;
        };
        let guidance = reasons.join(" ");
        if checked.model == "local" {
            // It writes from results only and would write the same again; what the rules miss here is theirs to learn.
            tracing::warn!(%guidance, "the rules doubt an answer of the local planner");
            return Verdict::Complete;
        }
        let blocking = missing
            .iter()
            .any(|what| matches!(what, Missing::UnfoundedFigure(_) | Missing::UnknownId(_) | Missing::Text));
        if blocking {
            Verdict::Incomplete { guidance, blocking }
        } else if needs_reroute {
            Verdict::Reroute { why: guidance }
        } else if needs_entity_refresh {
            Verdict::RefreshEntities
        } else {
            Verdict::Incomplete { guidance, blocking }
        }
    }

    fn figures(&self, checked: &Checked<'_>) -> Box<dyn Fn(&str) -> bool + Send + Sync> {
        let figures = Figures::of(checked.understood, checked.artifacts, &checked.tool_results(), checked.said);
        Box::new(move |text| figures.cover(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_local_planner_reads_at_once_is_within_what_a_turn_takes() {
        let most = adagent_run_core::Limits::default().calls_per_turn;
        assert!(adagent_understanding::planner::MOST_READS <= most);
    }

    fn verdict(model: &str, answer: &str, said: &[String]) -> Verdict {
        let question = Question {
            text: "What was my revenue yesterday?".into(),
            connected: vec![Network::AdMob],
            today: "2026-11-21".into(),
            ..Question::default()
        };
        let rules = LocalUnderstanding::new(&[]);
        let understood = rules.route(&question);
        let (usable, results) = ([Network::AdMob], []);
        rules.verify(&Checked {
            understood: &understood,
            usable: &usable,
            model,
            answer,
            artifacts: &[],
            results: &results,
            said,
        })
    }

    fn tool(name: &str, capability: &str, required: &[&str]) -> Arc<ToolInfo> {
        Arc::new(ToolInfo {
            capability: capability.into(),
            input_schema: serde_json::json!({"type": "object", "required": required}),
            ..ToolInfo::named(name, Network::AdMob.into())
        })
    }

    #[test]
    fn the_list_of_accounts_is_bound_whatever_is_asked() {
        let tools = [
            tool("admob_list_accounts", "accounts", &[]),
            tool("admob_get_account", "accounts", &["accountId"]),
            tool("admob_generate_network_report", "reporting", &["accountId"]),
        ];
        let rules = LocalUnderstanding::new(&tools);
        let question = Question {
            text: "What was my revenue yesterday?".into(),
            connected: vec![Network::AdMob],
            today: "2026-11-21".into(),
            ..Question::default()
        };
        let bound = rules.retrieve(&rules.route(&question), &tools);
        assert_eq!(bound.first().map(String::as_str), Some("admob_generate_network_report"));
        assert_eq!(bound.iter().filter(|name| *name == "admob_list_accounts").count(), 1, "{bound:?}");
    }

    #[test]
    fn a_hosted_model_that_called_nothing_may_ask_and_repeat_but_state_no_figure() {
        let model = "anthropic/claude-haiku-4-5";
        assert!(matches!(verdict(model, "You earned $999.", &[]), Verdict::Incomplete { blocking: true, .. }));
        assert_eq!(verdict(model, "Which of your 3 accounts do you mean?", &[]), Verdict::Complete);
        assert_eq!(verdict(model, "As I said: $999.", &["You earned $999.".to_owned()]), Verdict::Complete);
        assert_eq!(verdict("local", "You earned $999.", &[]), Verdict::Complete, "it writes from results only");
    }
}
