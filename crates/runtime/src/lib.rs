//! The driver of runs. It claims runs under a lease, performs what `run-core` asks for, and writes results, events and state in one
//! transaction.
//!
//! It decides nothing about a run; `run-core` does. It must never send a write whose `sending` is not committed, never send a write twice,
//! and never continue after it lost its lease. Nothing of a run is only in memory: a worker that is killed loses no more than its current
//! question.

// This crate reads texts from people and networks. A position inside a character must not make it panic.
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
    withdraw_replaced,
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
