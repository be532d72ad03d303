use adagent_run_core::{EDGES, Node, draw};

#[test]
fn the_edge_table_draws_as_documented() {
    insta::assert_snapshot!(draw());
}

#[test]
fn no_edge_is_listed_twice_and_every_node_is_reached_and_left() {
    for (i, (from, when, _)) in EDGES.iter().enumerate() {
        assert!(!EDGES[..i].iter().any(|e| e.0 == *from && e.1 == *when), "{from:?} {when:?} twice");
    }
    let nodes = [
        Node::EntityLoader,
        Node::ToolRetriever,
        Node::Specialist,
        Node::ToolExecutor,
        Node::Verifier,
        Node::Synthesizer,
    ];
    for node in nodes {
        assert!(EDGES.iter().any(|e| e.2 == node), "{node:?} is never reached");
        assert!(EDGES.iter().any(|e| e.0 == node), "{node:?} is never left");
    }
}
