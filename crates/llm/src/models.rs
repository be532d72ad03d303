//! Picks the model of a tier: the person's choice, otherwise the server's, otherwise the local planner. It must never pick a hosted model
//! that has no key.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_contract::ModelTier;

use crate::{HostedModel, Model, ModelChoice, ModelError, Models, ModelsConfig};

/// The configured models. The caller supplies the local planner, because this crate must not depend on it.
pub struct ConfiguredModels {
    config: ModelsConfig,
    local: Arc<dyn Model>,
    /// One client for each model. A client keeps its connections open.
    hosted: Mutex<HashMap<ModelChoice, Arc<dyn Model>>>,
}

impl ConfiguredModels {
    /// Builds the two configured models, so that a wrong configuration shows at the start.
    pub fn new(config: ModelsConfig, local: Arc<dyn Model>) -> Result<Self, ModelError> {
        let models = Self { config, local, hosted: Mutex::default() };
        for choice in [models.config.fast.clone(), models.config.strong.clone()] {
            models.build(&choice)?;
        }
        Ok(models)
    }

    fn build(&self, choice: &ModelChoice) -> Result<Arc<dyn Model>, ModelError> {
        let ModelChoice::Hosted { provider, model } = choice else { return Ok(Arc::clone(&self.local)) };
        let mut hosted = self.hosted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = hosted.get(choice) {
            return Ok(Arc::clone(known));
        }
        let made: Arc<dyn Model> = Arc::new(HostedModel::new(*provider, model, &self.config)?);
        hosted.insert(choice.clone(), Arc::clone(&made));
        Ok(made)
    }
}

impl Models for ConfiguredModels {
    fn model(&self, tier: ModelTier, wanted: Option<&str>) -> Arc<dyn Model> {
        let default = match tier {
            ModelTier::Fast => &self.config.fast,
            ModelTier::Strong => &self.config.strong,
        };
        let wish = wanted.and_then(|text| text.parse::<ModelChoice>().ok()).filter(|choice| self.config.serves(choice));
        let choice = wish.as_ref().unwrap_or(default);
        self.build(choice).unwrap_or_else(|error| {
            tracing::warn!(model = %choice, %error, "the local planner serves instead");
            Arc::clone(&self.local)
        })
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::{ModelReply, ModelRequest, Provider, ProviderConfig, TextSink};

    struct Local;

    #[async_trait]
    impl Model for Local {
        fn id(&self) -> &'static str {
            "local"
        }

        async fn complete(&self, _: &ModelRequest, _: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
            Err(ModelError::Rejected("not asked here".into()))
        }
    }

    fn models(config: ModelsConfig) -> ConfiguredModels {
        // The client needs a crypto provider before it is built. In the server, `main` installs one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        ConfiguredModels::new(config, Arc::new(Local)).expect("configured")
    }

    #[test]
    fn without_a_key_the_local_planner_serves_both_tiers_and_every_wish() {
        let models = models(ModelsConfig::default());
        for tier in [ModelTier::Fast, ModelTier::Strong] {
            for wanted in [None, Some("local"), Some("anthropic/claude-sonnet-4-5"), Some("nonsense")] {
                assert_eq!(models.model(tier, wanted).id(), "local");
            }
        }
    }

    #[test]
    fn tiers_and_wishes_choose_among_what_has_a_key() {
        let mut config = ModelsConfig::default();
        let key = ProviderConfig { api_key: Some("sk-test".to_owned().into()), base_url: None };
        config.providers.insert(Provider::Anthropic, key);
        config.strong = "anthropic/claude-sonnet-4-5".parse().expect("a model");
        let models = models(config);
        assert_eq!(models.model(ModelTier::Fast, None).id(), "local");
        assert_eq!(models.model(ModelTier::Strong, None).id(), "anthropic/claude-sonnet-4-5");
        assert_eq!(
            models.model(ModelTier::Fast, Some("anthropic/claude-haiku-4-5")).id(),
            "anthropic/claude-haiku-4-5"
        );
        assert_eq!(models.model(ModelTier::Strong, Some("openai/gpt-5")).id(), "anthropic/claude-sonnet-4-5");
        assert_eq!(models.model(ModelTier::Strong, Some("local")).id(), "local");
    }

    #[test]
    fn a_tier_without_its_key_is_an_error_at_start() {
        let config = ModelsConfig { fast: "openai/gpt-5-mini".parse().expect("a model"), ..ModelsConfig::default() };
        let error = ConfiguredModels::new(config, Arc::new(Local)).err().expect("refused");
        assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
    }
}
