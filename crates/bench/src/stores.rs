//! Databases as a server opens them: on disk, with the durability that we ship.

use std::sync::Arc;

use adagent_domain::Ids;
use adagent_store::{Engine, Store};
use adagent_testkit::postgres::Cluster;
use anyhow::{Context as _, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// An open store, and what it needs to stay open.
pub struct Opened {
    pub store: Arc<dyn Store>,
    /// The address that the bench's own SQL connects to.
    pub url: String,
    pub engine: Engine,
    _folder: tempfile::TempDir,
    _cluster: Option<Cluster>,
}

impl Opened {
    pub async fn new(engine: Engine) -> Result<Self> {
        let folder = tempfile::tempdir().context("a folder for the database")?;
        match engine {
            Engine::Sqlite => {
                let path = folder.path().join("adagent.db");
                let store = adagent_store_sqlite::open(&path).await?;
                let url = format!("sqlite://{}", path.display());
                Ok(Self { store, url, engine, _folder: folder, _cluster: None })
            }
            Engine::Postgres => {
                let cluster = Cluster::start_durable().map_err(|error| anyhow::anyhow!("{error}"))?;
                let url = cluster.url().to_owned();
                let store = adagent_store_postgres::open(&url).await?;
                Ok(Self { store, url, engine, _folder: folder, _cluster: Some(cluster) })
            }
        }
    }

    /// Returns the CPU time of the database outside this process. SQLite runs inside it, so it has none.
    pub fn database_cpu(&self) -> f64 {
        match self.engine {
            Engine::Sqlite => 0.0,
            Engine::Postgres => crate::machine::cpu_seconds_of_program("postgres"),
        }
    }
}

pub const fn name(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "SQLite",
        Engine::Postgres => "PostgreSQL",
    }
}

/// IDs that grow with time, like a server's, and that are above the IDs that `fill` makes.
#[derive(Debug, Default)]
pub struct GrowingIds(AtomicU64);

impl Ids for GrowingIds {
    fn next_uuid(&self) -> Uuid {
        Uuid::from_u128((1 << 120) | u128::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}
