//! The code that reads foreign bytes, as functions that panic when a promise is broken. Two drivers call them: libFuzzer
//! (`fuzz/`, on nightly), and the one next to this file, which mutates a corpus on any toolchain. It must never be part of a
//! server.

mod catalogue;
mod cursor;
mod forwarded;
mod host;
mod jwe;
mod markdown;
mod message;
mod sse;

/// A function under test, by its name.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

/// Every target. Each has a folder with the same name in `fuzz/corpus` and a file in `fuzz/fuzz_targets`.
pub const TARGETS: [Target; 8] = [
    Target { name: "catalogue_input", run: catalogue::run },
    Target { name: "cursor", run: cursor::run },
    Target { name: "host_origin", run: host::run },
    Target { name: "jwe_open", run: jwe::run },
    Target { name: "markdown", run: markdown::run },
    Target { name: "message", run: message::run },
    Target { name: "sse_parse", run: sse::run },
    Target { name: "x_forwarded_for", run: forwarded::run },
];

/// Runs a target by its name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of the list");
    (target.run)(data);
}
