//! Organizations over HTTP with three people, on both engines: journeys B, C and E, permissions, races, mail, and what ends when
//! a person leaves.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Caller, TestApp, of, per_minute},
    tokens::token,
};

/// A caller in an organization.
struct In<'a, 'b> {
    caller: &'a Caller<'b>,
    id: String,
}

impl<'b> In<'_, 'b> {
    fn path(&self, rest: &str) -> String {
        format!("/api/organizations/{}{rest}", self.id)
    }

    /// Returns another caller in the same organization.
    fn by<'c>(&self, caller: &'c Caller<'b>) -> In<'c, 'b> {
        In { caller, id: self.id.clone() }
    }

    async fn get(&self, rest: &str) -> Answer {
        self.caller.get(&self.path(rest)).await
    }

    async fn post(&self, rest: &str, body: Value) -> Answer {
        self.caller.post(&self.path(rest), body).await
    }

    async fn send(&self, method: &str, rest: &str, body: Option<Value>) -> Answer {
        self.caller.send(method, &self.path(rest), body).await
    }

    /// Sends any request in this workspace.
    async fn within(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let request = self.caller.request(method, path).header("x-organization-id", &self.id);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        self.caller.finish(method, path, request).await
    }

    async fn link(&self, body: Value) -> (String, String) {
        let made = self.post("/invite-links", body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let url = made.json()["url"].as_str().unwrap().to_owned();
        (made.json()["id"].as_str().unwrap().to_owned(), url.rsplit_once("/invite/").unwrap().1.to_owned())
    }

    /// Lets a person join by their own link.
    async fn admit(&self, who: &Caller<'_>, role: &str) -> String {
        let (_, secret) = self.link(json!({"role": role, "max_uses": 1})).await;
        let joined = who.post(&format!("/api/invite/{secret}/accept"), json!({})).await;
        assert_eq!((joined.status, joined.json()["role"].as_str()), (200, Some(role)), "{}", joined.text);
        id_of(who).await
    }

    async fn roles(&self) -> Vec<(String, String)> {
        let members = self.get("/members").await.json();
        let pair = |one: &Value| (one["name"].as_str().unwrap().into(), one["role"].as_str().unwrap().into());
        members["items"].as_array().unwrap().iter().map(pair).collect()
    }
}

async fn id_of(who: &Caller<'_>) -> String {
    who.get("/api/me").await.json()["user"]["id"].as_str().unwrap().to_owned()
}

async fn found<'a, 'b>(owner: &'a Caller<'b>, name: &str) -> In<'a, 'b> {
    let made = owner.post("/api/organizations", json!({"name": name})).await;
    assert_eq!((made.status, made.json()["role"].as_str()), (201, Some("owner")), "{}", made.text);
    In { caller: owner, id: made.json()["id"].as_str().unwrap().to_owned() }
}

/// Repeats the check until it succeeds.
async fn until<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), looking).await.expect("it becomes so")
}

async fn mails_to(app: &TestApp, address: &str) -> Vec<Value> {
    let url = format!("{}/dev/outbox.json", app.running.base_url());
    let all: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    all["items"].as_array().unwrap().iter().filter(|mail| mail["to"] == address).cloned().collect()
}

