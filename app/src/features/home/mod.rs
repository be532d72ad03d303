//! The page that a person opens in the morning: numbers, the biggest changes, pending approvals, problems, and questions to ask
//! again.

mod figures;
mod movers;
mod page;
mod saved;
mod trouble;

pub use page::HomePage;
