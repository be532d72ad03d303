//! The reporting time zone: who may choose it, what it changes, and what is refused.

use serde_json::json;

use crate::harness::TestApp;

const PATH: &str = "/api/settings/reporting";

#[tokio::test]
async fn the_workspace_chooses_the_zone_its_days_are_read_in() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let put = async |zone: serde_json::Value| ada.send("PUT", PATH, Some(json!({"time_zone": zone}))).await;
        assert_eq!(ada.get(PATH).await.json()["settings"]["time_zone"], json!(null));
        // The two zones always have different dates, because they are 25 hours apart.
        let mut days = Vec::new();
        for zone in ["Pacific/Niue", "Pacific/Kiritimati"] {
            let answer = put(json!(zone.to_lowercase())).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!(answer.json()["time_zone"], zone, "in its own spelling");
            assert_eq!(ada.get(PATH).await.json(), answer.json());
            days.push(answer.json()["today"].as_str().unwrap().to_owned());
        }
        assert!(days[0] < days[1], "{days:?}");
        assert_eq!(bob.get(PATH).await.json()["settings"]["time_zone"], json!(null), "another workspace's");
        for wrong in [json!("Mars/Olympus"), json!("../../etc/passwd")] {
            let refused = put(wrong).await;
            assert_eq!((refused.status, refused.pointer().as_str()), (422, "/time_zone"), "{}", refused.text);
        }
        let back = put(json!(null)).await;
        assert_eq!(back.json()["settings"]["time_zone"], json!(null), "{}", back.text);
        app.stop().await;
    }
}
