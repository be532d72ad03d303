//! What a simulated network is: its operations, who may call them, what they answer and how it refuses.
//!
//! A network decides and never stores: [`Network::write`] says what changes, and the dispatcher puts that into the journal
//! together with the record of the request. It never looks at another network's objects.
//!
//! Adding one: a module here with a unit struct that implements [`Network`], a line in [`NETWORKS`], its credentials in
//! [`crate::credentials`], and, when it earns, a book in [`crate::world::books`] with the names of its apps and units.

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

/// What calling an operation means to the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    /// Recorded in the journal whatever comes of it.
    Write,
    /// Part of signing in: hit by a fault only when the fault names it.
    Token,
}

/// A row of a network's table.
#[derive(Debug)]
pub struct Operation {
    /// Tool name of the catalogue; faults and records use it.
    pub name: &'static str,
    pub kind: Kind,
    pub method: &'static str,
    /// Empty for the network's first host, else the host that follows the `@` of the path.
    pub host: &'static str,
    /// Path with `{}` where an id stands.
    pub path: &'static str,
}

/// A row of a table, short enough for one line.
pub const fn op(
    kind: Kind,
    name: &'static str,
    method: &'static str,
    host: &'static str,
    path: &'static str,
) -> Operation {
    Operation { name, kind, method, host, path }
}

/// A change with its answer, or a refusal.
pub type Done = Result<(Answer, Vec<Effect>), Answer>;

/// An object every sandbox starts with: kind, id, object.
pub type Seeded = (&'static str, String, Value);

/// One simulated network.
pub trait Network: Sync {
    /// The network's id, also the first part of its paths.
    fn id(&self) -> &'static str;

    /// Its first host, which needs no `@` in the path.
    fn host(&self) -> &'static str;

    fn operations(&self) -> &'static [Operation];

    /// The operation of a request, with the ids of its path.
    fn find(&self, request: &Request) -> Option<Call> {
        exchange::by_template(self.operations(), self.host(), request)
    }

    /// Parameters and top-level fields that are part of a signature and must not reach the journal.
    fn hidden(&self) -> &'static [&'static str] {
        &[]
    }

    /// Who asks; the refusal is in the network's own words.
    fn authenticate(&self, inner: &Inner, call: &Call, request: &Request) -> Result<Caller, Answer>;

    /// A limit of the network's own, with the name of what it counts; without one the sandbox's quota holds.
    fn limit(&self, _call: &Call) -> Option<(&'static str, Quota)> {
        None
    }

    /// Objects every sandbox starts with.
    fn seed(&self, _inner: &Seeds) -> Vec<Seeded> {
        Vec::new()
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer;

    fn write(&self, inner: &Inner, store: &Store, exchange: &Exchange) -> Done;

    /// Answers an operation of kind [`Kind::Token`].
    fn token(&self, inner: &Inner, exchange: &Unsigned) -> Answer;

    fn refuse(&self, refusal: &Refusal) -> Answer;

    /// The book behind its reports; `AdMob` keeps its own.
    fn book(&self) -> Option<&'static Book> {
        None
    }

    /// What it calls its apps and units, for the truth.
    fn listing(&self) -> Option<&'static Listing> {
        None
    }
}

/// What seeding may look at.
pub struct Seeds<'a> {
    pub units: &'a [crate::world::apps::SeedUnit],
    pub leaves: &'a [crate::world::figures::Leaf],
}

/// A request of kind [`Kind::Token`]: nobody has signed in yet.
pub struct Unsigned {
    pub call: Call,
    pub request: Request,
}

/// All of them; the first one answers what names no network.
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

/// The network of this id.
pub fn find(id: &str) -> Option<&'static dyn Network> {
    NETWORKS.iter().copied().find(|network| network.id() == id)
}

/// The names of the network behind an ad source of `AdMob`, where it is simulated.
pub fn listing_of(source: usize) -> Option<&'static Listing> {
    let serves = |network: &&&'static dyn Network| network.book().is_some_and(|book| book.sources.contains(&source));
    NETWORKS.iter().find(serves).and_then(|network| network.listing())
}

/// Ids for a sentence: `admob, applovin, …`.
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
