//! Reads and merges the sources.

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
};

use figment::{
    Figment,
    providers::{Data, Env, Format as _, Serialized, Toml},
};
use secrecy::ExposeSecret as _;
use serde::Serialize;
use url::Url;

use crate::{Config, ConfigError, Secret, settings::DEFAULTS};

/// The settings from the command line. `None` leaves the other sources' value.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Overrides {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_dir: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxOverride>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SandboxOverride {
    pub enabled: bool,
}

impl Overrides {
    /// Applies `--no-sandbox`.
    pub fn without_sandbox(&mut self) {
        self.sandbox = Some(SandboxOverride { enabled: false });
    }
}

/// Where to read the configuration from.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// A named file must exist. Without a name, we read `adagent.toml` in the working folder if it exists.
    pub file: Option<PathBuf>,
    pub overrides: Overrides,
}

/// Environment variables that others define, and the keys they set here.
const WELL_KNOWN: [(&str, &str); 20] = [
    ("HTTPS_PROXY", "https_proxy"),
    ("DATABASE_URL", "database_url"),
    ("ENCRYPTION_SECRET", "encryption_secret"),
    ("ENCRYPTION_SECRET_PREVIOUS", "encryption_secret_previous"),
    ("ANTHROPIC_API_KEY", "anthropic.api_key"),
    ("ANTHROPIC_BASE_URL", "anthropic.base_url"),
    ("OPENAI_API_KEY", "openai.api_key"),
    ("OPENAI_BASE_URL", "openai.base_url"),
    ("GEMINI_API_KEY", "gemini.api_key"),
    ("GEMINI_BASE_URL", "gemini.base_url"),
    ("XAI_API_KEY", "xai.api_key"),
    ("XAI_BASE_URL", "xai.base_url"),
    ("DEEPSEEK_API_KEY", "deepseek.api_key"),
    ("DEEPSEEK_BASE_URL", "deepseek.base_url"),
    ("OIDC_ISSUER_URL", "oidc.issuer"),
    ("OIDC_CLIENT_ID", "oidc.client_id"),
    ("OIDC_CLIENT_SECRET", "oidc.client_secret"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.otlp_endpoint"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.otlp_headers"),
    ("OTEL_SERVICE_NAME", "telemetry.service_name"),
];

/// Reads `ADAGENT_LIMITS__CHAT_PER_USER` as `limits.chat_per_user`. Names that start with `ADAGENT_TEST_` belong to tests.
fn settings_from_environment() -> Env {
    Env::prefixed("ADAGENT_").filter(|name| !name.starts_with("TEST_")).split("__")
}

/// Reads a named file. Figment would treat a missing file as an empty one.
fn named_file(path: &Path) -> Result<Data<Toml>, ConfigError> {
    let refused = |why: String| ConfigError::Other(format!("the file {} cannot be used: {why}", path.display()));
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Toml::file_exact(path)),
        Ok(_) => Err(refused("it is no file".into())),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Returns the host of a proxy, which people write with or without a scheme.
pub(crate) fn proxy_host(proxy: &Secret) -> Option<String> {
    let text = proxy.expose_secret().trim();
    let url = if text.contains("://") { url::Url::parse(text) } else { url::Url::parse(&format!("http://{text}")) };
    url.ok().filter(|url| matches!(url.scheme(), "http" | "https"))?.host_str().map(str::to_owned)
}

fn is_blank(secret: &Secret) -> bool {
    secret.expose_secret().trim().is_empty()
}

impl Config {
    /// Merges all sources; the later one wins: defaults, file, environment, command line.
    pub fn load(source: Source) -> Result<Self, ConfigError> {
        let file = match source.file {
            Some(named) => named_file(&named)?,
            None => Toml::file("adagent.toml"),
        };
        let well_known = Env::raw()
            .filter_map(|name| {
                WELL_KNOWN
                    .iter()
                    .find(|(known, _)| name.as_str().eq_ignore_ascii_case(known))
                    .map(|(_, key)| (*key).into())
            })
            .filter(|name| !name.as_str().is_empty());
        let config: Self = Figment::new()
            .merge(Toml::string(DEFAULTS))
            .merge(file)
            .merge(well_known)
            .merge(settings_from_environment())
            .merge(Serialized::defaults(source.overrides))
            .extract()?;
        config.check()
    }

