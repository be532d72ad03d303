//! A private PostgreSQL for tests, with its own data folder and a free port. It is removed afterwards.
//!
//! This file uses only the standard library, so that `xtask` can use it too. It must never touch a cluster that it did not start.

use std::{
    ffi::OsStr,
    fmt, fs, io,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Tests connect to this cluster instead of starting their own; `cargo xtask test` sets it.
pub const URL_VARIABLE: &str = "ADAGENT_TEST_POSTGRES_URL";

const START: Duration = Duration::from_mins(1);
const STOP: Duration = Duration::from_secs(10);

/// Why there is no cluster, and what to do.
#[derive(Debug)]
pub enum ClusterError {
    NotInstalled,
    /// We run as root, which PostgreSQL refuses, and there is no user `postgres` or `nobody` to run it.
    NoUser,
    Io(&'static str, io::Error),
    /// A PostgreSQL program failed; holds the end of its output.
    Failed(&'static str, String),
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str(
                "PostgreSQL is not installed; get it with: apt-get install --no-install-recommends postgresql",
            ),
            Self::NoUser => {
                f.write_str("PostgreSQL does not run as root, and there is no user postgres or nobody to run it")
            }
            Self::Io(what, error) => write!(f, "cannot {what}: {error}"),
            Self::Failed(what, output) => write!(f, "{what} failed: {}", output.trim()),
        }
    }
}

impl std::error::Error for ClusterError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// A running cluster. Dropping it stops the server and removes its folder.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    url: String,
    server: Child,
    watchdog: Option<Child>,
}

impl Cluster {
    /// Starts a cluster of the newest installed PostgreSQL. It never waits for the disk, so a power failure may destroy its data.
    pub fn start() -> Result<Self, ClusterError> {
        Self::with_settings(&[
            "fsync=off",
            "full_page_writes=off",
            "synchronous_commit=off",
            "shared_buffers=64MB",
            "max_wal_senders=0",
            "wal_level=minimal",
            "autovacuum=off",
            "jit=off",
        ])
    }

    /// Starts a cluster that keeps what it commits, set up like a small server, for measurements.
    pub fn start_durable() -> Result<Self, ClusterError> {
        Self::with_settings(&["shared_buffers=512MB", "max_wal_size=4GB", "wal_level=minimal", "max_wal_senders=0"])
    }

