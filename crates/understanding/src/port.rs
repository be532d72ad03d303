//! Implements the port through which runs use this crate. It is a thin adapter and must not know more than the rest of the crate does.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use adagent_domain::{Network, Source};
use adagent_llm::{Checked, FigureCheck, Judgment, LOCAL_MODEL, ModelRequest, Question, Routing, Understanding};
use adagent_tools::ToolInfo;
use serde_json::Value as Json;

use crate::{
    Capability, Figures, Grounds, Missing, Outcome, RetrievableTool, ToolIndex, ToolResult, Understood, Verdict,
    delegation, opinion, planner, understand, verify_said,
};

/// The rules, learned scores and index of this process. It asks no model.
pub struct LocalUnderstanding {
    index: ToolIndex,
}

impl LocalUnderstanding {
    /// Indexes the catalog once, and loads the learned scores.
    pub fn new(tools: &[Arc<ToolInfo>]) -> Self {
        crate::prepare();
        let tools: Vec<_> = tools.iter().filter_map(|tool| retrievable(tool)).collect();
        Self { index: ToolIndex::new(&tools) }
    }
}

/// Returns the tool as the index needs it. The index ranks only tools of networks; this program's own tools are few, and a model always
/// gets them.
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

/// Checks whether a tool lists accounts without any required argument.
fn lists_accounts(tool: &ToolInfo) -> bool {
    let required = tool.input_schema.get("required").and_then(Json::as_array);
    tool.read_only && tool.capability == "accounts" && required.is_none_or(Vec::is_empty)
}

/// Returns the routing in the form that a run keeps.
fn routing(understood: &Understood) -> Routing {
    let capability = serde_json::to_value(understood.capability).ok();
    Routing {
        services: understood.services.clone(),
        capability: capability.and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default(),
        path: understood.path,
        confidence: understood.confidence,
        thinking: understood.thinking.clone(),
        connect_any: understood.outcome == Outcome::Connect && understood.services.is_empty(),
        understood: serde_json::to_value(understood).unwrap_or_default(),
    }
}

/// The most tools of tool servers that we offer a model.
const MOST_OF_SERVERS: usize = 24;

/// Returns the tools of tool servers for a question. If there are too many, it returns those that share the most words with the question.
fn theirs(understood: &Understood, visible: &[Arc<ToolInfo>]) -> Vec<String> {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        parts.filter(|word| word.chars().count() > 2).map(str::to_lowercase).collect()
    };
    let parts = understood.parts.iter().map(|part| part.understood.standalone.as_str());
    let asked = words(&parts.chain([understood.standalone.as_str()]).collect::<Vec<_>>().join(" "));
    let shared = |tool: &ToolInfo| {
        words(&format!("{} {} {}", tool.name, tool.title, tool.description)).intersection(&asked).count()
    };
    let of_servers = |tool: &&Arc<ToolInfo>| tool.source == Source::Mcp;
    let fits = |tool: &&Arc<ToolInfo>| tool.read_only || understood.supposed.is_none();
    let mut ranked: Vec<(usize, &Arc<ToolInfo>)> =
        visible.iter().filter(of_servers).filter(fits).map(|tool| (shared(tool), tool)).collect();
    if ranked.len() > MOST_OF_SERVERS {
        ranked.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
        ranked.truncate(MOST_OF_SERVERS);
    }
    ranked.into_iter().map(|(_, tool)| tool.name.clone()).collect()
}

/// Reads what a run stored. `None` if another version of this program stored it in a form that we can't read.
fn read(understood: &Json) -> Option<Understood> {
    serde::Deserialize::deserialize(understood).ok()
}

fn results<'a>(checked: &Checked<'a>) -> Vec<ToolResult<'a>> {
    let result =
        |call: &adagent_llm::CheckedCall<'a>| ToolResult { tool: call.name, arguments: call.args, output: call.result };
    checked.results.iter().map(result).collect()
}

