//! Every setting, with its default.

use std::{
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU32,
    path::PathBuf,
};

pub use secrecy::SecretString as Secret;
use serde::Deserialize;
use url::Url;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub host: IpAddr,
    pub port: u16,
    /// How people reach the server; `http://127.0.0.1:<port>` when not set.
    pub public_url: Option<Url>,
    pub data_dir: PathBuf,
    /// `postgres://…` or `sqlite://…`; a SQLite file in the data folder when not set. May hold a password.
    pub database_url: Option<Secret>,
    /// Where the built interface lies.
    pub site_dir: PathBuf,
    /// Take the caller's address from `X-Forwarded-For`: only behind a proxy that sets it.
    pub trust_proxy: bool,
    /// Runs advanced side by side.
    pub workers: u32,
    /// How long a stopping server waits for what is under way.
    pub drain_seconds: u64,
    /// How long a run stays with a process that gives no sign of life before another takes it over.
    pub lease_ms: u64,
    /// `id:key[,id:key…]`, each key 32 bytes in base64url; a file in the data folder when not set.
    pub vault_keys: Option<Secret>,
    pub sandbox: Sandbox,
    pub admob: Admob,
    pub models: Models,
    pub anthropic: Provider,
    pub openai: Provider,
    pub limits: Limits,
    pub rate_limits: RateLimits,
    pub password: Password,
    pub log: Logging,
}

/// The simulated networks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    pub enabled: bool,
    /// The server's port plus one when not set.
    pub port: Option<u16>,
    /// A sandbox that runs elsewhere, such as another server's: nothing is listened on here, and several servers share it.
    pub url: Option<Url>,
}

/// The OAuth client registered with Google; without it only the sandbox can be connected.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admob {
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    pub base_url: Url,
    pub auth_url: Url,
    pub token_url: Url,
    pub revoke_url: Url,
}

/// `local`, or provider and model such as `anthropic/claude-…`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    pub fast: String,
    pub strong: String,
}

/// A hosted model provider.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    pub api_key: Option<Secret>,
    pub base_url: Option<Url>,
}

/// Requests per minute.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub sign_in_per_account: NonZeroU32,
    pub sign_in_per_address: NonZeroU32,
    pub sign_up_per_address: NonZeroU32,
    pub chat_per_user: NonZeroU32,
}

/// How strictly the limits are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimits {
    Standard,
    /// A thousandfold: for tests and benchmarks, where one address plays many people.
    Relaxed,
}

/// Cost of a password hash.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Password {
    pub memory_kib: u32,
    pub passes: u32,
    /// Hashes computed at the same time.
    pub parallel: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logging {
    /// As of `tracing-subscriber`: `info,adagent_runtime=debug`.
    pub filter: String,
    pub format: LogFormat,
}

/// Defaults in the same format as the file, so that provenance and merging have one path.
pub(crate) const DEFAULTS: &str = r#"
host = "127.0.0.1"
port = 3000
data_dir = "data"
site_dir = "target/site"
trust_proxy = false
workers = 64
rate_limits = "standard"
drain_seconds = 20
lease_ms = 10000

[sandbox]
enabled = true

[admob]
base_url = "https://admob.googleapis.com"
auth_url = "https://accounts.google.com/o/oauth2/v2/auth"
token_url = "https://oauth2.googleapis.com/token"
revoke_url = "https://oauth2.googleapis.com/revoke"

[models]
fast = "local"
strong = "local"

[anthropic]

[openai]

[limits]
sign_in_per_account = 10
sign_in_per_address = 100
sign_up_per_address = 60
chat_per_user = 60

[password]
memory_kib = 19456
passes = 2
parallel = 2

[log]
filter = "info"
format = "text"
"#;

impl Config {
    /// How people reach the server, without a trailing slash in its path.
    pub fn public_url(&self) -> Url {
        self.public_url.clone().unwrap_or_else(|| {
            let host = if self.host.is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { self.host };
            let host = if host.is_ipv6() { format!("[{host}]") } else { host.to_string() };
            Url::parse(&format!("http://{host}:{}", self.port)).expect("an address and a port make a URL")
        })
    }

    /// The limits as they are meant.
    pub fn limits(&self) -> Limits {
        let factor = match self.rate_limits {
            RateLimits::Standard => NonZeroU32::MIN,
            RateLimits::Relaxed => const { NonZeroU32::new(1000).expect("not zero") },
        };
        Limits {
            sign_in_per_account: self.limits.sign_in_per_account.saturating_mul(factor),
            sign_in_per_address: self.limits.sign_in_per_address.saturating_mul(factor),
            sign_up_per_address: self.limits.sign_up_per_address.saturating_mul(factor),
            chat_per_user: self.limits.chat_per_user.saturating_mul(factor),
        }
    }

    /// Where the sandbox listens.
    pub fn sandbox_port(&self) -> u16 {
        // Port 0 lets the system choose, for both.
        self.sandbox.port.unwrap_or(if self.port == 0 { 0 } else { self.port.wrapping_add(1).max(1) })
    }
}
