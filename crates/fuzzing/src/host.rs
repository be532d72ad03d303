//! Host names and origins in a request: only ours pass, however they are written.

use adagent_http::{is_ours, is_same_origin};
use axum::http::{HeaderMap, HeaderValue, Uri, header, uri::Authority};
use url::Url;

const PUBLIC: &str = "desk.example.com";

/// Runs the target. The first line is the host, the second the origin, the third what the browser says about the site.
pub fn run(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let mut value = || lines.next().and_then(|line| HeaderValue::from_bytes(line).ok());
    let (host, origin, site) = (value(), value(), value());
    let public: Url = format!("https://{PUBLIC}").parse().expect("a URL");
    let mut headers = HeaderMap::new();
    if let Some(host) = host {
        headers.insert(header::HOST, host.clone());
        if is_ours(&headers, &Uri::from_static("/"), &public) {
            // The host that another parser of authorities finds must be ours too.
            let text = host.to_str().expect("what is ours can be read");
            let authority: Authority = text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert!(!text.contains('@'), "{text:?}");
            assert!(is_our_name(authority.host()), "{text:?} is {:?}", authority.host());
        }
    }
    if let Some(origin) = origin {
        headers.insert(header::ORIGIN, origin.clone());
        if is_same_origin(&headers, None, &public) {
            let text = origin.to_str().expect("what is ours can be read");
            let url = Url::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert!(url.host_str().is_some_and(is_our_name), "{text:?}");
        }
    }
    if let Some(site) = site {
        headers.insert("sec-fetch-site", site.clone());
        let same = is_same_origin(&headers, None, &public);
        assert_eq!(same, matches!(site.as_bytes(), b"same-origin" | b"none"), "the browser's own word counts");
    }
}

/// Checks whether a host is one of our names or an address.
fn is_our_name(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let host = url::Host::parse(&host).map(|host| host.to_string()).unwrap_or(host);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == PUBLIC || host == "localhost" || host.ends_with(".localhost") || bare.parse::<std::net::IpAddr>().is_ok()
}
