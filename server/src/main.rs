//! The server program: command line, configuration, logging, signals.

use std::{net::IpAddr, path::PathBuf, process::ExitCode};

use adagent_config::{Config, Overrides, Source};
use adagent_server::{Running, resend_mails, rotate_keys, start, telemetry, verify_audit};
use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};
use mimalloc::MiMalloc;
use tokio::signal::unix::{SignalKind, signal};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The operations desk for app-monetisation teams.
#[derive(Debug, Parser)]
#[command(version)]
struct Flags {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Settings,
}

/// What to do instead of serving. Works next to running servers.
#[derive(Debug, Clone, Copy, Subcommand)]
enum Command {
    /// Re-encrypt every stored secret with the first key.
    RotateKeys,
    /// Resend emails that failed, as long as their links still work.
    ResendMails,
    /// Verify the hash chain of every workspace's audit log.
    VerifyAudit,
}

/// For every command.
#[derive(Debug, Args)]
struct Settings {
    /// Address to listen on (default: 127.0.0.1).
    #[arg(long, global = true)]
    host: Option<IpAddr>,
    /// Port to listen on (default: 3000). The sandbox uses the next one.
    #[arg(long, global = true)]
    port: Option<u16>,
    /// URL people use to reach the server, such as `https://desk.example.com`.
    #[arg(long, global = true)]
    public_url: Option<String>,
    /// Folder for the database, keys and sandbox (default: `data`).
    #[arg(long, global = true)]
    data_dir: Option<PathBuf>,
    /// postgres://… or sqlite://… (default: SQLite in the data folder).
    #[arg(long, global = true)]
    database_url: Option<String>,
    /// Folder with the built web interface (default: `target/site`).
    #[arg(long, global = true)]
    site_dir: Option<PathBuf>,
    /// Configuration file (default: `adagent.toml`).
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    /// Run without the sandbox networks.
    #[arg(long, global = true)]
    no_sandbox: bool,
}

fn main() -> ExitCode {
    match run(Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Print one line: what failed, and why.
            eprintln!("server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: Flags) -> Result<()> {
    let config = configuration(flags.settings)?;
    rustls::crypto::ring::default_provider().install_default().ok().context("a TLS provider is installed already")?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start the runtime")?.block_on(
        async {
            let telemetry = telemetry::install(&config)?;
            let served = match flags.command {
                None => Box::pin(serve(config)).await,
                Some(Command::VerifyAudit) => verify_audit(&config).await.map(|told| println!("{told}")),
                Some(Command::ResendMails) => resend_mails(&config).await.map(|told| println!("{told}")),
                Some(Command::RotateKeys) => rotate_keys(&config).await.map(|told| println!("{told}")),
            };
            telemetry::flush(telemetry).await;
            served
        },
    )
}

fn configuration(flags: Settings) -> Result<Config> {
    let mut overrides = Overrides {
        host: flags.host,
        port: flags.port,
        public_url: flags.public_url,
        data_dir: flags.data_dir,
        database_url: flags.database_url,
        site_dir: flags.site_dir,
        sandbox: None,
    };
    if flags.no_sandbox {
        overrides.without_sandbox();
    }
    Ok(Config::load(Source { file: flags.config, overrides })?)
}

async fn serve(config: Config) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let public_url = config.public_url.clone();
    let running = start(config).await?;
    announce(&running, &public_url.as_ref().map_or_else(|| running.base_url(), ToString::to_string));
    tokio::select! {
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted.context("cannot listen for Ctrl-C")?,
    }
    tracing::info!("stopping");
    running.drain().await;
    Ok(())
}

/// Prints where the server runs, for the person at the terminal. Logs go to standard error.
fn announce(running: &Running, address: &str) {
    println!("ADAgentAI is ready on {}", address.trim_end_matches('/'));
    if let Some(sandbox) = &running.sandbox {
        println!("Sandbox networks on {}; their numbers are demo data.", sandbox.base_url);
    }
}