    fn with_settings(settings: &[&str]) -> Result<Self, ClusterError> {
        let bin = newest_bin(Path::new("/usr/lib/postgresql")).ok_or(ClusterError::NotInstalled)?;
        let user = Account::for_server()?;
        let folder = make_folder()?;
        // From here on, the guard removes the folder, whatever happens.
        let mut guard = FolderGuard(Some(folder.clone()));
        if let Some(account) = &user {
            std::os::unix::fs::chown(&folder, Some(account.uid), Some(account.gid))
                .map_err(|error| ClusterError::Io("hand the data folder to the server's user", error))?;
        }
        let data = folder.join("data");

        let mut initdb = command(&bin.join("initdb"), user.as_ref(), &folder);
        initdb.arg("--pgdata").arg(&data).args([
            "--username=adagent",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
            "--no-instructions",
        ]);
        let output = initdb.output().map_err(|error| ClusterError::Io("run initdb", error))?;
        if !output.status.success() {
            return Err(ClusterError::Failed("initdb", String::from_utf8_lossy(&output.stderr).into_owned()));
        }

        let port = free_port().map_err(|error| ClusterError::Io("find a free port", error))?;
        let log_path = folder.join("log");
        let log = fs::File::create(&log_path).map_err(|error| ClusterError::Io("make the server's log", error))?;
        let mut postgres = command(&bin.join("postgres"), user.as_ref(), &folder);
        postgres.arg("-D").arg(&data).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        for setting in ["unix_socket_directories=", "max_connections=400"].iter().chain(settings) {
            postgres.args(["-c", setting]);
        }
        let server = postgres
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|error| ClusterError::Io("start postgres", error))?;
        let mut cluster =
            Self { watchdog: None, url: format!("postgres://adagent@127.0.0.1:{port}/postgres"), folder, server };
        // From here on, the cluster removes the folder.
        guard.0 = None;
        cluster.wait_until_ready(&log_path, port)?;
        cluster.watchdog = watch(std::process::id(), cluster.server.id(), &cluster.folder);
        Ok(cluster)
    }

    /// Returns the URL of the cluster's administration database.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the last line of `postmaster.pid` says `ready`, which means that the server accepts connections.
    fn wait_until_ready(&mut self, log: &Path, port: u16) -> Result<(), ClusterError> {
        let pid_file = self.folder.join("data/postmaster.pid");
        let started = Instant::now();
        loop {
            if let Ok(text) = fs::read_to_string(&pid_file)
                && text.lines().last().is_some_and(|line| line.trim() == "ready")
            {
                return Ok(());
            }
            let ended = self.server.try_wait().map_err(|error| ClusterError::Io("look after postgres", error))?;
            if ended.is_some() || started.elapsed() > START {
                let said = fs::read_to_string(log).unwrap_or_default();
                return Err(ClusterError::Failed("postgres", format!("port {port}: {said}")));
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(mut watchdog) = self.watchdog.take() {
            let _ = watchdog.kill();
            let _ = watchdog.wait();
        }
        // SIGINT is PostgreSQL's fast shutdown.
        let asked = Command::new("kill").args(["-INT", &self.server.id().to_string()]).status();
        let started = Instant::now();
        let mut ended = false;
        while asked.as_ref().is_ok_and(std::process::ExitStatus::success) && started.elapsed() < STOP {
            if matches!(self.server.try_wait(), Ok(Some(_))) {
                ended = true;
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        if !ended {
            let _ = self.server.kill();
            let _ = self.server.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Starts a small shell that stops the server and removes the folder if this process ends without doing so: statics are not dropped at
/// exit, and somebody may kill a test run.
fn watch(parent: u32, server: u32, folder: &Path) -> Option<Child> {
    let script = "while kill -0 \"$0\" 2>/dev/null; do sleep 1; done; kill -INT \"$1\" 2>/dev/null; \
                  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 \"$1\" 2>/dev/null || break; sleep 0.5; done; \
                  kill -KILL \"$1\" 2>/dev/null; rm -rf -- \"$2\"";
    Command::new("/bin/sh")
        .args(["-c", script, &parent.to_string(), &server.to_string()])
        .arg(folder)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

struct FolderGuard(Option<PathBuf>);

impl Drop for FolderGuard {
    fn drop(&mut self) {
        if let Some(folder) = self.0.take() {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// The user that runs the server if we are root.
#[derive(Debug)]
struct Account {
    uid: u32,
    gid: u32,
}

impl Account {
    /// Returns `None` if we are not root and run it ourselves.
    fn for_server() -> Result<Option<Self>, ClusterError> {
        let own = fs::metadata("/proc/self").map_err(|error| ClusterError::Io("see who we are", error))?;
        if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
            return Ok(None);
        }
        let passwd = fs::read_to_string("/etc/passwd").map_err(|error| ClusterError::Io("read /etc/passwd", error))?;
        ["postgres", "nobody"].iter().find_map(|name| Self::named(&passwd, name)).map(Some).ok_or(ClusterError::NoUser)
    }

    fn named(passwd: &str, name: &str) -> Option<Self> {
        passwd.lines().find_map(|line| {
            let mut fields = line.split(':');
            (fields.next() == Some(name)).then_some(())?;
            let uid = fields.nth(1)?.parse().ok()?;
            let gid = fields.next()?.parse().ok()?;
            Some(Self { uid, gid })
        })
    }
}

fn command(program: &Path, user: Option<&Account>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    if let Some(account) = user {
        std::os::unix::process::CommandExt::uid(&mut command, account.uid);
        std::os::unix::process::CommandExt::gid(&mut command, account.gid);
    }
    // Start it in its own process group, so that Ctrl-C at the terminal does not stop the server before the tests are done with
    // it.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    command
}

/// Returns the `bin` folder of the highest version that has a server.
fn newest_bin(root: &Path) -> Option<PathBuf> {
    fs::read_dir(root)
        .ok()?
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            let bin = entry.path().join("bin");
            (bin.join("postgres").is_file() && bin.join("initdb").is_file()).then_some((version, bin))
        })
        .max_by_key(|(version, _)| *version)
        .map(|(_, bin)| bin)
}

fn make_folder() -> Result<PathBuf, ClusterError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let base = std::env::temp_dir();
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = base.join(format!("adagent-postgres-{}-{number}", std::process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(ClusterError::Io("make a data folder", error)),
        }
    }
}

fn free_port() -> io::Result<u16> {
    TcpListener::bind(("127.0.0.1", 0))?.local_addr().map(|address| address.port())
}

/// Returns the URL of another database in the same cluster.
pub fn with_database(url: &str, database: &str) -> String {
    let (before, query) = url.split_once('?').map_or((url, None), |(before, query)| (before, Some(query)));
    let authority_at = before.find("://").map_or(0, |at| at + 3);
    let end = before[authority_at..].find('/').map_or(before.len(), |at| authority_at + at);
    let mut other = format!("{}/{database}", &before[..end]);
    if let Some(query) = query {
        other.push('?');
        other.push_str(query);
    }
    other
}

/// Returns the URL that `cargo xtask test` has set, if any.
pub fn url_from(value: Option<&OsStr>) -> Option<String> {
    value.and_then(OsStr::to_str).map(str::trim).filter(|url| !url.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_named_in_a_url_whatever_it_looks_like() {
        let other = |url| with_database(url, "t1");
        assert_eq!(other("postgres://adagent@127.0.0.1:5432/postgres"), "postgres://adagent@127.0.0.1:5432/t1");
        assert_eq!(other("postgres://u:p@host"), "postgres://u:p@host/t1");
        assert_eq!(other("postgres://host/a?sslmode=disable"), "postgres://host/t1?sslmode=disable");
    }

    #[test]
    fn the_newest_installed_version_is_taken() {
        let root = tempfile::tempdir().expect("a folder");
        for version in ["9", "15", "17"] {
            let bin = root.path().join(version).join("bin");
            fs::create_dir_all(&bin).expect("made");
            if version != "17" {
                fs::write(bin.join("postgres"), b"").expect("written");
                fs::write(bin.join("initdb"), b"").expect("written");
            }
        }
        assert_eq!(newest_bin(root.path()), Some(root.path().join("15/bin")));
        assert_eq!(newest_bin(&root.path().join("none")), None);
    }

    #[test]
    fn the_servers_user_is_read_from_passwd() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\npostgres:x:105:109::/var/lib/postgresql:/bin/bash\n";
        let account = Account::named(passwd, "postgres").expect("listed");
        assert_eq!((account.uid, account.gid), (105, 109));
        assert!(Account::named(passwd, "nobody").is_none());
    }

    #[test]
    fn a_dropped_cluster_leaves_nothing() {
        let cluster = Cluster::start().expect("PostgreSQL is installed");
        let (folder, server) = (cluster.folder.clone(), cluster.server.id());
        assert!(folder.join("data/postmaster.pid").exists());
        drop(cluster);
        assert!(!folder.exists());
        assert!(!Path::new(&format!("/proc/{server}")).exists());
    }
}
