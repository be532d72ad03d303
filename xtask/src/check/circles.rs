//! Import circles inside a crate: files that need each other, directly or through others.
//!
//! A circle of up to six files is one module in several parts. In a larger circle, no file can be read alone. `circles.txt` lists
//! the files that are in a larger circle today; the list may only get shorter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{collect, display};
use crate::workspace;

/// How many files may need each other.
const MOST: usize = 6;

/// The files in larger circles today.
const KNOWN: &str = include_str!("circles.txt");

pub(super) fn findings() -> Result<Vec<String>> {
    let mut found = BTreeMap::new();
    for root in roots() {
        let mut paths = Vec::new();
        collect(&root, &mut paths);
        let mut files = BTreeMap::new();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs")) {
            files.insert(inside(&root, &path), fs::read_to_string(&path)?);
        }
        for (number, circle) in circles(&files).into_iter().enumerate() {
            let name = format!("{} {number}", display(&root));
            found.extend(circle.into_iter().map(|file| (display(&root.join(file)), name.clone())));
        }
    }
    Ok(compare(&found, KNOWN))
}

fn roots() -> Vec<PathBuf> {
    let root = workspace::root();
    let crates = fs::read_dir(root.join("crates")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = crates.chain(["app", "server", "xtask"].map(|name| root.join(name))).collect();
    all.sort();
    all.into_iter().map(|path| path.join("src")).filter(|path| path.is_dir()).collect()
}

fn inside(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Compares the findings with the list. `found` holds the files in circles, with the circle of each.
fn compare(found: &BTreeMap<String, String>, known: &str) -> Vec<String> {
    let known: BTreeSet<&str> = known.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut out = Vec::new();
    for (file, circle) in found.iter().filter(|(file, _)| !known.contains(file.as_str())) {
        let count = found.values().filter(|other| *other == circle).count();
        out.push(format!(
            "{file} is in an import circle of {count} files (limit {MOST}); move what they share into a file of its own"
        ));
    }
    for file in known.iter().filter(|file| !found.contains_key(**file)) {
        out.push(format!("{file} has left its import circle; take it out of xtask/src/check/circles.txt"));
    }
    out
}

/// Returns one crate's circles of more than six files. File names are relative to its `src`.
fn circles(files: &BTreeMap<String, String>) -> Vec<BTreeSet<String>> {
    let modules: BTreeMap<Vec<String>, &String> = files.keys().map(|file| (module_of(file), file)).collect();
    let read: BTreeMap<&String, Read> = files.iter().map(|(file, text)| (file, read(text))).collect();
    let names = Names { modules: &modules, read: &read };
    let edges: BTreeMap<&String, BTreeSet<&String>> = files
        .keys()
        .map(|file| {
            let uses = read[file].uses.iter().filter_map(|path| names.file(&module_of(file), path, 0));
            (file, uses.filter(|used| *used != file).collect())
        })
        .collect();
    components(&edges).into_iter().filter(|circle| circle.len() > MOST).collect()
}

/// Returns the module of a file: `a/b.rs` and `a/b/mod.rs` are both `a::b`.
fn module_of(file: &str) -> Vec<String> {
    let bare = file.trim_end_matches(".rs");
    let bare = bare.strip_suffix("/mod").unwrap_or(bare);
    bare.split('/').filter(|part| !["lib", "main"].contains(part)).map(str::to_owned).collect()
}

/// The paths that a file uses, and those that it re-exports.
#[derive(Default)]
struct Read {
    uses: Vec<Vec<String>>,
    hands_on: Vec<Vec<String>>,
    children: BTreeSet<String>,
}

/// Reads the paths that begin with `crate`, `super` or `self`, and those in `use` statements. Code that is compiled only for
/// tests does not count.
fn read(text: &str) -> Read {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut read = Read::default();
    let tokens = tokens(&code);
    let mut at = 0;
    let mut public = false;
    while at < tokens.len() {
        match tokens[at] {
            "mod" if tokens.get(at + 2) == Some(&";") => drop(read.children.insert(tokens[at + 1].to_owned())),
            "pub" => public = true,
            "use" => {
                let (paths, end) = tree(&tokens, at + 1, &[]);
                if public {
                    read.hands_on.extend(paths);
                } else {
                    read.uses.extend(paths);
                }
                (at, public) = (end, false);
                continue;
            }
            // The scope in `pub(crate)` is not a path.
            "crate" | "super" | "self" if tokens.get(at + 1) == Some(&"::") => {
                let (paths, end) = tree(&tokens, at, &[]);
                read.uses.extend(paths);
                at = end;
                continue;
            }
            "(" | ")" | "crate" | "super" => {}
            _ => public = false,
        }
        at += 1;
    }
    read
}

fn tokens(code: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = match first {
            _ if word > 0 => word,
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        if !first.is_whitespace() {
            out.push(token);
        }
        rest = after;
    }
    out
}

/// Reads the paths of `a::{b, c::d}` from this token on. Returns them and where they end.
fn tree(tokens: &[&str], mut at: usize, before: &[String]) -> (Vec<Vec<String>>, usize) {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(at) {
        match *token {
            "{" => {
                let mut out = Vec::new();
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    let (paths, end) = tree(tokens, at, &path);
                    out.extend(paths);
                    at = end.max(at + 1);
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return (out, at + 1);
            }
            "*" => at += 1,
            word if word.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                path.push(word.to_owned());
                at += 1;
            }
            _ => break,
        }
        match tokens.get(at) {
            Some(&"::") => at += 1,
            Some(&"as") => {
                at += 2;
                break;
            }
            _ => break,
        }
    }
    (vec![path], at)
}

struct Names<'a> {
    modules: &'a BTreeMap<Vec<String>, &'a String>,
    read: &'a BTreeMap<&'a String, Read>,
}

