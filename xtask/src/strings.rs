//! The strings that people read: `cargo xtask strings` lists them with their places, and `cargo xtask check` finds words that
//! `docs/style.md` rules out.
//!
//! It reads sources as text and must not depend on any crate of the product. It leaves out what nobody sees on a page, in an
//! email, in an answer or in a terminal: tests, log lines, SQL, class names.

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
    /// List only files whose path contains this text.
    #[arg(long)]
    path: Option<String>,
    /// List only strings with a word that `docs/style.md` rules out, in every area.
    #[arg(long)]
    flagged: bool,
}

/// A string that people read, and where it is.
struct Found {
    file: String,
    line: usize,
    text: String,
}

/// Prints the strings, one per line: place, then text.
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

/// Returns the strings with ruled-out words.
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
