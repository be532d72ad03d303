//! The strings that people read: `cargo xtask strings` lists them with their places, `cargo xtask check` looks for words that
//! `docs/style.md` rules out.
//!
//! Reads sources as text; must not depend on any crate of the product. What it leaves out (tests, log lines, SQL, class names)
//! nobody sees on a page, in a mail, in an answer or in a terminal.

mod documents;
mod places;
mod rust;
mod words;

use std::fs;

use anyhow::{Context, Result};
use clap::Args;

use crate::workspace;

/// What to list.
#[derive(Args)]
pub struct StringsArgs {
    /// Only files whose path contains this.
    #[arg(long)]
    path: Option<String>,
    /// Only strings with a word that `docs/style.md` rules out, in every area.
    #[arg(long)]
    flagged: bool,
}

/// A string that somebody reads, and where it is.
struct Found {
    file: String,
    line: usize,
    text: String,
}

/// Prints the strings, one a line: place, then text.
pub fn run(args: &StringsArgs) -> Result<()> {
    let wanted = args.path.as_deref().unwrap_or_default();
    for found in all()?.iter().filter(|found| found.file.contains(wanted)) {
        let words = words::flagged(&found.text);
        if args.flagged && words.is_empty() {
            continue;
        }
        let note = if args.flagged { format!(" [{}]", words.join(", ")) } else { String::new() };
        println!("{}:{}:{note} {}", found.file, found.line, found.text.replace('\n', "⏎"));
    }
    Ok(())
}

/// Strings with ruled-out words.
pub fn findings() -> Result<Vec<String>> {
    let strings = all()?;
    Ok(strings
        .iter()
        .flat_map(|found| {
            words::flagged(&found.text).into_iter().map(|word| {
                format!("{}:{}: \"{word}\" in a string people read (docs/style.md)", found.file, found.line)
            })
        })
        .collect())
}

fn all() -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for file in places::files()? {
        let source = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file.strip_prefix(workspace::root()).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let strings = match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => rust::strings(&source, places::is_command_line(&name)),
            Some("json") => documents::json(&source),
            _ => documents::markdown(&source),
        };
        found.extend(strings.into_iter().map(|(line, text)| Found { file: name.clone(), line, text }));
    }
    Ok(found)
}
