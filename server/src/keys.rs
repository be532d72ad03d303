//! The vault's keys: from the settings or, for a developer's trial, from a file.
//!
//! A server that others can reach, or that shares its database, does not start with a missing or easily guessed key: it would
//! look protected but would not be. This module must never print a key or a secret, not even a wrong one.

use std::path::Path;

use adagent_config::{Config, Secret};
use adagent_identity::{KeyRing, Vault, weakness_of_secret};
use adagent_store::Store;
use anyhow::{Context as _, Result, bail};
use secrecy::ExposeSecret as _;

const FILE: &str = "vault.keys";
const HOW: &str = "set ENCRYPTION_SECRET to at least 32 random characters (`openssl rand -base64 48`)";

/// Returns the vault of this configuration. `ADAGENT_VAULT_KEYS` seals if it is set; else `ENCRYPTION_SECRET`; else, in
/// development, a file in the data folder. All other configured keys only open what they sealed.
pub fn vault(config: &Config) -> Result<Vault> {
    let outside = reach(config);
    let file = config.data_dir.join(FILE);
    let keys = config.vault_keys.as_ref().map(Secret::expose_secret);
    let secret = config.encryption_secret.as_ref().map(Secret::expose_secret);
    if secret.is_some_and(|secret| secret.contains(',') || secret.trim() != secret) {
        // The list of previous secrets is split at commas and trimmed, so it could never hold such a secret: after a change,
        // nobody could open what the secret sealed.
        bail!("ENCRYPTION_SECRET may hold no comma and no white space around it: {HOW}");
    }
    let ring = match (keys, secret) {
        (Some(text), secret) => {
            let ring = KeyRing::parse(text).context("ADAGENT_VAULT_KEYS")?;
            if let (Some(weakness), Some(reach)) = (ring.weakness(), outside) {
                bail!("ADAGENT_VAULT_KEYS: the first key was made up rather than drawn: {weakness}; {reach}: {HOW}");
            }
            match secret {
                Some(secret) => ring.and_opens(KeyRing::from_secret(secret)),
                None => ring,
            }
        }
        (None, Some(secret)) => {
            if let (Some(weakness), Some(reach)) = (weakness_of_secret(secret), outside) {
                bail!("ENCRYPTION_SECRET is too easily guessed: {weakness}; {reach}: {HOW}");
            }
            KeyRing::from_secret(secret)
        }
        (None, None) => match outside {
            None => {
                if config.database_url.is_some() {
                    tracing::warn!(
                        "the vault's keys lie in {}; servers that share a database must share them: {HOW} on each",
                        file.display()
                    );
                }
                KeyRing::load_or_create(&file)?
            }
            Some(reach) => bail!("the vault has no key of its own: {reach}; {HOW}{}", of_before(&file)),
        },
    };
    let ring = match config.encryption_secret_previous.as_ref().map(Secret::expose_secret) {
        Some(text) => ring.and_opens(previous(text)?),
        None => ring,
    };
    // Values sealed with the file before a secret existed must still open until they are sealed again.
    let ring = if file.is_file() { ring.and_opens(KeyRing::load_or_create(&file)?) } else { ring };
    tracing::debug!(keys = ?ring.ids(), "the vault's keys, the sealing one first");
    Ok(Vault::new(ring))
}

/// Fails if no key is configured. A rotation must seal with a key that the servers have, and must not create one because somebody
/// forgot a setting.
pub fn expect_given(config: &Config) -> Result<()> {
    let given = config.vault_keys.is_some() || config.encryption_secret.is_some();
    if given || config.data_dir.join(FILE).is_file() && config.encryption_secret_previous.is_none() {
        return Ok(());
    }
    bail!(
        "no key that seals was given: run this with the servers' own settings (ENCRYPTION_SECRET or ADAGENT_VAULT_KEYS)"
    )
}

/// Warns once at startup if this server cannot open some stored secrets, so that people do not find out one by one. The server
/// starts anyway: such secrets stay as they are and open again once the key is back.
pub async fn tell_what_is_missing(store: &dyn Store, vault: &Vault) {
    match adagent_service::missing_keys(store, vault).await {
        Ok(missing) => {
            for (key, values) in missing {
                tracing::error!(
                    key,
                    values,
                    "stored secrets were sealed with a key that this server does not have, and it cannot open them; nothing is lost: \
                     name the secret that sealed them in ENCRYPTION_SECRET_PREVIOUS and restart (several servers: first give each \
                     the new secret there, then make it ENCRYPTION_SECRET)"
                );
            }
        }
        Err(error) => tracing::warn!(%error, "whether the keys fit what is stored could not be looked at"),
    }
}

