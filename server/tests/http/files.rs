//! The interface's files: served beside pages, untouched by what pages say, and sent once.

use reqwest::header;
use serde_json::json;

use crate::harness::TestApp;

const ICONS: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
const NOBODY: &str = "/chat/019aa5c4-9a3e-7000-8000-000000000000";

async fn with_icons() -> (TestApp, tempfile::TempDir) {
    let site = tempfile::tempdir().unwrap();
    std::fs::write(site.path().join("icons.svg"), ICONS).unwrap();
    (TestApp::with(|config| site.path().clone_into(&mut config.site_dir)).await, site)
}

#[tokio::test]
async fn a_file_is_never_answered_with_what_a_page_beside_it_says() {
    let (app, _site) = with_icons().await;
    let ada = app.explorer("ada").await;
    for round in 0..20 {
        let pages = futures::future::join_all((0..4).map(|_| ada.get(NOBODY)));
        let files = futures::future::join_all((0..24).map(|_| ada.get("/icons.svg")));
        let (pages, files) = tokio::join!(pages, files);
        for page in pages {
            assert_eq!(page.status, 404, "round {round}");
        }
        for file in files {
            assert_eq!((file.status, file.text.as_str()), (200, ICONS), "round {round}");
            assert!(!file.headers.contains_key(header::LOCATION), "round {round}");
        }
    }
    app.stop().await;
}

#[tokio::test]
async fn a_file_that_did_not_change_is_not_sent_again() {
    let (app, _site) = with_icons().await;
    let anybody = app.caller();
    let first = anybody.get("/icons.svg").await;
    assert_eq!((first.status, &first.headers["cache-control"]), (200, &"no-cache".parse().unwrap()));
    let changed = first.headers[header::LAST_MODIFIED].clone();
    let request = anybody.request("GET", "/icons.svg").header(header::IF_MODIFIED_SINCE, changed);
    let again = anybody.finish("GET", "/icons.svg", request).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    app.stop().await;
}

#[tokio::test]
async fn an_address_without_a_page_or_file_is_a_page_that_says_so() {
    let (app, _site) = with_icons().await;
    let anybody = app.caller();
    for path in ["/nowhere", "/nowhere/at/all.svg", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/pkg/"] {
        let answer = anybody.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text.contains("This page is not here"), "{path}: {}", answer.text);
    }
    assert_eq!(anybody.post("/nowhere", json!({})).await.status, 404);
    app.stop().await;
}
