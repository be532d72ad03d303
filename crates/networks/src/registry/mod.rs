//! The networks there are: one row each. What a network is, is its own: a catalogue file, how it is asked, the shapes of its
//! reports, how it holds the standard mediation model. Everything else of this crate works from these rows.
//!
//! Another network is its files, a row here, and a row in the list of names in `adagent-domain`; no other code of this crate may
//! name it. `tenth`, a made-up one, is kept under test to show that.

#[cfg(test)]
mod tenth;
#[cfg(test)]
mod tests;

use adagent_domain::Network;

use crate::{
    adapters::{Fitted, MediationPlan, admob, applovin, fairbid, levelplay},
    sign::{self, Profile},
};

/// A network, as far as this program knows it beyond its name.
pub struct Row {
    pub network: Network,
    /// The catalogue file as the build packed it, and its long lists of values.
    pub file: &'static str,
    pub text: &'static str,
    pub values: &'static str,
    pub profile: &'static Profile,
    /// The shapes of its reports; empty where they have a reader of their own.
    pub reports: &'static str,
    /// How it holds a mediation plan; `None` without mediation of its own.
    pub fit: Option<fn(&MediationPlan) -> Fitted>,
}

macro_rules! rows {
    ($($network:ident $name:ident, reports $reports:expr, mediation $fit:expr;)+) => {
        /// In the order networks are shown.
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

/// The files with the shapes of reports, by the name of their network.
pub fn reports() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = ROWS.iter();
    #[cfg(test)]
    let rows = rows.chain([&tenth::ROW]);
    rows.filter(|row| !row.reports.is_empty()).map(|row| (row.file, row.reports))
}
