//! The names under which this server answers: its public name, and addresses of the machine itself.
//!
//! If any other name points here, somebody else set it up, and could read what a browser receives under it (DNS rebinding).

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Uri, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{error::ApiError, state::HttpState};

/// Paths that answer to any name: monitoring uses whatever name it knows, and the MCP route checks names itself.
const ANY_NAME: [&str; 4] = ["/healthz", "/readyz", "/metrics", "/mcp"];

/// Refuses requests that name another server.
pub async fn known(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    if ANY_NAME.contains(&request.uri().path()) || is_ours(request.headers(), request.uri(), &state.settings.public_url)
    {
        return next.run(request).await;
    }
    let detail = "This server doesn't answer to that host name. An administrator can set it with ADAGENT_PUBLIC_URL.";
    ApiError::new(421, "misdirected", "Misdirected request", detail).into_response()
}

/// Checks whether every name in a request is one of ours. A request without a name passes, for programs that speak the oldest HTTP.
pub fn is_ours(headers: &HeaderMap, uri: &Uri, public_url: &url::Url) -> bool {
    let named = headers.get_all(header::HOST).iter().map(|host| host.to_str().unwrap_or("?"));
    let mut all = named.chain(uri.authority().map(axum::http::uri::Authority::as_str));
    all.all(|authority| is_local(authority) || is_public_name(authority, public_url))
}

fn is_public_name(authority: &str, public_url: &url::Url) -> bool {
    host_of(authority).is_some_and(|host| public_url.host().is_some_and(|public| public.to_owned() == host))
}

/// Reads a host, and accepts only characters that server names, bracketed addresses and ports consist of. A URL parser accepts more than
/// other readers of authorities do, and drops part of it.
fn host_of(authority: &str) -> Option<url::Host> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]".contains(&byte);
    if authority.is_empty() || !authority.bytes().all(plain) {
        return None;
    }
    url::Url::parse(&format!("http://{authority}/")).ok()?.host().map(|host| host.to_owned())
}

/// Checks whether this is an IP address or this machine's own name. Any other name may point here because somebody else set it up.
pub fn is_local(authority: &str) -> bool {
    host_of(authority).is_some_and(|host| match host {
        url::Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(hosts: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, host.parse().expect("a header"));
        }
        is_ours(&headers, &Uri::from_static("/chat"), &"https://desk.example.com".parse().expect("a URL"))
    }

    #[test]
    fn only_the_public_name_and_addresses_are_ours() {
        for host in
            ["desk.example.com", "DESK.example.com:443", "127.0.0.1:3000", "[::1]:3000", "localhost", "a.localhost:1"]
        {
            assert!(ours(&[host]), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "desk.example.com.evil.example",
            "evil.example@desk.example.com",
            "evil.example#desk.example.com",
            "desk.example.com/",
            "desk.example.com\\.evil.example",
            "localhost.evil.example",
            "desk.example.com:x",
            "desk.example.com:443:443",
            "desk.example.com:99999",
            "a{.localhost:1",
            "a}.localhost",
            "a\".localhost",
            "a`.localhost",
            "a|.localhost",
            "a<.localhost",
            "a^.localhost",
            "evil.example,.localhost",
            "evil.example;.localhost",
            "a!$&'()*+=.localhost",
            "a%2e.localhost",
            "a b.localhost",
            "[::1]x",
            "a[::1].localhost",
            "[::1%25eth0]",
            "[v1.a]",
        ] {
            assert!(!ours(&[host]), "{host:?}");
        }
        assert!(ours(&[]));
        assert!(!ours(&["desk.example.com", "evil.example"]), "every name counts");
        let absolute = Uri::from_static("http://evil.example/chat");
        let public = "https://desk.example.com".parse().expect("a URL");
        assert!(!is_ours(&HeaderMap::new(), &absolute, &public));
    }
}
