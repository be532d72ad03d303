//! Rotates `ENCRYPTION_SECRET` on several servers in the wrong order: the server warns, nothing is lost, and the right order
//! fixes it.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    chance::Chance,
    person::Person,
    process::{Node, free_port, tail},
    world::{Engine, World},
};

const OLD: &str = "wJ3mQ8sVx1Zc6Rt9Lb4Nf7Gh2Kp5Yd0U";
const NEW: &str = "Rp4kD8sWq2Lz7VtX1nYb5GmJ9cHf3uTe";

fn node(world: &World, name: &str) -> Node {
    let url = world.database_url.clone().expect("servers share a database");
    Node::new(world.folder.path().join(name), free_port(), &[("DATABASE_URL", url)])
}

/// Starts a server with this secret and the previous ones.
async fn start(world: &World, node: &mut Node, secret: &str, previous: Option<&str>) {
    let mut settings = world.shared_sandbox();
    settings.push(("ENCRYPTION_SECRET", secret.to_owned()));
    settings.extend(previous.map(|previous| ("ENCRYPTION_SECRET_PREVIOUS", previous.to_owned())));
    node.start(&settings).await;
}

async fn admob(person: &Person) -> Value {
    let providers = person.call(Method::GET, "/api/providers", None, None).await.body;
    let items = providers["items"].as_array().expect("networks");
    items.iter().find(|item| item["network"] == "admob").expect("AdMob").clone()
}

/// Checks whether this server can open the connection's sealed credentials.
async fn opens(person: &Person) -> bool {
    let id = admob(person).await["id"].as_str().expect("it is connected").to_owned();
    let apps = person.call(Method::GET, &format!("/api/providers/{id}/apps?refresh=true"), None, None).await;
    apps.status == 200
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wrong_order_of_a_new_secret_is_told_and_loses_nothing() {
    let world = World::new(Engine::Postgres).await;
    let (mut one, mut two) = (node(&world, "one"), node(&world, "two"));
    start(&world, &mut one, OLD, None).await;
    start(&world, &mut two, OLD, None).await;
    let ada = Person::arrive("ada", &Arc::new(vec![one.base_url()]), Chance::new(7)).await;
    let (at_one, at_two) = (ada.at(&one.base_url()), ada.at(&two.base_url()));
    assert!(opens(&at_one).await && opens(&at_two).await);

    // The first server gets the new secret before the second one knows it.
    one.kill().await;
    start(&world, &mut one, NEW, Some(OLD)).await;
    assert!(opens(&at_one).await, "the old one still opens here");
    let id = admob(&at_one).await["id"].as_str().unwrap().to_owned();
    let removed = at_one.call(Method::DELETE, &format!("/api/providers/{id}"), None, None).await;
    assert_eq!(removed.status, 204, "{removed:?}");
    let explored = at_one.call(Method::POST, "/api/sandbox/explore", Some(&json!({"networks": ["admob"]})), None).await;
    assert_eq!(explored.status, 200, "{explored:?}");
    assert!(opens(&at_one).await && !opens(&at_two).await);
    let said = tail(&two.log());
    assert!(
        said.contains("sealed credentials cannot be opened") && said.contains("put it back into the key ring"),
        "{said}"
    );
    let kept = admob(&at_two).await;
    assert_eq!(
        (&kept["state"], &kept["message"]),
        (&json!("connected"), &Value::Null),
        "nobody is told to connect again"
    );

    // The second server starts with only the old secret, as after a crash: it starts, and warns about what it cannot open.
    two.kill().await;
    start(&world, &mut two, OLD, None).await;
    assert!(!opens(&at_two).await);
    let said = tail(&two.log());
    assert!(
        said.contains("a key that this server does not have") && said.contains("ENCRYPTION_SECRET_PREVIOUS"),
        "{said}"
    );
    assert!(!said.contains(OLD) && !said.contains(NEW), "{said}");

    // With the right settings, everything opens on both servers, and the log of the last start has no warning.
    two.kill().await;
    std::fs::remove_file(two.log()).unwrap();
    start(&world, &mut two, NEW, Some(OLD)).await;
    assert!(opens(&at_one).await && opens(&at_two).await);
    assert!(!tail(&two.log()).contains("does not have"));
    one.kill().await;
    two.kill().await;
}
