//! Every setting, with its default.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    num::NonZeroU32,
    path::PathBuf,
};

use ipnet::IpNet;
pub use secrecy::SecretString as Secret;
use serde::Deserialize;
use url::Url;

use crate::{Hosts, IpNetworks};

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub host: IpAddr,
    pub port: u16,
    /// The address at which people reach the server. Default: `http://127.0.0.1:<port>`.
    pub public_url: Option<Url>,
    pub data_dir: PathBuf,
    /// `postgres://…` or `sqlite://…`. Default: a SQLite file in the data folder. May contain a password.
    pub database_url: Option<Secret>,
    /// The folder of the built interface.
    pub site_dir: PathBuf,
    /// Whether we take the caller's address from the `X-Forwarded-For` of one proxy on this machine or in a private network.
    /// `trusted_proxies` is more exact.
    pub trust_proxy: bool,
    /// The networks of the proxies whose `X-Forwarded-For` we trust; any number of proxies in a row.
    pub trusted_proxies: IpNetworks,
    /// The proxy for encrypted requests to networks, such as `http://proxy.internal:3128`. May contain a password.
    pub https_proxy: Option<Secret>,
    /// How many runs the server advances at the same time.
    pub workers: u32,
    /// How long a stopping server waits for work that has begun.
    pub drain_seconds: u64,
    /// How long a run stays with a process that shows no sign of life, before another process takes it over.
    pub lease_ms: u64,
    /// The longest time that a network may take for one request. The outcome of a write without an answer is settled after this time and a
    /// lease.
    pub network_timeout_ms: u64,
    /// `id:key[,id:key…]`, each key 32 bytes in base64url. The first one seals instead of `encryption_secret`. Without both, a server that
    /// only this machine can reach uses a key file in the data folder.
    pub vault_keys: Option<Secret>,
    /// At least 32 characters that nobody can guess. The vault's key is derived from it.
    pub encryption_secret: Option<Secret>,
    /// Earlier secrets (or `id:key` entries), separated by commas, so that texts they sealed still open.
    pub encryption_secret_previous: Option<Secret>,
    /// Whether the server sends requests to real networks. If not, it sends them only to the simulated networks, even if it has
    /// stored keys or tokens for others.
    pub live_networks: bool,
    pub sandbox: Sandbox,
    pub tool_servers: ToolServers,
    pub admob: GoogleNetwork,
    pub admanager: GoogleNetwork,
    pub oidc: Oidc,
    /// Whether a new person must open the link in an email before we let them in, so that a sign-up does not reveal who has an
    /// account. Needs email.
    pub confirm_sign_up: bool,
    pub models: Models,
    pub anthropic: Provider,
    pub openai: Provider,
    pub gemini: Provider,
    pub xai: Provider,
    pub deepseek: Provider,
    pub mail: Mail,
    pub limits: Limits,
    pub rate_limits: RateLimits,
    pub password: Password,
    pub sessions: Sessions,
    pub retention: Retention,
    pub log: Logging,
    pub metrics: Metrics,
    pub telemetry: Telemetry,
}

/// The simulated networks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    pub enabled: bool,
    /// Default: the server's port plus one.
    pub port: Option<u16>,
    /// The address of a sandbox that runs elsewhere, such as on another server. Then no sandbox starts here, and several servers can share
    /// one.
    pub url: Option<Url>,
}

/// A network that people connect with Google sign-in, and our OAuth client there. Without a client, only the sandbox's network can be
/// connected. Networks with API keys need no setting.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoogleNetwork {
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    pub base_url: Url,
    pub auth_url: Url,
    pub token_url: Url,
    pub revoke_url: Url,
}

/// The provider with which people can sign in besides a password: Google, or any OpenID Connect provider. Off without a client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oidc {
    pub issuer: Url,
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
}

/// The models that answer, each `local` or a provider and a model such as `anthropic/claude-…`, and their limits.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    pub fast: String,
    pub strong: String,
    /// The longest wait for the first byte of an answer, and for each piece after it.
    pub patience_seconds: u64,
    /// If a provider asks for a longer wait than this, we do not wait, and the run says so.
    pub longest_wait_seconds: u64,
    pub budget: Budget,
    /// Prices by prefix of `provider/model`, in addition to the built-in list prices.
    pub prices: BTreeMap<String, Price>,
}

