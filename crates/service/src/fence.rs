//! A test that checks the sources: code that acts in a workspace must name it where its transaction begins, so that the database's policies
//! apply to its writes.

use std::{fs, path::Path};

/// Actions of a person that belong to no workspace, or to several: sign-ins, their address, their erasure.
const PEOPLES_OWN: [&str; 4] = ["account/", "privacy/erase.rs", "privacy/export.rs", "privacy/profile.rs"];

fn sources(folder: &Path, below: &str, found: &mut Vec<(String, String)>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            sources(&path, &format!("{name}/"), found);
        } else if path.extension().is_some_and(|kind| kind == "rs") && name != "fence.rs" {
            found.push((name, fs::read_to_string(path).unwrap()));
        }
    }
}

/// Finds functions that know the actor or the workspace and still begin a transaction without it.
fn unfenced(text: &str) -> Vec<String> {
    let functions = text.split("fn ").skip(1).filter_map(|function| function.split_once('{'));
    let wrong = functions.filter(|(head, body)| {
        let knows = ["actor: &Granted<", "actor: &Actor", "workspace: WorkspaceId"].iter().any(|it| head.contains(it));
        knows && body.contains("store.begin()")
    });
    wrong.map(|(head, _)| head.split('(').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn one_that_does_not_is_found() {
    let function =
        |begin: &str| format!("async fn act(&self, actor: &Granted<Chat>) {{ let work = self.store.{begin}; }}");
    assert_eq!(unfenced(&function("begin()")), ["act"]);
    assert!(unfenced(&function("begin_in(actor.workspace)")).is_empty());
    let keep = "async fn keep(store: &dyn Store, workspace: WorkspaceId) { let work = store.begin(); }";
    assert_eq!(unfenced(keep), ["keep"]);
    assert!(unfenced("async fn sweep(&self) { let work = self.store.begin(); }").is_empty());
}

#[test]
fn whoever_acts_in_a_workspace_writes_behind_its_fence() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut files);
    let fenced = files.iter().filter(|(_, text)| text.contains("begin_in(actor.workspace)")).count();
    assert!(fenced > 10, "the test looks at the wrong place: {fenced}");
    for (file, text) in files.iter().filter(|(file, _)| !PEOPLES_OWN.iter().any(|own| file.starts_with(own))) {
        let wrong = unfenced(text);
        assert!(wrong.is_empty(), "{file}: {wrong:?} begin with `begin_in(actor.workspace)`");
    }
}