fn grounds<'a>(understood: &'a Understood, checked: &Checked<'a>, results: &'a [ToolResult<'a>]) -> Grounds<'a> {
    let Checked { artifacts, said, named, .. } = *checked;
    Grounds { understood, artifacts, results, said, named }
}

impl Understanding for LocalUnderstanding {
    fn route(&self, question: &Question) -> Routing {
        routing(&understand(question))
    }

    fn may_hand_on(&self, text: &str) -> bool {
        delegation::may_be_meant(text)
    }

    fn second_opinion(&self, question: &Question) -> Option<ModelRequest> {
        Some(opinion::request(question))
    }

    fn merged(&self, local: &Routing, reply: &str) -> Result<Routing, String> {
        let local = read(&local.understood).ok_or("what was understood no longer reads")?;
        // The words say which accounts the person means, even if the model decides the rest.
        opinion::merged(&local, reply).map(|understood| routing(&understood)).map_err(|error| error.to_string())
    }

    fn retrieve(&self, understood: &Json, visible: &[Arc<ToolInfo>]) -> Vec<String> {
        let Some(understood) = read(understood) else { return Vec::new() };
        let mut networks: Vec<_> = visible.iter().filter_map(|tool| tool.network()).collect();
        networks.sort_unstable();
        networks.dedup();
        let parts: Vec<&Understood> = if understood.parts.is_empty() {
            vec![&understood]
        } else {
            understood.parts.iter().map(|part| &part.understood).collect()
        };
        let mut seen = std::collections::HashSet::new();
        let mut names: Vec<_> = parts
            .into_iter()
            .flat_map(|part| self.index.rank(part, &part.standalone, &networks))
            .map(|(name, _)| name)
            .filter(|name| seen.insert(name.clone()))
            // No model prepares a change that the person only asks about.
            .filter(|name| {
                let fits =
                    |tool: &&Arc<ToolInfo>| tool.name == *name && (tool.read_only || understood.supposed.is_none());
                visible.iter().any(|tool| fits(&tool))
            })
            .collect();
        // A model always gets these tools: without an account it can read nothing else.
        let always = |tool: &&Arc<ToolInfo>| lists_accounts(tool) || tool.source == Source::Native;
        for tool in visible.iter().filter(always) {
            if !names.contains(&tool.name) {
                names.push(tool.name.clone());
            }
        }
        names.extend(theirs(&understood, visible));
        names
    }

    fn retrieve_instead(&self, understood: &Json, reason: &str, visible: &[Arc<ToolInfo>]) -> Vec<String> {
        let Some(understood) = read(understood) else { return Vec::new() };
        let Some(instead) = planner::instead(&understood, reason) else { return Vec::new() };
        let ranked = self.index.rank(&instead, &instead.standalone, &instead.services);
        let seen = |name: &String| visible.iter().any(|tool| tool.name == *name);
        ranked.into_iter().map(|(name, _)| name).filter(seen).collect()
    }

    fn verify(&self, checked: &Checked<'_>) -> Judgment {
        let Some(mut understood) = read(checked.understood) else { return Judgment::Holds };
        understood.services.retain(|network| checked.usable.contains(network));
        if checked.results.is_empty() {
            // No call worked: the answer can only say so and must not state a number.
            understood.services.clear();
            understood.slots = None;
        }
        let Verdict::Incomplete { reasons, missing, needs_reroute, needs_entity_refresh } =
            verify_said(&grounds(&understood, checked, &results(checked)), checked.answer)
        else {
            return Judgment::Holds;
        };
        let guidance = reasons.join(" ");
        if checked.model == LOCAL_MODEL {
            // The local planner writes only from results and would write the same again. If the rules doubt its answer, they miss
            // something, so we only log the doubt.
            tracing::warn!(%guidance, "the rules doubt an answer of the local planner");
            return Judgment::Holds;
        }
        let blocking = missing
            .iter()
            .any(|what| matches!(what, Missing::UnfoundedFigure(_) | Missing::UnknownId(_) | Missing::Text));
        if blocking {
            Judgment::Lacks { guidance, blocking }
        } else if needs_reroute {
            Judgment::Misrouted { why: guidance }
        } else if needs_entity_refresh {
            Judgment::StaleNames
        } else {
            Judgment::Lacks { guidance, blocking }
        }
    }

    fn figures(&self) -> FigureCheck {
        let (figures, understood) = (Figures::default(), OnceLock::new());
        Box::new(move |checked, text| {
            let understood = understood.get_or_init(|| read(checked.understood)).as_ref();
            understood.is_none_or(|read| figures.cover(&grounds(read, checked, &results(checked)), text))
        })
    }

    fn unused(&self, request: &ModelRequest, tool: &str, args: &Json) -> Vec<String> {
        planner::not_used(request, tool, args)
    }

    fn title(&self, question: &str, today: &str, connected: &[Network]) -> Option<String> {
        crate::title::title(question, today, connected)
    }

    fn corrects(&self, wish: &str, text: &str) -> bool {
        crate::amounts::corrects(wish, text)
    }

    fn asks_undo(&self, text: &str) -> bool {
        planner::asks_undo(text)
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::Network;

    use super::*;

    fn verdict(model: &str, answer: &str, said: &[String]) -> Judgment {
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
            understood: &understood.understood,
            usable: &usable,
            model,
            answer,
            artifacts: &[],
            results: &results,
            said,
            named: &[],
        })
    }

    fn tool(name: &str, capability: &str, required: &[&str]) -> Arc<ToolInfo> {
        Arc::new(ToolInfo {
            capability: capability.into(),
            input_schema: serde_json::json!({"type": "object", "required": required}).into(),
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
        let bound = rules.retrieve(&rules.route(&question).understood, &tools);
        assert_eq!(bound.first().map(String::as_str), Some("admob_generate_network_report"));
        assert_eq!(bound.iter().filter(|name| *name == "admob_list_accounts").count(), 1, "{bound:?}");
    }

    #[test]
    fn a_hosted_model_that_called_nothing_may_ask_and_repeat_but_state_no_figure() {
        let model = "anthropic/claude-haiku-4-5";
        assert!(matches!(verdict(model, "You earned $999.", &[]), Judgment::Lacks { blocking: true, .. }));
        assert_eq!(verdict(model, "Which of your 3 accounts do you mean?", &[]), Judgment::Holds);
        assert_eq!(verdict(model, "As I said: $999.", &["You earned $999.".to_owned()]), Judgment::Holds);
        assert_eq!(verdict("local", "You earned $999.", &[]), Judgment::Holds, "it writes from results only");
    }
}