    /// Treats an empty value as no value, such as `NAME=` in an environment file or a variable that nobody filled.
    fn drop_blanks(&mut self) {
        let providers = [&mut self.anthropic, &mut self.openai, &mut self.gemini, &mut self.xai, &mut self.deepseek];
        let keys = providers.into_iter().map(|provider| &mut provider.api_key);
        let (admob, admanager) = (&mut self.admob, &mut self.admanager);
        let oidc = &mut self.oidc;
        let clients = [
            &mut self.https_proxy,
            &mut admob.client_secret,
            &mut admanager.client_secret,
            &mut oidc.client_secret,
            &mut self.telemetry.otlp_headers,
            &mut self.mail.url,
            &mut self.encryption_secret_previous,
        ];
        for secret in keys.chain(clients) {
            secret.take_if(|it| is_blank(it));
        }
        for id in [&mut admob.client_id, &mut admanager.client_id, &mut oidc.client_id] {
            id.take_if(|it| it.trim().is_empty());
        }
    }

    /// Checks rules that the types cannot express.
    fn check(mut self) -> Result<Self, ConfigError> {
        self.drop_blanks();
        let wrong = |key: &str, expected: &str| {
            Err(ConfigError::Key { key: key.into(), from: "all sources together".into(), expected: expected.into() })
        };
        // An empty value here would make the server less safe than intended, without a warning.
        for (key, secret) in [("vault_keys", &self.vault_keys), ("metrics.token", &self.metrics.token)] {
            if secret.as_ref().is_some_and(is_blank) {
                return wrong(key, "it is set to nothing: give it a value, or do not set it at all");
            }
        }
        if self.https_proxy.as_ref().is_some_and(|proxy| proxy_host(proxy).is_none()) {
            return wrong("https_proxy", "expected http:// with a host and a port, such as http://proxy.internal:3128");
        }
        if self.workers == 0 || self.workers > 1024 {
            return wrong("workers", "expected a number from 1 to 1024");
        }
        if !(500..=600_000).contains(&self.lease_ms) {
            return wrong("lease_ms", "expected milliseconds from 500 to 600000");
        }
        if !(500..=120_000).contains(&self.network_timeout_ms) {
            return wrong("network_timeout_ms", "expected milliseconds from 500 to 120000");
        }
        if let Some(url) = &self.sandbox.url
            && (!matches!(url.scheme(), "http" | "https") || url.host().is_none() || url.cannot_be_a_base())
        {
            return wrong("sandbox.url", "expected http:// or https:// with a host, such as http://10.0.0.5:3001");
        }
        let issuer = &self.oidc.issuer;
        let here = match issuer.host() {
            Some(url::Host::Domain(name)) => name == "localhost",
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if issuer.host().is_none() || !(issuer.scheme() == "https" || (issuer.scheme() == "http" && here)) {
            return wrong(
                "oidc.issuer",
                "expected https:// with a host (http:// for this machine only), such as https://accounts.google.com",
            );
        }
        if self.oidc.client_id.is_some() != self.oidc.client_secret.is_some() {
            return wrong("oidc.client_id", "it goes with oidc.client_secret: set both, or neither");
        }
        if let Some(url) = &self.mail.url {
            // The address contains a password, so the error repeats no part of it.
            let url = Url::parse(url.expose_secret().trim()).ok();
            if !url.is_some_and(|url| matches!(url.scheme(), "smtp" | "smtps") && url.host().is_some()) {
                return wrong("mail.url", "expected smtps://user:password@host:465 or smtp://user:password@host:587");
            }
            if self.mail.from.as_ref().is_none_or(|from| !from.contains('@')) {
                return wrong(
                    "mail.from",
                    "mail.url needs it: expected an address such as ADAgentAI <desk@example.com>",
                );
            }
        }
        if self.password.parallel == 0 {
            return wrong("password.parallel", "expected at least 1");
        }
        if let Some(url) = &self.public_url
            && (!matches!(url.scheme(), "http" | "https") || url.host().is_none() || url.path() != "/")
        {
            return wrong(
                "public_url",
                "expected http:// or https:// with a host and no path, such as https://desk.example.com",
            );
        }
        for (key, model) in [("models.fast", &self.models.fast), ("models.strong", &self.models.strong)] {
            if model == "local" {
                continue;
            }
            let named = model.split_once('/').filter(|(_, name)| !name.is_empty());
            let provider = named.and_then(|(id, _)| self.providers().into_iter().find(|(known, ..)| *known == id));
            match provider {
                None => {
                    return wrong(
                        key,
                        "expected `local`, or <provider>/<model> with a provider of anthropic, openai, gemini, xai, deepseek",
                    );
                }
                Some((_, settings, variable)) if settings.api_key.is_none() => {
                    return wrong(key, &format!("the provider's API key is missing: set {variable}, or use `local`"));
                }
                Some(_) => {}
            }
        }
        if self.models.patience_seconds == 0 {
            return wrong("models.patience_seconds", "expected at least 1");
        }
        Ok(self)
    }
}

#[cfg(test)]
#[expect(clippy::result_large_err, reason = "figment's testing jail asks for its own error type")]
mod tests {
    use figment::Jail;

