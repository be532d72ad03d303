//! What defines a simulated network: its operations, who may call them, its answers and its refusals.
//!
//! A network decides and never stores. [`Network::write`] returns what changes, and the dispatcher writes that into the journal together
//! with the record of the request. A network never reads the objects of another one.
//!
//! To add a network, add a module here with a unit struct that implements [`Network`], a line in [`NETWORKS`], its credentials in
//! [`crate::credentials`], and, if it earns, a book in [`crate::world::books`] with the names of its apps and units.

mod admanager;
pub mod admob;
mod applovin;
mod body;
mod dtexchange;
mod exchange;
mod inmobi;
mod liftoff;
mod mintegral;
pub mod names;
mod pangle;
mod sealed;
mod table;
mod unity;

use serde_json::Value;

pub use exchange::{Answer, Call, Caller, Exchange, Refusal, Request};
pub use names::Listing;

use crate::Quota;
use crate::journal::Effect;
use crate::state::{Inner, Store};
use crate::world::books::Book;

/// How the sandbox records a call of the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    /// Recorded in the journal whatever the outcome.
    Write,
    /// Part of signing in. Only a fault that names the operation hits it.
    Token,
}

/// A row in a network's table.
#[derive(Debug)]
pub struct Operation {
    /// The tool name in the catalog, which faults and records use.
    pub name: &'static str,
    pub kind: Kind,
    pub method: &'static str,
    /// Empty for the network's first host; otherwise the host after the `@` of the path.
    pub host: &'static str,
    /// The path, with `{}` in place of each ID.
    pub path: &'static str,
}

/// Builds a row of a table. The name is short, so that a row fits on one line.
pub const fn op(
    kind: Kind,
    name: &'static str,
    method: &'static str,
    host: &'static str,
    path: &'static str,
) -> Operation {
    Operation { name, kind, method, host, path }
}

/// The answer of a write and what it changes, or a refusal.
pub type Done = Result<(Answer, Vec<Effect>), Answer>;

/// An object that every sandbox starts with: kind, ID, object.
pub type Seeded = (&'static str, String, Value);

/// One simulated network.
pub trait Network: Sync {
    /// Returns the network's ID, which is also the first part of its paths.
    fn id(&self) -> &'static str;

    /// Returns its first host, which needs no `@` in the path.
    fn host(&self) -> &'static str;

    fn operations(&self) -> &'static [Operation];

    /// Finds the operation of a request, with the IDs in its path.
    fn find(&self, request: &Request) -> Option<Call> {
        exchange::by_template(self.operations(), self.host(), request)
    }

    /// Returns the parameters and top-level fields that belong to a signature and must not get into the journal.
    fn hidden(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the caller; refuses in the network's own form.
    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer>;

    /// Returns the network's own limit, with a name for what it counts. Without one, the sandbox's quota applies.
    fn limit(&self, _call: &Call) -> Option<(&'static str, Quota)> {
        None
    }

    /// Returns the objects that every sandbox starts with.
    fn seed(&self, _inner: &Seeds) -> Vec<Seeded> {
        Vec::new()
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer;

    fn write(&self, inner: &Inner, store: &Store, exchange: &Exchange) -> Done;

    /// Answers an operation of kind [`Kind::Token`].
    fn token(&self, inner: &Inner, exchange: &Unsigned) -> Answer;

    fn refuse(&self, refusal: &Refusal) -> Answer;

    /// Returns the book behind its reports; `AdMob` has its own.
    fn book(&self) -> Option<&'static Book> {
        None
    }

    /// Returns its IDs of apps and units, for the truth.
    fn listing(&self) -> Option<&'static Listing> {
        None
    }
}

/// The data that `seed` may use.
pub struct Seeds<'a> {
    pub units: &'a [crate::world::apps::SeedUnit],
    pub leaves: &'a [crate::world::figures::Leaf],
}

/// A request of kind [`Kind::Token`]: the client has not signed in yet.
pub struct Unsigned {
    pub call: Call,
    pub request: Request,
}

/// All networks. The first one answers requests that name no network.
pub static NETWORKS: [&dyn Network; 9] = [
    &admob::AdMob,
    &applovin::AppLovin,
    &unity::Unity,
    &mintegral::Mintegral,
    &liftoff::Liftoff,
    &inmobi::InMobi,
    &pangle::Pangle,
    &dtexchange::DtExchange,
    &admanager::AdManager,
];

/// Returns the network with this ID.
pub fn find(id: &str) -> Option<&'static dyn Network> {
    NETWORKS.iter().copied().find(|network| network.id() == id)
}

/// Returns the listing of the network behind an ad source of `AdMob`; `None` if it is not simulated.
pub fn listing_of(source: usize) -> Option<&'static Listing> {
    let serves = |network: &&&'static dyn Network| network.book().is_some_and(|book| book.sources.contains(&source));
    NETWORKS.iter().find(serves).and_then(|network| network.listing())
}

/// Joins the IDs for a sentence: `admob, applovin, …`.
pub fn ids() -> String {
    let ids: Vec<&str> = NETWORKS.iter().map(|network| network.id()).collect();
    ids.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::{self, Standing};

    #[test]
    fn networks_are_told_apart_and_every_key_network_has_its_four_sets() {
        let mut sources: Vec<usize> = Vec::new();
        for network in NETWORKS {
            let id = network.id();
            assert_eq!(NETWORKS.iter().filter(|it| it.id() == id).count(), 1, "{id}");
            for operation in network.operations().iter().filter(|it| it.kind != Kind::Token) {
                assert!(operation.name.starts_with(&format!("{id}_")), "{}", operation.name);
                let same = network.operations().iter().filter(|it| it.name == operation.name).count();
                assert_eq!(same, 1, "{}", operation.name);
            }
            sources.extend(network.book().map_or(&[][..], |book| book.sources));
            if id != "admob" {
                for standing in [Standing::Valid, Standing::Revoked, Standing::Expired, Standing::NotAllowed] {
                    assert!(credentials::of(id, standing).is_some(), "{id} {standing:?}");
                }
            }
        }
        let all = sources.len();
        sources.sort_unstable();
        sources.dedup();
        assert_eq!(sources.len(), all, "no ad source is two networks'");
    }

    #[test]
    fn no_two_sets_share_a_secret() {
        let secrets = credentials::CREDENTIALS.iter().flat_map(|set| {
            let open = ["organization_id"];
            set.fields.iter().filter(move |(name, _)| !open.contains(name)).map(|(_, value)| *value)
        });
        let mut secrets: Vec<&str> = secrets.collect();
        let all = secrets.len();
        secrets.sort_unstable();
        secrets.dedup();
        assert_eq!(secrets.len(), all);
    }
}
