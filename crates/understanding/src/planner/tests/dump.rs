use super::world::*;
use crate::{Question, understand};
#[test]
fn dump() {
    let Ok(text) = std::fs::read_to_string("/tmp/queries.txt") else { return };
    for q in text.lines() {
        let world = World::default();
        let understood = understand(&Question { text: q.into(), history: vec![], connected: vec![adagent_domain::Network::AdMob], disabled: vec![], today: TODAY.into(), entities: world.entities.clone() });
        println!("\nQ: {q}\n   {:?} {:?} slots={:?}", understood.capability, understood.outcome, understood.slots.as_ref().map(|s| (&s.metrics, &s.dimensions, &s.date_from, &s.date_to, &s.filters)));
        let r = std::panic::catch_unwind(|| run(&World::default(), request(&world, q, &understood)));
        match r {
            Ok(r) => { println!("   rounds {:?}", r.rounds.iter().map(|c| c.len()).collect::<Vec<_>>());
              println!("A: {}", r.reply.text); for c in &r.reply.calls { println!("   CALL {} {}", c.name, c.args); }
              println!("   arts {:?}", r.reply.artifacts.iter().map(|a| a.title()).collect::<Vec<_>>()); }
            Err(_) => println!("PANIC"),
        }
    }
}
