//! What must be installed, and how to get it: the WASM target, npm packages, Chromium, PostgreSQL.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{steps, workspace};

/// Installs the WASM target of the current toolchain.
pub fn ensure_wasm_target() -> Result<()> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .context("rustc is missing: install rustup from https://rustup.rs")?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib").is_dir() {
        return Ok(());
    }
    steps::run("adding the WASM target", Command::new("rustup").args(["target", "add", "wasm32-unknown-unknown"]))
        .context("the target wasm32-unknown-unknown is missing: run `rustup target add wasm32-unknown-unknown`")
}

fn on_path(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Installs the npm packages of `end2end/` from the lock file.
pub fn ensure_npm() -> Result<PathBuf> {
    let folder = workspace::root().join("end2end");
    let modules = folder.join("node_modules");
    let lock = folder.join("package-lock.json");
    let stamp = modules.join(".installed-from");
    let wanted = std::fs::read_to_string(&lock).context("end2end/package-lock.json is missing from the checkout")?;
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(modules);
    }
    if on_path("npm").is_none() {
        bail!("npm is missing: install Node.js 20 or newer (Debian: `apt-get install nodejs npm`)");
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder);
    // We use Debian's Chromium, because Playwright's own browser download fails on restricted networks.
    npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    steps::run("installing npm packages", &mut npm)?;
    std::fs::write(&stamp, wanted)?;
    Ok(modules)
}

/// Installs a Debian package if we may; otherwise says how to install it.
fn apt_install(package: &str) -> Result<()> {
    let hint = format!("{package} is missing: run `apt-get update && apt-get install -y {package}` as root");
    if on_path("apt-get").is_none() {
        bail!(hint);
    }
    let sudo = !is_root();
    if sudo && on_path("sudo").is_none() {
        bail!(hint);
    }
    let apt = |arguments: &[&str]| {
        let mut command = if sudo { Command::new("sudo") } else { Command::new("apt-get") };
        if sudo {
            command.args(["-n", "apt-get"]);
        }
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).stdout(Stdio::null());
        command
    };
    steps::run("refreshing Debian's package list", &mut apt(&["update", "-q"])).with_context(|| hint.clone())?;
    steps::run(&format!("installing {package}"), &mut apt(&["install", "-y", "-q", "--no-install-recommends", package]))
        .with_context(|| hint)
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0"))
}

/// Finds or installs a Chromium that Playwright can control.
pub fn ensure_chromium() -> Result<PathBuf> {
    for name in ["chromium", "chromium-browser", "google-chrome"] {
        if let Some(found) = on_path(name) {
            return Ok(found);
        }
    }
    apt_install("chromium")?;
    on_path("chromium").context("chromium was installed but is not on PATH")
}

/// Installs PostgreSQL's server binaries.
pub fn ensure_postgres() -> Result<()> {
    let installed = || {
        on_path("initdb").is_some()
            || std::fs::read_dir("/usr/lib/postgresql")
                .is_ok_and(|versions| versions.flatten().any(|version| version.path().join("bin/initdb").is_file()))
    };
    if installed() {
        return Ok(());
    }
    apt_install("postgresql")?;
    if installed() {
        Ok(())
    } else {
        bail!("PostgreSQL was installed but initdb was not found under /usr/lib/postgresql")
    }
}

/// Installs libfaketime, which shows a program another time of day, for tests of servers with different clocks.
pub fn ensure_faketime() -> Result<()> {
    let installed = std::fs::read_dir("/usr/lib").is_ok_and(|folders| {
        folders.flatten().any(|folder| folder.path().join("faketime/libfaketimeMT.so.1").is_file())
    });
    if installed { Ok(()) } else { apt_install("libfaketime") }
}

/// Installs Python with venv, for the official clients that test the sandbox.
pub fn ensure_python() -> Result<()> {
    if on_path("python3").is_none() {
        apt_install("python3")?;
    }
    let has_venv = Command::new("python3")
        .args(["-c", "import venv, ensurepip"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if has_venv { Ok(()) } else { apt_install("python3-venv") }
}

/// Returns a program from `PyPI` as `xtask/tools/<name>.txt` names it: the one on the path, or one installed below the build
/// directory.
pub fn ensure_tool(name: &str) -> Result<PathBuf> {
    if let Some(found) = on_path(name) {
        return Ok(found);
    }
    let list = workspace::root().join("xtask/tools").join(format!("{name}.txt"));
    let wanted = std::fs::read_to_string(&list).with_context(|| format!("{} is missing", list.display()))?;
    let folder = workspace::target_dir().join("xtask/tools").join(name);
    let (program, stamp) = (folder.join("bin").join(name), folder.join(".installed-from"));
    if program.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(program);
    }
    ensure_python()?;
    steps::run(
        &format!("making a place for {name}"),
        Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder),
    )?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "-r"]).arg(&list);
    steps::run(&format!("installing {name}"), &mut pip)
        .with_context(|| format!("{name} is missing: install it, or make PyPI reachable"))?;
    std::fs::write(&stamp, wanted)?;
    Ok(program)
}

/// Checks whether a file must be made again from its sources.
pub fn is_stale(product: &Path, source: &Path) -> bool {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
    match (modified(product), modified(source)) {
        (Some(product), Some(source)) => product < source,
        _ => true,
    }
}