/// What hosted models may cost. We do not send a call that could exceed a ceiling.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    pub run_tokens: u64,
    pub run_cost_micros: u64,
    pub workspace_daily_cost_micros: u64,
    /// The time zone whose midnight begins a new day.
    pub time_zone: String,
}

/// Micros of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input_micros: u64,
    pub output_micros: u64,
}

/// A provider of hosted models.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    pub api_key: Option<Secret>,
    pub base_url: Option<Url>,
}

/// How the server sends email. Without a mail server, a server that listens only on this machine stores emails for its developer to read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// `smtps://user:password@host:465`, or `smtp://…:587`. The latter must switch to TLS before anything else is sent, unless the host is
    /// this machine.
    pub url: Option<Secret>,
    /// `ADAgentAI <desk@example.com>`.
    pub from: Option<String>,
}

/// Limits of requests, per minute unless a field says otherwise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub sign_in_per_account: NonZeroU32,
    pub sign_in_per_address: NonZeroU32,
    pub sign_up_per_address: NonZeroU32,
    pub chat_per_user: NonZeroU32,
    /// Attempts to connect or test networks.
    pub keys_per_user: NonZeroU32,
    /// Operations at one network for one workspace.
    pub network_per_workspace: NonZeroU32,
    /// Requests of any kind, except for files.
    pub requests_per_user: NonZeroU32,
    /// Requests from one IP address, which many people may share.
    pub requests_per_address: NonZeroU32,
    /// Sessions that MCP clients begin.
    pub program_sessions_per_user: NonZeroU32,
    /// Emails of one kind to one address, in an hour.
    pub mail_per_address: NonZeroU32,
    /// Invitations of one workspace, in an hour.
    pub invite_per_workspace: NonZeroU32,
    /// Invitations that one person sends, in an hour. The limit for a day is four times this.
    pub invite_per_person: NonZeroU32,
    /// Organizations that one person creates, in an hour.
    pub organizations_per_person: NonZeroU32,
}

/// How strictly the limits apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimits {
    Standard,
    /// A thousand times the limits, for tests and benchmarks in which one address plays many people.
    Relaxed,
}

/// What the server deletes by itself. 0 means nothing.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// Turns that ended this many days ago are deleted with their traces, unless their person keeps the chat.
    pub runs_days: u32,
    /// Runs that ended this many days ago keep only their last checkpoint.
    pub checkpoints_days: u32,
    /// Entries of the audit log that are older than this many days are deleted.
    pub audit_days: u32,
    /// The shortest time that a workspace may choose for its audit log.
    pub shortest_audit_days: u32,
}

/// Tool servers, which belong to others and whose tools workspaces use.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolServers {
    /// Hosts that may be in our own network, be IP addresses, and use other ports and no encryption. An entry with a port allows only that
    /// port.
    pub allow: Hosts,
}

/// How long a person stays signed in.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// After this time a person must sign in again, even if they came every day. A session without use ends after 14 days.
    pub longest_days: NonZeroU32,
}

/// The cost of a password hash.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Password {
    pub memory_kib: u32,
    pub passes: u32,
    /// How many hashes are computed at the same time.
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
    /// A filter of `tracing-subscriber`: `info,adagent_runtime=debug`.
    pub filter: String,
    pub format: LogFormat,
}

/// Who may read `/metrics`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// A separate listener, such as `10.0.0.5:9464`. Anyone who can reach it may read, unless a token is set.
    pub listen: Option<SocketAddr>,
    /// The token for `Authorization: Bearer …`. Without one, the main port answers only programs on the same machine.
    pub token: Option<Secret>,
}

/// How detailed the spans are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Requests, runs, nodes, models, tools.
    Info,
    /// Database statements too.
    Debug,
}

/// Spans for a collector.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// The base address of an OTLP collector over HTTP. Without it, nothing is sent.
    pub otlp_endpoint: Option<Url>,
    /// `name=value,name=value`.
    pub otlp_headers: Option<Secret>,
    pub service_name: String,
    pub detail: Detail,
    /// Whether spans also record questions, answers, arguments and results: what people wrote and what networks answered.
    pub capture_content: bool,
}

/// The defaults in the format of the file, so that merging and the origin of values work in one way.
pub(crate) const DEFAULTS: &str = r#"
host = "127.0.0.1"
port = 3000
data_dir = "data"
site_dir = "target/site"
trust_proxy = false
trusted_proxies = ""
workers = 64
rate_limits = "standard"
confirm_sign_up = false
drain_seconds = 20
lease_ms = 10000
network_timeout_ms = 30000
live_networks = true

