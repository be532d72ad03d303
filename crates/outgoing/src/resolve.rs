//! Looks up hosts for the connection itself, so that we connect to the address that we checked.
//!
//! This module must never return an address of our own network for a name that the configuration does not list. The owner of a name may
//! change its address at any moment, even between a check and a connection.

use std::{collections::BTreeSet, fmt, net::SocketAddr, sync::Arc};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::is_public;

/// The error for a name that leads into our own network.
#[derive(Debug)]
pub struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host's address is not public")
    }
}

impl std::error::Error for NotPublic {}

/// Checks whether a request failed because of [`NotPublic`].
pub fn was_not_public(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(<dyn std::error::Error>::is::<NotPublic>)
}

/// The system's resolver, with limits on its answers.
#[derive(Debug, Clone, Default)]
pub struct Guarded {
    /// Hosts in the configuration that may be in our own network, such as a sandbox on another host or a gateway.
    own: Arc<BTreeSet<String>>,
}

impl Guarded {
    pub fn new(own: impl IntoIterator<Item = String>) -> Self {
        Self { own: Arc::new(own.into_iter().map(|host| plain(&host)).collect()) }
    }
}

/// Returns a name in the form that names are compared in: `Example.COM.` becomes `example.com`.
fn plain(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let name = plain(name.as_str());
        let own = self.own.contains(&name);
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One address that is not public is enough to refuse, because this code does not decide which address is used.
            if own || found.iter().all(|address| is_public(address.ip())) {
                return Ok(Box::new(found.into_iter()) as Addrs);
            }
            Err(NotPublic.into())
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::{WayOut, client};

    /// Sends a request to `localhost`, a name that always leads into our own network.
    async fn ask(own: &[&str]) -> (Result<u16, reqwest::Error>, bool) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let way = WayOut { own_hosts: own.iter().map(|host| (*host).to_owned()).collect(), https_proxy: None };
        let client = client(std::time::Duration::from_secs(5), way).build().expect("builds");
        let url = format!("http://localhost:{port}/");
        let seen = tokio::spawn(async move {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            let (mut stream, _) = listener.accept().await.expect("a caller");
            let mut head = [0; 16];
            stream.read_exact(&mut head).await.expect("a request");
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.expect("written");
        });
        let answer = client.get(url).send().await.map(|response| response.status().as_u16());
        let came = answer.is_ok();
        seen.abort();
        (answer, came)
    }

    /// A proxy in our own network needs an entry in the configuration. The proxy itself looks up the names that it is asked for.
    #[tokio::test]
    async fn a_proxy_of_our_own_network_is_reached_where_the_configuration_names_it() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

        let _ = rustls::crypto::ring::default_provider().install_default();
        for (own, reached) in [(vec!["localhost".to_owned()], true), (Vec::new(), false)] {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = format!("http://localhost:{}", listener.local_addr().expect("an address").port());
            let proxy = reqwest::Proxy::https(&address).expect("a proxy");
            let way = WayOut { own_hosts: own, https_proxy: Some(proxy) };
            let client = client(std::time::Duration::from_secs(5), way).build().expect("builds");
            let asked = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.expect("a caller");
                let mut head = vec![0; 64];
                let length = stream.read(&mut head).await.expect("a request");
                stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await.expect("written");
                String::from_utf8_lossy(&head[..length]).into_owned()
            });
            let error = client.get("https://admob.googleapis.com/").send().await.expect_err("the proxy says no");
            assert_eq!(was_not_public(&error), !reached, "{error:?}");
            if reached {
                assert!(asked.await.expect("asked").starts_with("CONNECT admob.googleapis.com:443"));
            } else {
                asked.abort();
            }
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_into_our_own_network_is_not_connected_to() {
        let (answer, came) = ask(&[]).await;
        let error = answer.expect_err("refused");
        assert!(was_not_public(&error) && !came, "{error:?}");
        let (answer, came) = ask(&["LOCALHOST."]).await;
        assert!(matches!(answer, Ok(204)) && came, "{answer:?}");
    }
}
