//! Sorts the documents of a folder, and builds the paths to folders. Pure.

use adagent_contract::ROOT_FOLDER;
#[cfg(any(feature = "ssr", test))]
use {adagent_contract::DocumentView, std::collections::BTreeMap};

/// Returns the folders directly in this one, each with the number of documents anywhere below it, and the documents directly in
/// this one. `all` holds this folder's documents at any depth.
#[cfg(any(feature = "ssr", test))]
pub fn shelf(all: Vec<DocumentView>, folder: &str) -> (Vec<(String, usize)>, Vec<DocumentView>) {
    let base = folder.trim_end_matches('/');
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut here = Vec::new();
    for document in all {
        let below = document.folder.strip_prefix(base).unwrap_or_default().trim_start_matches('/');
        match below.split('/').next().filter(|name| !name.is_empty()) {
            Some(name) => *folders.entry(format!("{base}/{name}")).or_default() += 1,
            None => here.push(document),
        }
    }
    (folders.into_iter().collect(), here)
}

/// Returns the path and name of each folder from the top down to this one.
pub fn way(folder: &str) -> Vec<(String, String)> {
    let mut path = String::new();
    let mut steps = Vec::new();
    for name in folder.split('/').filter(|name| !name.is_empty()) {
        path = format!("{path}/{name}");
        steps.push((path.clone(), name.to_owned()));
    }
    steps
}

pub fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or_default()
}

/// Returns the address of a folder's page.
pub fn address(folder: &str) -> String {
    if folder == ROOT_FOLDER || folder.is_empty() {
        return "/library/documents".to_owned();
    }
    format!("/library/documents?folder={}", crate::features::desk::encode(folder))
}

#[cfg(test)]
mod tests {
    use adagent_contract::WrittenView;
    use adagent_domain::Timestamp;

    use super::*;

    fn document(title: &str, folder: &str) -> DocumentView {
        DocumentView {
            id: "019aa5c4-9a3e-7000-8000-000000000000".parse().unwrap(),
            title: title.into(),
            folder: folder.into(),
            version: 1,
            size: 0,
            by: "ada".into(),
            written: WrittenView { by: "ada".into(), agent: None, run: None, at: Timestamp::EPOCH },
            created_at: Timestamp::EPOCH,
            trashed_at: None,
            text: None,
            snippet: None,
        }
    }

    #[test]
    fn a_folder_shows_what_lies_in_it_and_its_folders() {
        let all = || vec![document("a", "/"), document("b", "/floors"), document("c", "/floors/2026/q1")];
        let titles = |documents: &[DocumentView]| documents.iter().map(|one| one.title.clone()).collect::<Vec<_>>();
        let (folders, here) = shelf(all(), "/");
        assert_eq!((folders, titles(&here)), (vec![("/floors".to_owned(), 2)], vec!["a".to_owned()]));
        let (folders, here) = shelf(all().split_off(1), "/floors");
        assert_eq!((folders, titles(&here)), (vec![("/floors/2026".to_owned(), 1)], vec!["b".to_owned()]));
    }

    #[test]
    fn the_way_to_a_folder_names_each_on_it() {
        let step = |path: &str, name: &str| (path.to_owned(), name.to_owned());
        assert_eq!(way("/floors/2026"), [step("/floors", "floors"), step("/floors/2026", "2026")]);
        assert!(way("/").is_empty());
        assert_eq!(address("/Q1 floors"), "/library/documents?folder=/Q1%20floors");
        assert_eq!((address("/"), name_of("/floors/2026")), ("/library/documents".to_owned(), "2026"));
    }
}
