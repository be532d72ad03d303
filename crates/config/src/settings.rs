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
    /// How people reach the server; `http://127.0.0.1:<port>` when not set.
    pub public_url: Option<Url>,
    pub data_dir: PathBuf,
    /// `postgres://…` or `sqlite://…`; a SQLite file in the data folder when not set. May hold a password.
    pub database_url: Option<Secret>,
    /// Where the built interface lies.
    pub site_dir: PathBuf,
    /// Take the caller's address from the `X-Forwarded-For` of one proxy on this machine or in a private network. `trusted_proxies`
    /// says it exactly.
    pub trust_proxy: bool,
    /// Networks of the proxies whose `X-Forwarded-For` is believed, any number of them one before the other.
    pub trusted_proxies: IpNetworks,
    /// The way to networks for what is encrypted, such as `http://proxy.internal:3128`. May hold a password.
    pub https_proxy: Option<Secret>,
    /// Runs advanced side by side.
    pub workers: u32,
    /// How long a stopping server waits for what is under way.
    pub drain_seconds: u64,
    /// How long a run stays with a process that gives no sign of life before another takes it over.
    pub lease_ms: u64,
    /// The longest a network may take over one request. What became of a write nobody heard of is settled after this and a lease.
    pub network_timeout_ms: u64,
    /// `id:key[,id:key…]`, each key 32 bytes in base64url. Seals before `encryption_secret`; without both, a file in the data folder.
    pub vault_keys: Option<Secret>,
    /// At least 32 characters nobody can guess; the vault's key is derived from it.
    pub encryption_secret: Option<Secret>,
    /// Secrets (or `id:key` entries) of before, separated by commas: what they sealed still opens.
    pub encryption_secret_previous: Option<Secret>,
    /// Off: nothing leaves for a network but the simulated ones, also not with keys or tokens that are stored.
    pub live_networks: bool,
    pub sandbox: Sandbox,
    pub tool_servers: ToolServers,
    pub admob: GoogleNetwork,
    pub admanager: GoogleNetwork,
    pub oidc: Oidc,
    /// Nobody gets in before they followed the link of a mail: then signing up tells nobody who has an account. Needs mail.
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
    /// The server's port plus one when not set.
    pub port: Option<u16>,
    /// A sandbox that runs elsewhere, such as another server's: nothing is listened on here, and several servers share it.
    pub url: Option<Url>,
}

/// A network that people sign in to with Google, and the OAuth client registered there; without it only the sandbox's can be
/// connected. Networks that take keys need nothing of the server.
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

/// Who people may sign in with beside a password: Google, or any OpenID Connect provider. Off without a client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oidc {
    pub issuer: Url,
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
}

/// `local`, or provider and model such as `anthropic/claude-…`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    pub fast: String,
    pub strong: String,
    /// Longest wait for the first byte of an answer, and for each piece after it.
    pub patience_seconds: u64,
    /// A provider that asks to be left alone for longer is not waited for; the run says so.
    pub longest_wait_seconds: u64,
    pub budget: Budget,
    /// By the beginning of `provider/model`; adds to the built-in list prices.
    pub prices: BTreeMap<String, Price>,
}

/// What hosted models may cost. A call that could break a ceiling does not go out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    pub run_tokens: u64,
    pub run_cost_micros: u64,
    pub workspace_daily_cost_micros: u64,
    /// Whose midnight begins a new day.
    pub time_zone: String,
}

/// Micros of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input_micros: u64,
    pub output_micros: u64,
}

/// A hosted model provider.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    pub api_key: Option<Secret>,
    pub base_url: Option<Url>,
}

/// How mail leaves. Without a server, one that listens on this machine alone keeps mails for its developer to read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// `smtps://user:password@host:465`, or `smtp://…:587`, which must become TLS before anything is said unless the host is this
    /// machine.
    pub url: Option<Secret>,
    /// `ADAgentAI <desk@example.com>`.
    pub from: Option<String>,
}

