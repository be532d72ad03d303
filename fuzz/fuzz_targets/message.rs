#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| adagent_fuzzing::run("message", data));
