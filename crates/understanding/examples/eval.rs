//! Prints the score table of the sets given as arguments: `cargo run -p adagent-understanding --example eval -- evals`.

use std::path::PathBuf;

use adagent_understanding::eval::{self, Local};

fn main() -> Result<(), eval::EvalError> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let report = eval::run(&paths, "2026-11-21", &Local::new(&eval::bundled_tools()))?;
    println!("{}", report.to_text());
    Ok(())
}
