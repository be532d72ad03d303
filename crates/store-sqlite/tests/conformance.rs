//! Runs the suite that every adapter must pass, on SQLite.

use std::{ops::Deref, sync::Arc};

use adagent_store::Store;

struct Opened(Arc<dyn Store>, #[expect(dead_code, reason = "keeps the folder")] tempfile::TempDir);

impl Deref for Opened {
    type Target = Arc<dyn Store>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

async fn open() -> Opened {
    let folder = tempfile::tempdir().expect("a folder");
    Opened(adagent_store_sqlite::open(&folder.path().join("adagent.db")).await.expect("SQLite opens"), folder)
}

adagent_store::conformance_suite!(open);
