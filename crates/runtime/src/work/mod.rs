//! The work that a run waits for, one function for each kind. Each calls ports and returns the machine's next input. They change neither
//! the state nor the journal.

mod ask;
mod begin;
mod calls;
mod model;
mod plan;
mod route;
mod second;

pub(crate) use ask::{Unanswered, spent};
pub(crate) use calls::{Bound, CallJob, baseline, bound, fault_of, permitted, review, send, ungrounded};
pub(crate) use model::{ask_model, replied, verify, vetting};
pub(crate) use route::{Loaded, load, retrieve, route};
