//! Opens the database that the configuration names. It is migrated before this returns.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use adagent_config::{Config, Secret};
use adagent_store::Store;
use anyhow::{Context as _, Result, bail};
use secrecy::ExposeSecret as _;

/// Opens the database of an existing installation, for maintenance. A mistyped folder must not create an empty database and
/// report that all is well.
pub async fn open_existing(config: &Config) -> Result<Arc<dyn Store>> {
    if let Some(path) = sqlite_file(config)
        && !path.is_file()
    {
        bail!(
            "there is no database {}: run this with the servers' own settings (--data-dir, --config, DATABASE_URL)",
            path.display()
        );
    }
    open(config).await
}

/// Describes the database for the person at the terminal, without user and password.
pub fn place(config: &Config) -> String {
    if let Some(path) = sqlite_file(config) {
        return path.display().to_string();
    }
    let url = config.database_url.as_ref().and_then(|url| url::Url::parse(url.expose_secret()).ok());
    url.map_or_else(
        || "DATABASE_URL".to_owned(),
        |url| format!("{}{} (PostgreSQL)", url.host_str().unwrap_or_default(), url.path()),
    )
}

/// Returns the path of the database file; `None` if the database is not a file.
fn sqlite_file(config: &Config) -> Option<PathBuf> {
    match config.database_url.as_ref().map(Secret::expose_secret) {
        None => Some(config.data_dir.join("adagent.db")),
        Some(url) => {
            let path = url.strip_prefix("sqlite:")?;
            let path = path.strip_prefix("//").unwrap_or(path);
            Some(PathBuf::from(path.split('?').next().unwrap_or(path)))
        }
    }
}

/// Opens the configured database; by default, SQLite in the data folder.
pub async fn open(config: &Config) -> Result<Arc<dyn Store>> {
    if let Some(path) = sqlite_file(config) {
        return sqlite(&path).await;
    }
    let url = config.database_url.as_ref().map_or("", Secret::expose_secret);
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        let store =
            adagent_store_postgres::open(url).await.context("cannot open the PostgreSQL database of DATABASE_URL")?;
        return Ok(store);
    }
    bail!("DATABASE_URL must begin with postgres:// or sqlite://")
}

async fn sqlite(path: &Path) -> Result<Arc<dyn Store>> {
    let store = adagent_store_sqlite::open(path)
        .await
        .with_context(|| format!("cannot open the database {}", path.display()))?;
    Ok(store)
}

#[cfg(test)]
mod tests {
    use adagent_config::{Overrides, Source};

    use super::*;

    fn config(folder: &Path, database_url: Option<&str>) -> Config {
        let file = folder.join("empty.toml");
        std::fs::write(&file, "").unwrap();
        let overrides = Overrides { data_dir: Some(folder.join("data")), ..Overrides::default() };
        let mut config = Config::load(Source { file: Some(file), overrides }).unwrap();
        config.database_url = database_url.map(|url| url.to_owned().into());
        config
    }

    #[tokio::test]
    async fn maintenance_makes_no_database_where_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = config(folder.path(), None);
        let refused = open_existing(&nowhere).await.err().expect("refused").to_string();
        assert!(refused.contains("there is no database") && refused.contains("--data-dir"), "{refused}");
        assert!(!folder.path().join("data").exists());
        open(&nowhere).await.unwrap();
        assert!(open_existing(&nowhere).await.is_ok());
        assert!(place(&nowhere).ends_with("data/adagent.db"));
        let shared = config(folder.path(), Some("postgres://adagent:hunter2@db.internal:5432/desk"));
        assert_eq!(place(&shared), "db.internal/desk (PostgreSQL)");
        let elsewhere = config(folder.path(), Some("mysql://x"));
        assert!(open(&elsewhere).await.is_err());
    }
}
