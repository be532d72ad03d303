//! Which model serves which tier.

use std::sync::Arc;

use adagent_config::Config;
use adagent_contract::ModelTier;
use adagent_llm::{Model, Models};
use adagent_understanding::planner::LocalPlanner;
use anyhow::{Result, bail};

/// The models of this server, and their ids for the context settings; the first is the default.
pub struct Available {
    pub models: Arc<dyn Models>,
    pub ids: Vec<String>,
}

struct LocalOnly(Arc<LocalPlanner>);

impl Models for LocalOnly {
    fn model(&self, _: ModelTier, _: Option<&str>) -> Arc<dyn Model> {
        Arc::clone(&self.0) as Arc<dyn Model>
    }
}

pub fn available(config: &Config) -> Result<Available> {
    if config.models.fast != "local" || config.models.strong != "local" {
        bail!("hosted models are not built in");
    }
    Ok(Available { models: Arc::new(LocalOnly(Arc::new(LocalPlanner))), ids: vec!["local".into()] })
}
