//! Where a request really goes: to the network's own hosts, or to a sandbox that has all of them below one address. This module is pure.
//!
//! Credentials must never go to a host other than one of the network or of its sandbox.

use url::Url;

use crate::{
    Credentials,
    sign::{Profile, S3},
};

/// Returns the address to use with these credentials. `base_url` replaces the network's first host. In a sandbox, the network's other hosts
/// are paths below it: `@` and the host's name.
pub fn located(profile: &Profile, credentials: &Credentials, address: &Url) -> Url {
    let host = address.host_str().unwrap_or_default();
    let below = if host == profile.host {
        address.path().to_owned()
    } else if credentials.sandbox {
        format!("/@{host}{}", address.path())
    } else {
        return address.clone();
    };
    let mut url = credentials.base_url.clone();
    let path = format!("{}{below}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    url.set_query(address.query());
    url
}

/// Checks whether we may follow a link to a report file: only to a host of the network (https), or to the sandbox itself.
pub fn may_fetch(profile: &Profile, credentials: &Credentials, link: &Url) -> bool {
    if credentials.sandbox {
        return link.origin() == credentials.base_url.origin();
    }
    let Some(url::Host::Domain(host)) = link.host() else { return false };
    let below = |allowed: &&str| {
        host == *allowed
            || host.strip_suffix(*allowed).is_some_and(|rest| rest.ends_with('.'))
            || (*allowed == S3 && regional(host))
    };
    link.scheme() == "https" && link.port().is_none() && (host == profile.host || profile.file_hosts.iter().any(below))
}

/// Checks for regional S3 storage, such as `bucket.s3.eu-west-1.amazonaws.com` or `s3-eu-west-1.amazonaws.com`.
fn regional(host: &str) -> bool {
    let Some(rest) = host.strip_suffix(".amazonaws.com") else { return false };
    let mut labels = rest.rsplit('.');
    let region = |text: &str| text.len() > 4 && text.contains('-') && text.ends_with(|c: char| c.is_ascii_digit());
    match (labels.next(), labels.next()) {
        (Some(last), _) if last.strip_prefix("s3-").is_some_and(region) => true,
        (Some(last), Some("s3")) => region(last),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::Network;

    use super::*;
    use crate::{SecretFields, sign::profile};

    fn credentials(base: &str, sandbox: bool) -> Credentials {
        let base_url = base.parse().expect("valid");
        Credentials {
            fields: SecretFields::default(),
            base_url,
            sandbox,
            accounts: Vec::new(),
            connection: None,
            version: 1,
            made: 1,
        }
    }

    fn at(credentials: &Credentials, address: &str) -> String {
        located(profile(Network::Liftoff), credentials, &address.parse().expect("valid")).to_string()
    }

    #[test]
    fn live_calls_go_to_each_host_itself() {
        let live = credentials("https://publisher-api.vungle.com", false);
        for address in ["https://publisher-api.vungle.com/api/v1/applications", "https://auth-api.vungle.com/v2/auth"] {
            assert_eq!(at(&live, address), address);
        }
    }

    #[test]
    fn a_sandbox_holds_every_host_below_its_address() {
        let sandbox = credentials("http://127.0.0.1:9/liftoff/", true);
        assert_eq!(
            at(&sandbox, "https://publisher-api.vungle.com/api/v1/x%2Fy"),
            "http://127.0.0.1:9/liftoff/api/v1/x%2Fy"
        );
        assert_eq!(
            at(&sandbox, "https://auth-api.vungle.com/v2/auth"),
            "http://127.0.0.1:9/liftoff/@auth-api.vungle.com/v2/auth"
        );
    }

    #[test]
    fn files_come_from_the_networks_hosts_only() {
        let live = credentials("https://console.fyber.com", false);
        let may = |link: &str| may_fetch(profile(Network::DtExchange), &live, &link.parse().expect("valid"));
        assert!(may("https://reporting.fyber.com/r/1.csv") && may("https://b.s3.amazonaws.com/1.csv?X-Amz=1"));
        for link in ["s3", "b.s3", "s3.eu-west-1", "b.s3.us-east-2", "s3-eu-central-1", "b.c.s3.us-east-1"] {
            assert!(may(&format!("https://{link}.amazonaws.com/r/1.csv")), "{link}");
        }
        for link in [
            "http://reporting.fyber.com/1.csv",
            "https://evilfyber.com/1",
            "https://127.0.0.1/1",
            "https://fyber.com:8443/1",
            "https://fyber.com.evil.net/",
            "https://amazonaws.com/1",
            "https://ec2-1-2-3-4.compute-1.amazonaws.com/1",
            "https://abc.execute-api.us-east-1.amazonaws.com/s3",
            "https://s3.us-east-1.evil.com/1",
            "https://evils3.amazonaws.com/1",
            "https://s3.lb.amazonaws.com/1",
            "https://a.elb.us-east-1.amazonaws.com/1",
        ] {
            assert!(!may(link), "{link}");
        }
        let sandbox = credentials("http://127.0.0.1:9/dtexchange", true);
        let may = |link: &str| may_fetch(profile(Network::DtExchange), &sandbox, &link.parse().expect("valid"));
        assert!(may("http://127.0.0.1:9/dtexchange/files/1.csv") && !may("http://127.0.0.1:10/1.csv"));
    }
}
