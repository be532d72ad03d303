//! Starts the server: in the foreground for people, on free ports for tests.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{ServeArgs, steps, web, workspace};

/// Builds both halves and starts the server in the foreground.
pub fn serve(args: &ServeArgs) -> Result<()> {
    for port in [args.port, args.port + 1] {
        if TcpListener::bind(("127.0.0.1", port)).is_err() {
            bail!("port {port} is in use: stop what listens there, or choose another with --port");
        }
    }
    let site = web::build(args.release)?;
    build(args.release)?;
    let status = command(args, &site).status().context("cannot start the server")?;
    if status.success() || status.code().is_none() { Ok(()) } else { bail!("the server ended with {status}") }
}

/// Builds the server.
pub fn build(release: bool) -> Result<()> {
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--locked", "-p", "server"]);
    if release {
        cargo.arg("--release");
    }
    steps::run("building the server", &mut cargo)
}

/// Returns the command that starts the built server.
pub fn command(args: &ServeArgs, site: &Path) -> Command {
    let mut command = Command::new(workspace::server_binary(args.release));
    command.current_dir(workspace::root());
    command.arg("--port").arg(args.port.to_string()).arg("--data-dir").arg(&args.data_dir).arg("--site-dir").arg(site);
    if let Some(url) = &args.database_url {
        command.arg("--database-url").arg(url);
    }
    if args.no_sandbox {
        command.arg("--no-sandbox");
    }
    command
}

/// A server in the background; it stops when this value is dropped.
pub struct Running {
    child: Child,
    pub base_url: String,
    pub log: PathBuf,
    /// The time from start to the first answer of `/readyz`.
    pub ready_after: Duration,
}

impl Running {
    /// Starts the built server and waits until it is ready.
    pub fn start(args: &ServeArgs, site: &Path, log: PathBuf) -> Result<Self> {
        Self::start_with(args, site, log, &[])
    }

    /// Starts the server with more settings.
    pub fn start_with(args: &ServeArgs, site: &Path, log: PathBuf, settings: &[(&str, &str)]) -> Result<Self> {
        let file = std::fs::File::create(&log)?;
        let mut command = command(args, site);
        command.envs(settings.iter().copied());
        // Browser journeys sign up many people from one address within seconds.
        command.env("ADAGENT_RATE_LIMITS", "relaxed");
        // On PostgreSQL, a server does not start without a secret.
        command.env("ENCRYPTION_SECRET", "wJ3mQ8sVx1Zc6Rt9Lb4Nf7Gh2Kp5Yd0U");
        let start = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .context("cannot start the server")?;
        let mut running =
            Self { child, base_url: format!("http://127.0.0.1:{}", args.port), log, ready_after: Duration::ZERO };
        while start.elapsed() < Duration::from_mins(1) {
            if let Some(status) = running.child.try_wait()? {
                bail!("the server ended with {status} before it was ready; see {}", running.log.display());
            }
            if ready(args.port) {
                running.ready_after = start.elapsed();
                return Ok(running);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        bail!("the server was not ready after 60 s; see {}", running.log.display())
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Send SIGTERM first, so that the shutdown is tested too.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ready(port: u16) -> bool {
    use std::io::{Read, Write};
    let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else { return false };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    if stream.write_all(b"GET /readyz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").is_err() {
        return false;
    }
    let mut answer = String::new();
    let _ = stream.take(64).read_to_string(&mut answer);
    answer.contains(" 200 ")
}

/// Returns the first of two neighboring free ports.
pub fn free_port() -> Result<u16> {
    for _ in 0..50 {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no two adjacent free ports were found")
}
