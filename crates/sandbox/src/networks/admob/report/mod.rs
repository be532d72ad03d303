//! Reports, and the truth about them. Both are sums of the same leaves, so they cannot disagree.

mod campaign;
mod dimension;
mod run;
mod spec;
mod stream;
pub mod truth;

use serde_json::Value;

use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::state::Inner;

pub(crate) use campaign::campaign;
pub(crate) use spec::RATES;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What the `AdMob` Network itself served.
    Network,
    /// What all ad sources served.
    Mediation,
}

/// Answers `networkReport:generate` and `mediationReport:generate`.
pub(crate) fn generate(inner: &Inner, context: &Context, kind: Kind) -> Result<Value, ApiError> {
    let spec = spec::read(&context.body, kind, &context.call.account)?;
    let groups = spec.groups(inner);
    let table = run::sum(inner, &groups);
    Ok(stream::write(inner, &spec, &groups, &table))
}
