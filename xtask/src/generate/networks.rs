//! Pages about the networks, made from the catalog of operations. They must contain nothing that is not in its files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

const HEAD: &str =
    "<!-- Made by `cargo xtask generate` from crates/networks/catalog; edit the data, not this page. -->\n\n";

/// Capabilities, in the order in which people look for them.
const CAPABILITIES: [&str; 9] =
    ["reporting", "mediation", "experiments", "inventory", "orders", "deals", "targeting", "content", "accounts"];

/// Networks, in the order in which we show them everywhere.
pub(super) const ORDER: [&str; 9] =
    ["admob", "admanager", "applovin", "unity", "mintegral", "liftoff", "inmobi", "pangle", "dtexchange"];

#[derive(Deserialize)]
struct Network {
    #[serde(rename = "network")]
    id: String,
    display_name: String,
    about: About,
    auth: Auth,
    base_urls: Vec<String>,
    entities: Vec<Entity>,
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct About {
    money: String,
    time_zone: String,
    reports: String,
    limits: String,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct Auth {
    fields: Vec<Field>,
    wire: String,
    notes: String,
    #[serde(default)]
    scopes: Vec<String>,
    token_endpoint: Option<String>,
    reporting_token_endpoint: Option<String>,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    label: String,
    secret: bool,
}

#[derive(Deserialize)]
struct Entity {
    name: String,
    parent: Option<String>,
    id_pattern: String,
    list_tool: Option<String>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    title: String,
    capability: String,
    read_only: bool,
    destructive: bool,
    confidence: String,
    source: String,
    http: Http,
}

#[derive(Deserialize)]
struct Http {
    method: String,
    base: String,
    path: String,
}

/// Returns file names and contents: one page per network, and an index page.
pub fn pages(folder: &Path) -> Result<Vec<(String, String)>> {
    let mut networks = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} is missing", folder.display()))? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        let network: Network =
            serde_json::from_str(&text).with_context(|| format!("{} is not as expected", path.display()))?;
        networks.push(network);
    }
    networks.sort_by_key(|network| {
        (ORDER.iter().position(|known| *known == network.id).unwrap_or(ORDER.len()), network.id.clone())
    });
    let mut pages = vec![("README.md".to_owned(), overview(&networks))];
    pages.extend(networks.iter().map(|network| (format!("{}.md", network.id), page(network))));
    Ok(pages)
}

fn overview(networks: &[Network]) -> String {
    let mut out = format!("{HEAD}# Networks and their operations\n\n");
    out.push_str(
        "Every operation in the catalog, with the source of its facts. None was called against a live service.\n\
         **Verified**: an official machine-readable specification, or official documentation and public code that makes the\n\
         same call. **Documented**: official documentation or one trustworthy source, not seen in use. **Inferred**: known to\n\
         exist, but worked out from sibling operations; not offered against the live networks.\n\n\
         | network | operations | read | change | destructive | verified | documented | inferred |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut sums = [0; 7];
    for network in networks {
        let count = |test: fn(&Tool) -> bool| network.tools.iter().filter(|tool| test(tool)).count();
        let counts = [
            network.tools.len(),
            count(|tool| tool.read_only),
            count(|tool| !tool.read_only),
            count(|tool| tool.destructive),
            count(|tool| tool.confidence == "verified"),
            count(|tool| tool.confidence == "documented"),
            count(|tool| tool.confidence == "inferred"),
        ];
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        let _ = writeln!(out, "| [{}]({}.md) | {} |", network.display_name, network.id, joined(&counts));
    }
    let _ = writeln!(out, "| **all** | {} |", joined(&sums));
    out
}

fn joined(counts: &[usize]) -> String {
    counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" | ")
}

fn page(network: &Network) -> String {
    let mut out = format!("{HEAD}# {}\n\n", network.display_name);
    let writes = network.tools.iter().filter(|tool| !tool.read_only).count();
    let _ = writeln!(
        out,
        "{} operations, {writes} of them change something. [All networks](README.md)\n\n## Signing in\n",
        network.tools.len()
    );
    out.push_str("| field | what it is | secret |\n| --- | --- | --- |\n");
    for field in &network.auth.fields {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} |",
            field.name,
            cell(&field.label),
            if field.secret { "yes" } else { "no" }
        );
    }
    let _ = writeln!(out, "\n{}\n\n{}", plain(&network.auth.wire), plain(&network.auth.notes));
    let endpoints =
        [("Tokens", &network.auth.token_endpoint), ("Tokens for reports", &network.auth.reporting_token_endpoint)];
    for (what, endpoint) in endpoints {
        if let Some(endpoint) = endpoint {
            let _ = writeln!(out, "\n{what}: `{endpoint}`");
        }
    }
    if !network.auth.scopes.is_empty() {
        let scopes: Vec<String> = network.auth.scopes.iter().map(|scope| format!("`{scope}`")).collect();
        let _ = writeln!(out, "\nScopes: {}", scopes.join(", "));
    }
    out.push_str("\n## Addresses\n\n");
    for (number, base) in network.base_urls.iter().enumerate() {
        let _ = writeln!(out, "{}. `{base}`", number + 1);
    }
    let about = &network.about;
    let _ = writeln!(
        out,
        "\n## Good to know\n\n- Money: {}\n- Time zone: {}\n- Reports: {}\n- Limits: {}",
        plain(&about.money),
        plain(&about.time_zone),
        plain(&about.reports),
        plain(&about.limits)
    );
    for note in &about.notes {
        let _ = writeln!(out, "- {}", plain(note));
    }
    out.push_str("\n## Entities\n\n| entity | belongs to | form of its id | listed by |\n| --- | --- | --- | --- |\n");
    for entity in &network.entities {
        let listed = entity.list_tool.as_ref().map_or_else(|| "–".to_owned(), |tool| format!("`{tool}`"));
        let parent = entity.parent.as_deref().unwrap_or("–");
        let _ = writeln!(out, "| {} | {parent} | `{}` | {listed} |", entity.name, cell(&entity.id_pattern));
    }
    out.push_str("\n## Operations\n");
    operations(network, &mut out);
    out
}