    use super::*;

    fn load() -> Result<Config, ConfigError> {
        Config::load(Source::default())
    }

    #[test]
    fn without_anything_set_it_serves_locally_with_sqlite_and_sandbox() {
        Jail::expect_with(|jail| {
            jail.clear_env();
            let config = load().expect("defaults are valid");
            assert_eq!(config.public_url().as_str(), "http://127.0.0.1:3000/");
            assert_eq!(config.sandbox_port(), 3001);
            assert!(config.sandbox.enabled && config.database_url.is_none());
            assert_eq!(config.models.fast, "local");
            Ok(())
        });
    }

    #[test]
    fn command_line_beats_environment_beats_file_beats_defaults() {
        Jail::expect_with(|jail| {
            jail.clear_env();
            jail.create_file(
                "adagent.toml",
                "port = 1000\nworkers = 3\ndrain_seconds = 5\n[limits]\nchat_per_user = 7\n",
            )?;
            jail.set_env("ADAGENT_PORT", "2000");
            jail.set_env("ADAGENT_WORKERS", "4");
            jail.set_env("ADAGENT_LIMITS__SIGN_UP_PER_ADDRESS", "9");
            jail.set_env("ADAGENT_TEST_POSTGRES_URL", "postgres://not-ours");
            jail.set_env("ADAGENT_RATE_LIMITS", "relaxed");
            let overrides = Overrides { port: Some(4000), ..Overrides::default() };
            let config = Config::load(Source { file: None, overrides }).expect("valid");
            assert_eq!((config.port, config.workers, config.drain_seconds), (4000, 4, 5));
            assert_eq!((config.limits.chat_per_user.get(), config.limits.sign_up_per_address.get()), (7, 9));
            assert_eq!(config.limits().chat_per_user.get(), 7000);
            let (said, meant) = (config.limits.network_per_workspace, config.limits().network_per_workspace);
            assert_eq!((said.get(), meant.get()), (60, 60_000));
            Ok(())
        });
    }

    #[test]
    fn well_known_names_are_read_and_secrets_are_not_printed() {
        Jail::expect_with(|jail| {
            jail.clear_env();
            jail.set_env("DATABASE_URL", "postgres://u:hunter2@localhost/db");
            jail.set_env("ANTHROPIC_API_KEY", "sk-ant-hunter2");
            jail.set_env("ANTHROPIC_BASE_URL", "http://127.0.0.1:4010/v1/");
            jail.set_env("ADAGENT_VAULT_KEYS", "k1:hunter2");
            jail.set_env("ADAGENT_MAIL__URL", "smtps://desk:hunter2@mail.example.com");
            jail.set_env("ADAGENT_MAIL__FROM", "Desk <desk@example.com>");
            jail.set_env("ADAGENT_MODELS__FAST", "anthropic/claude");
            let config = load().expect("valid");
            assert!(config.database_url.is_some() && config.anthropic.api_key.is_some());
            assert!(!format!("{config:?}").contains("hunter2"));
            Ok(())
        });
    }

    #[test]
    fn budgets_and_prices_have_defaults_that_each_can_be_changed_alone() {
        Jail::expect_with(|jail| {
            jail.clear_env();
            jail.create_file(
                "adagent.toml",
                "[models.budget]\nrun_tokens = 5\n[models.prices.\"openai/mine\"]\ninput_micros = 1\noutput_micros = 2\n",
            )?;
            jail.set_env("ADAGENT_MODELS__BUDGET__WORKSPACE_DAILY_COST_MICROS", "7");
            jail.set_env("GEMINI_API_KEY", "k");
            jail.set_env("XAI_BASE_URL", "http://127.0.0.1:1/v1");
            let config = load().expect("valid");
            let budget = &config.models.budget;
            assert_eq!(
                (budget.run_tokens, budget.workspace_daily_cost_micros, budget.run_cost_micros),
                (5, 7, 2_000_000)
            );
            assert_eq!(config.models.prices["openai/mine"].output_micros, 2);
            assert!(config.gemini.api_key.is_some() && config.xai.base_url.is_some());
            Ok(())
        });
    }

