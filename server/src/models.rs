//! Which model serves which tier, what tokens cost, and how much may be spent, all from the configuration.

use std::{sync::Arc, time::Duration};

use adagent_config::Config;
use adagent_llm::{ConfiguredModels, ModelChoice, Models, ModelsConfig, Price, Prices, Provider, ProviderConfig};
use adagent_runtime::{Budget, RuntimeConfig};
use adagent_understanding::planner::LocalPlanner;
use anyhow::{Context as _, Result};
use jiff::tz::TimeZone;

/// The models of this server, and their IDs for the context settings. The first one is shown as the default.
pub struct Available {
    pub models: Arc<dyn Models>,
    pub ids: Vec<String>,
}

pub fn available(config: &Config) -> Result<Available> {
    let usual = ModelsConfig::default();
    let models = ModelsConfig {
        fast: config.models.fast.parse().context("configuration: `models.fast`")?,
        strong: config.models.strong.parse().context("configuration: `models.strong`")?,
        providers: Provider::ALL.into_iter().map(|provider| (provider, configured(config, provider))).collect(),
        prices: prices(config, usual.prices),
        patience: Duration::from_secs(config.models.patience_seconds),
    };
    let ids = ids(&models);
    let models = ConfiguredModels::new(models, Arc::new(LocalPlanner)).context("configuration: `models`")?;
    Ok(Available { models: Arc::new(models), ids })
}

/// Returns the models that can answer: the tiers' models, the usual model of each provider with a key, and the local planner.
fn ids(models: &ModelsConfig) -> Vec<String> {
    let usual = Provider::ALL
        .into_iter()
        .map(|provider| ModelChoice::Hosted { provider, model: provider.usual_model().to_owned() })
        .filter(|choice| models.serves(choice));
    let mut ids = Vec::new();
    for choice in [models.fast.clone(), models.strong.clone()].into_iter().chain(usual).chain([ModelChoice::Local]) {
        let id = choice.to_string();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

fn configured(config: &Config, provider: Provider) -> ProviderConfig {
    let settings = match provider {
        Provider::Anthropic => &config.anthropic,
        Provider::OpenAi => &config.openai,
        Provider::Gemini => &config.gemini,
        Provider::Xai => &config.xai,
        Provider::DeepSeek => &config.deepseek,
    };
    ProviderConfig { api_key: settings.api_key.clone(), base_url: settings.base_url.as_ref().map(ToString::to_string) }
}

fn prices(config: &Config, mut known: Prices) -> Prices {
    for (model, price) in &config.models.prices {
        known
            .configured
            .insert(model.clone(), Price { input: micros(price.input_micros), output: micros(price.output_micros) });
    }
    known
}

fn micros(configured: u64) -> i64 {
    i64::try_from(configured).unwrap_or(i64::MAX)
}

/// Sets what runs and workspaces may spend, and how long to wait for a provider.
pub fn bound(config: &Config, mut runtime: RuntimeConfig) -> Result<RuntimeConfig> {
    let budget = &config.models.budget;
    runtime.limits.tokens = budget.run_tokens;
    runtime.limits.cost_micros = micros(budget.run_cost_micros);
    runtime.budget = Budget {
        daily_cost_micros: micros(budget.workspace_daily_cost_micros),
        zone: TimeZone::get(&budget.time_zone)
            .context("configuration: `models.budget.time_zone`; expected a name such as UTC or Europe/Berlin")?,
    };
    runtime.model_longest_wait = Duration::from_secs(config.models.longest_wait_seconds);
    Ok(runtime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_that_serve_are_offered_and_the_default_comes_first() {
        let mut models = ModelsConfig::default();
        assert_eq!(ids(&models), ["local"]);
        let key = ProviderConfig { api_key: Some("k".to_owned().into()), base_url: None };
        models.providers.insert(Provider::Gemini, key);
        assert_eq!(ids(&models), ["local", "gemini/gemini-2.5-flash"]);
        models.strong = "gemini/gemini-2.5-pro".parse().expect("a model");
        models.fast = "gemini/gemini-2.5-flash".parse().expect("a model");
        assert_eq!(ids(&models), ["gemini/gemini-2.5-flash", "gemini/gemini-2.5-pro", "local"]);
    }
}
