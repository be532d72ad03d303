//! Everything a developer or CI runs: `cargo xtask serve | build | test | dev | check | generate | eval | bench | soak | deny | sbom | fuzz`.
//!
//! Knows how to build, start and check the product; must hold no product logic. Each command fails with one line that says
//! what is missing and how to get it.

mod bench;
mod check;
mod deny;
mod dev;
mod eval;
mod fuzz;
mod generate;
mod sbom;
mod server;
mod soak;
mod steps;
mod test;
mod tools;
mod web;
mod workspace;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Build, run and check ADAgentAI")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing, build, migrate and start the desk with the sandbox networks.
    Serve(ServeArgs),
    /// Build interface and server, and start nothing.
    Build(BuildArgs),
    /// Run every check and end with `N passed, N failed`.
    Test(test::TestArgs),
    /// Serve, watch the sources, rebuild and reload the page.
    Dev(ServeArgs),
    /// Dependency direction, migration pairs, file sizes, stale generated files.
    Check,
    /// Write the generated files (OpenAPI document) again.
    Generate,
    /// Score the understanding on a data set.
    Eval(eval::EvalArgs),
    /// Measure speed and sizes against the budgets.
    Bench(bench::BenchArgs),
    /// The long checks, with a report under `docs/`.
    Soak(soak::SoakArgs),
    /// Licences, sources, forbidden and doubled crates, known holes.
    Deny,
    /// The list of what the installed program consists of, as `CycloneDX`.
    Sbom,
    /// Hostile input for everything that reads some, for a while.
    Fuzz(fuzz::FuzzArgs),
}

/// What to build.
#[derive(Args)]
struct BuildArgs {
    /// Optimised, with the interface minimised: what is installed.
    #[arg(long)]
    release: bool,
}

/// How to start the server.
#[derive(Args, Clone, Default)]
pub struct ServeArgs {
    /// Optimised build, minimised WASM.
    #[arg(long)]
    release: bool,
    /// Port of the desk; the sandbox networks listen on the next one.
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Where the embedded database, keys and the sandbox keep their files.
    #[arg(long, default_value = "data")]
    data_dir: std::path::PathBuf,
    /// `postgres://…` instead of the embedded SQLite.
    #[arg(long)]
    database_url: Option<String>,
    /// Talk to the real networks only.
    #[arg(long)]
    no_sandbox: bool,
}

fn build(release: bool) -> anyhow::Result<()> {
    web::build(release)?;
    server::build(release)?;
    if release { sbom::run() } else { Ok(()) }
}

fn main() {
    let result = match Cli::parse().command {
        Command::Serve(args) => server::serve(&args),
        Command::Build(args) => build(args.release),
        Command::Test(args) => test::run(&args),
        Command::Dev(args) => dev::run(&args),
        Command::Check => check::run(),
        Command::Generate => generate::run(),
        Command::Eval(args) => eval::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Soak(args) => soak::run(&args),
        Command::Deny => deny::run(),
        Command::Sbom => sbom::run(),
        Command::Fuzz(args) => fuzz::run(&args),
    };
    if let Err(error) = result {
        eprintln!("error: {error:#}");
        std::process::exit(1);
    }
}
