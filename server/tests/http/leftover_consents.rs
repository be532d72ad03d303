//! Access that only a person can revoke: its form shows the errors, and people who delete the organization or account that lists
//! it are told about it.

use adagent_domain::Ids as _;
use adagent_server::SystemIds;
use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp},
    matrix::database,
    sign_in::mails,
    workspaces::{form, page},
};

const BEFORE: &str = "Deleting this doesn't remove ADAgentAI's access to AdMob.";
const AFTER: &str = "ADAgentAI still has access to AdMob.";

async fn home(caller: &Caller<'_>) -> String {
    caller.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned()
}

fn leads_to(answer: &crate::harness::Answer) -> &str {
    answer.headers.get("location").and_then(|place| place.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn what_is_said_against_a_removed_consent_stands_at_its_form_without_script() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let id = database::revocation(&app, &home(&ada).await).await;
    let shown = page(&ada, "/settings/networks", None).await;
    assert!(shown.text.contains(AFTER) && !shown.text.contains("It no longer exists"), "{}", shown.text);
    // Somebody else just confirmed another entry; this one is still listed.
    let another = SystemIds.next_uuid().to_string();
    let refused = form(&ada, "/desk/forget-revocation", &[("id", &another)]).await;
    assert_eq!(leads_to(&refused), format!("/settings/networks?removed={another}&wrong=not_found"));
    let told = page(&ada, leads_to(&refused), None).await;
    assert!(told.text.contains("It no longer exists") && told.text.contains(AFTER), "{}", told.text);
    // The error is shown at its own form, from a code: no address can put words into the page.
    let told = page(&ada, &format!("/settings/networks?removed={id}&wrong=forbidden"), None).await;
    let form_of_it = told.text.split("forget-revocation").nth(1).and_then(|rest| rest.split("</form>").next()).unwrap();
    assert!(form_of_it.contains("Your role doesn't allow this."), "{form_of_it}");
    let done = form(&ada, "/desk/forget-revocation", &[("id", &id)]).await;
    assert_eq!(leads_to(&done), "/settings/networks");
    assert!(!page(&ada, "/settings/networks", None).await.text.contains(AFTER));
    // With JavaScript, the refusal is an answer with its status.
    let again =
        ada.request("POST", "/desk/forget-revocation").header("accept", "application/json").form(&[("id", &id)]);
    assert_eq!(again.send().await.unwrap().status(), 404);
    app.stop().await;
}

#[tokio::test]
async fn who_deletes_an_organisation_is_told_before_and_after_what_stays_at_networks() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        for with_form in [false, true] {
            let made = ada.post("/api/organizations", json!({"name": "Acme"})).await.json();
            let acme = made["id"].as_str().unwrap().to_owned();
            let team = format!("/settings/team?workspace={acme}");
            assert!(!page(&ada, &team, None).await.text.contains(BEFORE));
            database::revocation(&app, &acme).await;
            let before = page(&ada, &team, None).await;
            assert!(before.text.contains(BEFORE), "{}", before.text);
            if with_form {
                let path = format!("/desk/delete-organization?workspace={acme}");
                let gone = form(&ada, &path, &[("name", "Acme")]).await;
                assert!(leads_to(&gone).starts_with("/settings/networks?left=admob"), "{gone:?}");
                let told = page(&ada, leads_to(&gone), None).await;
                assert!(told.text.contains(AFTER), "{}", told.text);
            } else {
                let path = format!("/api/organizations/{acme}");
                let gone = ada.send("DELETE", &path, Some(json!({"name": "Acme"}))).await;
                assert_eq!((gone.status, gone.json()), (200, json!({"consents_left": ["admob"]})), "{}", gone.text);
            }
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn who_deletes_an_account_is_told_before_after_and_by_a_last_mail_what_stays_at_networks() {
    for app in TestApp::both().await {
        for (name, with_form) in [("ada", false), ("bob", true)] {
            let person = app.person(name).await;
            let email = format!("{name}@example.com");
            assert_eq!(person.get("/api/account").await.json()["consents_left"], json!([]));
            // This access is in an organization that will be deleted with the person. Nobody needs to revoke the sandbox access
            // in the personal workspace.
            let made = person.post("/api/organizations", json!({"name": "Alone"})).await.json();
            database::revocation(&app, made["id"].as_str().unwrap()).await;
            assert_eq!(person.get("/api/account").await.json()["consents_left"], json!(["admob"]));
            let before = page(&person, "/settings/account", None).await;
            assert!(before.text.contains(BEFORE), "{}", before.text);
            if with_form {
                let fields = [("email", email.as_str()), ("password", "correct horse")];
                let gone = form(&person, "/api/account/delete", &fields).await;
                assert_eq!(leads_to(&gone), "/sign-in?deleted=1&left=admob");
                let told = page(&person, leads_to(&gone), None).await;
                assert!(told.text.contains("Your account was deleted.") && told.text.contains(AFTER), "{}", told.text);
            } else {
                let ask = json!({"email": email, "password": "correct horse"});
                let gone = person.post("/api/account/delete", ask).await;
                assert_eq!((gone.status, gone.json()), (200, json!({"consents_left": ["admob"]})), "{}", gone.text);
            }
            let told = |mail: &Value| mail["text"].as_str().is_some_and(|text| text.contains("to AdMob"));
            // The first email asked to confirm the address.
            let sent = mails(&app, &email, 2).await;
            assert!(sent.iter().any(told), "{sent:?}");
        }
        app.stop().await;
    }
}
