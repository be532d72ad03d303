//! Learns the weights from labelled questions, the catalogue and made-up questions. Same input, same bytes: sums in order, fixed seeds.

mod boost;
mod folds;
mod generate;
mod heads;
mod lbfgs;
mod linear;
mod model;
mod operations;
mod random;
mod records;
mod report;
mod talk;

pub use folds::cross_validate;
pub use model::{STEPS, train};
pub use records::{Record, read};