/// Returns why this server is more than a person's trial on their own machine.
fn reach(config: &Config) -> Option<&'static str> {
    if !config.host.is_loopback() {
        return Some("the server listens beyond this machine");
    }
    if config.trust_proxy {
        return Some("a proxy hands requests on to the server");
    }
    if config.public_url.as_ref().is_some_and(|url| url.scheme() == "https" || !is_here(url)) {
        return Some("people reach the server by its public_url");
    }
    let database = config.database_url.as_ref().map(Secret::expose_secret);
    database.is_some_and(|url| !is_own_database(url)).then_some("the database may be shared with other machines")
}

/// Checks whether the database is a file or a server on this machine: reached by its socket or by an address of this machine.
fn is_own_database(url: &str) -> bool {
    url.starts_with("sqlite:")
        || url::Url::parse(url).is_ok_and(|url| match url.host_str() {
            None | Some("") => {
                let host = url.query_pairs().find(|(name, _)| name == "host").map(|(_, host)| host.into_owned());
                host.is_none_or(|host| host.starts_with('/') || names_this_machine(&host))
            }
            Some(host) => names_this_machine(host),
        })
}

/// Checks whether a host names this machine. For schemes that browsers do not know, the URL parser keeps the host as written, so
/// this also handles brackets and the `%2F` that begins a socket's path.
fn names_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.starts_with("%2F") || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

pub(crate) fn is_here(url: &url::Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Tells the administrator of a server that used its own key file until now how to keep that key.
fn of_before(file: &Path) -> String {
    if !file.is_file() {
        return String::new();
    }
    let file = file.display();
    format!(
        "; stored secrets were encrypted with {file}, which still opens them: run `server rotate-keys` afterwards to re-encrypt them"
    )
}

/// Parses secrets or `id:key` entries, separated by commas.
fn previous(text: &str) -> Result<KeyRing> {
    let mut ring: Option<KeyRing> = None;
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let opens = KeyRing::parse(entry).unwrap_or_else(|_| KeyRing::from_secret(entry));
        ring = Some(match ring {
            Some(ring) => ring.and_opens(opens),
            None => opens,
        });
    }
    ring.context("ENCRYPTION_SECRET_PREVIOUS is set to nothing: give it a value, or do not set it at all")
}

#[cfg(test)]
mod tests {
    use adagent_config::{Overrides, Source};
    use adagent_domain::{ConnectionId, Network, SequentialIds, WorkspaceId};
    use adagent_identity::Owner;

    use super::*;

    const STRONG: &str = "Zk3v9QmT7xW1pLr8YbN4sHc6dGf2uJa5";
    const NEWER: &str = "Rp4kD8sWq2Lz7VtX1nYb5GmJ9cHf3uTe";
    const COUNTED: &str = "k:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

    fn config(folder: &Path) -> Config {
        let file = folder.join("empty.toml");
        std::fs::write(&file, "").unwrap();
        let overrides = Overrides { data_dir: Some(folder.to_owned()), ..Overrides::default() };
        let mut config = Config::load(Source { file: Some(file), overrides }).unwrap();
        (config.vault_keys, config.encryption_secret, config.encryption_secret_previous) = (None, None, None);
        (config.database_url, config.public_url) = (None, None);
        config
    }

    fn owner() -> Owner {
        let ids = SequentialIds::default();
        Owner::credentials(WorkspaceId::new(&ids), Network::AdMob, ConnectionId::new(&ids))
    }

    /// Returns the ways in which a server stops counting as development.
    fn beyond() -> [fn(&mut Config); 6] {
        [
            |config| config.host = "0.0.0.0".parse().unwrap(),
            |config| config.public_url = Some("https://desk.example.com".parse().unwrap()),
            |config| config.trust_proxy = true,
            |config| config.public_url = Some("https://localhost".parse().unwrap()),
            |config| config.public_url = Some("http://desk.internal".parse().unwrap()),
            |config| config.database_url = Some("postgres://u:p@db/x".to_owned().into()),
        ]
    }

