//! Makes each field wrong in turn: the answer is a problem with a pointer, never a 500.

use serde_json::json;

use crate::harness::TestApp;

const NOBODY: &str = "019aa5c4-9a3e-7000-8000-000000000000";

#[tokio::test]
async fn every_wrong_field_is_named_by_its_pointer() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let long = |n: usize| "x".repeat(n);
        let sign_up = "/api/auth/sign-up";
        let cases = [
            (sign_up, json!({"password": "correct horse", "name": "B"}), 422, "/email"),
            (sign_up, json!({"email": 5, "password": "correct horse", "name": "B"}), 422, "/email"),
            (sign_up, json!({"email": "nobody", "password": "correct horse", "name": "B"}), 422, "/email"),
            (sign_up, json!({"email": "ada@example.com", "password": "correct horse", "name": "B"}), 422, "/email"),
            (sign_up, json!({"email": "b@example.com", "password": "short", "name": "B"}), 422, "/password"),
            (sign_up, json!({"email": "b@example.com", "password": long(300), "name": "B"}), 422, "/password"),
            (sign_up, json!({"email": "b@example.com", "password": "correct horse", "name": "\u{0}"}), 422, "/name"),
            (sign_up, json!({"email": "b@example.com", "password": "correct horse", "name": long(200)}), 422, "/name"),
            ("/api/auth/sign-in", json!({"email": "b@example.com"}), 422, "/password"),
            ("/chat/stream", json!({}), 422, "/message"),
            ("/chat/stream", json!({"message": 5}), 422, "/message"),
            ("/chat/stream", json!({"message": " \n"}), 422, "/message"),
            ("/chat/stream", json!({"message": "a\u{7}b"}), 422, "/message"),
            ("/chat/stream", json!({"message": long(20_001)}), 422, "/message"),
            ("/chat/stream", json!({"message": long(1 << 20)}), 422, "/message"),
            ("/chat/stream", json!({"message": long(3 << 20)}), 413, "-"),
            ("/chat/stream", json!({"message": "x", "session_id": "no"}), 422, "/session_id"),
            ("/chat/stream", json!({"message": "x", "session_id": NOBODY}), 404, "-"),
            ("/chat/stream", json!({"message": "x", "agent": "nobody"}), 422, "/agent"),
            ("/chat/stream", json!({"message": "x", "context": {"mode": "hard"}}), 422, "/context/mode"),
            ("/chat/approve-tool", json!({"approved": true}), 422, "/approval_id"),
            ("/chat/approve-tool", json!({"approval_id": NOBODY, "approved": "yes"}), 422, "/approved"),
            ("/chat/approve-tool", json!({"approval_id": NOBODY, "approved": true}), 404, "-"),
            (
                "/chat/approve-tool",
                json!({"approval_id": NOBODY, "approved": true, "edited_args": 5}),
                422,
                "/edited_args",
            ),
            (
                "/chat/approve-tool",
                json!({"approval_id": NOBODY, "approved": true, "reason": long(1001)}),
                422,
                "/reason",
            ),
            ("/api/chat/sessions", json!({"title": long(121)}), 422, "/title"),
            ("/api/chat/sessions", json!({"title": "a\nb"}), 422, "/title"),
            ("/api/chat/sessions", json!({"title": "a\u{202e}b"}), 422, "/title"),
            (
                sign_up,
                json!({"email": "b@example.com", "password": "correct horse", "name": "B\u{2066}"}),
                422,
                "/name",
            ),
            ("/chat/stream", json!({"message": "\u{202e}\u{200b}"}), 422, "/message"),
            ("/chat/stream", json!({"message": "x", "context": {"colour": 1}}), 422, "/context/colour"),
            (
                "/chat/approve-tool",
                json!({"approval_id": NOBODY, "approved": true, "remember": "yes"}),
                422,
                "/remember",
            ),
            ("/api/networks/unity", json!({"secret_key": "s"}), 422, "/refresh_token"),
            ("/api/networks/unity", json!({"secret_key": ["s"], "refresh_token": "r"}), 422, "/secret_key"),
            ("/api/networks/unity", json!({"secret_key": "s", "refresh_token": "r", "api_key": "k"}), 422, "/api_key"),
            (
                "/api/networks/unity",
                json!({"secret_key": "s", "refresh_token": "r", "key_id": "k"}),
                422,
                "/organization_id",
            ),
            ("/api/networks/mintegral", json!({"skey": "a\nb", "secret": "s"}), 422, "/skey"),
            ("/api/networks/mintegral", json!({"skey": long(4001), "secret": "s"}), 422, "/skey"),
            ("/api/networks/mintegral", json!({"skey": "s", "secret": "s", "place": "moon"}), 422, "/place"),
            ("/api/networks/pangle", json!({"user_id": "x", "role_id": "1", "security_key": "s"}), 422, "/user_id"),
            ("/api/networks/unity/test", json!({}), 404, "-"),
            ("/api/networks/admob", json!({}), 409, "-"),
            ("/api/networks/facebook", json!({}), 404, "-"),
            ("/api/providers/connect", json!({}), 422, "/provider"),
            ("/api/providers/connect", json!({"provider": "facebook"}), 422, "/provider"),
            ("/api/sandbox/explore", json!({"networks": ["facebook"]}), 422, "/networks/0"),
            ("/api/sandbox/explore", json!({"networks": []}), 422, "/networks"),
            ("/api/providers/connect", json!({"provider": "unity"}), 409, "-"),
            ("/api/unknown", json!({}), 404, "-"),
        ];
        for (path, body, status, pointer) in cases {
            let answer = ada.post(path, body.clone()).await;
            let shown: String = body.to_string().chars().take(120).collect();
            assert_eq!(
                (answer.status, answer.pointer().as_str()),
                (status, pointer),
                "{path} {shown}: {}",
                answer.text
            );
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn wrong_settings_and_queries_are_named_by_their_pointer() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        for (body, pointer) in [
            (json!({"model": "gpt-9"}), "/model"),
            (json!({"enabled_networks": ["admob", "facebook"]}), "/enabled_networks/1"),
            (json!({"enabled_accounts": {"admob": ["pub-1"]}}), "/enabled_accounts/admob"),
            (json!({"enabled_apps": ["a\u{0}"]}), "/enabled_apps/0"),
            (json!({"safe_mode": "yes"}), "/safe_mode"),
        ] {
            let answer = ada.send("PUT", "/api/settings/context", Some(body)).await;
            assert_eq!((answer.status, answer.pointer().as_str()), (422, pointer), "{}", answer.text);
        }
        for (path, pointer) in [
            ("/api/runs?limit=0", "/limit"),
            ("/api/runs?limit=many", "/limit"),
            ("/api/runs?cursor=nonsense", "/cursor"),
            ("/api/chat/sessions?cursor=nonsense", "/cursor"),
            ("/api/approvals?status=maybe", "/status"),
        ] {
            assert_eq!(ada.get(path).await.pointer(), pointer, "{path}");
        }
        for path in ["/api/runs/nonsense", "/api/chat/sessions/nonsense", "/api/approvals/nonsense", "/api/nothing"] {
            assert_eq!(ada.get(path).await.status, 404, "{path}");
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn bodies_that_are_no_json_and_wrong_methods_are_problems() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let raw = |body: &'static [u8], kind: &'static str| {
        ada.request("POST", "/api/chat/sessions").header("content-type", kind).body(body)
    };
    for (body, kind, status) in [
        (&b"{\"title\":"[..], "application/json", 400),
        (b"{\"title\":\"\xff\"}", "application/json", 400),
        (b"title=x", "text/plain", 415),
    ] {
        let answer = ada.finish("POST", "/api/chat/sessions", raw(body, kind)).await;
        assert_eq!(answer.status, status);
        if status == 400 {
            assert!(
                answer.json()["errors"][0]["message"].as_str().unwrap().starts_with("The body is not"),
                "{answer:?}"
            );
        }
    }
    let answer = ada.send("DELETE", "/api/me", None).await;
    assert_eq!((answer.status, answer.code().as_str()), (405, "method_not_allowed"));
    assert_eq!(answer.json()["request_id"].as_str(), answer.headers["x-request-id"].to_str().ok());
}
