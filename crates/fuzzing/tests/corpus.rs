//! The corpus: every input that ever broke a target, and the inputs that the drivers start from. Every file passes, and every
//! target has some.

use std::{fs, path::Path};

use adagent_fuzzing::TARGETS;

fn fuzz() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

#[test]
fn every_file_of_the_corpus_holds() {
    for target in TARGETS {
        let folder = fuzz().join("corpus").join(target.name);
        let files: Vec<_> = fs::read_dir(&folder).expect(target.name).map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "{} has nothing to begin with", target.name);
        for file in files {
            (target.run)(&fs::read(&file).unwrap());
        }
    }
}

#[test]
fn every_target_is_one_of_libfuzzers_too() {
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for target in TARGETS {
        let path = format!("fuzz_targets/{}.rs", target.name);
        assert!(manifest.contains(&format!("path = \"{path}\"")), "{} is not in fuzz/Cargo.toml", target.name);
        let source = fs::read_to_string(fuzz().join(path)).unwrap();
        assert!(source.contains(&format!("run(\"{}\"", target.name)), "{}", target.name);
    }
}
