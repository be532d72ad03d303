//! The development sets must reach their targets; run with `--nocapture` to see the table and every miss.

use std::path::PathBuf;

use adagent_understanding::eval::{self, Local};

fn sets() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../evals")
}

#[test]
fn development_sets_reach_their_targets() {
    let tools = eval::bundled_tools();
    assert_eq!(tools.len(), 323);
    let report = eval::run(&[sets()], "2026-11-21", &Local::new(&tools)).unwrap();
    println!("{}", report.to_text());
    let admob = &report.overall.admob_only;
    assert!(admob.services_capability >= 0.95, "services and capability {:.3}", admob.services_capability);
    assert!(admob.path >= 0.97, "path {:.3}", admob.path);
    assert!(admob.outcome >= 0.92, "outcome {:.3}", admob.outcome);
    assert!(admob.tool_at_1.unwrap() >= 0.85, "tool@1 {:.3}", admob.tool_at_1.unwrap());
    assert!(admob.slot_f1.unwrap() >= 0.88, "slot F1 {:.3}", admob.slot_f1.unwrap());
}
