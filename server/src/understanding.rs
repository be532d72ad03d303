//! The engine's port for understanding, served by the understanding crate.

use std::sync::Arc;

use adagent_networks::ToolInfo;
use adagent_run_core::Verdict;
use adagent_runtime::{Checked, Understanding};
use adagent_understanding::{Capability, Question, RetrievableTool, ToolIndex, Understood, understand};

/// Routes and ranks with an index made once of the catalogue.
pub struct LocalUnderstanding {
    index: ToolIndex,
}

impl LocalUnderstanding {
    pub fn new(tools: &[Arc<ToolInfo>]) -> Self {
        let tools: Vec<RetrievableTool> = tools.iter().map(|tool| retrievable(tool)).collect();
        Self { index: ToolIndex::new(&tools) }
    }
}

fn retrievable(tool: &ToolInfo) -> RetrievableTool {
    let params = tool.input_schema["properties"].as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>().join(" "));
    RetrievableTool {
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        network: tool.network,
        capability: serde_json::from_value(tool.capability.as_str().into()).unwrap_or(Capability::Inventory),
        read_only: tool.read_only,
        destructive: tool.destructive,
        params: params.unwrap_or_default(),
    }
}

impl Understanding for LocalUnderstanding {
    fn route(&self, question: &Question) -> Understood {
        understand(question)
    }

    fn retrieve(&self, understood: &Understood, tools: &[Arc<ToolInfo>]) -> Vec<String> {
        let mut networks: Vec<_> = tools.iter().map(|tool| tool.network).collect();
        networks.sort();
        networks.dedup();
        let ranked = self.index.rank(understood, &understood.standalone, &networks);
        ranked.into_iter().map(|(name, _)| name).filter(|name| tools.iter().any(|tool| tool.name == *name)).collect()
    }

    fn verify(&self, _: &Checked<'_>) -> Verdict {
        Verdict::Complete
    }
}
