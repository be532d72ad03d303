//! Learns the weights from labeled questions, the catalog and generated questions. The same input gives the same bytes: sums have
//! a fixed order, and seeds are fixed.

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