#[tokio::test]
async fn an_agency_is_founded_and_people_come_in_by_mail_and_by_link() {
    for app in TestApp::both().await {
        let (ada, bob, cy) = (app.person("ada").await, app.person("bob").await, app.person("cy").await);
        let acme = found(&ada, " Acme Agency ").await;
        let me = ada.get("/api/me").await.json();
        assert_eq!(
            (me["organizations"][0]["name"].as_str(), me["organizations"][0]["slug"].as_str()),
            (Some("Acme Agency"), Some("acme-agency"))
        );
        // Journey B: the organization's own connections.
        assert_eq!(acme.within("POST", "/api/sandbox/explore", Some(json!({}))).await.status, 200);

        let invited = acme.post("/invitations", json!({"email": "Bob@Example.com", "role": "member"})).await;
        assert_eq!((invited.status, invited.json()["invited_by"].as_str()), (201, Some("ada")), "{}", invited.text);
        let again = acme.post("/invitations", json!({"email": "bob@example.com", "role": "admin"})).await;
        assert_eq!((again.status, again.pointer().as_str()), (422, "/email"));
        let mail = until(async || mails_to(&app, "Bob@Example.com").await.pop()).await;
        assert_eq!(mail["subject"], "You're invited to an organization on ADAgentAI");
        assert!(
            mail["text"].as_str().unwrap().contains("“ada” invited you to join “Acme Agency”")
                && mail["text"].as_str().unwrap().contains("as a member")
                && !mail["text"].as_str().unwrap().contains("/invite/")
        );
        until(async || (acme.get("/invitations").await.json()["items"][0]["mail"] == "sent").then_some(())).await;

        // Journey C: the invitation bar, and joining.
        let waiting = bob.get("/api/me").await.json()["invitations"][0].clone();
        assert_eq!(
            (waiting["organization"]["name"].as_str(), waiting["role"].as_str()),
            (Some("Acme Agency"), Some("member"))
        );
        // The email leads to a page where only the invited person can accept the invitation.
        let page = format!("/invitations/{}", waiting["id"].as_str().unwrap());
        assert!(mail["text"].as_str().unwrap().contains(&page), "{mail}");
        let theirs = bob.get(&page).await;
        assert!(theirs.text.contains("Join Acme Agency") && theirs.text.contains("Decline"), "{}", theirs.text);
        let others = cy.get(&page).await;
        assert!(
            others.text.contains("This invitation isn't available") && !others.text.contains("Acme"),
            "{}",
            others.text
        );
        let nobodys = app.caller().get(&page).await;
        assert!(nobodys.text.contains("Sign in to join") && !nobodys.text.contains("Acme"), "{}", nobodys.text);
        let accept = format!("/api/invitations/{}/accept", waiting["id"].as_str().unwrap());
        assert_eq!(cy.post(&accept, json!({})).await.status, 404, "it was sent to somebody else");
        assert_eq!(bob.get(&acme.path("")).await.status, 404, "not in yet");
        assert_eq!(bob.post(&accept, json!({})).await.json()["role"], "member");
        assert_eq!(bob.post(&accept, json!({})).await.status, 409, "once");
        let me = bob.get("/api/me").await.json();
        assert_eq!(
            (me["invitations"].as_array().unwrap().len(), me["organizations"][0]["id"].as_str()),
            (0, Some(&*acme.id))
        );

        // "Member chats with the organization's data": Bob has connected nothing himself.
        let request = bob.request("POST", "/chat/stream").header("x-organization-id", &acme.id);
        let events = bob.stream(request.json(&json!({"message": "List my AdMob apps"}))).await;
        assert!(of(&events, "tool_result")["ok"].as_bool().unwrap(), "{events:#?}");
        assert_eq!(of(&events, "done")["status"], "completed");

        // Joining by a link.
        let (link, secret) = acme.link(json!({"role": "admin", "expires_in_days": 7, "max_uses": 2})).await;
        let look = format!("/api/invite/{secret}");
        let seen = app.caller().get(&look).await.json();
        assert_eq!(
            (seen["state"].as_str(), seen["organization"]["name"].as_str()),
            (Some("valid"), Some("Acme Agency"))
        );
        assert_eq!(ada.get(&look).await.json()["state"], "already_member");
        assert_eq!(app.caller().post(&format!("{look}/accept"), json!({})).await.status, 401);
        let joined = cy.post(&format!("{look}/accept"), json!({})).await;
        assert_eq!((joined.status, joined.json()["role"].as_str()), (200, Some("admin")));
        let twice = cy.post(&format!("{look}/accept"), json!({})).await;
        assert_eq!((twice.status, twice.code().as_str()), (409, "already_member"));
        let links = acme.get("/invite-links").await.json();
        assert_eq!(
            (links["items"][0]["uses"].as_u64(), links["items"][0]["state"].as_str()),
            (Some(1), Some("active"))
        );
        assert!(links["items"][0]["url"].as_str().unwrap().ends_with(&secret), "to be copied again");
        assert_eq!(acme.send("DELETE", &format!("/invite-links/{link}"), None).await.status, 204);
        assert_eq!(app.caller().get(&look).await.json()["state"], "deactivated");
        let late = app.person("dan").await.post(&format!("{look}/accept"), json!({})).await;
        assert_eq!((late.status, late.code().as_str()), (409, "invite_deactivated"));
        let pairs = [("ada", "owner"), ("cy", "admin"), ("bob", "member")];
        assert_eq!(acme.roles().await, pairs.map(|(name, role)| (name.to_owned(), role.to_owned())));
        app.stop().await;
    }
}

