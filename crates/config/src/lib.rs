//! Configuration: defaults, then `adagent.toml`, then the environment, then the command line. The later source wins.
//!
//! We read it once, at the start; nothing else in the program reads the environment. The type of secrets keeps `Debug` from printing them.
//! An error names the key and what is expected, never a value that might be a secret.

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
