//! The networks: one row each. A row holds everything that is special about a network: its catalog file, its profile, the shapes of its
//! reports, and how it fits a plan of the standard mediation model. The rest of this crate works from these rows.
//!
//! To add a network, add its files, a row here, and a row in the list of names in `adagent-domain`. No other code of this crate may name
//! it. `tenth`, a made-up network in the tests, proves that this is enough.

#[cfg(test)]
mod tenth;
#[cfg(test)]
mod tests;

use adagent_domain::Network;

use crate::{
    adapters::{Fitted, MediationPlan, admob, applovin, fairbid, levelplay},
    sign::{self, Profile},
};

/// What this program knows of a network besides its name.
pub struct Row {
    pub network: Network,
    /// The catalog file as the build packed it, and the network's long value lists.
    pub file: &'static str,
    pub text: &'static str,
    pub values: &'static str,
    pub profile: &'static Profile,
    /// The shapes of its reports; empty if they have their own reader.
    pub reports: &'static str,
    /// Fits a mediation plan to the network; `None` if it has no mediation of its own.
    pub fit: Option<fn(&MediationPlan) -> Fitted>,
}

macro_rules! rows {
    ($($network:ident $name:ident, reports $reports:expr, mediation $fit:expr;)+) => {
        /// The networks, in the order in which they are shown.
        pub static ROWS: &[Row] = &[$(Row {
            network: Network::$network,
            file: concat!(stringify!($name), ".json"),
            text: include_str!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".json")),
            values: include_str!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".values.json")),
            profile: &sign::$name::PROFILE,
            reports: $reports,
            fit: $fit,
        }),+];
    };
}

rows! {
    AdMob admob, reports "", mediation Some(admob::fit);
    AdManager admanager, reports include_str!("../../reports/admanager.json"), mediation None;
    AppLovin applovin, reports include_str!("../../reports/applovin.json"), mediation Some(applovin::fit);
    Unity unity, reports include_str!("../../reports/unity.json"), mediation Some(levelplay::fit);
    Mintegral mintegral, reports include_str!("../../reports/mintegral.json"), mediation None;
    Liftoff liftoff, reports include_str!("../../reports/liftoff.json"), mediation None;
    InMobi inmobi, reports include_str!("../../reports/inmobi.json"), mediation None;
    Pangle pangle, reports include_str!("../../reports/pangle.json"), mediation None;
    DtExchange dtexchange, reports include_str!("../../reports/dtexchange.json"), mediation Some(fairbid::fit);
}

pub fn row(network: Network) -> &'static Row {
    ROWS.iter().find(|row| row.network == network).expect("every network has a row: a test reads them all")
}

/// Returns the files with the shapes of reports, with the name of the network's file.
pub fn reports() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = ROWS.iter();
    #[cfg(test)]
    let rows = rows.chain([&tenth::ROW]);
    rows.filter(|row| !row.reports.is_empty()).map(|row| (row.file, row.reports))
}
