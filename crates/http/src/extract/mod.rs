//! Extractors that refuse with problems: the caller, bodies, IDs, queries.

mod body;
mod client;
mod id;
mod organization;
mod query;
mod who;

pub use body::{Json, JsonOrForm, OptionalJson};
pub use client::{Client, Device, IdempotencyKey};
pub use id::{Id, Ids2};
pub use organization::{Deciders, InOrganization, PersonHere};
pub use query::Query;
pub use who::{Acting, CameWith, Deciding, InPerson, Person, RequestId};
