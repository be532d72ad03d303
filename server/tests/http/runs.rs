//! The list of runs and the page of a run: the outcome of each run, and the search by address, without JavaScript.

use serde_json::json;

use crate::{
    harness::{Answer, TestApp, of},
    workspaces::page,
};

const READ: &str = "AdMob revenue yesterday";
const WISH: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
const FORECAST: &str = "Will it rain tomorrow?";

fn lists(page: &Answer, question: &str) -> bool {
    assert_eq!(page.status, 200);
    page.text.contains(&format!("class=\"link\">{question}<"))
}

#[tokio::test]
async fn runs_say_what_became_of_them_and_are_searched_without_script() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        ada.ask(json!({"message": READ})).await;
        ada.ask(json!({"message": FORECAST})).await;
        let events = ada.ask(json!({"message": WISH})).await;
        let approval = of(&events, "tool_approval_required")["approval_id"].clone();
        let run = events[0]["run_id"].as_str().unwrap().to_owned();

        let waiting = page(&ada, &format!("/runs/{run}"), None).await;
        assert!(waiting.text.contains("http-equiv=\"refresh\""), "a page without script finishes by itself");
        let open = page(&ada, "/runs?show=open", None).await;
        assert!(lists(&open, WISH) && !lists(&open, READ), "{}", open.text);

        ada.post("/chat/approve-tool", json!({"approval_id": approval, "approved": false})).await;
        let denied = async {
            loop {
                let read = ada.get(&format!("/api/runs/{run}")).await.json();
                if read["status"] == "completed" {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), denied).await.expect("the run ends");
        let over = page(&ada, &format!("/runs/{run}"), None).await;
        assert!(!over.text.contains("http-equiv=\"refresh\""), "a run that is over is not read again");

        let all = page(&ada, "/runs", None).await;
        assert!(lists(&all, READ) && lists(&all, FORECAST) && lists(&all, WISH));
        assert!(all.text.contains("Answered") && all.text.contains("Change not sent"));
        let asked = [("/runs?show=change", [false, false, true]), ("/runs?show=answered", [true, false, false])];
        for (path, wanted) in asked {
            let found = page(&ada, path, None).await;
            assert_eq!([READ, FORECAST, WISH].map(|question| lists(&found, question)), wanted, "{path}");
        }
        let found = page(&ada, "/runs?q=puzzle+GAME", None).await;
        assert!(lists(&found, WISH) && !lists(&found, READ));
        assert!(page(&ada, "/runs?q=nothing+like+it", None).await.text.contains("No matching runs"));
        assert!(lists(&page(&ada, "/runs?show=mistyped", None).await, READ));
    }
}

#[tokio::test]
async fn pending_approvals_elsewhere_are_counted_in_the_switcher() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        ada.ask(json!({"message": WISH})).await;
        let acme =
            ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
        let words = "pending approvals in your other workspaces";
        let there = page(&ada, &format!("/runs?workspace={acme}"), None).await;
        assert!(there.text.contains(words), "{}", there.text);
        assert!(!page(&ada, "/runs?workspace=personal", None).await.text.contains(words), "not what is pending here");
        // Nobody sees another person's runs.
        let bob = app.explorer("bob").await;
        assert!(!page(&bob, "/runs", None).await.text.contains(words));
    }
}
