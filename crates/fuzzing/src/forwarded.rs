//! `X-Forwarded-For`: everything in it is the caller's claim, except what our proxies added. Nobody can use it to pass as
//! somebody else.

use std::net::IpAddr;

use adagent_http::Proxies;
use axum::http::{HeaderMap, HeaderValue};

const PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
/// What the nearest proxy saw.
const SEEN: &str = "198.51.100.7";

/// Runs the target. Each line is a header.
pub fn run(data: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in data.split(|byte| *byte == b'\n').take(40) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append("x-forwarded-for", value);
        }
    }
    assert_eq!(Proxies::default().caller(Some(PEER), &headers), Some(PEER), "without proxies nobody is believed");
    let ours = Proxies::of(vec!["10.0.0.0/8".parse().expect("a network")]);
    let caller = ours.caller(Some(PEER), &headers).expect("somebody");
    assert!(caller == PEER || is_written(&headers, caller), "{caller} stands nowhere");
    // Once the proxy has added the address that it saw, that is the caller's address, whatever the caller wrote.
    headers.append("x-forwarded-for", HeaderValue::from_static(SEEN));
    assert_eq!(ours.caller(Some(PEER), &headers), SEEN.parse().ok());
}

/// Checks whether a header contains this address, in any notation.
fn is_written(headers: &HeaderMap, address: IpAddr) -> bool {
    let entries = headers.values().filter_map(|value| value.to_str().ok()).flat_map(|line| line.split(','));
    let mut read = entries.map(str::trim).filter_map(|entry| {
        let bare = entry.trim_start_matches('[').trim_end_matches(']');
        let with_port = || entry.parse::<std::net::SocketAddr>().map(|address| address.ip());
        bare.parse::<IpAddr>().or_else(|_| with_port()).ok()
    });
    read.any(|one| one.to_canonical() == address)
}
