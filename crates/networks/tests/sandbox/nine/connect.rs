//! Tests of making a connection: which accounts the fields open, and the errors for fields that open none.

use adagent_domain::Network;
use adagent_networks::SecretFields;
use adagent_sandbox::Standing;
use adagent_tools::ToolErrorClass as Class;
use secrecy::ExposeSecret as _;

use super::world::{Source, world};

#[tokio::test]
async fn every_network_names_the_accounts_its_fields_open() {
    let world = world().await;
    let mut named = Vec::new();
    for network in Network::ALL {
        let credentials = world.source.given(network, Source::fields(network, Standing::Valid));
        let found = world.networks.reachable_accounts(network, &credentials).await;
        let found = found.unwrap_or_else(|error| panic!("{network}: {error:?}"));
        named.extend(found.into_iter().map(|choice| {
            let or = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            format!("{network} {} “{}” {} {}", choice.id, choice.name, or(choice.currency), or(choice.time_zone))
        }));
    }
    let expected = [
        "admob pub-3940256099942544 “pub-3940256099942544” USD Etc/UTC",
        "admob pub-7682510348291046 “pub-7682510348291046” USD Etc/UTC",
        "admob pub-5028174639501827 “pub-5028174639501827” USD Etc/UTC",
        "admanager 21700000001 “Acme Games” USD Etc/UTC",
    ];
    assert_eq!(named[..expected.len()], expected, "{named:#?}");
    assert_eq!(named.len(), expected.len() + 7, "{named:#?}");
}

#[tokio::test]
async fn fields_that_open_nothing_are_named_and_never_repeated() {
    let world = world().await;
    for network in Network::ALL {
        for standing in [Standing::Revoked, Standing::Expired] {
            let fields = Source::fields(network, standing);
            let secrets: Vec<String> = ["secret_key", "secret", "management_key", "secret_token", "access_token"]
                .iter()
                .filter_map(|name| fields.get(name).map(|value| value.expose_secret().to_owned()))
                .collect();
            let credentials = world.source.given(network, fields);
            let error = world.networks.reachable_accounts(network, &credentials).await.expect_err("refused");
            assert_eq!((error.class, error.code.as_str()), (Class::AuthFailed, "AUTH_FAILED"), "{network}: {error:?}");
            assert!(error.guidance.is_some() && error.message.contains(network.display_name()), "{error:?}");
            let said = format!("{error:?}");
            assert!(!secrets.iter().any(|secret| said.contains(secret)), "{said}");
        }
    }
}

#[tokio::test]
async fn without_any_set_of_fields_it_is_said_which_are_needed() {
    let world = world().await;
    for network in Network::ALL {
        let credentials = world.source.given(network, SecretFields::default());
        let error = world.networks.reachable_accounts(network, &credentials).await.expect_err("nothing given");
        assert_eq!((error.class, error.code.as_str()), (Class::NotConnected, "CREDENTIAL_MISSING"), "{network}");
    }
    let half = [("management_key", "x".to_owned().into())].into_iter().collect();
    let credentials = world.source.given(Network::AppLovin, half);
    let error = world.networks.reachable_accounts(Network::AppLovin, &credentials).await.expect_err("wrong");
    assert!(error.message.contains("Management key") && !error.message.contains("Report key"), "{error:?}");
}