    #[test]
    fn errors_are_one_line_naming_key_source_and_expectation() {
        for (name, value, key, hint) in [
            ("ADAGENT_PORT", "seventy", "port", "u16"),
            ("ADAGENT_PORT", "70000", "port", "u16"),
            ("ADAGENT_SANDBOX__ENABLED", "perhaps", "sandbox.enabled", "bool"),
            ("ADAGENT_LIMITS__CHAT_PER_USER", "0", "limits.chat_per_user", "nonzero"),
            ("ADAGENT_PUBLIC_URL", "https://desk.example.com/path", "public_url", "no path"),
            ("ADAGENT_PUBLIC_URL", "desk", "public_url", "URL"),
            ("ADAGENT_LOG__FORMAT", "xml", "log.format", "json"),
            ("ADAGENT_WORKERS", "0", "workers", "1 to 1024"),
            ("ADAGENT_LEASE_MS", "10", "lease_ms", "500 to 600000"),
            ("ADAGENT_NETWORK_TIMEOUT_MS", "0", "network_timeout_ms", "500 to 120000"),
            ("ADAGENT_SANDBOX__URL", "ftp://sandbox", "sandbox.url", "http"),
            ("ADAGENT_MODELS__STRONG", "gpt", "models.strong", "<provider>/<model>"),
            ("ADAGENT_MODELS__FAST", "xai/", "models.fast", "<provider>/<model>"),
            ("ADAGENT_MODELS__FAST", "deepseek/deepseek-chat", "models.fast", "DEEPSEEK_API_KEY"),
            ("ADAGENT_MODELS__PATIENCE_SECONDS", "0", "models.patience_seconds", "at least 1"),
            ("ADAGENT_MODELS__BUDGET__RUN_TOKENS", "-1", "models.budget.run_tokens", "u64"),
            ("ADAGENT_MODELS__STRONG", "openai/gpt", "models.strong", "OPENAI_API_KEY"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector", "telemetry.otlp_endpoint", "URL"),
            ("ADAGENT_METRICS__LISTEN", "9464", "metrics.listen", "socket address"),
            ("ADAGENT_TELEMETRY__DETAIL", "all", "telemetry.detail", "debug"),
            ("HTTPS_PROXY", "ftp://proxy", "https_proxy", "http://proxy.internal:3128"),
            ("OIDC_ISSUER_URL", "http://accounts.example", "oidc.issuer", "https"),
            ("ADAGENT_OIDC__CLIENT_ID", "desk", "oidc.client_id", "set both"),
            ("ADAGENT_TRUSTED_PROXIES", "everywhere", "trusted_proxies", "10.0.0.0/8"),
            ("ADAGENT_TRUSTED_PROXIES", "10.0.0.0/33", "trusted_proxies", "10.0.0.0/8"),
            ("ADAGENT_MAIL__URL", "mail.example.com:587", "mail.url", "smtps://"),
            ("ADAGENT_MAIL__URL", "smtp://mail.example.com:587", "mail.from", "desk@example.com"),
            ("ADAGENT_LIMITS__MAIL_PER_ADDRESS", "0", "limits.mail_per_address", "nonzero"),
            ("ADAGENT_TYPO", "1", "typo", "known are"),
        ] {
            Jail::expect_with(|jail| {
                jail.clear_env();
                jail.set_env(name, value);
                let text = load().expect_err(name).to_string();
                assert!(text.contains(key) && text.contains(hint), "{name}={value}: {text}");
                assert_eq!(text.lines().count(), 1, "{text}");
                Ok(())
            });
        }
    }

    #[test]
    fn proxies_are_networks_and_addresses_as_text_or_as_a_list() {
        for (written, expected) in [
            ("10.0.0.7/8, 192.168.1.5 ,2001:db8::/32", &["10.0.0.0/8", "192.168.1.5/32", "2001:db8::/32"][..]),
            ("[10.0.0.0/8, 192.168.1.5]", &["10.0.0.0/8", "192.168.1.5/32"]),
            ("", &[]),
        ] {
            Jail::expect_with(|jail| {
                jail.clear_env();
                jail.set_env("ADAGENT_TRUSTED_PROXIES", written);
                let networks = load().expect(written).trusted_proxies.0;
                assert_eq!(networks.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{written}");
                Ok(())
            });
        }
        assert_eq!(Config::nearby_networks().len(), 6);
    }

    #[test]
    fn a_file_that_was_named_must_be_there() {
        Jail::expect_with(|jail| {
            jail.clear_env();
            jail.create_dir("folder")?;
            jail.create_file("desk.toml", "port = 4000")?;
            let named = |name: &str| Config::load(Source { file: Some(name.into()), overrides: Overrides::default() });
            assert_eq!(named("desk.toml").expect("it is there").port, 4000);
            for name in ["dsek.toml", "folder"] {
                let text = named(name).expect_err(name).to_string();
                assert!(text.contains(name) && text.lines().count() == 1, "{text}");
            }
            assert_eq!(load().expect("nobody named one").port, 3000);
            Ok(())
        });
    }

    #[test]
    fn a_key_set_to_nothing_is_no_key() {
        for blank in ["", "  "] {
            Jail::expect_with(|jail| {
                jail.clear_env();
                for name in ["ANTHROPIC", "OPENAI", "GEMINI", "XAI", "DEEPSEEK"] {
                    jail.set_env(format!("{name}_API_KEY"), blank);
                }
                jail.set_env("ADAGENT_ADMOB__CLIENT_ID", blank);
                jail.set_env("ADAGENT_ADMOB__CLIENT_SECRET", blank);
                jail.set_env("ADAGENT_ADMANAGER__CLIENT_ID", blank);
                jail.set_env("ADAGENT_ADMANAGER__CLIENT_SECRET", blank);
                jail.set_env("OTEL_EXPORTER_OTLP_HEADERS", blank);
                jail.set_env("HTTPS_PROXY", blank);
                let config = load().expect("valid");
                assert!(config.providers().iter().all(|(_, provider, _)| provider.api_key.is_none()));
                for network in [&config.admob, &config.admanager] {
                    assert!(network.client_id.is_none() && network.client_secret.is_none());
                }
                assert!(config.telemetry.otlp_headers.is_none() && config.https_proxy.is_none());
                jail.set_env("ADAGENT_MODELS__FAST", "xai/grok");
                let text = load().expect_err("no key").to_string();
                assert!(text.contains("models.fast") && text.contains("XAI_API_KEY"), "{text}");
                Ok(())
            });
        }
    }

    #[test]
    fn the_handbook_names_only_settings_that_exist() {
        let handbook = include_str!("../../../docs/operations.md");
        let words = handbook.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '…')));
        let (mut table, mut seen) = ("", 0);
        for word in words {
            // `…__B` after `ADAGENT_A__C` means `ADAGENT_A__B`.
            let name = match word.strip_prefix('…') {
                Some(rest) if rest.starts_with("__") => format!("{table}{rest}"),
                _ if word.len() > "ADAGENT_".len() && word.starts_with("ADAGENT_") => {
                    table = word.rsplit_once("__").map_or("", |(table, _)| table);
                    word.to_owned()
                }
                _ if word.ends_with("_API_KEY")
                    || word.ends_with("_BASE_URL")
                    || word == "DATABASE_URL"
                    || word.starts_with("ENCRYPTION_") =>
                {
                    assert!(WELL_KNOWN.iter().any(|(known, _)| *known == word), "{word}");
                    continue;
                }
                _ => continue,
            };
            seen += 1;
            Jail::expect_with(|jail| {
                jail.clear_env();
                jail.set_env(&name, "x");
                let refused = load().err().map(|error| error.to_string()).unwrap_or_default();
                assert!(!refused.contains("there is no key"), "{name}: {refused}");
                Ok(())
            });
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn what_protects_may_not_be_set_to_nothing() {
        for (name, key) in [("ADAGENT_VAULT_KEYS", "vault_keys"), ("ADAGENT_METRICS__TOKEN", "metrics.token")] {
            Jail::expect_with(|jail| {
                jail.clear_env();
                jail.set_env(name, " ");
                let text = load().expect_err(name).to_string();
                assert!(text.contains(key) && text.contains("set to nothing"), "{text}");
                Ok(())
            });
        }
    }

    #[test]
    fn a_wrong_secret_is_not_repeated_in_the_error() {
        Jail::expect_with(|jail| {
            jail.clear_env();
            jail.create_file("adagent.toml", "vault_keys = [\"hunter2\"]")?;
            let text = load().expect_err("a list is no text").to_string();
            assert!(text.contains("vault_keys") && !text.contains("hunter2"), "{text}");
            Ok(())
        });
    }
}