[sandbox]
enabled = true

[tool_servers]
allow = ""

[admob]
base_url = "https://admob.googleapis.com"
auth_url = "https://accounts.google.com/o/oauth2/v2/auth"
token_url = "https://oauth2.googleapis.com/token"
revoke_url = "https://oauth2.googleapis.com/revoke"

[admanager]
base_url = "https://admanager.googleapis.com"
auth_url = "https://accounts.google.com/o/oauth2/v2/auth"
token_url = "https://oauth2.googleapis.com/token"
revoke_url = "https://oauth2.googleapis.com/revoke"

[oidc]
issuer = "https://accounts.google.com"

[models]
fast = "local"
strong = "local"
patience_seconds = 60
longest_wait_seconds = 30

[models.budget]
run_tokens = 400000
run_cost_micros = 2000000
workspace_daily_cost_micros = 20000000
time_zone = "UTC"

[models.prices]

[anthropic]

[openai]

[gemini]

[xai]

[deepseek]

[mail]

[limits]
sign_in_per_account = 10
sign_in_per_address = 100
sign_up_per_address = 60
chat_per_user = 60
keys_per_user = 60
network_per_workspace = 60
requests_per_user = 1200
requests_per_address = 6000
program_sessions_per_user = 60
mail_per_address = 10
invite_per_workspace = 100
invite_per_person = 50
organizations_per_person = 20

[password]
memory_kib = 19456
passes = 2
parallel = 2

[sessions]
longest_days = 30

[retention]
runs_days = 0
checkpoints_days = 30
audit_days = 0
shortest_audit_days = 90

[log]
filter = "info"
format = "text"

[metrics]

[telemetry]
service_name = "adagentai"
detail = "info"
capture_content = false
"#;

impl Config {
    /// Returns each provider of hosted models: the name before the slash, its settings, and the variable of its key.
    pub(crate) const fn providers(&self) -> [(&'static str, &Provider, &'static str); 5] {
        [
            ("anthropic", &self.anthropic, "ANTHROPIC_API_KEY"),
            ("openai", &self.openai, "OPENAI_API_KEY"),
            ("gemini", &self.gemini, "GEMINI_API_KEY"),
            ("xai", &self.xai, "XAI_API_KEY"),
            ("deepseek", &self.deepseek, "DEEPSEEK_API_KEY"),
        ]
    }

    /// Returns the address at which people reach the server, without a trailing slash in its path.
    pub fn public_url(&self) -> Url {
        self.public_url.clone().unwrap_or_else(|| {
            let host = if self.host.is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { self.host };
            let host = if host.is_ipv6() { format!("[{host}]") } else { host.to_string() };
            Url::parse(&format!("http://{host}:{}", self.port)).expect("an address and a port make a URL")
        })
    }

    /// Returns the limits that apply.
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
            keys_per_user: self.limits.keys_per_user.saturating_mul(factor),
            network_per_workspace: self.limits.network_per_workspace.saturating_mul(factor),
            requests_per_user: self.limits.requests_per_user.saturating_mul(factor),
            requests_per_address: self.limits.requests_per_address.saturating_mul(factor),
            program_sessions_per_user: self.limits.program_sessions_per_user.saturating_mul(factor),
            mail_per_address: self.limits.mail_per_address.saturating_mul(factor),
            invite_per_workspace: self.limits.invite_per_workspace.saturating_mul(factor),
            invite_per_person: self.limits.invite_per_person.saturating_mul(factor),
            organizations_per_person: self.limits.organizations_per_person.saturating_mul(factor),
        }
    }

    /// Returns the host of the proxy for encrypted requests.
    pub fn https_proxy_host(&self) -> Option<String> {
        self.https_proxy.as_ref().and_then(crate::load::proxy_host)
    }

    /// Returns the networks in which a proxy may be if nobody has configured its address.
    pub fn nearby_networks() -> Vec<IpNet> {
        const NEARBY: [&str; 6] =
            ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
        NEARBY.iter().filter_map(|network| network.parse().ok()).collect()
    }

    /// Returns the port of the sandbox.
    pub fn sandbox_port(&self) -> u16 {
        // With port 0, the system chooses both ports.
        self.sandbox.port.unwrap_or(if self.port == 0 { 0 } else { self.port.wrapping_add(1).max(1) })
    }
}
