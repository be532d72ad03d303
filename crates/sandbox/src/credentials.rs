//! The credentials that the sandbox accepts or refuses. They are public on purpose, because they open only a simulation.
//!
//! Every key network has four sets: one that works, one that was revoked, one that has expired, and one whose owner (or address) is not on
//! the network's list of allowed API users. Field names are those of the connect form. Some networks have more sets that open less: one
//! that cannot change anything, one without reports, and two that open the apps of one publisher account each. Ad Manager signs in with
//! Google. Each of its sets is an access token and a refresh token, for tests without a browser.

use crate::state::Inner;
use crate::world::accounts::{ACCOUNTS, IDENTITIES};

/// Whether a network accepts a set of credentials, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Valid,
    Revoked,
    Expired,
    NotAllowed,
}

impl Standing {
    /// Returns the name in the control routes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Revoked => "revoked",
            Self::Expired => "expired",
            Self::NotAllowed => "not_allowed",
        }
    }
}

/// A set of credentials of one network.
#[derive(Debug)]
pub struct Credential {
    pub network: &'static str,
    pub standing: Standing,
    /// Each field with its value.
    pub fields: &'static [(&'static str, &'static str)],
}

impl Credential {
    /// Returns the value of a field.
    pub fn field(&self, name: &str) -> Option<&'static str> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| *value)
    }
}

