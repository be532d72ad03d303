//! Serves, watches, rebuilds and restarts. The page reloads itself when the server is back (in debug builds, the HTML shell
//! asks).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};

use crate::{ServeArgs, server, steps, web, workspace};

/// Runs until interrupted.
pub fn run(args: &ServeArgs) -> Result<()> {
    let mut seen = snapshot();
    let mut child = build_and_start(args);
    loop {
        std::thread::sleep(Duration::from_millis(400));
        let now = snapshot();
        if now == seen {
            continue;
        }
        seen = now;
        steps::say("a source changed");
        if let Some(mut old) = child.take() {
            let _ = std::process::Command::new("kill").arg(old.id().to_string()).status();
            let _ = old.wait();
        }
        child = build_and_start(args);
    }
}

/// Builds and starts the server. If the build fails, prints the error and waits for the next change.
fn build_and_start(args: &ServeArgs) -> Option<Child> {
    let attempt = || -> Result<Child> {
        let site = web::build(args.release)?;
        server::build(args.release)?;
        server::command(args, &site).spawn().context("cannot start the server")
    };
    attempt().map_err(|error| eprintln!("error: {error:#}\nwaiting for the next change")).ok()
}

fn snapshot() -> BTreeMap<PathBuf, SystemTime> {
    let mut files = BTreeMap::new();
    for folder in ["app", "crates", "frontend", "server", "style", "public", "migrations"] {
        collect(&workspace::root().join(folder), &mut files);
    }
    files
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, SystemTime>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if let Ok(modified) = entry.metadata().and_then(|meta| meta.modified()) {
            files.insert(path, modified);
        }
    }
}
