//! The sizes of what a browser loads to open a page, and their limits.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::split::{MANIFEST, Needed};

/// The highest size of a page, in kB compressed with brotli: opened first, with what every page needs, and opened from the chat.
/// Where a limit is above our goal (400 for the chat, 120 from there), it holds the size we have reached (`docs/performance.md`).
const BUDGETS: &[(&str, u64, u64)] = &[
    ("account", 540, 70),
    ("agent", 600, 130),
    ("agents", 580, 100),
    ("answer", 725, 240),
    ("approvals", 630, 100),
    ("card", 690, 200),
    ("chat", 715, 0),
    ("document", 725, 240),
    ("door", 545, 72),
    ("gallery", 430, 5),
    ("home", 725, 200),
    ("journal", 600, 110),
    ("library", 600, 120),
    ("networks", 675, 172),
    ("palette", 540, 70),
    ("panel", 535, 70),
    ("reporting", 540, 62),
    ("run", 735, 170),
    ("runs", 585, 82),
    ("team", 675, 178),
    ("tokens", 560, 88),
    ("tool_servers", 580, 100),
];

/// The page that most people see first.
pub const FIRST_PAGE: &str = "chat";

/// The size of a page in bytes, compressed with brotli.
pub struct PageSize {
    pub page: String,
    /// With everything that the page needs when it is opened first.
    pub first: u64,
    /// With only what is missing when it is opened from the chat.
    pub further: u64,
}

/// Returns the pages of a release build, sorted by name.
pub fn measure(folder: &Path) -> Result<Vec<PageSize>> {
    let needed: Needed = serde_json::from_slice(&fs::read(folder.join(MANIFEST))?)?;
    let compressed = |name: &str| -> Result<u64> { Ok(fs::metadata(folder.join(format!("{name}.br")))?.len()) };
    let mut shared = 0;
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "web_bg.wasm.br" || name.ends_with(".js.br") {
            shared += entry.metadata()?.len();
        }
    }
    let files = |page: &str| needed.get(page).into_iter().flatten().cloned().collect::<BTreeSet<_>>();
    let there = files(FIRST_PAGE);
    let sum = |files: &BTreeSet<String>| -> Result<u64> {
        files.iter().map(|file| compressed(&format!("{file}.wasm"))).sum()
    };
    needed
        .keys()
        .map(|page| {
            let own = files(page);
            let missing = own.difference(&there).cloned().collect();
            Ok(PageSize { page: page.clone(), first: shared + sum(&own)?, further: sum(&missing)? })
        })
        .collect()
}

/// Prints the size of each page; fails if one is above its budget.
pub fn check(folder: &Path) -> Result<()> {
    let sizes = measure(folder)?;
    eprintln!("  {:<14} {:>10} {:>16}", "page", "first, kB", "from chat, kB");
    for size in &sizes {
        eprintln!("  {:<14} {:>10} {:>16}", size.page, size.first / 1000, size.further / 1000);
    }
    let above = above(&sizes, BUDGETS);
    if above.is_empty() { Ok(()) } else { bail!("{}", above.join("\n")) }
}

fn above(sizes: &[PageSize], budgets: &[(&str, u64, u64)]) -> Vec<String> {
    let mut found = Vec::new();
    for size in sizes {
        let Some(&(_, first, further)) = budgets.iter().find(|(page, ..)| *page == size.page) else {
            found.push(format!("{} has no budget: give it one in xtask/src/web/sizes.rs", size.page));
            continue;
        };
        if size.first > first * 1000 {
            found.push(format!(
                "{} takes {} bytes when it is opened first, its budget is {first} kB",
                size.page, size.first
            ));
        }
        if size.further > further * 1000 {
            found.push(format!("{} adds {} bytes to the chat, its budget is {further} kB", size.page, size.further));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_above_its_budget_or_without_one_is_named() {
        let size = |page: &str, first, further| PageSize { page: page.into(), first, further };
        let budgets = [("chat", 400, 0), ("runs", 500, 120)];
        assert!(above(&[size("chat", 400_000, 0), size("runs", 500_000, 120_000)], &budgets).is_empty());
        assert!(above(&[size("chat", 400_001, 0)], &budgets)[0].contains("chat takes 400001"));
        assert!(above(&[size("runs", 0, 120_001)], &budgets)[0].contains("runs adds 120001"));
        assert!(above(&[size("team", 0, 0)], &budgets)[0].contains("no budget"));
    }
}
