//! Which models the server uses, and how it reaches their providers. The type of keys keeps `Debug` from printing them.

use std::{collections::BTreeMap, fmt, str::FromStr, time::Duration};

use secrecy::SecretString;

use crate::Prices;

/// A provider of hosted models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    Anthropic,
    OpenAi,
    Gemini,
    Xai,
    DeepSeek,
}

impl Provider {
    pub const ALL: [Self; 5] = [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::Xai, Self::DeepSeek];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Xai => "xai",
            Self::DeepSeek => "deepseek",
        }
    }

    /// Returns the default base address. It ends in a slash, because paths are appended to it.
    pub const fn default_base_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Xai => "https://api.x.ai/v1/",
            Self::DeepSeek => "https://api.deepseek.com/v1/",
        }
    }

    /// Returns the model that we offer if none of this provider is configured.
    pub const fn usual_model(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-sonnet-4-5",
            Self::OpenAi => "gpt-5-mini",
            Self::Gemini => "gemini-2.5-flash",
            Self::Xai => "grok-4-fast",
            Self::DeepSeek => "deepseek-chat",
        }
    }

    /// Returns the environment variable that administrators set.
    pub const fn key_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
            Self::Xai => "XAI_API_KEY",
            Self::DeepSeek => "DEEPSEEK_API_KEY",
        }
    }
}

/// The error for a text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a model; use local, or a provider (anthropic, openai, gemini, xai, deepseek) and a model such as openai/gpt-5-mini"
)]
pub struct UnknownModel(String);

/// The ID under which people see and choose the built-in planner, which asks no provider.
pub const LOCAL_MODEL: &str = "local";

/// `local`, or a provider and a model: `anthropic/claude-sonnet-4-5`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum ModelChoice {
    #[default]
    Local,
    Hosted {
        provider: Provider,
        model: String,
    },
}

impl FromStr for ModelChoice {
    type Err = UnknownModel;

    fn from_str(text: &str) -> Result<Self, UnknownModel> {
        let unknown = || UnknownModel(text.chars().take(80).collect());
        if text == LOCAL_MODEL {
            return Ok(Self::Local);
        }
        let (provider, model) = text.split_once('/').ok_or_else(unknown)?;
        let provider = Provider::ALL.into_iter().find(|p| p.id() == provider).ok_or_else(unknown)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
        if model.is_empty() || !model.chars().all(plain) {
            return Err(unknown());
        }
        Ok(Self::Hosted { provider, model: model.to_owned() })
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str(LOCAL_MODEL),
            Self::Hosted { provider, model } => write!(f, "{}/{model}", provider.id()),
        }
    }
}

/// How we reach a provider. Without a key, its models cannot answer.
#[derive(Debug, Clone, Default)]
pub struct ProviderConfig {
    pub api_key: Option<SecretString>,
    /// A base address other than the provider's own, for gateways and tests.
    pub base_url: Option<String>,
}

#[derive(Debug, Clone)]
pub struct ModelsConfig {
    pub fast: ModelChoice,
    pub strong: ModelChoice,
    /// The configured providers.
    pub providers: BTreeMap<Provider, ProviderConfig>,
    pub prices: Prices,
    /// The longest wait for the first byte of an answer, and for each piece after it.
    pub patience: Duration,
}

impl Default for ModelsConfig {
    fn default() -> Self {
        Self {
            fast: ModelChoice::Local,
            strong: ModelChoice::Local,
            providers: BTreeMap::new(),
            prices: Prices::default(),
            patience: Duration::from_mins(1),
        }
    }
}

impl ModelsConfig {
    pub fn provider(&self, provider: Provider) -> Option<&ProviderConfig> {
        self.providers.get(&provider)
    }

    /// Checks whether this choice can answer.
    pub fn serves(&self, choice: &ModelChoice) -> bool {
        match choice {
            ModelChoice::Local => true,
            ModelChoice::Hosted { provider, .. } => self.provider(*provider).is_some_and(|it| it.api_key.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_read_what_they_print_and_refuse_the_rest() {
        for text in [
            "local",
            "anthropic/claude-sonnet-4-5",
            "openai/gpt-5-mini",
            "openai/org/custom:1",
            "gemini/gemini-2.5-flash",
            "xai/grok-4",
            "deepseek/deepseek-chat",
        ] {
            assert_eq!(text.parse::<ModelChoice>().map(|c| c.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "gpt-5", "mistral/large", "openai/", "openai/../x y", "anthropic/a\nb"] {
            assert!(text.parse::<ModelChoice>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn keys_do_not_print() {
        let config = ProviderConfig { api_key: Some("sk-hunter2".to_owned().into()), base_url: None };
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}
