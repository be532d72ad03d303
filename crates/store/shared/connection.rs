//! A connection of the pool that never returns to the pool in an unknown state, and a transaction on top of it.
//!
//! Each adapter compiles this file against its engine. We close a connection if a statement does not end in time, if its caller goes away,
//! or if the connection was cut, because we cannot know what the server does with the statement. This file must not know any statement
//! except those that begin and end a transaction.

use std::{fmt, sync::Arc, time::Duration};

use futures::{
    StreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use sqlx::{Describe, Either, Error, Execute, Executor, SqlSafeStr, SqlStr, pool::PoolConnection, raw_sql};
use tokio::{runtime::Handle, time::timeout};

use crate::{
    engine::{BEGIN, Db},
    shelf::{Place, Shelf},
};

type QueryResult = <Db as sqlx::Database>::QueryResult;
type Row = <Db as sqlx::Database>::Row;
type Statement = <Db as sqlx::Database>::Statement;
type TypeInfo = <Db as sqlx::Database>::TypeInfo;

pub(crate) struct Connection {
    /// `None` after we gave the connection back.
    inner: Option<PoolConnection<Db>>,
    /// Where to give the connection back.
    place: Place,
    /// The longest time that a statement may take.
    limit: Option<Duration>,
    /// A statement began, and we did not see its end.
    unknown: bool,
}

impl Connection {
    pub(crate) async fn of(shelf: &Arc<Shelf>, limit: Option<Duration>) -> Result<Self, Error> {
        let (inner, place) = shelf.take().await?;
        Ok(Self { inner: Some(inner), place, limit, unknown: false })
    }

    fn parts(&mut self) -> (&mut <Db as sqlx::Database>::Connection, Option<Duration>, &mut bool) {
        let Self { inner, limit, unknown, .. } = self;
        (inner.as_mut().expect("held to its end"), *limit, unknown)
    }

    /// Watches a statement, and notes whether we saw its end.
    async fn watched<T>(
        limit: Option<Duration>,
        unknown: &mut bool,
        work: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        *unknown = true;
        let outcome = within(limit, work).await.and_then(|outcome| outcome);
        *unknown = outcome.as_ref().is_err_and(breaks);
        outcome
    }
}

/// Returns an error if the work takes too long.
async fn within<T>(limit: Option<Duration>, work: impl Future<Output = T> + Send) -> Result<T, Error> {
    match limit {
        None => Ok(work.await),
        Some(limit) => timeout(limit, work).await.map_err(|_| {
            let text = format!("no answer within {} s", limit.as_secs());
            Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, text))
        }),
    }
}

/// Checks whether the state of the connection is unknown after this error.
const fn breaks(error: &Error) -> bool {
    matches!(error, Error::Io(_) | Error::Tls(_) | Error::Protocol(_) | Error::WorkerCrashed)
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(mut inner) = self.inner.take() else { return };
        if self.unknown {
            inner.close_on_drop();
        } else {
            self.place.put(inner);
        }
    }
}

impl<'c> Executor<'c> for &'c mut Connection {
    type Database = Db;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<QueryResult, Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Db>,
    {
        let (inner, limit, unknown) = self.parts();
        *unknown = true;
        let rows = inner.fetch_many(query);
        Box::pin(stream::unfold(Some((rows, unknown)), move |state| async move {
            let (mut rows, unknown) = state?;
            match within(limit, rows.next()).await {
                Ok(Some(Ok(row))) => Some((Ok(row), Some((rows, unknown)))),
                Ok(None) => {
                    *unknown = false;
                    None
                }
                Ok(Some(Err(error))) | Err(error) => {
                    *unknown = breaks(&error);
                    Some((Err(error), None))
                }
            }
        }))
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Db>,
    {
        let (inner, limit, unknown) = self.parts();
        Box::pin(Connection::watched(limit, unknown, inner.fetch_optional(query)))
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [TypeInfo]) -> BoxFuture<'e, Result<Statement, Error>>
    where
        'c: 'e,
    {
        let (inner, limit, unknown) = self.parts();
        Box::pin(Connection::watched(limit, unknown, inner.prepare_with(sql, parameters)))
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Db>, Error>>
    where
        'c: 'e,
    {
        let (inner, limit, unknown) = self.parts();
        Box::pin(Connection::watched(limit, unknown, inner.describe(sql)))
    }
}

/// A transaction. It rolls back if it is dropped without `commit`, even if the engine has already done so.
pub(crate) struct Transaction(Option<Connection>);

impl Transaction {
    pub(crate) async fn begin(connection: Connection) -> Result<Self, Error> {
        Self::begin_with(connection, BEGIN).await
    }

    /// Begins a transaction with the given statement, which may do more than begin it.
    pub(crate) async fn begin_with(connection: Connection, begin: impl SqlSafeStr) -> Result<Self, Error> {
        // From here on, a drop rolls back whatever began, even if the caller goes away now.
        let mut transaction = Self(Some(connection));
        transaction.connection().execute(raw_sql(begin)).await?;
        Ok(transaction)
    }

    pub(crate) fn connection(&mut self) -> &mut Connection {
        self.0.as_mut().expect("a transaction holds its connection to its end")
    }

    pub(crate) async fn commit(mut self) -> Result<(), Error> {
        self.connection().execute("commit").await?;
        // Gives the connection back without a rollback.
        drop(self.0.take());
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let Some(mut connection) = self.0.take().filter(|connection| !connection.unknown) else { return };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // This fails if the engine has already rolled back; then nothing is left to undo.
                let _ = connection.execute("rollback").await;
            });
        } else {
            connection.unknown = true;
        }
    }
}
