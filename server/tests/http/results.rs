//! Results of calls: complete for programs, or in brief if they ask for that.

use serde_json::json;

use crate::harness::{TestApp, of};

#[tokio::test]
async fn a_stream_tells_results_whole_or_in_brief() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let events = ada.ask(json!({"message": "AdMob revenue by app, last 7 days"})).await;
        let told = of(&events, "tool_result");
        assert_eq!(told["result"]["kind"], "report", "{told}");
        assert!(told["result"]["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{told}");

        let run = of(&events, "run_started")["run_id"].as_str().unwrap().to_owned();
        let again = ada.get(&format!("/api/runs/{run}/events")).await.text;
        assert!(again.contains("\"kind\":\"report\"") && !again.contains("omitted_bytes"), "{again}");
        let brief = ada.get(&format!("/api/runs/{run}/events?results=brief")).await.text;
        assert!(brief.contains("omitted_bytes") && !brief.contains("\"kind\":\"report\""), "{brief}");
        assert_eq!(ada.get(&format!("/api/runs/{run}/events?results=half")).await.status, 422);
        app.stop().await;
    }
}
