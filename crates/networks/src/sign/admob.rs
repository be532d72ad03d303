//! AdMob: an OAuth bearer token, which the credential source renews. This module does not know where the token comes from.

use adagent_domain::Network;

use serde_json::json;

use super::{Bearer, Conduct, Membership, Profile, Proof};

pub const PROFILE: Profile = Profile {
    network: Network::AdMob,
    host: "admob.googleapis.com",
    schemes: &[],
    default_scheme: &Bearer("access_token"),
    conduct: Conduct::GOOGLE,
    membership: Membership::listed(&[Proof {
        tool: "admob_list_accounts",
        needs: &["access_token"],
        args: |_| json!({}),
    }]),
    windows: &[],
    file_hosts: &[],
};

#[cfg(test)]
mod tests {
    use crate::sign::testing::signed;

    #[test]
    fn the_access_token_is_the_bearer() {
        let out =
            signed(&super::PROFILE, r#"{"method":"GET","path":"/v1beta/accounts"}"#, &[("access_token", "ya29.x")]);
        assert_eq!(out.expect("signed").headers, [("Authorization".to_owned(), "Bearer ya29.x".to_owned())]);
        let missing = signed(&super::PROFILE, r#"{"method":"GET","path":"/v1beta/accounts"}"#, &[]);
        assert_eq!(missing.expect_err("no token").0, "access_token");
    }
}