/// Journey E, cell by cell, over HTTP.
#[tokio::test]
async fn each_role_does_what_the_matrix_says_and_nothing_else() {
    for app in TestApp::both().await {
        let (ada, bob, cy, eve) =
            (app.person("ada").await, app.person("bob").await, app.person("cy").await, app.person("eve").await);
        let acme = found(&ada, "Acme").await;
        let (admin, member) = (acme.by(&bob), acme.by(&cy));
        acme.admit(&bob, "admin").await;
        let cys = acme.admit(&cy, "member").await;
        let stranger = acme.by(&eve);
        let (link, _) = acme.link(json!({"role": "member"})).await;
        let link = format!("/invite-links/{link}");
        let role = format!("/members/{cys}");
        let rows: [(&str, &str, Option<Value>, [u16; 4]); 11] = [
            // Owner, admin, member, stranger. A request that would change something is refused for its content, so that the next
            // caller can try it too.
            ("GET", "", None, [200, 200, 200, 404]),
            ("GET", "/members", None, [200, 200, 200, 404]),
            ("GET", "/invitations", None, [200, 200, 403, 404]),
            ("GET", "/invite-links", None, [200, 200, 403, 404]),
            ("PATCH", "", Some(json!({"name": ""})), [422, 422, 403, 404]),
            ("POST", "/invitations", Some(json!({"email": "no", "role": "member"})), [422, 422, 403, 404]),
            ("POST", "/invite-links", Some(json!({"role": "owner"})), [422, 422, 403, 404]),
            ("PATCH", &role, Some(json!({"role": "member"})), [200, 200, 403, 404]),
            ("DELETE", "", Some(json!({"name": "not its name"})), [422, 403, 403, 404]),
            ("POST", "/transfer-ownership", Some(json!({"user_id": link_free_id()})), [422, 403, 403, 404]),
            ("DELETE", &link, None, [204, 404, 403, 404]),
        ];
        for (method, rest, body, expected) in rows {
            for (who, status) in [&acme, &admin, &member, &stranger].into_iter().zip(expected) {
                let answer = who.send(method, rest, body.clone()).await;
                assert_eq!(answer.status, status, "{method} {rest}: {}", answer.text);
            }
        }
        // Networks: everybody sees them, only people with the permission connect them, and the refusal says who may.
        for (who, status) in [(&member, 403), (&admin, 200), (&stranger, 404)] {
            let answer = who.within("POST", "/api/sandbox/explore", Some(json!({}))).await;
            assert_eq!(answer.status, status, "{}", answer.text);
            if status == 403 {
                assert_eq!(answer.json()["detail"], "Only admins and the owner can connect or disconnect networks.");
            }
        }
        let provider = member.within("GET", "/api/providers", None).await.json();
        let admob = provider["items"].as_array().unwrap().iter().find(|one| one["network"] == "admob").unwrap().clone();
        assert_eq!(admob["state"], "connected");
        let path = format!("/api/providers/{}", admob["id"].as_str().unwrap());
        assert_eq!(member.within("DELETE", &path, None).await.status, 403);
        assert_eq!(ada.send("DELETE", &path, None).await.status, 404, "not of her personal workspace");
        // The owner cannot leave before somebody else is the owner.
        let stays = acme.post("/leave", json!({})).await;
        assert_eq!(stays.status, 403);
        assert!(stays.json()["detail"].as_str().unwrap().contains("Transfer ownership"));
        // Nobody can raise their own role; admins can neither create owners nor change one.
        let (adas, bobs) = (id_of(&ada).await, id_of(&bob).await);
        for (who, of, to) in [
            (&member, &cys, "admin"),
            (&admin, &bobs, "owner"),
            (&admin, &adas, "member"),
            (&acme, &bobs, "owner"),
            (&acme, &adas, "admin"),
        ] {
            let answer = who.send("PATCH", &format!("/members/{of}"), Some(json!({"role": to}))).await;
            assert_eq!(answer.status, 403, "{to}: {}", answer.text);
        }
        assert_eq!(admin.send("DELETE", &format!("/members/{adas}"), None).await.status, 403);
        // A personal workspace is not an organization.
        let own = ada.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned();
        for (method, rest) in [("GET", ""), ("DELETE", ""), ("GET", "/members"), ("POST", "/leave")] {
            let body = (method == "DELETE").then(|| json!({"name": "Personal"}));
            let answer = ada.send(method, &format!("/api/organizations/{own}{rest}"), body).await;
            assert_eq!(answer.status, 404, "{method} {rest}");
        }
        app.stop().await;
    }
}

