//! The listener that can be closed without cutting anybody.
//!
//! Closing a listening socket resets every connection that the kernel took and the program has not picked up yet: its caller
//! sees a request cut that was never begun. This one, once told to stop, picks up whoever has knocked already, closes
//! itself at once after the last of them, gives them a moment to ask, and only then says that it is shut.

use std::{collections::VecDeque, net::SocketAddr, time::Duration};

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Kept connections are told to close with their next answer; only one that asks nothing for so long is closed unasked.
const LINGER: Duration = Duration::from_millis(500);

/// Open, or shut with the last callers still to be let in.
enum Socket {
    Open(TcpListener),
    Shut(VecDeque<(TcpStream, SocketAddr)>),
}

pub struct Door {
    socket: Socket,
    address: SocketAddr,
    stopping: CancellationToken,
    /// Cancelled when nobody new can come and all who had come had time to ask.
    shut: CancellationToken,
}

impl Door {
    pub fn new(listener: TcpListener, stopping: CancellationToken) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        Ok(Self { socket: Socket::Open(listener), address, stopping, shut: CancellationToken::new() })
    }

    pub fn shut(&self) -> CancellationToken {
        self.shut.clone()
    }

    fn close(&mut self) {
        let Socket::Open(listener) = std::mem::replace(&mut self.socket, Socket::Shut(VecDeque::new())) else { return };
        // Asked directly: what the reactor knows may be older than the last caller.
        self.socket = Socket::Shut(match listener.into_std() {
            Ok(listener) => std::iter::from_fn(|| listener.accept().ok())
                .filter_map(|(stream, from)| {
                    stream.set_nonblocking(true).ok()?;
                    Some((TcpStream::from_std(stream).ok()?, from))
                })
                .collect(),
            Err(_) => VecDeque::new(),
        });
    }
}

impl Listener for Door {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match &mut self.socket {
                Socket::Open(listener) => tokio::select! {
                    biased;
                    () = self.stopping.cancelled() => {}
                    caller = Listener::accept(listener) => return caller,
                },
                Socket::Shut(last) => {
                    if let Some(caller) = last.pop_front() {
                        return caller;
                    }
                    tokio::time::sleep(LINGER).await;
                    self.shut.cancel();
                    std::future::pending::<()>().await;
                }
            }
            self.close();
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok(self.address)
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, routing::get, serve::ListenerExt as _};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        time::timeout,
    };

    use super::*;

    /// They have connected and asked before anybody looks; then the door is told to shut.
    #[tokio::test]
    async fn who_has_knocked_is_let_in_and_who_comes_later_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut callers = Vec::new();
        for _ in 0..20 {
            let mut caller = TcpStream::connect(address).await.unwrap();
            caller.write_all(b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n").await.unwrap();
            callers.push(caller);
        }
        let stopping = CancellationToken::new();
        stopping.cancel();
        let door = Door::new(listener, stopping).unwrap();
        let shut = door.shut();
        let router = Router::new().route("/", get(|| async { "hello" }));
        let serving = axum::serve(door.tap_io(|_| ()), router).with_graceful_shutdown(shut.cancelled_owned());
        let serving = tokio::spawn(serving.into_future());

        for mut caller in callers {
            let mut answer = String::new();
            caller.read_to_string(&mut answer).await.unwrap();
            assert!(answer.ends_with("hello"), "{answer:?}");
        }
        let late = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(late.kind(), std::io::ErrorKind::ConnectionRefused);
        timeout(Duration::from_secs(10), serving).await.unwrap().unwrap().unwrap();
    }
}
