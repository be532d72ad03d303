//! The page that a person opens in the morning: figures, what moved, what waits, what is in trouble, questions to ask again.

mod figures;
mod movers;
mod page;
mod saved;
mod trouble;

pub use page::HomePage;
