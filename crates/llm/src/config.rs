//! Which models serve, and how their providers are reached. Keys are typed so that Debug cannot print them.

use std::{fmt, str::FromStr, time::Duration};

use secrecy::SecretString;

use crate::Prices;

/// A provider of hosted models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    Anthropic,
    OpenAi,
}

impl Provider {
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }

    /// Where it answers unless configured otherwise; ends in a slash because paths are appended.
    pub const fn default_base_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::OpenAi => "https://api.openai.com/v1/",
        }
    }
}

/// The text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a model; use local, anthropic/<model> or openai/<model>")]
pub struct UnknownModel(String);

/// `local`, `anthropic/<model>` or `openai/<model>`.
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
        if text == "local" {
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
            Self::Local => f.write_str("local"),
            Self::Hosted { provider, model } => write!(f, "{}/{model}", provider.id()),
        }
    }
}

/// How a provider is reached. Without a key it serves nothing.
#[derive(Debug, Clone, Default)]
pub struct ProviderConfig {
    pub api_key: Option<SecretString>,
    /// Another base than the provider's own, for gateways and tests.
    pub base_url: Option<String>,
}

#[derive(Debug, Clone)]
pub struct ModelsConfig {
    pub fast: ModelChoice,
    pub strong: ModelChoice,
    pub anthropic: ProviderConfig,
    pub openai: ProviderConfig,
    pub prices: Prices,
    /// Longest wait for the first byte of an answer, and for each piece after it.
    pub patience: Duration,
}

impl Default for ModelsConfig {
    fn default() -> Self {
        Self {
            fast: ModelChoice::Local,
            strong: ModelChoice::Local,
            anthropic: ProviderConfig::default(),
            openai: ProviderConfig::default(),
            prices: Prices::default(),
            patience: Duration::from_mins(1),
        }
    }
}

impl ModelsConfig {
    pub const fn provider(&self, provider: Provider) -> &ProviderConfig {
        match provider {
            Provider::Anthropic => &self.anthropic,
            Provider::OpenAi => &self.openai,
        }
    }

    /// Whether this choice can answer at all.
    pub const fn serves(&self, choice: &ModelChoice) -> bool {
        match choice {
            ModelChoice::Local => true,
            ModelChoice::Hosted { provider, .. } => self.provider(*provider).api_key.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_read_what_they_print_and_refuse_the_rest() {
        for text in ["local", "anthropic/claude-sonnet-4-5", "openai/gpt-5-mini", "openai/org/custom:1"] {
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
