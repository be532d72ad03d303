//! The bar that asks the person to confirm their address: shown if mail reaches people and something depends on the address,
//! until the person dismisses it.

use serde_json::json;

use super::{PASSWORD, google::Browser, sign_in};
use crate::harness::{Caller, TestApp};

const BAR: &str = "you won't see invitations sent there.";

fn browser<'a>(app: &'a TestApp, caller: &Caller<'_>) -> Browser<'a> {
    let cookie = caller.cookie.lock().unwrap().clone().expect("somebody is signed in");
    let (name, value) = cookie.split_once('=').unwrap();
    let mut browser = Browser::new(app);
    browser.cookies.insert(name.to_owned(), value.to_owned());
    browser
}

async fn is_asked(browser: &mut Browser<'_>, page: &str) -> bool {
    let page = browser.go(page).await;
    assert_eq!(page.status(), 200);
    page.text().await.unwrap().contains(BAR)
}

#[tokio::test]
async fn who_has_not_proven_their_address_is_asked_to_until_they_put_it_off() {
    // Nobody accepts these mails; they wait.
    let app = TestApp::with(|config| {
        config.mail.url = Some("smtp://127.0.0.1:1".to_owned().into());
        config.mail.from = Some("ADAgentAI <desk@example.com>".into());
    })
    .await;
    let ada = app.person("ada").await;
    let mut here = browser(&app, &ada);
    for page in ["/chat", "/settings/team", "/settings/account"] {
        assert!(is_asked(&mut here, page).await, "{page}");
    }
    let sent = here.post("/api/account/verify-email", &[]).await;
    assert_eq!(
        (sent.status().as_u16(), sent.headers()["location"].to_str().unwrap()),
        (303, "/settings/account?done=sent")
    );
    // Without JavaScript, the answer is a redirect. It holds only for this browser session.
    let cookies: Vec<String> = here.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let put_off =
        ada.request("POST", "/desk/confirm-later").header("accept", "text/html").header("cookie", cookies.join("; "));
    let put_off = put_off.form(&[("x", "")]).send().await.unwrap();
    assert!(put_off.url().path().starts_with("/chat"), "{}", put_off.url());
    here.post("/desk/confirm-later", &[]).await;
    assert!(here.cookies.contains_key("confirm_later"), "{:?}", here.cookies);
    assert!(!is_asked(&mut here, "/chat").await);
    // After signing in again in the same browser, they are asked again.
    let (again, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
    let mut anew = browser(&app, &again);
    anew.cookies.insert("confirm_later".to_owned(), here.cookies["confirm_later"].clone());
    assert!(is_asked(&mut anew, "/chat").await);
    app.database.execute("update users set email_verified_at = 1").await.unwrap();
    assert!(!is_asked(&mut anew, "/chat").await);
}

#[tokio::test]
async fn where_nothing_waits_for_it_nobody_is_asked() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    assert_eq!(ada.get("/api/account").await.json()["email_verified"], json!(false));
    assert!(!is_asked(&mut browser(&app, &ada), "/chat").await);
}
