//! Paths, and the commands that depend on them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the checkout that `cargo xtask` was called in. The path at compile time may be another one, because clones can share a
/// build directory.
pub fn root() -> PathBuf {
    let package = env("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&package).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Returns cargo's build directory, wherever the environment puts it.
pub fn target_dir() -> PathBuf {
    env("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns the folder that the server serves: WASM, glue, styles, public files. Debug and release builds do not overwrite each
/// other.
pub fn site_dir(release: bool) -> PathBuf {
    target_dir().join(if release { "site-release" } else { "site" })
}

#[expect(
    clippy::disallowed_methods,
    reason = "xtask reads its environment itself; the product reads it in crates/config"
)]
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the cargo command, run in the checkout.
pub fn cargo() -> Command {
    let mut command = Command::new(env("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // `cargo xtask` describes xtask in these variables. If we passed them on, build scripts that watch them (such as ring's)
    // would run again, and everything that depends on them would be compiled again, each time a person's own cargo call and ours
    // take turns.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Returns the path of the built server.
pub fn server_binary(release: bool) -> PathBuf {
    target_dir().join(if release { "release" } else { "debug" }).join(format!("server{}", std::env::consts::EXE_SUFFIX))
}
