//! Google's own Python client against the sandbox: the proof that it speaks the real wire.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::support::Fixture;

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../end2end/peers")
}

/// The environment with Google's client, made on first use outside of the checkout: `ADAGENT_PEERS_VENV`, else
/// `~/.cache/adagentai/venv`.
async fn python() -> Result<PathBuf, String> {
    #[expect(clippy::disallowed_methods, reason = "a test has no configuration crate to read it for it")]
    let variable = |name: &str| std::env::var(name).ok();
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".cache/adagentai/venv"));
    let folder = variable("ADAGENT_PEERS_VENV").map(PathBuf::from).or_else(home);
    let folder = folder.ok_or("neither ADAGENT_PEERS_VENV nor HOME is set: set one of them")?;
    let python = folder.join("bin/python");
    let requirements = peers().join("requirements.txt");
    let installed = || async {
        let check = "import googleapiclient, google.auth";
        let status = Command::new(&python).args(["-c", check]).stderr(Stdio::null()).status().await;
        status.is_ok_and(|status| status.success())
    };
    if installed().await {
        return Ok(python);
    }
    let made = Command::new("python3").arg("-m").arg("venv").arg(&folder).output().await;
    if !made.is_ok_and(|made| made.status.success()) {
        return Err("python3 with venv is missing: apt-get install python3 python3-venv".to_owned());
    }
    let pip = Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(&requirements).output().await;
    match pip {
        Ok(pip) if pip.status.success() && installed().await => Ok(python),
        _ => Err(format!("pip could not install {}: check that PyPI is reachable", requirements.display())),
    }
}

#[tokio::test]
async fn googles_own_client_reads_reports_and_writes() {
    let python = python().await.unwrap_or_else(|problem| panic!("{problem}"));
    let fixture = Fixture::start().await;
    let script = peers().join("admob_client.py");
    let output = Command::new(python)
        .arg(script)
        .args([fixture.base.as_str(), "2026-11-14", "2026-11-20"])
        .output()
        .await
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let seen: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((seen["accounts"].as_u64(), seen["apps"].as_u64()), (Some(3), Some(14)));
    let writes = fixture.writes().await;
    let statuses: Vec<_> = writes.iter().map(|write| write["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [200, 200, 409]);
}
