//! What a browser fetches to open a page, and the most it may be.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::split::{MANIFEST, Needed};

/// Bytes, compressed with brotli, that the first page may take: its code and what every page needs.
const FIRST: u64 = 400_000;
/// Bytes that any further page may add to it.
const FURTHER: u64 = 120_000;
/// The page most people see first.
pub const FIRST_PAGE: &str = "chat";

/// What a page costs.
pub struct PageSize {
    pub page: String,
    /// Opened first.
    pub first: u64,
    /// Opened from the chat.
    pub further: u64,
}

/// The pages of a release build, in the order of their names.
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

/// Prints what each page costs; fails where one is above its budget.
pub fn check(folder: &Path) -> Result<()> {
    let sizes = measure(folder)?;
    eprintln!("  {:<14} {:>10} {:>16}", "page", "first, kB", "from chat, kB");
    for size in &sizes {
        eprintln!("  {:<14} {:>10} {:>16}", size.page, size.first / 1000, size.further / 1000);
    }
    let above = above(&sizes);
    if above.is_empty() { Ok(()) } else { bail!("{}", above.join("\n")) }
}

fn above(sizes: &[PageSize]) -> Vec<String> {
    let first = sizes.iter().filter(|size| size.page == FIRST_PAGE && size.first > FIRST);
    let further = sizes.iter().filter(|size| size.page != FIRST_PAGE && size.further > FURTHER);
    let first = first.map(|size| format!("the {} takes {} bytes, its budget is {FIRST}", size.page, size.first));
    let further =
        further.map(|size| format!("{} adds {} bytes to the chat, its budget is {FURTHER}", size.page, size.further));
    first.chain(further).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_above_its_budget_is_named() {
        let size = |page: &str, first, further| PageSize { page: page.into(), first, further };
        assert!(above(&[size("chat", FIRST, 0), size("runs", 2 * FIRST, FURTHER)]).is_empty());
        let named = above(&[size("chat", FIRST + 1, 0), size("runs", 0, FURTHER + 1)]);
        assert!(named[0].contains("chat") && named[1].contains("runs"), "{named:?}");
    }
}
