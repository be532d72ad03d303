//! The driver of runs: claims them under a lease, performs what `run-core` asks for, and journals outcome, events and state in
//! one transaction.
//!
//! Decides nothing about a run itself; that is `run-core`. Must never send a write whose `sending` is not committed, never send
//! one twice, and never go on after its lease was lost. Nothing of a run lives only in memory: a killed worker loses no more
//! than what it was just asking for.

// People and networks write what is read here: a position inside a character must not end anything.
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod approvals;
mod attempts;
mod authority;
mod budget;
mod children;
mod claim;
mod context;
mod control;
mod deps;
mod direct_call;
mod drive;
mod driver;
mod fork;
mod journal;
mod kind;
mod live;
mod overrides;
mod panics;
mod performer;
mod places;
mod receipt;
mod reporting;
mod send;
mod stake;
mod supervise;
mod tasks;
mod telemetry;
mod turn;
mod undo;
mod waits;
mod work;
mod worker;

pub use approvals::{
    AnswerError, Choices, answer, answer_once, expire_due, form_choices, may_answer, withdraw_of_connection,
};
pub use authority::unusable;
pub use budget::{Budget, Day};
pub use claim::Claim;
pub use control::{ControlError, cancel, stop_open_runs};
pub use deps::{CutPoint, Cuts, Runtime, RuntimeConfig, RuntimeDeps};
pub use direct_call::{Given, begin_call, check_given, read_given};
pub use drive::{Advanced, DriveError};
pub use fork::{fork_run, fork_run_with};
pub use kind::{Drives, Kind};
pub use overrides::{override_run, override_run_once, waits_its_turn};
pub use performer::{Heard, Performer, Scene};
pub use receipt::Receipt;
pub use reporting::{ReportingDay, reporting_day};
pub use undo::{change_state, undo_once, undo_said, undone_by};
pub use worker::RuntimeHandle;
