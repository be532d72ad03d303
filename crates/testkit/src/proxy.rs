//! A TCP proxy that misbehaves on request, between a server and its database, or a server and an ad network.
//!
//! It forwards bytes and knows no protocol. It must never invent or reorder a byte: what arrives is a prefix of what was sent.

use std::{future::pending, io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::sleep,
};

/// What happens to connections, old and new, from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Everything passes.
    Pass,
    /// Everything passes, and each piece is delayed by this time.
    Latency(Duration),
    /// Every connection is reset; new ones as soon as they are accepted.
    Reset,
    /// Nothing passes in either direction. What waits continues when the mode changes, as after a cable outage.
    Silence,
    /// The far side of every connection is gone, and the near side never learns it, even when the mode changes.
    HalfOpen,
    /// This many more bytes pass back on each connection. Then it is reset, in the middle of an answer.
    CutAfter(u64),
}

/// A listening proxy. Dropping it closes everything.
pub struct FaultProxy {
    address: SocketAddr,
    mode: watch::Sender<Mode>,
}

/// Why a connection is no longer forwarded.
enum End {
    Reset,
    HalfOpen,
    Closed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    There,
    Back,
}

impl FaultProxy {
    /// Starts to forward to `upstream` from a free port of this machine.
    pub async fn start(upstream: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (mode, seen) = watch::channel(Mode::Pass);
        tokio::spawn(accept(listener, upstream, seen));
        Ok(Self { address, mode })
    }

    /// Returns the address to connect to.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the mode, for open connections too.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// Returns the same URL, but through this proxy.
    pub fn through(&self, url: &str) -> String {
        let start = url.find("://").map_or(0, |at| at + 3);
        let end = url[start..].find(['/', '?']).map_or(url.len(), |at| start + at);
        let host = url[start..end].rfind('@').map_or(start, |at| start + at + 1);
        format!("{}{}{}", &url[..host], self.address, &url[end..])
    }
}

async fn accept(listener: TcpListener, upstream: SocketAddr, mut mode: watch::Receiver<Mode>) {
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    tokio::spawn(serve(client, upstream, mode.clone()));
                }
                Err(_) => return,
            },
            changed = mode.changed() => if changed.is_err() { return },
        }
    }
}

async fn serve(mut client: TcpStream, upstream: SocketAddr, mut mode: watch::Receiver<Mode>) {
    match permission(&mut mode).await {
        End::Closed => {}
        end => return leave(client, end, mode).await,
    }
    let Ok(mut server) = TcpStream::connect(upstream).await else { return reset(&client) };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ended = {
        let ((mut client_in, mut client_out), (mut server_in, mut server_out)) = (client.split(), server.split());
        let there = pump(&mut client_in, &mut server_out, mode.clone(), Direction::There);
        let back = pump(&mut server_in, &mut client_out, mode.clone(), Direction::Back);
        tokio::try_join!(there, back)
    };
    match ended {
        Ok(_) => {}
        Err(End::Reset) => {
            reset(&server);
            reset(&client);
        }
        Err(end) => {
            drop(server);
            leave(client, end, mode).await;
        }
    }
}

/// Lets a new connection through (`Closed`), or says how it ends instead.
async fn permission(mode: &mut watch::Receiver<Mode>) -> End {
    loop {
        let now = *mode.borrow_and_update();
        match now {
            Mode::Pass | Mode::CutAfter(_) => return End::Closed,
            Mode::Latency(wait) => {
                sleep(wait).await;
                return End::Closed;
            }
            Mode::Reset => return End::Reset,
            Mode::HalfOpen => return End::HalfOpen,
            Mode::Silence => {
                if mode.changed().await.is_err() {
                    return End::Reset;
                }
            }
        }
    }
}

async fn leave(client: TcpStream, end: End, mut mode: watch::Receiver<Mode>) {
    match end {
        End::Reset => reset(&client),
        // The connection stays open and silent until the proxy is dropped.
        End::HalfOpen => while mode.changed().await.is_ok() {},
        End::Closed => {}
    }
}

/// Resets a connection: without lingering, closing sends RST instead of FIN.
fn reset(stream: &TcpStream) {
    let _ = stream.set_zero_linger();
}