    #[test]
    fn a_server_that_others_reach_does_not_start_without_a_key_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        assert!(vault(&config(folder.path())).is_ok(), "development");
        for change in beyond() {
            let mut config = config(folder.path());
            change(&mut config);
            let text = vault(&config).unwrap_err().to_string();
            assert!(text.contains("set ENCRYPTION_SECRET") && text.contains("rotate-keys"), "{text}");
            config.encryption_secret = Some(STRONG.to_owned().into());
            assert!(vault(&config).is_ok());
        }
        let mut local = config(folder.path());
        local.public_url = Some("http://localhost:3000".parse().unwrap());
        local.database_url = Some("sqlite://elsewhere.db".to_owned().into());
        assert!(vault(&local).is_ok());
        for here in [
            "postgres://u:p@127.0.0.1:5432/x",
            "postgres://[::1]/x",
            "postgresql://localhost/x",
            "postgres:///x?host=/run/pg",
        ] {
            local.database_url = Some(here.to_owned().into());
            assert!(vault(&local).is_ok(), "{here}");
        }
        for elsewhere in
            ["postgres://u:p@10.0.0.7/x", "postgres://localhost.example.com/x", "postgres:///x?host=db", "not a url"]
        {
            local.database_url = Some(elsewhere.to_owned().into());
            assert!(vault(&local).is_err(), "{elsewhere}");
        }
    }

    #[test]
    fn a_rotation_makes_up_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(folder.path());
        let refused = expect_given(&config).unwrap_err().to_string();
        assert!(refused.contains("ENCRYPTION_SECRET"), "{refused}");
        vault(&config).unwrap();
        assert!(expect_given(&config).is_ok(), "a developer's own file");
        config.encryption_secret_previous = Some(STRONG.to_owned().into());
        assert!(expect_given(&config).is_err(), "the new secret was forgotten");
        config.encryption_secret = Some(NEWER.to_owned().into());
        assert!(expect_given(&config).is_ok());
    }

    #[test]
    fn nor_with_a_weak_one_and_the_key_is_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        for change in beyond() {
            for weak in ["hunter2-hunter2", "changeme-changeme-changeme-changeme-42"] {
                let mut config = config(folder.path());
                change(&mut config);
                config.encryption_secret = Some(weak.to_owned().into());
                let text = vault(&config).unwrap_err().to_string();
                assert!(text.contains("too easily guessed") && !text.contains(weak), "{text}");
            }
            let mut config = config(folder.path());
            change(&mut config);
            config.vault_keys = Some(COUNTED.to_owned().into());
            let text = vault(&config).unwrap_err().to_string();
            assert!(text.contains("ADAGENT_VAULT_KEYS") && !text.contains("AAEC"), "{text}");
        }
        let mut local = config(folder.path());
        local.vault_keys = Some(COUNTED.to_owned().into());
        assert!(vault(&local).is_ok(), "in development a weak key may be tried out");
    }

    #[test]
    fn a_secret_that_could_never_be_a_previous_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for odd in [format!("{STRONG},{NEWER}"), format!("{STRONG}\n"), format!(" {STRONG}")] {
            let mut config = config(folder.path());
            config.encryption_secret = Some(odd.into());
            let text = vault(&config).unwrap_err().to_string();
            assert!(text.contains("no comma") && !text.contains(STRONG), "{text}");
        }
    }

    #[test]
    fn what_an_earlier_key_sealed_still_opens_whichever_way_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let plain = b"secret";
        let opens = |config: &Config, sealed: &str| vault(config).unwrap().open(&owner(), sealed).is_ok();
        let by_file = vault(&config(folder.path())).unwrap().seal(&owner(), plain).unwrap();

        let mut secret = config(folder.path());
        secret.encryption_secret = Some(STRONG.to_owned().into());
        assert!(opens(&secret, &by_file), "the file of before");
        let by_secret = vault(&secret).unwrap().seal(&owner(), plain).unwrap();
        assert!(!opens(&config(folder.path()), &by_secret));

        let mut newer = config(folder.path());
        newer.encryption_secret = Some(NEWER.to_owned().into());
        assert!(!opens(&newer, &by_secret));
        newer.encryption_secret_previous = Some(format!("{STRONG}, {COUNTED}").into());
        assert!(opens(&newer, &by_secret));

        let mut keys = config(folder.path());
        keys.vault_keys = Some(COUNTED.to_owned().into());
        let by_keys = vault(&keys).unwrap().seal(&owner(), plain).unwrap();
        assert!(opens(&newer, &by_keys), "a key of before among the previous ones");
        // If both are given, the explicit keys seal and the secret only opens.
        keys.encryption_secret = Some(STRONG.to_owned().into());
        assert!(opens(&keys, &by_secret));
        let by_both = vault(&keys).unwrap().seal(&owner(), plain).unwrap();
        keys.encryption_secret = None;
        assert!(opens(&keys, &by_both));
    }
}
