//! Catches what panics inside a task, which the executor would only print: for a simulation it is a finding.

use std::{cell::RefCell, panic, sync::Once};

thread_local! {
    static CAUGHT: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

static WATCH: Once = Once::new();

/// Runs something and gives what panicked in it; a panic of its own goes on.
pub fn caught<T>(run: impl FnOnce() -> T) -> (T, Vec<String>) {
    WATCH.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let inside = CAUGHT.with(|caught| {
                let mut caught = caught.borrow_mut();
                caught.as_mut().map(|list| list.push(format!("panic: {info}"))).is_some()
            });
            if !inside {
                others(info);
            }
        }));
    });
    CAUGHT.with(|caught| *caught.borrow_mut() = Some(Vec::new()));
    let done = run();
    let list = CAUGHT.with(|caught| caught.borrow_mut().take()).unwrap_or_default();
    (done, list)
}