fn link_free_id() -> &'static str {
    "019aa5c4-9a3e-7000-8000-00000000dead"
}

#[tokio::test]
async fn the_ownership_is_handed_over_and_an_organisation_is_deleted_by_its_name() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let acme = found(&ada, "Acme").await;
        let bobs = acme.admit(&bob, "member").await;
        let theirs = acme.by(&bob);
        assert_eq!(acme.post("/transfer-ownership", json!({"user_id": bobs})).await.status, 204);
        assert_eq!(acme.roles().await, [("bob".into(), "owner".into()), ("ada".into(), "admin".into())]);
        assert_eq!(acme.post("/transfer-ownership", json!({"user_id": bobs})).await.status, 403);
        let renamed = acme.send("PATCH", "", Some(json!({"name": "Umbrella"}))).await.json();
        assert_eq!((renamed["name"].as_str(), renamed["slug"].as_str()), (Some("Umbrella"), Some("acme")));
        assert_eq!(found(&ada, "Acme!").await.get("").await.json()["slug"].as_str().map(str::len), Some(13));
        assert_eq!(acme.post("/leave", json!({})).await.status, 204);
        assert_eq!(acme.get("").await.status, 404);

        // Something to delete: a connection and a chat.
        assert_eq!(theirs.within("POST", "/api/sandbox/explore", Some(json!({}))).await.status, 200);
        let chat = theirs.within("POST", "/api/chat/sessions", Some(json!({"title": "ours"}))).await;
        assert_eq!(chat.status, 201);
        let (_, secret) = theirs.link(json!({"role": "member"})).await;
        assert_eq!(theirs.send("DELETE", "", Some(json!({"name": "umbrella"}))).await.status, 422);
        assert_eq!(theirs.send("DELETE", "", Some(json!({"name": "Umbrella"}))).await.status, 204);
        assert_eq!(theirs.get("").await.status, 404);
        assert_eq!(theirs.within("GET", "/api/chat/sessions", None).await.status, 404);
        assert_eq!(bob.get(&format!("/api/invite/{secret}")).await.json()["state"], "invalid");
        assert!(bob.get("/api/organizations").await.json()["items"].as_array().unwrap().is_empty());
        app.stop().await;
    }
}

/// Everything that a removed person had started stops: runs, approvals, tokens.
#[tokio::test]
async fn who_is_removed_gets_nothing_done_any_more() {
    const WRITE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let acme = found(&ada, "Acme").await;
        let bobs = acme.admit(&bob, "member").await;
        let member = acme.by(&bob);
        assert_eq!(acme.within("POST", "/api/sandbox/explore", Some(json!({}))).await.status, 200);
        let made = member
            .within("POST", "/api/tokens", Some(json!({"name": "t", "scopes": ["api"], "password": "correct horse"})))
            .await
            .json();
        let secret = made["token"].as_str().unwrap().to_owned();
        let (_, own) = token(&bob, &["api"]).await;
        let with = async |secret: &str| {
            let request = app.caller().request("GET", "/api/runs").bearer_auth(secret);
            app.caller().finish("GET", "/api/runs", request).await.status
        };
        assert_eq!(with(&secret).await, 200);

        let request = bob.request("POST", "/chat/stream").header("x-organization-id", &acme.id);
        let events = bob.stream(request.json(&json!({"message": WRITE}))).await;
        let asked = of(&events, "tool_approval_required").clone();
        let run = asked["run_id"].as_str().unwrap().to_owned();
        assert_eq!(acme.send("DELETE", &format!("/members/{bobs}"), None).await.status, 204);

        let answer = json!({"approval_id": asked["approval_id"], "approved": true});
        assert_eq!(member.within("POST", "/chat/approve-tool", Some(answer)).await.status, 404);
        assert_eq!(member.within("GET", &format!("/api/runs/{run}"), None).await.status, 404);
        assert_eq!((with(&secret).await, with(&own).await), (401, 200), "their own workspace is theirs");
        assert_eq!(acme.send("DELETE", &format!("/members/{bobs}"), None).await.status, 404, "once");
        assert_eq!(app.writes().await.len(), 0);

        // When they are back, they see how it ended.
        acme.admit(&bob, "member").await;
        let ended = member.within("GET", &format!("/api/runs/{run}"), None).await.json();
        assert_eq!(ended["status"], "cancelled", "{ended}");
        let approvals = member.within("GET", "/api/approvals?status=cancelled", None).await.json();
        assert_eq!(approvals["items"].as_array().unwrap().len(), 1, "{approvals}");
        assert_eq!(app.writes().await.len(), 0);
        app.stop().await;
    }
}

