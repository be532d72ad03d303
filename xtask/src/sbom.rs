//! The list of everything in the installed program, as `CycloneDX` 1.6 JSON, written next to the release build.
//!
//! It is made only from what cargo resolved and from the checksums in the lock file, so the same sources give the same list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::workspace;

/// The server, and the web app that it serves.
const SHIPPED: [(&str, &str); 2] = [("server", "x86_64-unknown-linux-gnu"), ("frontend", "wasm32-unknown-unknown")];

/// Writes the list and prints its path.
pub fn run() -> Result<()> {
    println!("wrote {}", write()?.display());
    Ok(())
}

pub fn write() -> Result<PathBuf> {
    let folder = workspace::target_dir().join("release");
    fs::create_dir_all(&folder)?;
    let path = folder.join("server.cdx.json");
    fs::write(&path, serde_json::to_vec_pretty(&document()?)?)?;
    Ok(path)
}

fn document() -> Result<Value> {
    let lock = fs::read_to_string(workspace::root().join("Cargo.lock")).context("Cargo.lock is missing")?;
    let checksums = checksums(&lock);
    let mut all = Parts::default();
    for (package, target) in SHIPPED {
        all.add(&metadata(target)?, package)?;
    }
    Ok(all.document(&checksums))
}

fn metadata(target: &str) -> Result<Value> {
    let output = workspace::cargo()
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target])
        .output()
        .context("cargo metadata cannot be run")?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("cargo metadata gave no JSON: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the checksums in the lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, name: &str| {
        block.lines().find_map(|line| line.strip_prefix(&format!("{name} = \""))?.strip_suffix('"').map(str::to_owned))
    };
    let blocks = lock.split("[[package]]").skip(1);
    blocks
        .filter_map(|block| Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?)))
        .collect()
}

#[derive(Default)]
struct Parts {
    /// By package ID.
    components: BTreeMap<String, Value>,
    depends_on: BTreeMap<String, BTreeSet<String>>,
    roots: BTreeSet<String>,
}

impl Parts {
    /// Adds a package and everything that it is built from. What only its tests need is not shipped.
    fn add(&mut self, metadata: &Value, package: &str) -> Result<()> {
        let packages: BTreeMap<&str, &Value> =
            list(&metadata["packages"]).filter_map(|one| Some((one["id"].as_str()?, one))).collect();
        let nodes: BTreeMap<&str, &Value> =
            list(&metadata["resolve"]["nodes"]).filter_map(|one| Some((one["id"].as_str()?, one))).collect();
        let root = packages.iter().find(|(_, one)| one["name"] == package && one["source"].is_null());
        let (root, _) = root.with_context(|| format!("{package} is no package of the workspace"))?;
        let mut open = vec![*root];
        let mut done = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !done.insert(id) {
                continue;
            }
            let (Some(package), Some(node)) = (packages.get(id), nodes.get(id)) else { continue };
            self.components.insert(reference(package), (*package).clone());
            let below = list(&node["deps"]).filter(|dependency| {
                list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null() || kind["kind"] == "build")
            });
            let below: Vec<&str> = below.filter_map(|dependency| dependency["pkg"].as_str()).collect();
            let named = below.iter().filter_map(|id| packages.get(id)).map(|package| reference(package));
            self.depends_on.entry(reference(package)).or_default().extend(named);
            open.extend(below);
        }
        self.roots.insert(reference(packages[root]));
        Ok(())
    }

    fn document(&self, checksums: &BTreeMap<(String, String), String>) -> Value {
        let components: Vec<Value> = self.components.values().map(|package| component(package, checksums)).collect();
        let mut dependencies: Vec<Value> =
            self.depends_on.iter().map(|(of, on)| json!({"ref": of, "dependsOn": on})).collect();
        dependencies.push(json!({"ref": "adagentai", "dependsOn": self.roots}));
        json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application", "bom-ref": "adagentai", "name": "ADAgentAI", "version": env!("CARGO_PKG_VERSION")
                },
                "tools": {"components": [{"type": "application", "name": "xtask", "version": env!("CARGO_PKG_VERSION")}]}
            },
            "components": components,
            "dependencies": dependencies
        })
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns a package's name in the list: its address at the registry.
fn reference(package: &Value) -> String {
    let text = |name: &str| package[name].as_str().unwrap_or_default();
    // Escape the `+` of a build number, which may not stand in the address.
    format!("pkg:cargo/{}@{}", text("name"), text("version").replace('+', "%2B"))
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let text = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
    let (name, version) = (text("name"), text("version"));
    let ours = package["source"].is_null();
    let mut component = json!({
        "type": "library", "bom-ref": reference(package), "name": name, "version": version, "purl": reference(package),
        "scope": "required"
    });
    let licence = text("license");
    if !ours && !licence.is_empty() {
        // Old packages use a slash for "or".
        component["licenses"] = json!([{"expression": licence.replace(" / ", " OR ").replace('/', " OR ")}]);
    }
    if let Some(checksum) = checksums.get(&(name, version)) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    let repository = text("repository");
    if repository.starts_with("https://") && !ours {
        component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the list of this checkout against what the format's schema requires.
    #[test]
    fn the_list_has_what_its_format_asks_for_and_every_reference_leads_somewhere() {
        let document = document().expect("made");
        assert_eq!((&document["bomFormat"], &document["specVersion"]), (&json!("CycloneDX"), &json!("1.6")));
        assert!(document["version"].as_u64().is_some_and(|version| version >= 1));
        let mut references = BTreeSet::from(["adagentai"]);
        for component in list(&document["components"]) {
            for field in ["type", "name", "version", "bom-ref", "purl"] {
                assert!(component[field].as_str().is_some_and(|text| !text.is_empty()), "{field} of {component}");
            }
            assert!(references.insert(component["bom-ref"].as_str().expect("a reference")), "{component} stands twice");
            let ours = component["purl"].as_str().is_some_and(|purl| purl.starts_with("pkg:cargo/adagent-"))
                || matches!(component["name"].as_str(), Some("server" | "frontend"));
            if ours {
                continue;
            }
            let hash = component["hashes"][0]["content"].as_str().unwrap_or_default();
            assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{component}");
            let licence = component["licenses"][0]["expression"].as_str();
            assert!(licence.is_some_and(|licence| !licence.contains('/')), "{component}");
        }
        for dependency in list(&document["dependencies"]) {
            let all = list(&dependency["dependsOn"]).chain([&dependency["ref"]]);
            for reference in all {
                assert!(references.contains(reference.as_str().expect("text")), "{reference} leads nowhere");
            }
        }
        let named = |name: &str| list(&document["components"]).any(|component| component["name"] == name);
        for shipped in ["server", "adagent-http", "axum", "rustls", "sqlx", "frontend", "wasm-bindgen"] {
            assert!(named(shipped), "{shipped} is missing");
        }
        for not_shipped in ["xtask", "proptest", "adagent-testkit", "criterion"] {
            assert!(!named(not_shipped), "{not_shipped} is not shipped");
        }
    }

    #[test]
    fn checksums_are_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\nchecksum = \"ff\"\n";
        assert_eq!(checksums(lock), BTreeMap::from([(("b".into(), "2.0.0".into()), "ff".into())]));
    }
}
