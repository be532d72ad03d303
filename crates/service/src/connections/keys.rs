//! New API keys: we check them, try them at the network, and only then seal and store them.
//!
//! No value of a key may get into an error, a log, an audit entry or an answer.

use std::{collections::BTreeMap, sync::Arc};

use adagent_contract::{AccountChoice, ConnectTarget, FieldError, KeyField, KeyNetworkView, KeyPlace, codes};
use adagent_domain::{
    Actor, Granted, Network,
    rights::{ManageConnections, ViewConnections},
};
use adagent_identity::{Owner, Purpose, Vault, VaultError};
use adagent_networks::{AuthField, Credentials, NetworkFacts, SecretFields, Unproven};
use adagent_store::Connection;
use adagent_tools::ToolErrorClass;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    connect::Selection,
    put::{Secret, Tried},
    told,
};
use crate::{
    Service, ServiceError, ServiceResult,
    idempotency::Keyed,
    validate::{self, Fields},
};

const LONGEST: usize = 4000;

/// The keys that a person gave: fields by name, and where the keys are from, if the person said so.
pub struct GivenKeys {
    pub fields: BTreeMap<String, SecretString>,
    pub place: Option<KeyPlace>,
    /// The connection to make.
    pub target: ConnectTarget,
}

/// The keys of a connection as the vault seals them; wiped when dropped.
#[derive(Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub struct StoredKeys {
    fields: Vec<(String, String)>,
}

impl StoredKeys {
    pub fn new<'a>(fields: impl IntoIterator<Item = (&'a String, &'a SecretString)>) -> Self {
        let fields = fields.into_iter();
        Self { fields: fields.map(|(name, value)| (name.clone(), value.expose_secret().trim().to_owned())).collect() }
    }

    pub fn fields(&self) -> SecretFields {
        self.fields.iter().map(|(name, value)| (name.clone(), SecretString::from(value.clone()))).collect()
    }

    pub fn seal(&self, vault: &Vault, owner: &Owner) -> Result<String, VaultError> {
        vault.seal_json(owner, self)
    }

    pub fn open(vault: &Vault, owner: &Owner, sealed: &str) -> Result<Self, VaultError> {
        vault.open_json(owner, sealed)
    }
}

impl Service {
    /// Lists every network that uses keys: its state in this workspace, and the fields of its form.
    pub async fn key_networks(&self, actor: &Granted<ViewConnections>) -> ServiceResult<Vec<KeyNetworkView>> {
        let providers = self.providers(actor).await?;
        let keyed = providers.into_iter().filter(|provider| !provider.network.uses_oauth());
        keyed.map(|provider| self.key_network(provider)).collect()
    }

    pub(super) fn key_network(&self, provider: adagent_contract::ProviderView) -> ServiceResult<KeyNetworkView> {
        let facts = self.asked(provider.network)?;
        let fields = facts.auth.fields.iter().map(|field| KeyField {
            name: field.name.clone(),
            label: field.label.clone(),
            secret: field.secret,
            required: !field.optional,
            hint: field.hint.clone(),
            digits: field.digits,
        });
        Ok(KeyNetworkView { fields: fields.collect(), places: self.connections.source.endpoints.for_keys(), provider })
    }