fn operations(network: &Network, out: &mut String) {
    let mut by_capability: BTreeMap<usize, Vec<&Tool>> = BTreeMap::new();
    for tool in &network.tools {
        let place = CAPABILITIES.iter().position(|known| *known == tool.capability).unwrap_or(CAPABILITIES.len());
        by_capability.entry(place).or_default().push(tool);
    }
    for tools in by_capability.values() {
        let _ = writeln!(
            out,
            "\n### {}\n\n| operation | what it does | effect | request | confidence | source |\n\
             | --- | --- | --- | --- | --- | --- |",
            tools[0].capability
        );
        for tool in tools {
            let effect = match (tool.read_only, tool.destructive) {
                (true, _) => "reads",
                (false, false) => "changes",
                (false, true) => "changes, destructive",
            };
            // The first address is the default, so it is not named.
            let base = network.base_urls.iter().position(|base| *base == tool.http.base).unwrap_or_default();
            let at = if base == 0 { String::new() } else { format!(" (address {})", base + 1) };
            let _ = writeln!(
                out,
                "| `{}` | {} | {effect} | `{} {}`{at} | {} | {} |",
                tool.name,
                cell(&tool.title),
                tool.http.method,
                tool.http.path,
                tool.confidence,
                cell(&plain(&tool.source)),
            );
        }
    }
}

/// Escapes what would end a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Escapes angle brackets: in this data they are placeholders, never markup.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demo() -> Network {
        serde_json::from_value(serde_json::json!({
            "network": "demo", "display_name": "Demo",
            "about": {"money": "Dollars.", "time_zone": "UTC.", "reports": "One call.", "limits": "None.", "notes": ["Slow."]},
            "auth": {"fields": [{"name": "key", "label": "Key | of the desk", "secret": true}],
                "wire": "Header Key: <key>.", "notes": "Made in the console.", "token_endpoint": null},
            "base_urls": ["https://one.example", "https://two.example"],
            "entities": [{"name": "app", "parent": null, "id_pattern": "^(a|b)$", "list_tool": "demo_list_apps"}],
            "tools": [
                {"name": "demo_delete_app", "title": "Delete app", "capability": "inventory", "read_only": false,
                    "destructive": true, "confidence": "inferred", "source": "An overview.",
                    "http": {"method": "DELETE", "base": "https://two.example", "path": "/apps/{app_id}"}},
                {"name": "demo_report", "title": "Report", "capability": "reporting", "read_only": true,
                    "destructive": false, "confidence": "verified", "source": "A page.",
                    "http": {"method": "GET", "base": "https://one.example", "path": "/report"}}
            ]
        }))
        .expect("as the files are")
    }

    #[test]
    fn a_page_says_how_to_sign_in_and_what_each_operation_does() {
        let page = page(&demo());
        for line in [
            "| `key` | Key \\| of the desk | yes |",
            "Header Key: &lt;key&gt;.",
            "2. `https://two.example`",
            "- Time zone: UTC.",
            "- Slow.",
            "| app | – | `^(a\\|b)$` | `demo_list_apps` |",
            "| `demo_delete_app` | Delete app | changes, destructive | `DELETE /apps/{app_id}` (address 2) | inferred | An overview. |",
            "| `demo_report` | Report | reads | `GET /report` | verified | A page. |",
        ] {
            assert!(page.contains(line), "{line}\nis not in\n{page}");
        }
        assert!(page.find("### reporting") < page.find("### inventory"));
    }

    #[test]
    fn the_overview_counts_and_adds_up() {
        let overview = overview(&[demo(), demo()]);
        assert!(overview.contains("| [Demo](demo.md) | 2 | 1 | 1 | 1 | 1 | 0 | 1 |"), "{overview}");
        assert!(overview.contains("| **all** | 4 | 2 | 2 | 2 | 2 | 0 | 2 |"), "{overview}");
    }

    #[test]
    fn every_network_of_the_catalogue_has_a_page() {
        let folder = crate::workspace::root().join("crates/networks/catalog");
        let names: Vec<String> = pages(&folder).expect("made").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names[0], "README.md");
        assert_eq!(names[1..], ORDER.map(|network| format!("{network}.md")));
    }
}
