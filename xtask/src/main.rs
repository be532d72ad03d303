//! Everything that a developer or CI runs:
//! `cargo xtask serve | build | test | dev | check | generate | strings | eval | train | bench | soak | deny | sbom | fuzz`.
//!
//! It knows how to build, start and check the product, and must hold no product logic. Each command fails with one line that says
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
mod strings;
mod test;
mod tools;
mod train;
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
    /// Install what is missing, build, migrate, and start the server with the sandbox networks.
    Serve(ServeArgs),
    /// Build the web interface and the server without starting them.
    Build(BuildArgs),
    /// Run every check and end with `N passed, N failed`.
    Test(test::TestArgs),
    /// Serve, watch the sources, rebuild, and reload the page.
    Dev(ServeArgs),
    /// Check dependency direction, migration pairs, file sizes, words people read and stale generated files.
    Check,
    /// Regenerate the generated files (such as the OpenAPI document).
    Generate,
    /// List every string that people read, with its place.
    Strings(strings::StringsArgs),
    /// Score how well questions are understood on a data set.
    Eval(eval::EvalArgs),
    /// Learn the weights of the understanding, or measure them with each writer left out.
    Train(train::TrainArgs),
    /// Measure speed and sizes against the budgets.
    Bench(bench::BenchArgs),
    /// Run the long checks and write a report under `docs/`.
    Soak(soak::SoakArgs),
    /// Check licenses, sources, forbidden and duplicate crates, and known vulnerabilities.
    Deny,
    /// Write the software bill of materials as `CycloneDX`.
    Sbom,
    /// Fuzz everything that reads foreign input, for a while.
    Fuzz(fuzz::FuzzArgs),
}

/// What to build.
#[derive(Args)]
struct BuildArgs {
    /// Optimized program and minified web interface, as installed.
    #[arg(long)]
    release: bool,
    /// Build only the web interface; a release build checks its pages against their budgets.
    #[arg(long)]
    interface: bool,
}

/// How to start the server.
#[derive(Args, Clone, Default)]
pub struct ServeArgs {
    /// Optimized build with minified WASM.
    #[arg(long)]
    release: bool,
    /// Port of the server; the sandbox networks use the next one.
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Folder for the embedded database, keys and sandbox.
    #[arg(long, default_value = "data")]
    data_dir: std::path::PathBuf,
    /// `postgres://…` instead of the embedded SQLite.
    #[arg(long)]
    database_url: Option<String>,
    /// Use only the real networks.
    #[arg(long)]
    no_sandbox: bool,
}

fn build(release: bool, interface: bool) -> anyhow::Result<()> {
    web::build(release)?;
    if interface {
        return Ok(());
    }
    server::build(release)?;
    if release { sbom::run() } else { Ok(()) }
}

fn main() {
    let result = match Cli::parse().command {
        Command::Serve(args) => server::serve(&args),
        Command::Build(args) => build(args.release, args.interface),
        Command::Test(args) => test::run(&args),
        Command::Dev(args) => dev::run(&args),
        Command::Check => check::run(),
        Command::Generate => generate::run(),
        Command::Strings(args) => strings::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Train(args) => train::run(&args),
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