impl<'a> Names<'a> {
    /// Returns the file that a path in this module leads to. Follows re-exports.
    fn file(&self, module: &[String], path: &[String], depth: usize) -> Option<&'a String> {
        let own = self.modules.get(module).copied();
        let child = |name: &String| own.is_some_and(|own| self.read[own].children.contains(name));
        let (mut at, rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.to_vec(), &path[1..]),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                (module[..module.len().saturating_sub(up)].to_vec(), &path[up..])
            }
            _ if child(&path[0]) => (module.to_vec(), path),
            _ => return None,
        };
        let mut rest = rest.iter();
        let mut name = rest.next();
        while let Some(part) = name {
            at.push(part.clone());
            if !self.modules.contains_key(&at) {
                at.pop();
                break;
            }
            name = rest.next();
        }
        let file = *self.modules.get(&at)?;
        let handed = name.and_then(|name| self.read[file].hands_on.iter().find(|path| path.last() == Some(name)));
        match handed.filter(|_| depth < 8) {
            Some(path) => self.file(&at, path, depth + 1),
            None => Some(file),
        }
    }
}

/// Returns the groups of files that reach each other.
fn components(edges: &BTreeMap<&String, BTreeSet<&String>>) -> Vec<BTreeSet<String>> {
    let reach = |from: &String| -> BTreeSet<String> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            for next in edges.get(file).into_iter().flatten() {
                if seen.insert((*next).clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = edges.keys().map(|file| (*file, reach(file))).collect();
    let mut out: Vec<BTreeSet<String>> = Vec::new();
    for (file, all) in &reached {
        if out.iter().any(|circle| circle.contains(*file)) || !all.contains(*file) {
            continue;
        }
        out.push(
            all.iter().filter(|other| reached.get(other).is_some_and(|back| back.contains(*file))).cloned().collect(),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
    }

    /// Makes `count` files, each of which uses the next; the last one uses the first.
    fn ring(count: usize, uses: impl Fn(usize) -> String) -> BTreeMap<String, String> {
        (0..count).map(|i| (format!("f{i}.rs"), uses((i + 1) % count))).collect()
    }

    #[test]
    fn a_circle_of_seven_files_is_found_and_one_of_six_is_not() {
        let uses = |next: usize| format!("use crate::f{next}::Thing;\n");
        assert_eq!(circles(&ring(7, uses)).iter().map(BTreeSet::len).collect::<Vec<_>>(), [7]);
        assert!(circles(&ring(6, uses)).is_empty());
    }

    #[test]
    fn braces_paths_in_code_and_super_are_read_and_comments_and_tests_are_not() {
        let braces = |next: usize| format!("use crate::{{a::b, f{next}::{{Thing, self}}}};\n");
        assert_eq!(circles(&ring(7, braces)).len(), 1);
        let code = |next: usize| format!("fn f() {{ super::f{next}::go(); }}\n");
        assert_eq!(circles(&ring(7, code)).len(), 1);
        let said = |next: usize| {
            format!("// use crate::f{next}::Thing;\n#[cfg(test)]\nmod tests {{ use crate::f{next}::Thing; }}\n")
        };
        assert!(circles(&ring(7, said)).is_empty());
    }

    #[test]
    fn what_a_file_hands_on_counts_for_the_file_that_has_it() {
        let mut files = ring(7, |next| format!("use crate::Thing{next};\n"));
        let hands_on = (0..7).map(|i| format!("mod f{i};\npub use f{i}::Thing{i};\n")).collect::<Vec<_>>().concat();
        files.insert("lib.rs".to_owned(), hands_on);
        let found = circles(&files);
        assert_eq!(found.len(), 1);
        assert!(found[0].len() == 7 && !found[0].contains("lib.rs"), "{found:?}");
    }

    #[test]
    fn a_module_that_uses_its_parts_and_is_used_by_them_is_a_circle() {
        let parts: Vec<(String, String)> =
            (0..6).map(|i| (format!("a/p{i}.rs"), "use super::Scene;".to_owned())).collect();
        let mods = (0..6).map(|i| format!("mod p{i};\nuse p{i}::draw;\n")).collect::<Vec<_>>().concat();
        let mut files: BTreeMap<String, String> = parts.into_iter().collect();
        files.insert("a/mod.rs".to_owned(), mods);
        assert_eq!(circles(&files).iter().map(BTreeSet::len).collect::<Vec<_>>(), [7]);
        let chain = crate_of(&[("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::C;"), ("c.rs", "")]);
        assert!(circles(&chain).is_empty());
    }

    #[test]
    fn this_repository_has_the_listed_circles_and_no_other() {
        let found = super::findings().expect("reads");
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn the_list_may_only_get_shorter() {
        let found: BTreeMap<String, String> = [("a.rs".to_owned(), "x 0".to_owned())].into();
        assert!(compare(&found, "a.rs\n").is_empty());
        assert!(compare(&found, "")[0].contains("in an import circle"));
        assert!(compare(&BTreeMap::new(), "a.rs\n")[0].contains("take it out"));
    }
}
