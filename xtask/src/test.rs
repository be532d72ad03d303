//! Runs every check, prints one summary, and returns an honest exit code.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use adagent_testkit::postgres::Cluster;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::server::{self, Running};
use crate::{ServeArgs, check, deny, steps, tools, web, workspace};

#[derive(Args, Default)]
pub struct TestArgs {
    /// Run only the steps whose name contains this text: format, clippy, rules, built, rust, browser.
    #[arg(long)]
    only: Option<String>,
    /// Also take pictures of the web interface in every look, into `target/xtask/browser-*/pictures`.
    #[arg(long)]
    pictures: bool,
}

/// The result of one step.
struct Outcome {
    name: String,
    passed: u64,
    failed: u64,
    seconds: f32,
    /// What went wrong, in brief.
    detail: String,
}

struct Suite {
    only: Option<String>,
    pictures: bool,
    outcomes: Vec<Outcome>,
}

impl Suite {
    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<(u64, u64, String)>) {
        if self.only.as_deref().is_some_and(|only| !name.contains(only)) {
            return;
        }
        steps::say(name);
        let start = Instant::now();
        let (passed, failed, detail) = work().unwrap_or_else(|error| (0, 1, format!("{error:#}")));
        let seconds = start.elapsed().as_secs_f32();
        if failed > 0 {
            eprintln!("{detail}");
        }
        eprintln!("  {passed} passed, {failed} failed ({seconds:.0} s)");
        self.outcomes.push(Outcome { name: name.into(), passed, failed, seconds, detail });
    }
}

/// Runs the checks; fails if one of them failed.
pub fn run(args: &TestArgs) -> Result<()> {
    let mut suite = Suite { only: args.only.clone(), pictures: args.pictures, outcomes: Vec::new() };
    suite.step("format", || command_step("format", workspace::cargo().args(["fmt", "--all", "--check"])));
    suite.step("clippy (server)", || {
        command_step(
            "clippy-server",
            workspace::cargo().args([
                "clippy",
                "--locked",
                "--workspace",
                "--exclude",
                "frontend",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ]),
        )
    });
    suite.step("clippy (interface)", || {
        tools::ensure_wasm_target()?;
        command_step(
            "clippy-interface",
            workspace::cargo().args([
                "clippy",
                "--locked",
                "-p",
                "frontend",
                "-p",
                "adagent-app",
                "--features",
                "adagent-app/hydrate",
                "--target",
                "wasm32-unknown-unknown",
                "--",
                "-D",
                "warnings",
            ]),
        )
    });
    suite.step("rules of the house", || {
        let findings = check::findings()?;
        Ok((u64::from(findings.is_empty()), findings.len() as u64, findings.join("\n")))
    });
    suite.step("what it is built from", || {
        let found = deny::findings()?;
        if let Some(why) = &found.unchecked {
            eprintln!("  {why}");
        }
        Ok((found.passed, found.failed, found.detail))
    });
    with_postgres(&mut suite)?;
    summary(&suite.outcomes)
}

fn with_postgres(suite: &mut Suite) -> Result<()> {
    let wants = |name: &str| suite.only.as_deref().is_none_or(|only| name.contains(only));
    if !wants("rust tests") && !wants("browser (SQLite)") && !wants("browser (PostgreSQL)") {
        return Ok(());
    }
    tools::ensure_postgres()?;
    tools::ensure_faketime()?;
    let cluster = Cluster::start().map_err(|error| anyhow::anyhow!("the test cluster did not start: {error}"))?;
    let url = cluster.url().to_owned();
    let pictures = suite.pictures;
    suite.step("rust tests", || rust_tests(&url));
    suite.step("browser (SQLite)", || browser("sqlite", None, pictures));
    // The earlier tests created their own databases, so the administration database is still empty.
    suite.step("browser (PostgreSQL)", || browser("postgres", Some(url.clone()), pictures));
    Ok(())
}

fn command_step(name: &str, command: &mut Command) -> Result<(u64, u64, String)> {
    let captured = steps::capture(name, command)?;
    Ok(if captured.ok {
        (1, 0, String::new())
    } else {
        (0, 1, format!("{}\n(whole output: {})", steps::tail(&captured.output, 60), captured.log.display()))
    })
}

fn rust_tests(postgres: &str) -> Result<(u64, u64, String)> {
    tools::ensure_python()?;
    tools::ensure_npm()?;
    let mut cargo = workspace::cargo();
    cargo.args(["test", "--locked", "--workspace", "--exclude", "frontend", "--no-fail-fast"]);
    if !has_doc_tests()? {
        // rustdoc takes longer to look for doc tests than we take to see that there are none.
        cargo.args(["--lib", "--bins", "--tests"]);
    }
    cargo.env("ADAGENT_TEST_POSTGRES_URL", postgres);
    let captured = steps::capture("rust-tests", &mut cargo)?;
    let (passed, mut failed) = count_rust(&captured.output);
    if !captured.ok && failed == 0 {
        // The code did not compile, or a test program crashed.
        failed = 1;
    }
    let failures: Vec<&str> = captured
        .output
        .lines()
        .filter(|line| {
            line.starts_with("test ") && (line.ends_with("FAILED") || line.contains(" has been running for over"))
                || line.starts_with("error")
        })
        .collect();
    let detail = if failed == 0 {
        String::new()
    } else {
        format!(
            "{}\n{}\n(whole output: {})",
            failures.join("\n"),
            steps::tail(&captured.output, 30),
            captured.log.display()
        )
    };
    Ok((passed, failed, detail))
}

