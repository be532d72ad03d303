//! The workspace of a page and of everything it sends: never another one than the page says, and never a guess.

use serde_json::json;

use crate::harness::{Answer, Caller, TestApp};

async fn organization(caller: &Caller<'_>, name: &str) -> String {
    let answer = caller.post("/api/organizations", json!({"name": name})).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()["id"].as_str().unwrap().to_owned()
}

/// Opens a page as a browser with this workspace cookie does.
pub async fn page(caller: &Caller<'_>, path: &str, choice: Option<&str>) -> Answer {
    let cookie = caller.cookie.lock().unwrap().clone().unwrap_or_default();
    let cookie = choice.map_or_else(|| cookie.clone(), |choice| format!("{cookie}; workspace={choice}"));
    let request = reqwest::Client::new().get(format!("{}{path}", caller.base()));
    let request = request.header("accept", "text/html").header("cookie", cookie);
    // This client keeps no cookies, because pages set none.
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Answer { status, headers, text: response.text().await.unwrap() }
}

/// Posts a form without JavaScript and does not follow the redirect.
pub async fn form(caller: &Caller<'_>, path: &str, fields: &[(&str, &str)]) -> Answer {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let cookie = caller.cookie.lock().unwrap().clone().unwrap_or_default();
    let request =
        client.post(format!("{}{path}", caller.base())).header("accept", "text/html").header("cookie", cookie);
    let response = request.form(fields).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Answer { status, headers, text: response.text().await.unwrap() }
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Checks the workspace that the page names; what the page sends repeats it.
fn is_of(answer: &Answer, id: &str) -> bool {
    answer.text.contains(&format!("data-workspace=\"{id}\""))
}

#[tokio::test]
async fn the_address_decides_then_the_choice_then_the_personal_workspace() {
    for app in TestApp::both().await {
        let (ada, eve) = (app.person("ada").await, app.person("eve").await);
        let personal = ada.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned();
        // Pages for a person with one workspace name none.
        assert!(!page(&ada, "/chat", None).await.text.contains("data-workspace-name"));
        let (acme, beta) = (organization(&ada, "Acme Agency").await, organization(&ada, "Beta Corp").await);
        assert!(is_of(&page(&ada, "/chat", None).await, &personal));
        assert!(is_of(&page(&ada, "/chat", Some(&acme)).await, &acme));
        assert!(is_of(&page(&ada, &format!("/chat?workspace={beta}"), Some(&acme)).await, &beta));
        assert!(is_of(&page(&ada, "/chat?workspace=personal", Some(&acme)).await, &personal));
        // A chosen workspace that does not exist or is not the person's is ignored.
        for choice in [acme.as_str(), "../etc", "019aa5c4-9a3e-7000-8000-000000000000"] {
            let answer = page(&eve, "/chat", Some(choice)).await;
            assert_eq!(answer.status, 200);
            assert!(!is_of(&answer, &acme));
        }
        // The page for somebody else's workspace looks like the page for one that does not exist.
        for named in [acme.as_str(), "019aa5c4-9a3e-7000-8000-000000000000", "acme", ""] {
            let answer = page(&eve, &format!("/chat?workspace={named}"), None).await;
            assert_eq!(answer.status, 404, "{named}");
            assert!(answer.text.contains("Workspace not found") && !answer.text.contains("Acme"));
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn a_form_acts_where_its_page_was_and_one_that_does_not_say_so_does_nothing() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        // With one workspace, the form need not name it.
        let made = form(
            &ada,
            "/settings/tokens",
            &[("name", "first"), ("api", "on"), ("days", "30"), ("password", "correct horse")],
        )
        .await;
        assert!(made.text.contains("first is ready"), "{}", made.text);
        let acme = organization(&ada, "Acme Agency").await;
        let page_of_acme = page(&ada, &format!("/settings/tokens?workspace={acme}"), None).await;
        let action = format!("/settings/tokens?workspace={acme}");
        assert!(page_of_acme.text.contains(&format!("action=\"{action}\"")), "the form says where it is");
        let fields = [("name", "second"), ("api", "on"), ("days", "30"), ("password", "correct horse")];
        assert!(form(&ada, &action, &fields).await.text.contains("second is ready"));
        let refused = form(&ada, "/settings/tokens", &fields).await;
        assert!(refused.text.contains("name a workspace") && !refused.text.contains("is ready"));
        let names = async |workspace: &str| {
            let request = ada.request("GET", "/api/tokens").header("x-organization-id", workspace);
            let answer = ada.finish("GET", "/api/tokens", request).await.json();
            answer["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&acme).await, ["second"]);
        assert_eq!(ada.get("/api/tokens").await.json()["items"].as_array().unwrap().len(), 1);
        // The composer posts without JavaScript: the chat is in the workspace of its page, and so is the next page.
        let asked = form(&ada, &format!("/chat/stream?workspace={acme}"), &[("message", "List my apps")]).await;
        assert_eq!(asked.status, 303);
        assert!(header(&asked, "location").ends_with(&format!("workspace={acme}")), "{asked:?}");
        let chats = ada.request("GET", "/api/chat/sessions").header("x-organization-id", &acme);
        let chats = ada.finish("GET", "/api/chat/sessions", chats).await.json();
        assert_eq!(chats["items"].as_array().unwrap().len(), 1);
        assert!(ada.get("/api/chat/sessions").await.json()["items"].as_array().unwrap().is_empty());
        app.stop().await;
    }
}

#[tokio::test]
async fn what_scripts_ask_names_its_workspace_once() {
    const COUNT: &str = "/desk/pending-approvals";
    let app = TestApp::sqlite().await;
    let (ada, eve) = (app.person("ada").await, app.person("eve").await);
    let read = async |caller: &Caller<'_>, path: &str, named: Option<&str>| {
        let request = caller.request("GET", path);
        let request = if let Some(named) = named { request.header("x-organization-id", named) } else { request };
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(read(&ada, COUNT, None).await, 200, "there is only one");
    let acme = organization(&ada, "Acme Agency").await;
    assert_eq!(read(&ada, COUNT, None).await, 409);
    assert_eq!(read(&ada, COUNT, Some(&acme)).await, 200);
    assert_eq!(read(&ada, COUNT, Some("acme")).await, 404);
    assert_eq!(read(&ada, &format!("{COUNT}?workspace=personal"), Some(&acme)).await, 404, "it says both");
    assert_eq!(read(&eve, COUNT, Some(&acme)).await, 404);
    app.stop().await;
}

#[tokio::test]
async fn switching_is_a_form_and_only_into_what_is_ones_own() {
    let app = TestApp::sqlite().await;
    let (ada, eve) = (app.person("ada").await, app.person("eve").await);
    let acme = organization(&ada, "Acme Agency").await;
    let switched = form(&ada, "/desk/switch-workspace", &[("to", &acme), ("return_to", "/runs?x=1")]).await;
    assert_eq!((switched.status, header(&switched, "location")), (302, &*format!("/runs?x=1&workspace={acme}")));
    let cookie = header(&switched, "set-cookie");
    assert!(cookie.starts_with(&format!("workspace={acme};")) && cookie.contains("SameSite=Lax"), "{cookie}");
    let back = form(&ada, "/desk/switch-workspace", &[("to", "personal"), ("return_to", "https://evil.example")]).await;
    assert_eq!(header(&back, "location"), "/chat?workspace=personal");
    let refused = form(&eve, "/desk/switch-workspace", &[("to", &acme), ("return_to", "")]).await;
    assert!(header(&refused, "set-cookie").is_empty() && !header(&refused, "location").contains(&acme), "{refused:?}");
    app.stop().await;
}

#[tokio::test]
async fn a_chat_of_another_workspace_is_told_to_its_person_alone() {
    for app in TestApp::both().await {
        let (ada, eve) = (app.person("ada").await, app.person("eve").await);
        let acme = organization(&ada, "Acme Agency").await;
        let request = ada.request("POST", "/api/chat/sessions").header("x-organization-id", &acme).json(&json!({}));
        let chat = ada.finish("POST", "/api/chat/sessions", request).await.json()["id"].as_str().unwrap().to_owned();
        let elsewhere = page(&ada, &format!("/chat/{chat}?workspace=personal"), None).await;
        assert_eq!(elsewhere.status, 404);
        assert!(
            elsewhere.text.contains("This chat belongs to Acme Agency")
                && elsewhere.text.contains("Switch to Acme Agency")
        );
        assert_eq!(page(&ada, &format!("/chat/{chat}?workspace={acme}"), None).await.status, 200);
        // Another member of the same organization has other chats. For them and for strangers, this chat does not exist.
        let link = ada.post(&format!("/api/organizations/{acme}/invite-links"), json!({"role": "member"})).await;
        let url = link.json()["url"].as_str().unwrap().to_owned();
        let token = url.rsplit('/').next().unwrap().to_owned();
        let bob = app.person("bob").await;
        assert_eq!(bob.post(&format!("/api/invite/{token}/accept"), json!({})).await.status, 200);
        for other in [&bob, &eve] {
            let answer = page(other, &format!("/chat/{chat}?workspace=personal"), None).await;
            assert_eq!(answer.status, 404);
            assert!(
                answer.text.contains("Page not found") && !answer.text.contains("This chat belongs to"),
                "nobody else's"
            );
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn what_was_refused_at_a_network_comes_back_into_the_workspace_it_began_in() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let (acme, beta) = (organization(&ada, "Acme Agency").await, organization(&ada, "Beta Corp").await);
    let page = format!("/settings/networks?workspace={acme}");
    let asked = ada.request("POST", "/api/providers/connect").header("x-organization-id", &acme);
    let asked = asked.json(&json!({"provider": "admob", "return": page}));
    let led = ada.finish("POST", "/api/providers/connect", asked).await.json();
    let address: url::Url = led["authorization_url"].as_str().unwrap().parse().unwrap();
    let state = address.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    // In the meantime, another tab has switched to another workspace.
    let cookie = format!("{}; workspace={beta}", ada.cookie.lock().unwrap().clone().unwrap());
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let back = format!("{}/api/providers/oauth/callback?state={state}&error=access_denied", ada.base());
    let answer = http.get(back).header("cookie", cookie).send().await.unwrap();
    let target = answer.headers()["location"].to_str().unwrap();
    assert_eq!(target, format!("/settings/networks?error=access_denied&workspace={acme}"));
}

#[tokio::test]
async fn a_page_whose_workspace_cannot_be_found_out_is_none() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let acme = organization(&ada, "Acme Agency").await;
    let path = format!("/chat?workspace={acme}");
    assert!(is_of(&page(&ada, &path, None).await, &acme));
    app.database.execute("alter table memberships rename to memberships_away").await.unwrap();
    let broken = page(&ada, &path, None).await;
    assert!(broken.status >= 500, "{}", broken.status);
    assert!(!broken.text.contains("<textarea") && !broken.text.contains("<script src"), "nothing acts on it");
    app.database.execute("alter table memberships_away rename to memberships").await.unwrap();
    assert!(is_of(&page(&ada, &path, None).await, &acme));
}

#[tokio::test]
async fn without_script_who_is_refused_is_told_so() {
    let app = TestApp::sqlite().await;
    let (ada, eve) = (app.person("ada").await, app.person("eve").await);
    let acme = organization(&ada, "Acme Agency").await;
    // The link was valid when the page opened, but somebody revoked it before the press.
    let link = ada.post(&format!("/api/organizations/{acme}/invite-links"), json!({"role": "member"})).await.json();
    let token = link["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let gone = format!("/api/organizations/{acme}/invite-links/{}", link["id"].as_str().unwrap());
    assert!(ada.send("DELETE", &gone, None).await.status < 300);
    let refused = form(&eve, "/desk/accept-invite-link", &[("token", &token)]).await;
    let back = header(&refused, "location").to_owned();
    assert!(back.starts_with(&format!("/invite/{token}?error=")), "{refused:?}");
    assert!(!back.ends_with('='), "{back}");
    // An invitation that no longer exists.
    let nothing = "019aa5c4-9a3e-7000-8000-000000000000";
    for accept in ["true", "false"] {
        let refused = form(&eve, "/desk/answer-invitation", &[("id", nothing), ("accept", accept)]).await;
        let back = header(&refused, "location").to_owned();
        assert_eq!(back, "/chat?invitation=not_found", "{refused:?}");
        assert!(page(&eve, &back, None).await.text.contains("It no longer exists."));
    }
}
