//! Catches panics inside a task. The executor would only print them, but a simulation must report them.

use std::{cell::RefCell, panic, sync::Once};

thread_local! {
    static CAUGHT: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

static WATCH: Once = Once::new();

/// Runs a function and returns its result, with the panics of tasks inside it. A panic of the function itself is not caught.
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
