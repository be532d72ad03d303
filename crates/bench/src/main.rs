//! Measures the engine and the served desk under bounded loads. Writes the numbers as JSON to standard output and progress to standard
//! error.
//!
//! `cargo xtask bench` starts this program, adds budgets and prints the table. It is never part of a server and never asserts a time.

mod aged;
mod agents;
mod background;
mod calls;
mod engine;
mod fill;
mod machine;
mod mcp;
mod peers;
mod question;
mod served;
mod stores;
mod talk;

use adagent_store::Engine;
use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use mimalloc::MiMalloc;
use serde::Serialize;

/// The server's allocator, so that we measure the engine as we serve it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// One measured value.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
}

impl Figure {
    fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineName {
    Sqlite,
    Postgres,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Sqlite => Self::Sqlite,
            EngineName::Postgres => Self::Postgres,
        }
    }
}

#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Runs of the engine alone: model and network answer at once.
    Engine {
        engine: EngineName,
        #[arg(long, default_value_t = 3000)]
        runs: u32,
        #[arg(long, default_value_t = 64)]
        parallel: usize,
    },
    /// The same paced load on an empty database and on one with many stored runs.
    Aged {
        engine: EngineName,
        #[arg(long, default_value_t = 1_000_000)]
        stored: u32,
        #[arg(long, default_value_t = 100)]
        per_second: u32,
        #[arg(long, default_value_t = 20)]
        seconds: u32,
    },
    /// Turns in a workspace without agents, with 20 and with 1,000, and the list of them.
    Agents {
        engine: EngineName,
        #[arg(long, default_value_t = 400)]
        turns: u32,
    },
    /// Messages while background runs are due at once.
    Background {
        engine: EngineName,
        #[arg(long, default_value_t = 1000)]
        runs: u32,
    },
    /// A chat that grows to many turns.
    Talk {
        engine: EngineName,
        #[arg(long, default_value_t = 500)]
        turns: u32,
    },
    /// What a network call costs us, compared with a bare client, and what reading the catalog costs.
    Calls {
        #[arg(long, default_value_t = 2000)]
        calls: u32,
    },
    /// MCP on a running server.
    Mcp {
        #[arg(long)]
        base_url: String,
        #[arg(long)]
        pid: u32,
    },
    /// Whole questions to a running server whose sandbox runs in another process.
    Question {
        #[arg(long)]
        base_url: String,
        #[arg(long)]
        pid: u32,
        #[arg(long, default_value_t = 400)]
        questions: u32,
        #[arg(long, default_value_t = 64)]
        parallel: u32,
    },
    /// A running server over HTTP: pages, first event, waiting streams.
    Served {
        #[arg(long)]
        base_url: String,
        #[arg(long)]
        pid: u32,
        #[arg(long, default_value_t = 10_000)]
        streams: u32,
    },
}

fn main() -> Result<()> {
    let cli = Cli::parse();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let figures = runtime.block_on(async {
        match cli.what {
            What::Engine { engine, runs, parallel } => engine::measure(engine.into(), runs, parallel).await,
            What::Aged { engine, stored, per_second, seconds } => {
                aged::measure(engine.into(), stored, per_second, seconds).await
            }
            What::Agents { engine, turns } => agents::measure(engine.into(), turns).await,
            What::Background { engine, runs } => background::measure(engine.into(), runs).await,
            What::Talk { engine, turns } => talk::measure(engine.into(), turns).await,
            What::Calls { calls } => calls::measure(calls).await,
            What::Mcp { base_url, pid } => {
                let token = served::mcp_token(&base_url).await?;
                mcp::measure(&base_url, pid, &token).await
            }
            What::Question { base_url, pid, questions, parallel } => {
                question::measure(&base_url, pid, questions, parallel).await
            }
            What::Served { base_url, pid, streams } => served::measure(&base_url, pid, streams).await,
        }
    })?;
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}
