//! Runs public Python clients of the networks against the sandbox, to prove that it speaks their real protocols.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::keyed::keys;
use crate::support::Fixture;

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../end2end/peers")
}

/// A Python environment.
struct Environment {
    /// Added to the folder's name, because clients whose version pins conflict need separate environments.
    suffix: &'static str,
    requirements: &'static str,
    /// The packages to install without their dependencies.
    bare: Option<&'static str>,
    imports: &'static str,
}

const GOOGLE: Environment = Environment {
    suffix: "",
    requirements: "requirements.txt",
    bare: None,
    imports: "import googleapiclient, google.auth",
};

const NETWORKS: Environment = Environment {
    suffix: "-networks",
    requirements: "networks.txt",
    bare: Some("networks-bare.txt"),
    imports: "import ironsource_api, requests, importlib.util as u; assert u.find_spec('applovin_report')",
};

const AD_MANAGER: Environment = Environment {
    suffix: "-admanager",
    requirements: "admanager.txt",
    bare: None,
    imports: "import google.ads.admanager_v1, requests",
};

/// Returns the Python of an environment. It is created on first use, outside of the checkout: in `ADAGENT_PEERS_VENV`, or else in
/// `~/.cache/adagentai/venv`, plus the suffix.
async fn python(environment: &Environment) -> Result<PathBuf, String> {
    #[expect(clippy::disallowed_methods, reason = "a test has no configuration crate to read it for it")]
    let variable = |name: &str| std::env::var(name).ok();
    let home = || variable("HOME").map(|home| format!("{home}/.cache/adagentai/venv"));
    let folder = variable("ADAGENT_PEERS_VENV").or_else(home);
    let folder = folder.ok_or("neither ADAGENT_PEERS_VENV nor HOME is set: set one of them")?;
    let folder = PathBuf::from(format!("{folder}{}", environment.suffix));
    let python = folder.join("bin/python");
    let installed = || async {
        let status = Command::new(&python).args(["-c", environment.imports]).stderr(Stdio::null()).status().await;
        status.is_ok_and(|status| status.success())
    };
    if installed().await {
        return Ok(python);
    }
    let made = Command::new("python3").arg("-m").arg("venv").arg(&folder).output().await;
    if !made.is_ok_and(|made| made.status.success()) {
        return Err("python3 with venv is missing: apt-get install python3 python3-venv".to_owned());
    }
    let lists = [Some((environment.requirements, None)), environment.bare.map(|list| (list, Some("--no-deps")))];
    for (list, option) in lists.into_iter().flatten() {
        let list = peers().join(list);
        let pip =
            Command::new(&python).args(["-m", "pip", "install", "-q"]).args(option).arg("-r").arg(&list).output().await;
        // Pip says why: PyPI cannot be reached, or a package needs another version of Python (applovin-report needs one before 3.12).
        let pip = pip.map_err(|error| error.to_string())?;
        if !pip.status.success() {
            let why = String::from_utf8_lossy(&pip.stderr);
            return Err(format!("pip could not install {} with {}:\n{why}", list.display(), python.display()));
        }
    }
    if installed().await { Ok(python) } else { Err(format!("{} lacks the clients", folder.display())) }
}

/// Runs a script of the peers and returns its output.
async fn run(environment: &Environment, script: &str, arguments: &[&str]) -> Value {
    let python = python(environment).await.unwrap_or_else(|problem| panic!("{problem}"));
    let output = Command::new(python).arg(peers().join(script)).args(arguments).output().await.unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn googles_own_client_reads_reports_and_writes() {
    let fixture = Fixture::start().await;
    let seen = run(&GOOGLE, "admob_client.py", &[&fixture.base, "2026-11-14", "2026-11-20"]).await;
    assert_eq!((seen["accounts"].as_u64(), seen["apps"].as_u64()), (Some(3), Some(14)));
    let writes = fixture.writes().await;
    let statuses: Vec<_> = writes.iter().map(|write| write["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [200, 200, 409]);
}

#[tokio::test]
async fn public_clients_of_levelplay_and_max_read_the_truth_and_write() {
    let fixture = Fixture::start().await;
    let fields = |network: &str| -> Value {
        let set = keys(network, adagent_sandbox::Standing::Valid);
        set.fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let keys = json!({"applovin": fields("applovin"), "unity": fields("unity")}).to_string();
    let seen = run(&NETWORKS, "networks_client.py", &[&fixture.base, "2026-11-19", &keys]).await;
    assert!(seen["applovin"].as_u64() > Some(100) && seen["levelplay"].as_u64() > Some(3), "{seen}");
    let writes = fixture.writes_of("unity").await;
    let names: Vec<&str> = writes.iter().map(|write| write["operation"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["unity_create_application", "unity_create_placements", "unity_update_placements", "unity_delete_placement"]
    );
}

#[tokio::test]
async fn googles_own_client_of_ad_manager_books_changes_and_reports() {
    let fixture = Fixture::start().await;
    let seen = run(&AD_MANAGER, "admanager_client.py", &[&fixture.base, "2026-11-18", "2026-11-20"]).await;
    assert!(seen["rows"].as_u64() > Some(100) && seen["refused"] == 4, "{seen}");
    let writes = fixture.writes_of("admanager").await;
    let names: Vec<(&str, u64)> =
        writes.iter().map(|write| (write["operation"].as_str().unwrap(), write["status"].as_u64().unwrap())).collect();
    assert_eq!(
        names,
        [
            ("admanager_batch_create_orders", 200),
            ("admanager_batch_approve_orders", 200),
            ("admanager_update_line_item", 200),
            ("admanager_create_company", 200),
            ("admanager_create_report", 200),
            ("admanager_batch_pause_orders", 400),
        ]
    );
}
