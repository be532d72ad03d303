//! A server process: start, kill, ask to stop, start again.

use std::{
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

const START: Duration = Duration::from_mins(1);

/// Returns the program under test. `FIRE_SERVER` names another build, such as an optimized one.
#[expect(clippy::disallowed_methods, reason = "how a test is told what to test")]
fn program() -> String {
    std::env::var("FIRE_SERVER").unwrap_or_else(|_| env!("CARGO_BIN_EXE_server").to_owned())
}

/// A port and a folder at which the test starts, kills and restarts a server.
pub struct Node {
    pub port: u16,
    pub folder: PathBuf,
    settings: Vec<(String, String)>,
    child: Option<Child>,
    bounded: bool,
}

impl Node {
    pub fn new(folder: PathBuf, port: u16, settings: &[(&str, String)]) -> Self {
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Self { port, folder, settings, child: None, bounded: false }
    }

    /// Makes a node whose disk [`Node::room`] can limit.
    pub const fn on_a_bounded_disk(mut self) -> Self {
        self.bounded = true;
        self
    }

    /// Makes a node whose machine shows another time of day, such as `+3h`. The monotonic clock is not changed.
    pub fn whose_clock_is(mut self, shifted: &str) -> Self {
        let set = [
            ("LD_PRELOAD", faked_time().to_string_lossy().into_owned()),
            ("FAKETIME", shifted.to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ];
        self.settings.extend(set.map(|(name, value)| (name.to_owned(), value)));
        self
    }

    /// Limits the size of its files.
    pub async fn room(&self, bytes: &str) {
        let pid = self.pid().to_string();
        let set = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={bytes}:unlimited")]).status().await;
        assert!(set.expect("prlimit of util-linux").success());
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().and_then(Child::id).expect("it runs")
    }

    /// Starts the server with these settings on top of the usual ones, and waits until it reports that it is ready.
    pub async fn start(&mut self, more: &[(&str, String)]) {
        self.spawn(more);
        self.ready().await;
    }

    pub fn spawn(&mut self, more: &[(&str, String)]) {
        std::fs::create_dir_all(&self.folder).unwrap();
        // Give it an empty configuration file, so that it finds no other.
        let configuration = self.folder.join("empty.toml");
        std::fs::write(&configuration, "").unwrap();
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log()).unwrap();
        let mut command = if self.bounded {
            // With SIGXFSZ ignored, a full disk causes an error instead of a signal.
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", &program()]);
            shell
        } else {
            Command::new(program())
        };
        command
            .env_clear()
            .arg("--port")
            .arg(self.port.to_string())
            .arg("--data-dir")
            .arg(&self.folder)
            .arg("--config")
            .arg(&configuration)
            .arg("--site-dir")
            .arg(self.folder.join("site"))
            .env("ADAGENT_PASSWORD__MEMORY_KIB", "64")
            .env("ADAGENT_PASSWORD__PASSES", "1")
            .env("ADAGENT_RATE_LIMITS", "relaxed")
            .env("ADAGENT_LOG__FILTER", "info")
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .envs(more.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true);
        self.child = Some(command.spawn().expect("the server program runs"));
    }

    pub async fn ready(&mut self) {
        let stdout = self.child.as_mut().unwrap().stdout.take().expect("piped");
        let mut lines = BufReader::new(stdout).lines();
        let said = timeout(START, async {
            while let Ok(Some(line)) = lines.next_line().await {
                if line.contains("is ready on") {
                    return true;
                }
            }
            false
        });
        assert!(said.await.expect("it starts in time"), "the server does not start:\n{}", tail(&self.log()));
        // Keep reading: if the pipe closed, the program would break on its next output.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    }

    /// Kills the server with SIGKILL: it hands nothing over and cleans nothing up.
    pub async fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().await.unwrap();
    }

    /// Sends a signal by name.
    pub async fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status().await.unwrap();
        assert!(sent.success());
    }

    /// Waits until the server has stopped by itself.
    pub async fn gone(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("it runs");
        timeout(START, child.wait()).await.expect("it stops in time").unwrap()
    }
}

/// Returns the path of Debian's libfaketime, in its version for programs with threads.
fn faked_time() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib").unwrap().flatten();
    let found = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1")).find(|path| path.is_file());
    found.expect("the package libfaketime is installed; `cargo xtask test` does that")
}

/// Returns the end of a log, for the message of a failure.
pub fn tail(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(25)..].join("\n")
}

/// Returns a port that was free a moment ago. Servers start on it again and again.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}
