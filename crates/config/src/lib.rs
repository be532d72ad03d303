//! Configuration: defaults, then `adagent.toml`, then the environment, then the command line.
//!
//! Read once, at start; nothing else in the program looks at the environment. Secrets are typed so that `Debug` cannot print
//! them, and an error names the key and what is expected, never a value that might be a secret.

mod error;
mod hosts;
mod load;
mod networks;
mod settings;

pub use error::ConfigError;
pub use hosts::Hosts;
pub use load::{Overrides, SandboxOverride, Source};
pub use networks::IpNetworks;
pub use settings::{
    Budget, Config, Detail, GoogleNetwork, Limits, LogFormat, Logging, Metrics, Models, Password, Price, Provider,
    RateLimits, Retention, Sandbox, Secret, Sessions, Telemetry, ToolServers,
};