/// Requests per minute, unless said otherwise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub sign_in_per_account: NonZeroU32,
    pub sign_in_per_address: NonZeroU32,
    pub sign_up_per_address: NonZeroU32,
    pub chat_per_user: NonZeroU32,
    /// Keys and connections tried at networks.
    pub keys_per_user: NonZeroU32,
    /// Operations at one network for one workspace.
    pub network_per_workspace: NonZeroU32,
    /// Requests of any kind but for files.
    pub requests_per_user: NonZeroU32,
    /// Many people may share one.
    pub requests_per_address: NonZeroU32,
    /// Sessions that clients of the tools' protocol begin.
    pub program_sessions_per_user: NonZeroU32,
    /// Mails of one kind to one address, in an hour.
    pub mail_per_address: NonZeroU32,
    /// Invitations of one workspace, in an hour.
    pub invite_per_workspace: NonZeroU32,
    /// Invitations that one person sends, in an hour; four times as many in a day.
    pub invite_per_person: NonZeroU32,
    /// Organisations that one person makes, in an hour.
    pub organizations_per_person: NonZeroU32,
}

/// How strictly the limits are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimits {
    Standard,
    /// A thousandfold: for tests and benchmarks, where one address plays many people.
    Relaxed,
}

/// What is forgotten by itself. 0: nothing.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// Turns that ended this many days ago go, with their traces, unless their conversation is kept by its person.
    pub runs_days: u32,
    /// Of runs that ended this many days ago only the last saved state stays.
    pub checkpoints_days: u32,
    /// Lines of the audit log that are older go.
    pub audit_days: u32,
    /// No workspace may let its audit log go sooner.
    pub shortest_audit_days: u32,
}

/// Servers of others whose tools workspaces use.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolServers {
    /// Hosts that may lie in our own network, may be addresses, and may use other ports and no encryption; with a port only that one.
    pub allow: Hosts,
}

/// How long somebody stays signed in.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// Then they sign in again, also when they were here every day. A session that is not used ends after 14 days.
    pub longest_days: NonZeroU32,
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

/// Who reads `/metrics`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// A listener of its own, such as `10.0.0.5:9464`: whoever reaches it may read, unless there is a token.
    pub listen: Option<SocketAddr>,
    /// Asked for as `Authorization: Bearer …`; without one the main port answers programs on the same machine only.
    pub token: Option<Secret>,
}

/// How much a span says.
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
    /// Base address of an OTLP collector over HTTP; nothing is sent without it.
    pub otlp_endpoint: Option<Url>,
    /// `name=value,name=value`.
    pub otlp_headers: Option<Secret>,
    pub service_name: String,
    pub detail: Detail,
    /// Questions, answers, arguments and results as attributes too. They are what people wrote and what networks said.
    pub capture_content: bool,
}

/// Defaults in the same format as the file, so that provenance and merging have one path.
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
    /// What comes before the slash of a hosted model, its settings, the variable of its key.
    pub(crate) const fn providers(&self) -> [(&'static str, &Provider, &'static str); 5] {
        [
            ("anthropic", &self.anthropic, "ANTHROPIC_API_KEY"),
            ("openai", &self.openai, "OPENAI_API_KEY"),
            ("gemini", &self.gemini, "GEMINI_API_KEY"),
            ("xai", &self.xai, "XAI_API_KEY"),
            ("deepseek", &self.deepseek, "DEEPSEEK_API_KEY"),
        ]
    }

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

    /// Where the proxy for what is encrypted stands.
    pub fn https_proxy_host(&self) -> Option<String> {
        self.https_proxy.as_ref().and_then(crate::load::proxy_host)
    }

    /// Networks in which a proxy stands that nobody described further.
    pub fn nearby_networks() -> Vec<IpNet> {
        const NEARBY: [&str; 6] =
            ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
        NEARBY.iter().filter_map(|network| network.parse().ok()).collect()
    }

    /// Where the sandbox listens.
    pub fn sandbox_port(&self) -> u16 {
        // Port 0 lets the system choose, for both.
        self.sandbox.port.unwrap_or(if self.port == 0 { 0 } else { self.port.wrapping_add(1).max(1) })
    }
}
