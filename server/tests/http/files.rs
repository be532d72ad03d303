//! The web app's files: served next to the pages, not affected by the pages' headers, and sent once.

use std::time::Duration;

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

/// While Leptos lists the app's routes, no page of the process loads: in the past, a page requested at that moment never came.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_waits_for_a_desk_that_starts_beside_it() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let beside = tokio::spawn(async {
        for _ in 0..6 {
            TestApp::sqlite().await.stop().await;
        }
    });
    while !beside.is_finished() {
        let page = tokio::time::timeout(Duration::from_mins(1), ada.get("/chat")).await.expect("an answer");
        assert_eq!(page.status, 200);
    }
    beside.await.unwrap();
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

/// The parts of a build work only together: a page names one build, whose files never change.
#[tokio::test]
async fn a_build_of_the_interface_is_kept_for_good_and_no_other_is_served() {
    let site = tempfile::tempdir().unwrap();
    let build = "0123456789abcdef";
    std::fs::create_dir_all(site.path().join("pkg").join(build)).unwrap();
    std::fs::write(site.path().join("pkg/BUILD"), build).unwrap();
    let folder = site.path().join("pkg").join(build);
    std::fs::write(folder.join("web.js"), "export {}").unwrap();
    let needed = json!({"door": ["shared", "split_door"], "team": ["split_team"]});
    std::fs::write(folder.join("__wasm_split_manifest.json"), needed.to_string()).unwrap();
    let app = TestApp::with(|config| site.path().clone_into(&mut config.site_dir)).await;
    let anybody = app.caller();
    let page = anybody.get("/sign-in").await.text;
    for named in ["web.js", "shared.wasm", "split_door.wasm"] {
        assert!(page.contains(&format!("\"/pkg/{build}/{named}\"")), "the page names {named} of its build");
    }
    assert!(!page.contains("split_team"), "what it does not draw is not fetched with it");
    let file = anybody.get("/pkg/0123456789abcdef/web.js").await;
    assert_eq!((file.status, file.text.as_str()), (200, "export {}"));
    assert_eq!(file.headers["cache-control"], "public, max-age=31536000, immutable");
    for path in ["/pkg/fedcba9876543210/web.js", "/pkg/0123456789abcdef/gone.wasm"] {
        let gone = anybody.get(path).await;
        assert_eq!((gone.status, &gone.headers["cache-control"]), (404, &"no-store".parse().unwrap()), "{path}");
    }
    app.stop().await;
}

/// A page can draw icons even while the server cannot be reached.
#[tokio::test]
async fn icons_named_by_their_content_are_kept_for_good() {
    let (app, _site) = with_icons().await;
    let anybody = app.caller();
    let kept = anybody.get("/icons.svg?v=1f").await;
    assert_eq!(kept.headers["cache-control"], "public, max-age=31536000, immutable");
    let page = anybody.get("/sign-in").await.text;
    assert!(
        page.contains("/icons.svg?v=") && !page.contains("/icons.svg#"),
        "every icon of a page is named by its content"
    );
    app.stop().await;
}

#[tokio::test]
async fn an_address_without_a_page_or_file_is_a_page_that_says_so() {
    let (app, _site) = with_icons().await;
    let anybody = app.caller();
    let long = format!("/{}", "a".repeat(256));
    let places = ["/nowhere", "/nowhere/at/all.svg", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/pkg/", "/%00", &long];
    for path in places {
        let answer = anybody.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text.contains("Page not found"), "{path}: {}", answer.text);
    }
    assert_eq!(anybody.post("/nowhere", json!({})).await.status, 404);
    for path in ["/sign-in/", "/%00"] {
        assert_eq!(anybody.send("HEAD", path, None).await.status, 404, "{path}");
    }
    app.stop().await;
}
