//! Which model serves which tier, as configured.

use std::sync::Arc;

use adagent_config::{Config, Provider};
use adagent_llm::{ConfiguredModels, Models, ModelsConfig, ProviderConfig};
use adagent_understanding::planner::LocalPlanner;
use anyhow::{Context as _, Result};

/// The models of this server, and their ids for the context settings; the first is what is shown as the default.
pub struct Available {
    pub models: Arc<dyn Models>,
    pub ids: Vec<String>,
}

pub fn available(config: &Config) -> Result<Available> {
    let models = ModelsConfig {
        fast: config.models.fast.parse().context("configuration: `models.fast`")?,
        strong: config.models.strong.parse().context("configuration: `models.strong`")?,
        anthropic: provider(&config.anthropic),
        openai: provider(&config.openai),
        ..ModelsConfig::default()
    };
    let mut ids = Vec::new();
    for id in [models.fast.to_string(), models.strong.to_string(), "local".to_owned()] {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let models = ConfiguredModels::new(models, Arc::new(LocalPlanner)).context("configuration: `models`")?;
    Ok(Available { models: Arc::new(models), ids })
}

fn provider(configured: &Provider) -> ProviderConfig {
    ProviderConfig {
        api_key: configured.api_key.clone(),
        base_url: configured.base_url.as_ref().map(ToString::to_string),
    }
}