/// Forwards one direction until it ends (`Ok`) or until the mode ends the connection.
async fn pump(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
    mut mode: watch::Receiver<Mode>,
    direction: Direction,
) -> Result<(), End> {
    let mut buffer = vec![0; 16 * 1024];
    let mut left = None;
    loop {
        let now = *mode.borrow_and_update();
        let silent = match now {
            Mode::Reset => return Err(End::Reset),
            Mode::HalfOpen => return Err(End::HalfOpen),
            Mode::Silence => true,
            Mode::CutAfter(bytes) => {
                left.get_or_insert(bytes);
                false
            }
            Mode::Pass | Mode::Latency(_) => {
                left = None;
                false
            }
        };
        let read = tokio::select! {
            changed = mode.changed() => {
                if changed.is_err() {
                    return Err(End::Reset);
                }
                continue;
            }
            read = async { if silent { pending().await } else { from.read(&mut buffer).await } } => read,
        };
        let Ok(count) = read else { return Err(End::Reset) };
        if count == 0 {
            let _ = to.shutdown().await;
            return Ok(());
        }
        if let Mode::Latency(wait) = now {
            sleep(wait).await;
        }
        let mut passes = count;
        if direction == Direction::Back
            && let Some(left) = &mut left
        {
            passes = usize::try_from(*left).unwrap_or(usize::MAX).min(count);
            *left -= passes as u64;
        }
        if to.write_all(&buffer[..passes]).await.is_err() {
            return Err(End::Closed);
        }
        if passes < count {
            return Err(End::Reset);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const SOON: Duration = Duration::from_secs(5);
    const NEVER: Duration = Duration::from_millis(60);

    /// Starts a server that echoes everything.
    async fn echo() -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("listens");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = stream.split();
                    let _ = tokio::io::copy(&mut from, &mut to).await;
                });
            }
        });
        address
    }

    async fn said(stream: &mut TcpStream, text: &[u8]) -> io::Result<Vec<u8>> {
        stream.write_all(text).await?;
        let mut back = vec![0; text.len()];
        timeout(SOON, stream.read_exact(&mut back)).await.expect("answered in time")?;
        Ok(back)
    }

    async fn silent(stream: &mut TcpStream) -> bool {
        timeout(NEVER, stream.read_u8()).await.is_err()
    }

    #[tokio::test]
    async fn what_waited_in_the_silence_goes_on_after_it() {
        let proxy = FaultProxy::start(echo().await).await.expect("listens");
        let mut stream = TcpStream::connect(proxy.address()).await.expect("connects");
        assert_eq!(said(&mut stream, b"one").await.expect("passes"), b"one");
        proxy.set(Mode::Silence);
        stream.write_all(b"two").await.expect("taken");
        assert!(silent(&mut stream).await);
        proxy.set(Mode::Latency(Duration::from_millis(5)));
        let mut back = [0; 3];
        timeout(SOON, stream.read_exact(&mut back)).await.expect("in time").expect("goes on");
        assert_eq!(&back, b"two");
    }

    #[tokio::test]
    async fn a_reset_ends_old_and_new_connections_and_later_ones_work() {
        let proxy = FaultProxy::start(echo().await).await.expect("listens");
        let mut old = TcpStream::connect(proxy.address()).await.expect("connects");
        assert_eq!(said(&mut old, b"x").await.expect("passes"), b"x");
        proxy.set(Mode::Reset);
        let error = timeout(SOON, old.read_u8()).await.expect("in time").expect_err("reset");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        let mut new = TcpStream::connect(proxy.address()).await.expect("accepted first");
        assert!(timeout(SOON, new.read_u8()).await.expect("in time").is_err());
        proxy.set(Mode::Pass);
        let mut later = TcpStream::connect(proxy.address()).await.expect("connects");
        assert_eq!(said(&mut later, b"y").await.expect("passes"), b"y");
    }

    #[tokio::test]
    async fn a_half_open_connection_never_says_that_it_is_dead() {
        let proxy = FaultProxy::start(echo().await).await.expect("listens");
        let mut stream = TcpStream::connect(proxy.address()).await.expect("connects");
        assert_eq!(said(&mut stream, b"x").await.expect("passes"), b"x");
        proxy.set(Mode::HalfOpen);
        assert!(silent(&mut stream).await);
        proxy.set(Mode::Pass);
        stream.write_all(b"y").await.expect("the kernel takes it");
        assert!(silent(&mut stream).await);
    }

    #[tokio::test]
    async fn a_cut_comes_in_the_middle_of_an_answer() {
        let proxy = FaultProxy::start(echo().await).await.expect("listens");
        let mut stream = TcpStream::connect(proxy.address()).await.expect("connects");
        assert_eq!(said(&mut stream, b"x").await.expect("passes"), b"x");
        proxy.set(Mode::CutAfter(2));
        let mut back = [0; 5];
        stream.write_all(b"abcde").await.expect("taken");
        let error = timeout(SOON, stream.read_exact(&mut back)).await.expect("in time").expect_err("cut");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[tokio::test]
    async fn a_url_keeps_everything_but_its_host() {
        let proxy = FaultProxy::start(echo().await).await.expect("listens");
        let at = proxy.address();
        assert_eq!(
            proxy.through("postgres://u:p@db:5432/desk?options=-c%20x"),
            format!("postgres://u:p@{at}/desk?options=-c%20x")
        );
        assert_eq!(proxy.through("http://127.0.0.1:3001"), format!("http://{at}"));
    }
}