    /// Tries the keys at the network and stores them if it accepts them. Replaces the previous connection.
    pub async fn connect_keys(
        &self,
        actor: &Granted<ManageConnections>,
        network: Network,
        given: GivenKeys,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<KeyNetworkView> {
        Self::takes_keys(network)?;
        self.limits.keys(actor.user)?;
        let asked = self.asked(network)?;
        let fields = checked(&asked.auth.fields, &given.fields)?;
        let place = self.place(network, given.place)?;
        let keys = StoredKeys::new(&fields);
        let vault = &self.connections.source.vault;
        // The owner of a request, not of a row: the fingerprint tells whether a repeated request has the same keys.
        let owner = Owner::of(actor.workspace, network, Purpose::Credentials, "request");
        let plain =
            Zeroizing::new(serde_json::to_vec(&keys).map_err(|error| ServiceError::Internal(error.to_string()))?);
        let same = (vault.fingerprint(&owner, &plain), place);
        let keyed = if given.target == ConnectTarget::default() {
            // Compute the same digest as the previous version, for a person who repeats a request during an update.
            Keyed::new(idempotency_key, "networks.connect", &same)?
        } else {
            Keyed::new(idempotency_key, "networks.connect", &(same, &given.target))?
        };
        if let Some(first) = self.answered_before(actor, keyed.as_ref()).await? {
            return Ok(first);
        }
        let sandbox = place == KeyPlace::Sandbox;
        let kept = self.keep_keys(actor, (&asked, sandbox), &keys, &given.target, keyed.as_ref()).await;
        match kept {
            // If the same request came twice at once, the first one's connection may be why this one was refused.
            Err(refused) => self.answered_before(actor, keyed.as_ref()).await?.ok_or(refused),
            Ok(kept) => Ok(kept),
        }
    }

    async fn keep_keys(
        &self,
        actor: &Actor,
        (asked, sandbox): (&NetworkFacts, bool),
        keys: &StoredKeys,
        target: &ConnectTarget,
        keyed: Option<&Keyed>,
    ) -> ServiceResult<KeyNetworkView> {
        let network = asked.network;
        let (slot, all) = self.slot(actor, network, sandbox, target).await?;
        self.not_among(&all, network, &slot, (Some(&keys.fields()), &[]))?;
        let (credentials, accounts) = self.tried(asked, keys, sandbox).await?;
        let abilities = self.connections.networks.look_at_abilities(network, &credentials, None).await;
        let (secret, selection) = (Secret::Keys(keys), Selection::Ask);
        let tried = Tried { network, sandbox, secret, accounts, abilities, selection };
        match (self.put_connection(actor, tried, target, keyed).await?, keyed) {
            (Some(kept), _) => self.key_network(self.view(kept.network, Some(&kept))),
            (None, Some(keyed)) => self.answered_first(actor, keyed).await,
            (None, None) => Err(ServiceError::Internal("a connection without a key was not kept".into())),
        }
    }

    /// Tries keys at the network. Returns what they open, or which of them are wrong and why.
    pub(super) async fn tried(
        &self,
        asked: &NetworkFacts,
        keys: &StoredKeys,
        sandbox: bool,
    ) -> ServiceResult<(Credentials, Vec<AccountChoice>)> {
        let network = asked.network;
        let credentials = self.unkept(network, sandbox, keys.fields())?;
        let accounts = self.connections.networks.try_all(network, &credentials).await;
        let either = self.connections.source.endpoints.for_keys().len() > 1;
        let accounts = accounts.map_err(|unproven| {
            let refused = refusal(network, &asked.auth.fields, &unproven);
            if sandbox && either { tried_in_the_sandbox(refused) } else { refused }
        })?;
        Ok((credentials, accounts))
    }

    /// Removes the keys here. At the network they stay valid; only the network can revoke them.
    pub async fn remove_keys(&self, actor: &Granted<ManageConnections>, network: Network) -> ServiceResult<()> {
        Self::takes_keys(network)?;
        let connection = self.only_connection(actor, network).await?;
        self.disconnect_provider(actor, connection.id).await
    }

    /// Tests the stored keys again.
    pub async fn test_keys(
        &self,
        actor: &Granted<ManageConnections>,
        network: Network,
    ) -> ServiceResult<KeyNetworkView> {
        Self::takes_keys(network)?;
        let connection = self.only_connection(actor, network).await?;
        self.test_connection(actor, &connection).await?;
        self.key_network(self.connection_view(actor, connection.id).await?)
    }

    /// Returns why the stored keys do not work now, and whether the network refused them. `None` if they work.
    pub(super) async fn kept_keys_fail(&self, connection: &Connection) -> ServiceResult<Option<(bool, ServiceError)>> {
        let (network, source) = (connection.network, &self.connections.source);
        let opened = source.open_keys(connection).map_err(|error| told(network, &error))?;
        let credentials = self.unkept(network, connection.sandbox, opened.fields())?;
        let Err(unproven) = self.connections.networks.try_all(network, &credentials).await else { return Ok(None) };
        let refused = unproven.iter().any(|failed| failed.refused);
        let (code, said) = told_of(network, &self.asked(network)?.auth.fields, &unproven);
        Ok(Some((refused, ServiceError::Network { network, code, detail: said.join(" ") })))
    }

    pub(super) fn takes_keys(network: Network) -> ServiceResult<()> {
        if !network.uses_oauth() {
            return Ok(());
        }
        let name = network.display_name();
        let detail = format!("{name} doesn't use keys. Sign in at the network with POST /api/providers/connect.");
        Err(ServiceError::Conflict { code: codes::CONFLICT, detail })
    }

    pub(super) fn asked(&self, network: Network) -> ServiceResult<Arc<NetworkFacts>> {
        self.connections.networks.facts(network).map_err(|error| told(network, &error))
    }

    pub(super) fn place(&self, network: Network, asked: Option<KeyPlace>) -> ServiceResult<KeyPlace> {
        let places = self.connections.source.endpoints.for_keys();
        let Some(first) = places.first() else {
            let detail = "This server has neither the sandbox nor live networks turned on.".into();
            return Err(ServiceError::Network { network, code: codes::NETWORK_UNAVAILABLE, detail });
        };
        match asked {
            None => Ok(*first),
            Some(asked) if places.contains(&asked) => Ok(asked),
            Some(KeyPlace::Sandbox) => {
                Err(ServiceError::field("/place", "This server runs without the sandbox. Leave this field out."))
            }
            Some(KeyPlace::Live) => Err(ServiceError::field(
                "/place",
                "This server doesn't connect to live networks (live_networks = false).",
            )),
        }
    }

    /// Returns the credentials of a connection that is not stored yet, or is being tested.
    pub(super) fn unkept(&self, network: Network, sandbox: bool, fields: SecretFields) -> ServiceResult<Credentials> {
        let base_url = self.connections.source.endpoints.api(network, sandbox).ok_or_else(|| {
            let what = if sandbox { "without the sandbox" } else { "without live networks" };
            let detail = format!("This server runs {what}, and this connection needs it.");
            ServiceError::Network { network, code: codes::NETWORK_UNAVAILABLE, detail }
        })?;
        Ok(Credentials { fields, base_url, sandbox, accounts: Vec::new(), connection: None, version: 0, made: 0 })
    }
}

/// Returns the fields in the form we use them, or all mistakes at once.
pub(super) fn checked(
    asked: &[AuthField],
    given: &BTreeMap<String, SecretString>,
) -> ServiceResult<BTreeMap<String, SecretString>> {
    let mut wrong = Fields::default();
    let filled = |name: &str| given.get(name).is_some_and(|value| !value.expose_secret().trim().is_empty());
    for name in given.keys().filter(|name| !asked.iter().any(|field| field.name == **name)) {
        let known: Vec<&str> = asked.iter().map(|field| field.name.as_str()).collect();
        wrong.wrong(pointer(name), format!("Unknown field. This network asks for {}.", known.join(", ")));
    }
    for field in asked {
        let at = pointer(&field.name);
        if !filled(&field.name) {
            if !field.optional {
                wrong.wrong(at, format!("{} is missing.", field.label));
            } else if let Some(other) =
                asked.iter().find(|other| other.with.contains(&field.name) && filled(&other.name))
            {
                wrong.wrong(at, format!("{} is required together with {}.", field.label, other.label));
            }
            continue;
        }
        let value = given[&field.name].expose_secret();
        if let Err(message) = validate::line(value, &field.label, LONGEST) {
            wrong.wrong(at, message);
        } else if !value.trim().is_ascii() {
            wrong.wrong(at, format!("{} has characters that don't belong in a key. Copy it again.", field.label));
        } else if field.digits && !value.trim().bytes().all(|byte| byte.is_ascii_digit()) {
            wrong.wrong(at, format!("{} must contain digits only.", field.label));
        }
    }
    wrong.done()?;
    let kept = asked.iter().filter(|field| filled(&field.name));
    Ok(kept.map(|field| (field.name.clone(), given[&field.name].clone())).collect())
}

fn pointer(name: &str) -> String {
    let name: String = name.chars().take(60).collect();
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns an error for keys that were not accepted: what to do, at the fields concerned.
fn refusal(network: Network, asked: &[AuthField], unproven: &[Unproven]) -> ServiceError {
    let (code, said) = told_of(network, asked, unproven);
    if code == codes::NETWORK_UNAVAILABLE {
        let detail = format!("{} Nothing was saved.", said.join(" "));
        return ServiceError::Network { network, code, detail };
    }
    let mut errors: Vec<FieldError> = Vec::new();
    for (failed, said) in unproven.iter().zip(said) {
        let mut message = said;
        for field in failed.fields {
            let at = pointer(field);
            if !errors.iter().any(|known| known.pointer == at) {
                errors.push(FieldError::new(at, message));
            }
            message = format!("We tested this together with {}.", label(asked, failed.fields[0]));
        }
    }
    ServiceError::KeysRefused { network, code, errors }
}

/// Returns a code for programs, and for each set of keys that failed, what to do about it.
fn told_of(network: Network, asked: &[AuthField], unproven: &[Unproven]) -> (&'static str, Vec<String>) {
    let name = network.display_name();
    // If we could not try some keys, we cannot judge them.
    if let Some(failed) = unproven.iter().find(|failed| may_work_later(failed)) {
        let said = format!("{} We couldn't test the keys. Try again in a moment.", failed.error.message);
        return (codes::NETWORK_UNAVAILABLE, vec![said]);
    }
    let refused = unproven.iter().any(|failed| failed.refused);
    let code = if refused { codes::NETWORK_AUTH_FAILED } else { codes::NETWORK_REFUSED };
    let said = unproven.iter().map(|failed| {
        let labels: Vec<String> = failed.fields.iter().map(|field| label(asked, field)).collect();
        let (them, others) = if labels.len() == 1 { ("it", "a new one") } else { ("them", "new ones") };
        let labels = listed(&labels);
        if failed.refused {
            format!(
                "{name} rejected {labels}: mistyped, revoked or expired. Copy {them} again from your {name} account, or create {others}."
            )
        } else if failed.error.code == "PERMISSION_DENIED" {
            format!(
                "{name} recognized {labels}, but the account has no API access. Ask your account manager at {name} to allow the account or this server's address. {}",
                failed.error.message
            )
        } else {
            format!("{name} couldn't use {labels}. {}", failed.error.message)
        }
    });
    (code, said.collect())
}

fn label(asked: &[AuthField], field: &str) -> String {
    asked.iter().find(|known| known.name == field).map_or_else(|| field.to_owned(), |known| known.label.clone())
}

/// Adds a hint: real keys fail in the sandbox, and the person may not have noticed that the keys went there.
fn tried_in_the_sandbox(mut error: ServiceError) -> ServiceError {
    if let ServiceError::KeysRefused { errors, .. } = &mut error
        && let Some(first) = errors.first_mut()
    {
        first.message.push_str(" We tested this in the sandbox. For your own keys, choose “Real account”.");
    }
    error
}

fn may_work_later(failed: &Unproven) -> bool {
    !failed.refused && matches!(failed.error.class, ToolErrorClass::Retryable | ToolErrorClass::UnknownOutcome)
}

/// Joins labels to "the secret key and the refresh token".
fn listed(labels: &[String]) -> String {
    match labels {
        [one] => format!("the {one}"),
        [rest @ .., last] => format!("the {} and the {last}", rest.join(", the ")),
        [] => "the keys".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use adagent_networks::Catalogue;
    use adagent_tools::ToolError;

    use super::*;

    fn asked(network: Network) -> Vec<AuthField> {
        Catalogue::built_in().unwrap().network(network).unwrap().auth.fields.clone()
    }

    fn given(fields: &[(&str, &str)]) -> BTreeMap<String, SecretString> {
        fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned().into())).collect()
    }

    fn wrong(network: Network, fields: &[(&str, &str)]) -> Vec<String> {
        match checked(&asked(network), &given(fields)) {
            Err(ServiceError::Validation(errors)) => errors.into_iter().map(|error| error.pointer).collect(),
            other => panic!("{:?}", other.map(|fields| fields.into_keys().collect::<Vec<_>>())),
        }
    }

    #[test]
    fn every_key_network_asks_for_a_secret_and_no_name_twice() {
        for network in Network::ALL.into_iter().filter(|network| !network.uses_oauth()) {
            let fields = asked(network);
            assert!(fields.iter().any(|field| field.secret && !field.optional), "{network}");
            for (place, field) in fields.iter().enumerate() {
                assert!(fields[place + 1..].iter().all(|other| other.name != field.name), "{network}: {}", field.name);
                for with in &field.with {
                    assert!(fields.iter().any(|other| other.name == *with && other.optional), "{network}: {with}");
                }
            }
        }
    }

    #[test]
    fn missing_unknown_and_misshapen_fields_are_all_named_at_once() {
        let errors = wrong(Network::Pangle, &[("user_id", "45901x"), ("security_key", " "), ("api_key", "k")]);
        assert_eq!(errors, ["/api_key", "/user_id", "/role_id", "/security_key"]);
        assert_eq!(wrong(Network::Mintegral, &[("skey", "a\u{7}"), ("secret", "ключ")]), ["/skey", "/secret"]);
        assert_eq!(wrong(Network::AppLovin, &[]), ["/management_key", "/report_key"]);
    }

    #[test]
    fn what_belongs_together_is_asked_for_together() {
        let needed = [("secret_key", "s"), ("refresh_token", "r")];
        let kept = checked(&asked(Network::Unity), &given(&needed)).unwrap();
        assert_eq!(kept.len(), 2);
        let errors = wrong(Network::Unity, &[needed[0], needed[1], ("key_id", "k")]);
        assert_eq!(errors, ["/organization_id", "/service_secret_key"]);
    }

    #[test]
    fn a_refusal_names_the_fields_and_what_to_do_and_never_a_value() {
        let refused =
            Unproven { fields: &["skey", "secret"], refused: true, error: ToolError::auth_failed(Network::Mintegral) };
        let problem = refusal(Network::Mintegral, &asked(Network::Mintegral), &[refused]).problem();
        assert_eq!((problem.status, problem.code.as_str()), (422, codes::NETWORK_AUTH_FAILED));
        assert_eq!(problem.errors.iter().map(|error| error.pointer.as_str()).collect::<Vec<_>>(), ["/skey", "/secret"]);
        assert!(problem.detail.contains("rejected the Skey (API key) and the Secret"), "{}", problem.detail);
    }
}