/// All sets; for each network, the working one comes first.
pub static CREDENTIALS: [Credential; 32] = [
    Credential {
        network: "applovin",
        standing: Standing::Valid,
        fields: &[("management_key", "sandbox-applovin-management-key"), ("report_key", "sandbox-applovin-report-key")],
    },
    Credential {
        network: "applovin",
        standing: Standing::Revoked,
        fields: &[
            ("management_key", "sandbox-applovin-management-key-revoked"),
            ("report_key", "sandbox-applovin-report-key-revoked"),
        ],
    },
    Credential {
        network: "applovin",
        standing: Standing::Expired,
        fields: &[
            ("management_key", "sandbox-applovin-management-key-expired"),
            ("report_key", "sandbox-applovin-report-key-expired"),
        ],
    },
    Credential {
        network: "applovin",
        standing: Standing::NotAllowed,
        fields: &[
            ("management_key", "sandbox-applovin-management-key-not-allowed"),
            ("report_key", "sandbox-applovin-report-key-not-allowed"),
        ],
    },
    Credential {
        network: "unity",
        standing: Standing::Valid,
        fields: &[
            ("secret_key", "sandbox-unity-secret-key"),
            ("refresh_token", "sandbox-unity-refresh-token"),
            ("organization_id", "1048210377"),
            ("key_id", "sandbox-unity-key-id"),
            ("service_secret_key", "sandbox-unity-service-secret-key"),
            ("stats_api_key", "sandbox-unity-stats-api-key"),
        ],
    },
    Credential {
        network: "unity",
        standing: Standing::Revoked,
        fields: &[
            ("secret_key", "sandbox-unity-secret-key-revoked"),
            ("refresh_token", "sandbox-unity-refresh-token-revoked"),
            ("organization_id", "1048210377"),
            ("key_id", "sandbox-unity-key-id-revoked"),
            ("service_secret_key", "sandbox-unity-service-secret-key-revoked"),
            ("stats_api_key", "sandbox-unity-stats-api-key-revoked"),
        ],
    },
    Credential {
        network: "unity",
        standing: Standing::Expired,
        fields: &[
            ("secret_key", "sandbox-unity-secret-key-expired"),
            ("refresh_token", "sandbox-unity-refresh-token-expired"),
            ("organization_id", "1048210377"),
            ("key_id", "sandbox-unity-key-id-expired"),
            ("service_secret_key", "sandbox-unity-service-secret-key-expired"),
            ("stats_api_key", "sandbox-unity-stats-api-key-expired"),
        ],
    },
    Credential {
        network: "unity",
        standing: Standing::NotAllowed,
        fields: &[
            ("secret_key", "sandbox-unity-secret-key-not-allowed"),
            ("refresh_token", "sandbox-unity-refresh-token-not-allowed"),
            ("organization_id", "1048210377"),
            ("key_id", "sandbox-unity-key-id-not-allowed"),
            ("service_secret_key", "sandbox-unity-service-secret-key-not-allowed"),
            ("stats_api_key", "sandbox-unity-stats-api-key-not-allowed"),
        ],
    },
    Credential {
        network: "mintegral",
        standing: Standing::Valid,
        fields: &[("skey", "sandbox-mintegral-skey"), ("secret", "sandbox-mintegral-secret")],
    },
    Credential {
        network: "mintegral",
        standing: Standing::Revoked,
        fields: &[("skey", "sandbox-mintegral-skey-revoked"), ("secret", "sandbox-mintegral-secret-revoked")],
    },
    Credential {
        network: "mintegral",
        standing: Standing::Expired,
        fields: &[("skey", "sandbox-mintegral-skey-expired"), ("secret", "sandbox-mintegral-secret-expired")],
    },
    Credential {
        network: "mintegral",
        standing: Standing::NotAllowed,
        fields: &[("skey", "sandbox-mintegral-skey-not-allowed"), ("secret", "sandbox-mintegral-secret-not-allowed")],
    },
    Credential {
        network: "liftoff",
        standing: Standing::Valid,
        fields: &[
            ("secret_token", "sandbox-liftoff-secret-token"),
            ("reporting_api_key", "sandbox-liftoff-reporting-api-key"),
        ],
    },
    Credential {
        network: "liftoff",
        standing: Standing::Revoked,
        fields: &[
            ("secret_token", "sandbox-liftoff-secret-token-revoked"),
            ("reporting_api_key", "sandbox-liftoff-reporting-api-key-revoked"),
        ],
    },
    Credential {
        network: "liftoff",
        standing: Standing::Expired,
        fields: &[
            ("secret_token", "sandbox-liftoff-secret-token-expired"),
            ("reporting_api_key", "sandbox-liftoff-reporting-api-key-expired"),
        ],
    },
    Credential {
        network: "liftoff",
        standing: Standing::NotAllowed,
        fields: &[
            ("secret_token", "sandbox-liftoff-secret-token-not-allowed"),
            ("reporting_api_key", "sandbox-liftoff-reporting-api-key-not-allowed"),
        ],
    },
    Credential {
        network: "inmobi",
        standing: Standing::Valid,
        fields: &[
            ("user_name", "demo@sandbox.example"),
            ("account_id", "sandbox-inmobi-account"),
            ("secret_key", "sandbox-inmobi-secret-key"),
        ],
    },
    Credential {
        network: "inmobi",
        standing: Standing::Revoked,
        fields: &[
            ("user_name", "revoked@sandbox.example"),
            ("account_id", "sandbox-inmobi-account-revoked"),
            ("secret_key", "sandbox-inmobi-secret-key-revoked"),
        ],
    },
    Credential {
        network: "inmobi",
        standing: Standing::Expired,
        fields: &[
            ("user_name", "expired@sandbox.example"),
            ("account_id", "sandbox-inmobi-account-expired"),
            ("secret_key", "sandbox-inmobi-secret-key-expired"),
        ],
    },
    Credential {
        network: "inmobi",
        standing: Standing::NotAllowed,
        fields: &[
            ("user_name", "not-allowed@sandbox.example"),
            ("account_id", "sandbox-inmobi-account-not-allowed"),
            ("secret_key", "sandbox-inmobi-secret-key-not-allowed"),
        ],
    },
    Credential {
        network: "pangle",
        standing: Standing::Valid,
        fields: &[("user_id", "45901"), ("role_id", "46001"), ("security_key", "sandbox-pangle-security-key")],
    },
    Credential {
        network: "pangle",
        standing: Standing::Revoked,
        fields: &[("user_id", "45902"), ("role_id", "46002"), ("security_key", "sandbox-pangle-security-key-revoked")],
    },
    Credential {
        network: "pangle",
        standing: Standing::Expired,
        fields: &[("user_id", "45903"), ("role_id", "46003"), ("security_key", "sandbox-pangle-security-key-expired")],
    },
    Credential {
        network: "pangle",
        standing: Standing::NotAllowed,
        fields: &[
            ("user_id", "45904"),
            ("role_id", "46004"),
            ("security_key", "sandbox-pangle-security-key-not-allowed"),
        ],
    },
    Credential {
        network: "dtexchange",
        standing: Standing::Valid,
        fields: &[
            ("client_id", "sandbox-dtexchange-client-id"),
            ("client_secret", "sandbox-dtexchange-client-secret"),
            ("publisher_id", "104001"),
            ("reporting_client_id", "sandbox-dtexchange-reporting-client-id"),
            ("reporting_client_secret", "sandbox-dtexchange-reporting-client-secret"),
            ("consumer_key", "sandbox-dtexchange-consumer-key"),
            ("consumer_secret", "sandbox-dtexchange-consumer-secret"),
        ],
    },
    Credential {
        network: "dtexchange",
        standing: Standing::Revoked,
        fields: &[
            ("client_id", "sandbox-dtexchange-client-id-revoked"),
            ("client_secret", "sandbox-dtexchange-client-secret-revoked"),
            ("publisher_id", "104002"),
            ("reporting_client_id", "sandbox-dtexchange-reporting-client-id-revoked"),
            ("reporting_client_secret", "sandbox-dtexchange-reporting-client-secret-revoked"),
            ("consumer_key", "sandbox-dtexchange-consumer-key-revoked"),
            ("consumer_secret", "sandbox-dtexchange-consumer-secret-revoked"),
        ],
    },
    Credential {
        network: "dtexchange",
        standing: Standing::Expired,
        fields: &[
            ("client_id", "sandbox-dtexchange-client-id-expired"),
            ("client_secret", "sandbox-dtexchange-client-secret-expired"),
            ("publisher_id", "104003"),
            ("reporting_client_id", "sandbox-dtexchange-reporting-client-id-expired"),
            ("reporting_client_secret", "sandbox-dtexchange-reporting-client-secret-expired"),
            ("consumer_key", "sandbox-dtexchange-consumer-key-expired"),
            ("consumer_secret", "sandbox-dtexchange-consumer-secret-expired"),
        ],
    },
    Credential {
        network: "dtexchange",
        standing: Standing::NotAllowed,
        fields: &[
            ("client_id", "sandbox-dtexchange-client-id-not-allowed"),
            ("client_secret", "sandbox-dtexchange-client-secret-not-allowed"),
            ("publisher_id", "104004"),
            ("reporting_client_id", "sandbox-dtexchange-reporting-client-id-not-allowed"),
            ("reporting_client_secret", "sandbox-dtexchange-reporting-client-secret-not-allowed"),
            ("consumer_key", "sandbox-dtexchange-consumer-key-not-allowed"),
            ("consumer_secret", "sandbox-dtexchange-consumer-secret-not-allowed"),
        ],
    },
    Credential {
        network: "admanager",
        standing: Standing::Valid,
        fields: &[
            ("access_token", "sandbox-admanager-access-token"),
            ("refresh_token", "sandbox-admanager-refresh-token"),
        ],
    },
    Credential {
        network: "admanager",
        standing: Standing::Revoked,
        fields: &[
            ("access_token", "sandbox-admanager-access-token-revoked"),
            ("refresh_token", "sandbox-admanager-refresh-token-revoked"),
        ],
    },
    Credential {
        network: "admanager",
        standing: Standing::Expired,
        fields: &[
            ("access_token", "sandbox-admanager-access-token-expired"),
            ("refresh_token", "sandbox-admanager-refresh-token-expired"),
        ],
    },
    Credential {
        network: "admanager",
        standing: Standing::NotAllowed,
        fields: &[
            ("access_token", "sandbox-admanager-access-token-not-allowed"),
            ("refresh_token", "sandbox-admanager-refresh-token-not-allowed"),
        ],
    },
];

