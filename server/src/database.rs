//! The database that the address names; migrated when it comes back.

use std::{path::Path, sync::Arc};

use adagent_config::{Config, Secret};
use adagent_store::Store;
use anyhow::{Context as _, Result, bail};
use secrecy::ExposeSecret as _;

/// Opens SQLite below the data folder unless an address says otherwise.
pub async fn open(config: &Config) -> Result<Arc<dyn Store>> {
    let Some(url) = config.database_url.as_ref().map(Secret::expose_secret) else {
        return sqlite(&config.data_dir.join("adagent.db")).await;
    };
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        let store =
            adagent_store_postgres::open(url).await.context("cannot open the PostgreSQL database of DATABASE_URL")?;
        return Ok(store);
    }
    match url.strip_prefix("sqlite:") {
        Some(path) => {
            let path = path.strip_prefix("//").unwrap_or(path);
            sqlite(Path::new(path.split('?').next().unwrap_or(path))).await
        }
        None => bail!("DATABASE_URL must begin with postgres:// or sqlite://"),
    }
}

async fn sqlite(path: &Path) -> Result<Arc<dyn Store>> {
    let store = adagent_store_sqlite::open(path)
        .await
        .with_context(|| format!("cannot open the database {}", path.display()))?;
    Ok(store)
}
