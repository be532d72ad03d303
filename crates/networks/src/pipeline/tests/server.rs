//! A handwritten HTTP server: one request per connection, answered as the test says, even in ways that no proper server would.

use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Path and query as they were written.
    pub target: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

/// What the server sends back.
#[derive(Debug, Clone)]
pub enum Answer {
    Reply {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    },
    /// Announces more bytes than it sends, then closes the connection.
    Cut(Vec<u8>),
    /// Begins and then sends nothing more.
    Stall(Vec<u8>),
    /// Sends nothing at all.
    Silence,
    /// Sends this many bytes without announcing the length.
    Endless(usize),
}

pub fn json(status: u16, body: &Json) -> Answer {
    Answer::Reply {
        status,
        headers: vec![("content-type", "application/json".into())],
        body: body.to_string().into_bytes(),
    }
}

pub fn with(status: u16, headers: &[(&'static str, &str)], body: &str) -> Answer {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Answer::Reply { status, headers, body: body.as_bytes().to_vec() }
}

type Script = Arc<dyn Fn(&Asked, usize) -> Answer + Send + Sync>;

pub struct Server {
    pub base: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server. `script` gets each request and its number, counted from 0.
    pub async fn start(script: impl Fn(&Asked, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, script): (_, Script) = (Arc::clone(&asked), Arc::new(script));
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                connections.spawn(async move { Box::pin(serve(stream, &log, &script)).await });
            }
        });
        Self { base, asked, task }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("free").clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }
}

async fn serve(mut stream: TcpStream, log: &Mutex<Vec<Asked>>, script: &Script) -> Option<()> {
    let mut raw = Vec::new();
    let mut chunk = [0_u8; 16 * 1024];
    let head_end = loop {
        if let Some(end) = raw.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        let n = stream.read(&mut chunk).await.ok().filter(|n| *n > 0)?;
        raw.extend_from_slice(&chunk[..n]);
    };
    let head = String::from_utf8_lossy(&raw[..head_end]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let target = first.nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    while raw.len() < head_end + 4 + length {
        let n = stream.read(&mut chunk).await.ok().filter(|n| *n > 0)?;
        raw.extend_from_slice(&chunk[..n]);
    }
    let url = url::Url::parse(&format!("http://h{target}")).ok()?;
    let asked = Asked {
        target: target.clone(),
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        headers,
        body: String::from_utf8_lossy(&raw[head_end + 4..]).into_owned(),
    };
    let number = {
        let mut log = log.lock().expect("free");
        log.push(asked.clone());
        log.len() - 1
    };
    answer(&mut stream, script(&asked, number)).await
}

async fn answer(stream: &mut TcpStream, answer: Answer) -> Option<()> {
    let head = |status: u16, rest: &str| format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{rest}\r\n");
    match answer {
        Answer::Reply { status, headers, body } => {
            let headers =
                headers.iter().fold(String::new(), |all, (name, value)| all + &format!("{name}: {value}\r\n"));
            let head = head(status, &format!("{headers}content-length: {}\r\n", body.len()));
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(&body).await.ok()?;
        }
        Answer::Cut(body) => {
            let head = head(200, &format!("content-length: {}\r\n", body.len() + 1000));
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(&body).await.ok()?;
        }
        Answer::Stall(body) => {
            let head = head(200, &format!("content-length: {}\r\n", body.len() + 1000));
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(&body).await.ok()?;
            stream.flush().await.ok()?;
            std::future::pending::<()>().await;
        }
        Answer::Silence => std::future::pending::<()>().await,
        Answer::Endless(bytes) => {
            stream.write_all(head(200, "content-type: application/json\r\n").as_bytes()).await.ok()?;
            let block = vec![b' '; 64 * 1024];
            for _ in 0..bytes / block.len() {
                stream.write_all(&block).await.ok()?;
            }
        }
    }
    stream.shutdown().await.ok()
}
