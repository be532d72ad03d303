//! Ad networks: the catalog of operations, the pipeline that sends them, adapters, the entity registry, and where people sign in to them.
//!
//! Every request to a network is sent by this crate. It must not depend on the database (credentials come through a port), and it does not
//! decide about approvals: it refuses to send a write without a [`WriteTicket`].

// People and networks write the text that this crate reads, so a cut inside a character must never panic.
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod adapters;
mod catalogue;
mod credentials;
mod endpoints;
mod entities;
mod grounding;
mod limits;
mod networks;
mod normalise;
mod paths;
mod pipeline;
mod probe;
mod registry;
mod sign;
mod sketch;

pub use adapters::{Fitted, Line, Loss, MediationPlan, Price, admob, applovin, fairbid, fitted, levelplay};
pub use catalogue::{
    About, AuthFacts, AuthField, AuthKind, Catalogue, CatalogueError, EntityFacts, IdTransform, NetworkFacts,
    Operation, Pagination, PaginationKind, ResultKind, ResultSpec, ValueFacts, ValueList,
};
pub use credentials::{Attempted, Connected, ConnectionMark, CredentialSource, Credentials, SecretFields, Via};
pub use endpoints::{NetworkEndpoints, scopes};
pub use networks::{Networks, Parts, Unproven};
pub use normalise::region_name;
pub use pipeline::{
    Jitter, Tuning, WayOut,
    breaker::{BreakerPolicy, Circuit},
    http_client, http_client_by,
};