/// What a working set does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacks {
    Writes,
    Reports,
}

impl Lacks {
    /// Returns the name of such a set in the control routes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Writes => "read_only",
            Self::Reports => "no_reports",
        }
    }
}

/// Sets that work but open less.
pub static LESSER: [(Lacks, Credential); 3] = [
    (
        Lacks::Writes,
        Credential {
            network: "applovin",
            standing: Standing::Valid,
            fields: &[
                ("management_key", "sandbox-applovin-management-key-read-only"),
                ("report_key", "sandbox-applovin-report-key-read-only"),
            ],
        },
    ),
    (
        Lacks::Writes,
        Credential {
            network: "mintegral",
            standing: Standing::Valid,
            fields: &[("skey", "sandbox-mintegral-skey-read-only"), ("secret", "sandbox-mintegral-secret-read-only")],
        },
    ),
    (
        Lacks::Reports,
        Credential {
            network: "mintegral",
            standing: Standing::Valid,
            fields: &[("skey", "sandbox-mintegral-skey-no-reports"), ("secret", "sandbox-mintegral-secret-no-reports")],
        },
    ),
];

/// Sets that open only the apps of one publisher account, so that a workspace can have two accounts of one network.
pub static PARTS: [(&str, usize, Credential); 2] = [
    (
        "acme",
        0,
        Credential {
            network: "applovin",
            standing: Standing::Valid,
            fields: &[
                ("management_key", "sandbox-applovin-management-key-acme"),
                ("report_key", "sandbox-applovin-report-key-acme"),
            ],
        },
    ),
    (
        "lexicon",
        1,
        Credential {
            network: "applovin",
            standing: Standing::Valid,
            fields: &[
                ("management_key", "sandbox-applovin-management-key-lexicon"),
                ("report_key", "sandbox-applovin-report-key-lexicon"),
            ],
        },
    ),
];

