//! The files of the site, which we serve from memory or disk without checking who asks.
//!
//! This is a list, not a rule about names: an address that only looks like a file is rendered as a page and costs as much as any other
//! page.

use std::{collections::HashSet, fs, path::Path};

/// The addresses of the files in the site's folder when the server started.
#[derive(Debug, Default)]
pub struct SiteFiles(HashSet<String>);

impl SiteFiles {
    /// Reads the folder. A folder that cannot be read has no files.
    pub fn in_folder(site: &Path) -> Self {
        let mut found = HashSet::new();
        collect(site, "", &mut found);
        Self(found)
    }

    pub fn has(&self, path: &str) -> bool {
        self.0.contains(path)
    }
}

fn collect(folder: &Path, below: &str, found: &mut HashSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let address = format!("{below}/{name}");
        if entry.path().is_dir() {
            collect(&entry.path(), &address, found);
        } else {
            found.insert(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_a_file_and_what_looks_like_one_is_not() {
        let site = tempfile::tempdir().unwrap();
        fs::create_dir_all(site.path().join("pkg")).unwrap();
        for file in ["favicon.svg", "pkg/web.js"] {
            fs::write(site.path().join(file), "x").unwrap();
        }
        let files = SiteFiles::in_folder(site.path());
        assert!(files.has("/favicon.svg") && files.has("/pkg/web.js"));
        for other in ["/chat/x.N", "/nope.js", "/pkg/", "/pkg/other.js", "/", "/pkg/../favicon.svg", "favicon.svg"] {
            assert!(!files.has(other), "{other}");
        }
        assert!(!SiteFiles::in_folder(&site.path().join("gone")).has("/favicon.svg"));
    }
}
