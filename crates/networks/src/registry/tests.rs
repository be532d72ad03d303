//! Tests of the list of networks, and a test that no other code names a network.

use std::{fs, path::Path};

use adagent_domain::Network;

use super::{ROWS, row};

#[test]
fn every_network_has_one_row_in_the_order_of_names() {
    assert_eq!(ROWS.iter().map(|row| row.network).collect::<Vec<_>>(), Network::ALL);
    for network in Network::ALL {
        assert_eq!(row(network).profile.network, network);
        assert_eq!(row(network).file, format!("{network}.json"));
    }
}

/// Google's two networks have special code in some places. All others are known only by their rows.
#[test]
fn no_other_code_names_a_network_that_takes_keys() {
    let named = ["AppLovin", "Unity", "Mintegral", "Liftoff", "InMobi", "Pangle", "DtExchange"];
    let mut found = Vec::new();
    walk(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut |path, text| {
        // The files that define a network, and tests, may name it.
        let own =
            ["/sign/", "/registry/", "/tests/", "/tests.rs", "/testing.rs"].iter().any(|part| path.contains(part));
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let said = named.iter().filter(|name| code.contains(&format!("Network::{name}")));
        found.extend(said.filter(|_| !own).map(|name| format!("{path}: {name}")));
    });
    assert_eq!(found, Vec::<String>::new());
}

fn walk(folder: &Path, look: &mut impl FnMut(&str, &str)) {
    for entry in fs::read_dir(folder).expect("there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            look(&path.to_string_lossy(), &fs::read_to_string(&path).expect("text"));
        }
    }
}