/// Returns the publisher account that a set is limited to; `None` if it opens everything.
pub(crate) fn part_of(network: &str, field: &str, value: &str) -> Option<&'static str> {
    let found = PARTS.iter().find(|(_, _, set)| set.network == network && set.field(field) == Some(value));
    found.map(|(_, account, _)| ACCOUNTS[*account])
}

/// Checks whether the set of this value allows a call, which may be a write or a report.
pub(crate) fn opens(network: &str, field: &str, value: &str, write: bool, report: bool) -> bool {
    let lesser = LESSER.iter().find(|(_, set)| set.network == network && set.field(field) == Some(value));
    lesser.is_none_or(|(lacks, _)| match lacks {
        Lacks::Writes => !write,
        Lacks::Reports => !report,
    })
}

/// Returns every set with the name by which the control routes give it out: its standing, what it lacks, or the account that it opens.
pub(crate) fn published() -> impl Iterator<Item = (&'static str, &'static Credential)> {
    let whole = CREDENTIALS.iter().map(|set| (set.standing.name(), set));
    let lesser = LESSER.iter().map(|(lacks, set)| (lacks.name(), set));
    whole.chain(lesser).chain(PARTS.iter().map(|(name, _, set)| (*name, set)))
}

/// Returns the set of a network with this standing.
pub fn of(network: &str, standing: Standing) -> Option<&'static Credential> {
    CREDENTIALS.iter().find(|it| it.network == network && it.standing == standing)
}

/// Returns the set whose field has this value.
pub fn by_value(network: &str, field: &str, value: &str) -> Option<&'static Credential> {
    published().map(|(_, set)| set).find(|it| it.network == network && it.field(field) == Some(value))
}

/// Returns the current standing of a value; a control route may have revoked the working set. `None` if the value is unknown.
pub(crate) fn standing(inner: &Inner, network: &str, field: &str, value: &str) -> Option<Standing> {
    let found = by_value(network, field, value)?.standing;
    let taken_back = found == Standing::Valid && inner.store().keys_revoked(network);
    Some(if taken_back { Standing::Revoked } else { found })
}

/// Returns the identity that owns all key networks.
pub(crate) fn owner() -> &'static str {
    IDENTITIES[0].email
}
