//! Receives wakes from other processes over one connection, and reconnects when it is cut.

use std::time::Duration;

use adagent_domain::{RunId, UserId};
use adagent_store::Wake;
use sqlx::{
    Executor as _,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use tokio::time::timeout;

use crate::engine::Hub;

/// Names the channel after the schema, so that two installations in one database do not wake each other.
pub(crate) fn channel_of(schema: &str) -> String {
    format!("adagent_wake_{schema}")
}

/// How many wakes a slow receiver may lag behind before it must look at the database again.
pub(crate) const WAKES: usize = 4096;
/// How many wakes go into one payload. It can have 8000 bytes, and a run takes 39.
const WAKES_PER_PAYLOAD: usize = 150;
const RETRY: Duration = Duration::from_millis(500);
/// After this time without a notification we ask the server whether it is still there, because a silently cut connection looks like a quiet
/// one.
const QUIET: Duration = Duration::from_secs(10);
/// How long the server may take to answer, and how long a new connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Packs the wakes into as few payloads as possible: `<process> work e:<run> a:<user> …`.
pub(crate) fn payloads(process: &str, wakes: &[Wake]) -> Vec<String> {
    wakes
        .chunks(WAKES_PER_PAYLOAD)
        .map(|chunk| {
            let mut payload = process.to_owned();
            for wake in chunk {
                match wake {
                    Wake::Work => payload.push_str(" work"),
                    Wake::Everything => payload.push_str(" all"),
                    Wake::Events(run) => {
                        payload.push_str(" e:");
                        payload.push_str(&run.to_string());
                    }
                    Wake::Activity(user) => {
                        payload.push_str(" a:");
                        payload.push_str(&user.to_string());
                    }
                }
            }
            payload
        })
        .collect()
}

/// Reads the wakes from another process's payload, and skips words of newer programs.
fn parse(own: &str, payload: &str) -> Vec<Wake> {
    let mut words = payload.split(' ');
    if words.next().is_none_or(|process| process == own) {
        return Vec::new();
    }
    words
        .filter_map(|word| match word {
            "work" => Some(Wake::Work),
            "all" => Some(Wake::Everything),
            _ => match word.split_once(':')? {
                ("e", run) => run.parse::<RunId>().ok().map(Wake::Events),
                ("a", user) => user.parse::<UserId>().ok().map(Wake::Activity),
                _ => None,
            },
        })
        .collect()
}

/// Listens until it is aborted.
pub(crate) async fn listen(options: PgConnectOptions, hub: Hub, first: PgListener) {
    let mut listener = first;
    loop {
        let why = hear(&mut listener, &hub).await;
        tracing::warn!(why, "connection for notifications lost, connecting again");
        // Receivers then look at once and find out whether the database is gone.
        let _ = hub.wakes.send(Wake::Everything);
        listener = reconnect(&options, &hub.channel).await;
        // Notifications sent in the meantime are lost.
        let _ = hub.wakes.send(Wake::Everything);
    }
}

/// Passes wakes on until the connection is lost; returns the reason.
async fn hear(listener: &mut PgListener, hub: &Hub) -> String {
    loop {
        let Ok(heard) = timeout(QUIET, listener.try_recv()).await else {
            match timeout(PATIENCE, listener.execute("select 1")).await {
                Ok(Ok(_)) => continue,
                Ok(Err(error)) => return error.to_string(),
                Err(_) => return "the server does not answer".to_owned(),
            }
        };
        match heard {
            Ok(Some(notification)) => {
                for wake in parse(&hub.process, notification.payload()) {
                    // An error only means that nobody listens.
                    let _ = hub.wakes.send(wake);
                }
            }
            Ok(None) => return "closed by the server".to_owned(),
            Err(error) => return error.to_string(),
        }
    }
}

/// Connects a listener. Each one has its own pool: a busy store must not keep the process from hearing, and a cut connection that is still
/// closing must not block its successor.
pub(crate) async fn connect(options: &PgConnectOptions, channel: &str) -> Result<PgListener, sqlx::Error> {
    let pool = PgPoolOptions::new().max_connections(1).connect_with(options.clone()).await?;
    let mut listener = PgListener::connect_with(&pool).await?;
    // We reconnect ourselves, because then we know that we may have missed something.
    listener.eager_reconnect(false);
    listener.listen(channel).await?;
    Ok(listener)
}

async fn reconnect(options: &PgConnectOptions, channel: &str) -> PgListener {
    loop {
        match timeout(PATIENCE, connect(options, channel)).await {
            Ok(Ok(listener)) => return listener,
            Ok(Err(_)) | Err(_) => tokio::time::sleep(RETRY).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processes_read_what_was_sent_and_the_sender_does_not() {
        let run: RunId = "019aa5c4-9a3e-7000-8000-000000000001".parse().expect("an id");
        let user: UserId = "019aa5c4-9a3e-7000-8000-000000000003".parse().expect("an id");
        let wakes = [Wake::Events(run), Wake::Work, Wake::Activity(user), Wake::Everything];
        let sent = payloads("me", &wakes);
        assert_eq!(sent.len(), 1);
        assert_eq!(parse("you", &sent[0]), wakes);
        assert!(parse("me", &sent[0]).is_empty());
        assert_eq!(parse("you", "other future:1 work"), [Wake::Work]);
    }

    #[test]
    fn no_payload_is_longer_than_the_server_takes() {
        let run: RunId = "019aa5c4-9a3e-7000-8000-000000000001".parse().expect("an id");
        let many = vec![Wake::Events(run); 1000];
        let sent = payloads("019aa5c4-9a3e-7000-8000-000000000002", &many);
        assert!(sent.iter().all(|payload| payload.len() < 8000));
        assert_eq!(sent.iter().map(|payload| parse("x", payload).len()).sum::<usize>(), 1000);
        assert!(payloads("x", &[]).is_empty());
    }
}