/// Admins and the owner answer approvals of members' runs; the chat stays the member's.
#[tokio::test]
async fn an_owner_answers_for_a_member_and_another_member_does_not() {
    const WRITE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
    for app in TestApp::both().await {
        let (ada, bob, cy) = (app.person("ada").await, app.person("bob").await, app.person("cy").await);
        let acme = found(&ada, "Acme").await;
        acme.admit(&bob, "member").await;
        acme.admit(&cy, "member").await;
        let (member, other) = (acme.by(&bob), acme.by(&cy));
        assert_eq!(acme.within("POST", "/api/sandbox/explore", Some(json!({}))).await.status, 200);
        let request = bob.request("POST", "/chat/stream").header("x-organization-id", &acme.id);
        let events = bob.stream(request.json(&json!({"message": WRITE}))).await;
        let asked = of(&events, "tool_approval_required").clone();
        let (id, run) = (asked["approval_id"].as_str().unwrap(), asked["run_id"].as_str().unwrap());
        let yes = json!({"approval_id": id, "approved": true});

        let all = "/api/approvals?of=everyone&status=pending";
        let one = format!("/api/approvals/{id}");
        assert_eq!(other.within("GET", all, None).await.status, 403);
        assert_eq!(other.within("GET", &one, None).await.status, 404);
        assert_eq!(other.within("POST", "/chat/approve-tool", Some(yes.clone())).await.status, 404);
        let own = acme.within("GET", "/api/approvals", None).await.json();
        assert_eq!(own["items"], json!([]), "of oneself, unless everyone's are asked for");
        let seen = acme.within("GET", all, None).await.json()["items"][0].clone();
        assert_eq!((&seen["id"], &seen["asked_by"]), (&asked["approval_id"], &json!("bob")), "{seen}");
        assert_eq!(seen.get("session_id"), None, "the chat stays the member's: {seen}");
        assert_eq!(acme.within("GET", "/api/activity", None).await.json(), json!({"pending_approvals": 1}));
        assert_eq!(other.within("GET", "/api/activity", None).await.json(), json!({"pending_approvals": 0}));
        assert_eq!(acme.within("GET", &format!("/api/runs/{run}"), None).await.status, 404);

        assert_eq!(acme.within("POST", "/chat/approve-tool", Some(yes.clone())).await.status, 204);
        let done = member.within("GET", &format!("/api/runs/{run}/events"), None).await.text;
        assert!(done.contains("event: done"), "{done}");
        assert_eq!(app.writes().await.len(), 1);
        let answered = member.within("GET", &one, None).await.json();
        assert_eq!((&answered["status"], &answered["answered_by"]), (&json!("approved"), &json!("ada")), "{answered}");
        assert_eq!(acme.within("POST", "/chat/approve-tool", Some(yes)).await.status, 409);
        app.stop().await;
    }
}

