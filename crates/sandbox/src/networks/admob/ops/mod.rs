//! The operations of the API. Reads answer at once. Writes decide and return what changes; they store nothing.

mod create_ad_unit;
mod create_app;
mod experiments;
mod groups;
mod lines;
mod lists;
mod mappings;
mod patch_group;

use serde::Serialize;
use serde_json::Value;

use crate::journal::Effect;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::report;
use crate::networks::admob::routes::Operation;
use crate::networks::admob::wire::{AdUnit, App};
use crate::state::{Inner, Objects};

/// The answer of a write, and what it changes.
pub type Done = Result<(Value, Vec<Effect>), ApiError>;

pub fn read(inner: &Inner, context: &Context) -> Result<Value, ApiError> {
    match context.call.operation {
        Operation::NetworkReport => report::generate(inner, context, report::Kind::Network),
        Operation::MediationReport => report::generate(inner, context, report::Kind::Mediation),
        Operation::CampaignReport => report::campaign(inner, context),
        _ => lists::answer(&inner.store().objects, context),
    }
}

pub fn write(inner: &Inner, objects: &Objects, context: &Context) -> Done {
    match context.call.operation {
        Operation::CreateApp => create_app::run(objects, context),
        Operation::CreateAdUnit => create_ad_unit::run(objects, context),
        Operation::CreateMapping => mappings::create(objects, context),
        Operation::BatchCreateMappings => mappings::batch(objects, context),
        Operation::CreateGroup => groups::create(objects, context),
        Operation::UpdateGroup => patch_group::run(objects, context),
        Operation::CreateExperiment => experiments::create(objects, context, inner.now()),
        Operation::StopExperiment => experiments::stop(objects, context, inner.now()),
        _ => Err(ApiError::internal("a read came as a write")),
    }
}

/// Returns an object as JSON; the wire types always serialize.
fn json<T: Serialize>(object: &T) -> Result<Value, ApiError> {
    serde_json::to_value(object).map_err(|error| ApiError::internal(error.to_string()))
}

impl Objects {
    fn app(&self, id: &str) -> Option<&App> {
        self.apps.iter().find(|app| app.app_id == id)
    }

    fn ad_unit(&self, id: &str) -> Option<&AdUnit> {
        self.ad_units.iter().find(|unit| unit.ad_unit_id == id)
    }

    /// Returns a number that no object has, for the next one to create.
    fn next(&self) -> u64 {
        let created =
            self.apps.len() + self.ad_units.len() + self.mappings.len() + self.groups.len() + self.experiments.len();
        created as u64
    }

    /// Returns a new ten-digit ID that `taken` does not know.
    fn fresh_id(&self, salt: u64, taken: impl Fn(&str) -> bool) -> String {
        let mut round = 0;
        loop {
            let id = crate::world::ten_digits(crate::world::mix(&[31, salt, self.next(), round]));
            if !taken(&id) {
                return id;
            }
            round += 1;
        }
    }
}