/// Checks whether any of our documentation contains code.
fn has_doc_tests() -> Result<bool> {
    let root = workspace::root();
    let mut folders: Vec<PathBuf> = ["app", "server", "xtask", "crates"].iter().map(|name| root.join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && holds_doc_code(&std::fs::read_to_string(&path)?)
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn holds_doc_code(source: &str) -> bool {
    source.lines().any(|line| {
        let comment = line.trim_start();
        let text = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"));
        // Code is fenced, or indented by four spaces.
        text.is_some_and(|text| text.trim_start().starts_with("```") || text.starts_with("     "))
    })
}

/// Adds up the `test result:` lines.
fn count_rust(output: &str) -> (u64, u64) {
    let mut totals = (0, 0);
    for line in output.lines().filter(|line| line.starts_with("test result:")) {
        let number_before = |word: &str| -> u64 {
            line.split(word)
                .next()
                .and_then(|head| head.split_whitespace().last())
                .and_then(|n| n.parse().ok())
                .unwrap_or(0)
        };
        totals.0 += number_before(" passed");
        totals.1 += number_before(" failed");
    }
    totals
}

fn browser(engine: &str, database_url: Option<String>, pictures: bool) -> Result<(u64, u64, String)> {
    let chromium = tools::ensure_chromium()?;
    let modules = tools::ensure_npm()?;
    let site = web::build(false)?;
    server::build(false)?;
    let data = workspace::target_dir().join("xtask").join(format!("browser-{engine}"));
    let _ = std::fs::remove_dir_all(&data);
    std::fs::create_dir_all(&data)?;
    let args =
        ServeArgs { port: server::free_port()?, data_dir: data.join("data"), database_url, ..ServeArgs::default() };
    // A journey connects to a tool server that it starts itself.
    let settings = [("ADAGENT_TOOL_SERVERS__ALLOW", "127.0.0.1")];
    let running = Running::start_with(&args, &site, data.join("server.log"), &settings)?;
    let report = data.join("report.json");
    let mut playwright = Command::new(modules.join(".bin/playwright"));
    playwright
        .args(["test", "--reporter=list,json"])
        .current_dir(workspace::root().join("end2end"))
        .env("BASE_URL", &running.base_url)
        .env("ENGINE", engine)
        .env("CHROMIUM", chromium)
        .env("RESULTS", data.join("results"))
        .env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report);
    if pictures {
        playwright.env("PICTURES", data.join("pictures"));
    }
    let captured = steps::capture(&format!("browser-{engine}"), &mut playwright)?;
    let (passed, failed) = count_playwright(&report).unwrap_or((0, 1));
    let detail = if captured.ok && failed == 0 {
        String::new()
    } else {
        format!(
            "{}\n(whole output: {}; server: {})",
            steps::tail(&captured.output, 60),
            captured.log.display(),
            running.log.display()
        )
    };
    Ok((passed, if captured.ok { failed } else { failed.max(1) }, detail))
}

fn count_playwright(report: &PathBuf) -> Result<(u64, u64)> {
    let json: Value = serde_json::from_slice(&std::fs::read(report).context("Playwright left no report")?)?;
    let number = |key: &str| json.pointer(&format!("/stats/{key}")).and_then(Value::as_u64).unwrap_or(0);
    Ok((number("expected") + number("flaky"), number("unexpected")))
}

fn summary(outcomes: &[Outcome]) -> Result<()> {
    println!("\n{:<28} {:>7} {:>7} {:>8}", "step", "passed", "failed", "seconds");
    for outcome in outcomes {
        println!("{:<28} {:>7} {:>7} {:>8.0}", outcome.name, outcome.passed, outcome.failed, outcome.seconds);
    }
    let passed: u64 = outcomes.iter().map(|o| o.passed).sum();
    let failed: u64 = outcomes.iter().map(|o| o.failed).sum();
    for outcome in outcomes.iter().filter(|o| o.failed > 0) {
        println!("\nFAILED {}: {}", outcome.name, outcome.detail.lines().next().unwrap_or_default());
    }
    println!("\n{passed} passed, {failed} failed");
    if failed > 0 || passed == 0 {
        bail!("{failed} failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{count_rust, holds_doc_code};

    #[test]
    fn results_of_several_programs_are_added_up() {
        let output = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured\nnoise\ntest result: FAILED. 3 passed; 2 failed; 0 ignored";
        assert_eq!(count_rust(output), (15, 2));
        assert_eq!(count_rust("error: could not compile"), (0, 0));
    }

    #[test]
    fn code_in_documentation_is_seen_and_prose_is_not() {
        assert!(holds_doc_code("/// Adds.\n/// ```\n/// assert_eq!(add(1, 1), 2);\n/// ```"));
        assert!(holds_doc_code("    //! ```rust"));
        assert!(holds_doc_code("/// Adds.\n///\n///     assert_eq!(add(1, 1), 2);"));
        assert!(!holds_doc_code("/// Says `this`.\n/// - a list\n///   that goes on\n// ``` is a fence"));
    }
}