/// An admin has seen every link and may have invited their own other addresses. None of this lets them back in after a removal.
#[tokio::test]
async fn who_is_removed_or_demoted_comes_back_by_nothing_that_stands() {
    for app in TestApp::both().await {
        let (ada, bob, cy, dan) =
            (app.person("ada").await, app.person("bob").await, app.person("cy").await, app.person("dan").await);
        let (bob_too, acme) = (app.person("bob-too").await, found(&ada, "Acme").await);
        let bobs = acme.admit(&bob, "admin").await;
        let admin = acme.by(&bob);
        let (_, own) = admin.link(json!({"role": "admin"})).await;
        let (_, adas) = acme.link(json!({"role": "member"})).await;
        let second = admin.post("/invitations", json!({"email": "bob-too@example.com", "role": "admin"})).await.json();
        assert_eq!(acme.send("DELETE", &format!("/members/{bobs}"), None).await.status, 204);
        for secret in [own, adas] {
            let late = bob.post(&format!("/api/invite/{secret}/accept"), json!({})).await;
            assert_eq!((late.status, late.code().as_str()), (409, "invite_deactivated"), "{}", late.text);
        }
        assert!(bob_too.get("/api/me").await.json()["invitations"].as_array().unwrap().is_empty());
        let accept = format!("/api/invitations/{}/accept", second["id"].as_str().unwrap());
        assert_eq!(bob_too.post(&accept, json!({})).await.status, 409);

        // An admin becomes a member.
        let cys = acme.admit(&cy, "admin").await;
        let (_, own) = acme.by(&cy).link(json!({"role": "admin"})).await;
        let demoted = acme.send("PATCH", &format!("/members/{cys}"), Some(json!({"role": "member"}))).await;
        assert_eq!(demoted.status, 200, "{}", demoted.text);
        assert_eq!(app.caller().get(&format!("/api/invite/{own}")).await.json()["state"], "deactivated");

        // An invited person joined by a link in the meantime, which also answers the invitation.
        let sent = acme.post("/invitations", json!({"email": "dan@example.com", "role": "admin"})).await.json();
        let dans = acme.admit(&dan, "member").await;
        assert!(acme.get("/invitations").await.json()["items"].as_array().unwrap().is_empty());
        assert_eq!(acme.send("DELETE", &format!("/members/{dans}"), None).await.status, 204);
        let accept = format!("/api/invitations/{}/accept", sent["id"].as_str().unwrap());
        assert_eq!(dan.post(&accept, json!({})).await.status, 409);
        assert_eq!(acme.roles().await, [("ada".into(), "owner".into()), ("cy".into(), "member".into())]);
        app.stop().await;
    }
}

#[tokio::test]
async fn nobody_owns_more_organisations_than_the_most_however_they_come_to_them() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        for number in 0..19 {
            found(&bob, &format!("Client {number}")).await;
        }
        let make = async |number: i32| {
            bob.post("/api/organizations", json!({"name": format!("At once {number}")})).await.status
        };
        let mut statuses = join_all((0..4).map(make)).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409]);
        let acme = found(&ada, "Acme").await;
        let bobs = acme.admit(&bob, "member").await;
        let pushed = acme.post("/transfer-ownership", json!({"user_id": bobs})).await;
        assert_eq!(pushed.status, 409, "{}", pushed.text);
        app.stop().await;
    }
}

#[tokio::test]
async fn of_many_at_a_time_as_many_come_in_as_the_link_allows() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let acme = found(&ada, "Acme").await;
        let (_, secret) = acme.link(json!({"role": "member", "max_uses": 2})).await;
        let people = join_all((0..6).map(async |number| app.person(&format!("p{number}")).await)).await;
        let path = format!("/api/invite/{secret}/accept");
        let answers = join_all(people.iter().map(|one| one.post(&path, json!({})))).await;
        let mut codes: Vec<(u16, String)> = answers.iter().map(|one| (one.status, one.code())).collect();
        codes.sort();
        let (joined, late): (Vec<_>, Vec<_>) = codes.into_iter().partition(|(status, _)| *status == 200);
        assert_eq!(joined.len(), 2);
        assert!(late.iter().all(|(status, code)| *status == 409 && code == "invite_used_up"), "{late:?}");
        assert_eq!(acme.roles().await.len(), 3);
        assert_eq!(app.caller().get(&format!("/api/invite/{secret}")).await.json()["state"], "used_up");
        app.stop().await;
    }
}

