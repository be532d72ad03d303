//! Google Ad Manager: the same bearer as AdMob. Knows nothing of how it was got.

use adagent_domain::Network;

use super::{Bearer, Conduct, Profile};

pub const PROFILE: Profile = Profile {
    network: Network::AdManager,
    host: "admanager.googleapis.com",
    schemes: &[],
    default_scheme: &Bearer("access_token"),
    conduct: Conduct::GOOGLE,
    windows: &[],
    file_hosts: &[],
};
