//! Google Ad Manager: the same bearer token as AdMob. This module does not know where the token comes from.

use adagent_domain::Network;

use serde_json::json;

use super::{Bearer, Conduct, Membership, Profile, Proof};

pub const PROFILE: Profile = Profile {
    network: Network::AdManager,
    host: "admanager.googleapis.com",
    schemes: &[],
    default_scheme: &Bearer("access_token"),
    conduct: Conduct::GOOGLE,
    membership: Membership::listed(&[Proof {
        tool: "admanager_list_networks",
        needs: &["access_token"],
        args: |_| json!({}),
    }]),
    windows: &[],
    file_hosts: &[],
};