#[tokio::test]
async fn an_invitation_is_accepted_or_revoked_and_never_both() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        for round in 0..5 {
            let acme = found(&ada, &format!("Acme {round}")).await;
            let invited = acme.post("/invitations", json!({"email": "bob@example.com", "role": "admin"})).await.json();
            let id = invited["id"].as_str().unwrap();
            let (accept, revoke) = (format!("/api/invitations/{id}/accept"), format!("/invitations/{id}"));
            let (accepted, revoked) = tokio::join!(bob.post(&accept, json!({})), acme.send("DELETE", &revoke, None));
            let is_in = acme.by(&bob).get("").await.status == 200;
            match (accepted.status, revoked.status) {
                (200, 404) => assert!(is_in),
                (409, 204) => assert!(!is_in),
                other => panic!("{other:?}: {} {}", accepted.text, revoked.text),
            }
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn of_transfers_at_a_time_one_wins_and_there_is_one_owner() {
    for app in TestApp::both().await {
        let (ada, bob, cy) = (app.person("ada").await, app.person("bob").await, app.person("cy").await);
        let acme = found(&ada, "Acme").await;
        let (bobs, cys) = (acme.admit(&bob, "member").await, acme.admit(&cy, "admin").await);
        let member = format!("/members/{bobs}");
        let (one, two, three) = tokio::join!(
            acme.post("/transfer-ownership", json!({"user_id": bobs})),
            acme.post("/transfer-ownership", json!({"user_id": cys})),
            acme.send("DELETE", &member, None),
        );
        let moved = [one.status, two.status].iter().filter(|status| **status == 204).count();
        assert_eq!(moved, 1, "{} {} {}", one.text, two.text, three.text);
        let owners = acme.roles().await.into_iter().filter(|(_, role)| role == "owner").count();
        assert_eq!(owners, 1);
        app.stop().await;
    }
}

#[tokio::test]
async fn bad_input_says_what_is_wrong_and_hostile_names_are_refused() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    for name in ["", "  ", "a\u{202E}b", "a\u{0}b", "two\nlines", &"x".repeat(81)] {
        let answer = ada.post("/api/organizations", json!({"name": name})).await;
        assert_eq!((answer.status, answer.pointer().as_str()), (422, "/name"), "{name:?}");
    }
    let acme = found(&ada, "<b>Größe & Söhne</b>").await;
    for (rest, body, pointer) in [
        ("/invitations", json!({"email": "x", "role": "member"}), "/email"),
        ("/invitations", json!({"email": "b@example.com", "role": "owner"}), "/role"),
        ("/invitations", json!({"email": "ada@example.com", "role": "member"}), "/email"),
        ("/invitations", json!({"email": "b@example.com", "role": "king"}), "/role"),
        ("/invite-links", json!({"role": "owner"}), "/role"),
        ("/invite-links", json!({"role": "member", "expires_in_days": 0}), "/expires_in_days"),
        ("/invite-links", json!({"role": "member", "max_uses": 1001}), "/max_uses"),
        ("/transfer-ownership", json!({"user_id": link_free_id()}), "/user_id"),
    ] {
        let answer = acme.post(rest, body.clone()).await;
        assert_eq!((answer.status, answer.pointer().as_str()), (422, pointer), "{body}: {}", answer.text);
    }
    for guess in ["x", &"A".repeat(43), "%00", "..%2f..%2f"] {
        assert_eq!(app.caller().get(&format!("/api/invite/{guess}")).await.json()["state"], "invalid", "{guess}");
        assert_eq!(ada.post(&format!("/api/invite/{guess}/accept"), json!({})).await.status, 404, "{guess}");
    }
    assert_eq!(acme.post("/invitations", json!({"email": "b@example.com", "role": "member"})).await.status, 201);
    let mail = until(async || mails_to(&app, "b@example.com").await.pop()).await;
    let html = mail["html"].as_str().unwrap();
    assert!(html.contains("&lt;b&gt;Größe &amp; Söhne&lt;/b&gt;") && !html.contains("<b>"), "{html}");
}

#[tokio::test]
async fn programs_look_at_their_own_organisation_and_decide_about_nobody() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let (acme, other) = (found(&ada, "Acme").await, found(&ada, "Other").await);
    let made = acme
        .within("POST", "/api/tokens", Some(json!({"name": "t", "scopes": ["api"], "password": "correct horse"})))
        .await
        .json();
    let secret = made["token"].as_str().unwrap().to_owned();
    let nobody = app.caller();
    let with = async |method: &str, path: String, body: Option<Value>| {
        let request = nobody.request(method, &path).bearer_auth(&secret);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        nobody.finish(method, &path, request).await
    };
    assert_eq!(with("GET", acme.path("/members"), None).await.status, 200);
    assert_eq!(with("GET", other.path("/members"), None).await.status, 404);
    assert_eq!(with("GET", "/api/organizations".into(), None).await.json()["items"].as_array().unwrap().len(), 1);
    assert_eq!(with("GET", acme.path("/invite-links"), None).await.status, 403);
    let link = json!({"role": "admin"});
    assert_eq!(with("POST", acme.path("/invite-links"), Some(link)).await.status, 403);
    assert_eq!(with("DELETE", acme.path(""), Some(json!({"name": "Acme"}))).await.status, 403);
}

