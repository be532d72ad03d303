//! Accepts connections, serves them, and stops without cutting off any request.
//!
//! Closing a listening socket resets every connection that the kernel has accepted and the program has not picked up yet: its
//! caller sees a request cut off before it began. So, when told to stop, the server picks up every caller that has already
//! connected and closes the socket right after the last of them. Each caller then gets a moment to send a request, and running
//! requests are completed.

use std::{net::SocketAddr, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Idle connections close after this time. Others are told to close with their next answer.
const LINGER: Duration = Duration::from_millis(500);
/// How long a caller may take for a request's head, and how long a connection may be idle between two requests. It is longer than
/// the timeout of proxies, so that they close first: a request sent into a closing connection would be lost.
const HEAD: Duration = Duration::from_secs(75);
/// The pause after a system error, such as too many open files.
const AGAIN: Duration = Duration::from_millis(100);

/// Serves until it is told to stop and the last answer is sent.
pub async fn serve(listener: TcpListener, router: Router, stopping: CancellationToken) {
    let graceful = GracefulShutdown::new();
    loop {
        tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            caller = listener.accept() => match caller {
                Ok((stream, from)) => attend(stream, from, &router, &graceful),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }
    for (stream, from) in the_last_callers(listener) {
        attend(stream, from, &router, &graceful);
    }
    tokio::time::sleep(LINGER).await;
    graceful.shutdown().await;
}

/// Accepts the last callers and closes the socket. It asks the system directly, because the reactor's state may be older than the
/// last caller.
fn the_last_callers(listener: TcpListener) -> Vec<(TcpStream, SocketAddr)> {
    let Ok(listener) = listener.into_std() else { return Vec::new() };
    let waiting = std::iter::from_fn(|| listener.accept().ok());
    waiting
        .filter_map(|(stream, from)| {
            stream.set_nonblocking(true).ok()?;
            Some((TcpStream::from_std(stream).ok()?, from))
        })
        .collect()
}

fn attend(stream: TcpStream, from: SocketAddr, router: &Router, graceful: &GracefulShutdown) {
    // Send small answers at once; otherwise each event would wait until the reader acknowledged the one before.
    let _ = stream.set_nodelay(true);
    let service = router.clone().map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        request.map(Body::new)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            // Callers often leave in the middle.
            tracing::debug!(%error, %from, "a connection ended early");
        }
    });
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        time::timeout,
    };

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);
    const ASK: &[u8] = b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n";

    async fn listening() -> (TcpListener, SocketAddr, Router) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router =
            Router::new().route("/", get(|ConnectInfo(from): ConnectInfo<SocketAddr>| async move { from.to_string() }));
        (listener, address, router)
    }

    /// All callers have connected and sent their requests before the server accepts any of them. Then it is told to stop.
    #[tokio::test]
    async fn who_has_knocked_is_let_in_and_who_comes_later_is_refused() {
        let (listener, address, router) = listening().await;
        let mut callers = Vec::new();
        for _ in 0..20 {
            let mut caller = TcpStream::connect(address).await.unwrap();
            caller.write_all(ASK).await.unwrap();
            callers.push(caller);
        }
        let stopping = CancellationToken::new();
        stopping.cancel();
        let serving = tokio::spawn(serve(listener, router, stopping));

        for mut caller in callers {
            let mut answer = String::new();
            caller.read_to_string(&mut answer).await.unwrap();
            assert!(answer.ends_with(&caller.local_addr().unwrap().to_string()), "{answer:?}");
        }
        let late = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(late.kind(), std::io::ErrorKind::ConnectionRefused);
        timeout(PATIENCE, serving).await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_never_finishes_asking_is_let_go() {
        let (listener, address, router) = listening().await;
        tokio::spawn(serve(listener, router, CancellationToken::new()));
        let mut caller = TcpStream::connect(address).await.unwrap();
        caller.write_all(b"GET / HTTP/1.1\r\nhost: ").await.unwrap();
        let mut answer = Vec::new();
        let read = timeout(HEAD * 2, caller.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "still held open after {HEAD:?}");
    }
}
