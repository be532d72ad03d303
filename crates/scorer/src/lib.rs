//! The learned part of the understanding: how likely each reading of a question is, and how well each operation fits it.
//!
//! Pure and quick: takes text and typed facts, returns probabilities; no I/O, no clock. The weights are data that
//! `cargo xtask train` makes.

mod decide;
mod facts;
mod features;
pub mod foreign;
mod hash;
mod lexicon;
mod matching;
mod math;
mod meant;
mod phrases;
mod scan;
mod scene;
mod scorer;
mod spelling;
pub mod tables;
#[cfg(feature = "train")]
pub mod train;
mod trees;
mod types;
mod weights;

pub use decide::Decision;
pub use lexicon::{Lexicon, Mention, Reading};
pub use scorer::{Fit, Scorer};
pub use types::{Act, Capability, Evidence, Outcome, Question, Scores};
pub use weights::{Weights, WeightsError};

/// One line of JSON for each operation of the catalog, as `cargo xtask generate` writes it.
pub const OPERATIONS: &str = include_str!("../data/operations.json");