#[tokio::test]
async fn nobody_is_buried_in_mail() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.mail_per_address = per_minute(2);
        config.limits.sign_up_per_address = per_minute(100);
    })
    .await;
    let ada = app.person("ada").await;
    let mut sent = Vec::new();
    for number in 0..3 {
        let acme = found(&ada, &format!("Acme {number}")).await;
        sent.push(acme.post("/invitations", json!({"email": "b@example.com", "role": "member"})).await.status);
    }
    assert_eq!(sent, [201, 201, 429]);
    let acme = found(&ada, "Last").await;
    let invited = acme.post("/invitations", json!({"email": "c@example.com", "role": "member"})).await.json();
    let again = acme.post(&format!("/invitations/{}/resend", invited["id"].as_str().unwrap()), json!({})).await;
    assert_eq!(again.status, 429, "not within a minute: {}", again.text);
    assert!(again.headers.contains_key("retry-after"));
}

/// Inviting an address, even without success, does not use up the emails that its owner needs to recover their account.
#[tokio::test]
async fn a_stranger_switches_nobodys_password_reset_off() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.mail_per_address = per_minute(2);
    })
    .await;
    let (eve, bob) = (app.person("eve").await, app.person("bob").await);
    let invite = async |organization: &In<'_, '_>| {
        organization.post("/invitations", json!({"email": "bob@example.com", "role": "member"})).await.status
    };
    let (first, second, third) = (found(&eve, "One").await, found(&eve, "Two").await, found(&eve, "Three").await);
    assert_eq!(invite(&first).await, 201);
    for _ in 0..5 {
        assert_eq!(invite(&first).await, 422, "invited already");
    }
    assert_eq!((invite(&second).await, invite(&third).await), (201, 429), "what was refused counts for nothing");
    drop(bob);
    let asked = app.caller().post("/api/auth/forgot-password", json!({"email": "bob@example.com"})).await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    let reset = async || {
        let mails = mails_to(&app, "bob@example.com").await;
        mails.into_iter().find(|mail| mail["url"].as_str().is_some_and(|url| url.contains("/reset-password")))
    };
    until(reset).await;
}

#[tokio::test]
async fn the_outbox_answers_nobody_whom_a_proxy_passed_on() {
    let app = TestApp::sqlite().await;
    let ask = async |header: &str| {
        let url = format!("{}/dev/outbox.json", app.running.base_url());
        reqwest::Client::new().get(url).header(header, "203.0.113.9").send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask("accept").await, 200);
    for header in ["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip"] {
        assert_eq!(ask(header).await, 421, "{header}");
    }
    let app = TestApp::with(|config| config.sandbox.enabled = false).await;
    let page = reqwest::get(format!("{}/dev/outbox", app.running.base_url())).await.unwrap();
    assert!(!page.text().await.unwrap().contains("Outbox"));
}

/// People from elsewhere must not read this server's mails, and a server without mail says that it has none.
#[tokio::test]
async fn without_mail_invitations_are_refused_and_links_work() {
    let app = TestApp::with(|config| config.public_url = Some("https://desk.example.com".parse().unwrap())).await;
    let ada = app.person("ada").await;
    let acme = found(&ada, "Acme").await;
    let refused = acme.post("/invitations", json!({"email": "b@example.com", "role": "member"})).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "mail_off"));
    let (_, secret) = acme.link(json!({"role": "member"})).await;
    assert_eq!(app.caller().get(&format!("/api/invite/{secret}")).await.json()["state"], "valid");
    let page = reqwest::get(format!("{}/dev/outbox", app.running.base_url())).await.unwrap();
    assert!(!page.text().await.unwrap().contains("Outbox"));
}
