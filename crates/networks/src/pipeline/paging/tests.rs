use serde_json::json;

use super::*;
use crate::catalogue::Operation;

const BOUNDS: Bounds = Bounds { pages: 5, rows: 1000 };

fn operation(kind: &str, items_path: &str, pagination: &Json, schema: &Json) -> Operation {
    let tool = json!({
        "name": "x_list", "title": "List", "description": "", "capability": "inventory", "tags": [],
        "read_only": true, "destructive": false, "idempotent": true,
        "http": {"method": "GET", "path": "/x"}, "input_schema": schema, "entity_params": {},
        "result": {"kind": kind, "items_path": items_path, "pagination": pagination},
    });
    Operation::for_tests(adagent_domain::Network::Mintegral, tool)
}

fn numbers(from: u64, count: u64) -> Json {
    (from..from + count).map(Json::from).collect()
}

/// Pages through a made-up network with the pager until it stops; returns the requests, the row count and the last step.
fn run(operation: &Operation, args: &Json, bounds: Bounds, answer: impl Fn(&Json) -> Json) -> (Vec<Json>, usize, Step) {
    let mut pager = Pager::new(operation, args, false, bounds);
    let mut asked = Vec::new();
    loop {
        asked.push(pager.args().clone());
        match pager.take(&mut answer(pager.args())).expect("a list") {
            Step::More => assert!(asked.len() < 50, "for ever: {asked:?}"),
            done @ Step::Done { .. } => return (asked, pager.count(), done),
        }
    }
}

const END: Step = Step::Done { truncated: false, next: None };

fn open() -> Json {
    json!({"type": "object"})
}

#[test]
fn tokens_are_followed_until_there_is_none() {
    let pagination = json!({"kind": "token", "request_param": "pageToken", "response_field": "nextPageToken", "page_size_param": "pageSize"});
    let op = operation("list", "items", &pagination, &open());
    let answer = |args: &Json| match args["pageToken"].as_str() {
        None => json!({"items": [1, 2], "nextPageToken": "b"}),
        Some("b") => json!({"items": [3], "nextPageToken": ""}),
        Some(other) => panic!("{other}"),
    };
    let (asked, count, end) = run(&op, &json!({}), BOUNDS, answer);
    assert_eq!((asked.len(), count, end), (2, 3, END));
    assert!(asked[0].get("pageSize").is_none(), "the network's own page size is kept");
}

#[test]
fn a_token_that_comes_again_ends_it_and_says_so() {
    let pagination =
        json!({"kind": "cursor", "request_param": "cursor", "response_field": "meta.next", "page_size_param": null});
    let op = operation("list", "items", &pagination, &open());
    let (asked, _, end) = run(&op, &json!({}), BOUNDS, |_| json!({"items": [1], "meta": {"next": "same"}}));
    assert_eq!((asked.len(), end), (2, Step::Done { truncated: true, next: None }));
}

#[test]
fn page_numbers_go_up_to_the_total() {
    let pagination =
        json!({"kind": "page", "request_param": "page", "page_size_param": "per_page", "total_field": "data.total"});
    let op = operation("list", "data.lists", &pagination, &open());
    let answer = |args: &Json| {
        let page = args["page"].as_u64().expect("named");
        json!({"data": {"total": 230, "lists": numbers((page - 1) * 100, if page < 3 { 100 } else { 30 })}})
    };
    let (asked, count, end) = run(&op, &json!({}), BOUNDS, answer);
    assert_eq!((asked.len(), count, end), (3, 230, END));
    assert_eq!(asked[0], json!({"per_page": 100, "page": 1}));
}

#[test]
fn totals_that_count_pages_and_parameters_inside_the_body_are_understood() {
    let pagination = json!({"kind": "page", "request_param": "body.page", "page_size_param": "body.page_size", "total_field": "data.page_info.total_page"});
    let op = operation("list", "data.app_list", &pagination, &open());
    let (asked, count, end) = run(&op, &json!({"body": {"status": 1}}), BOUNDS, |args| {
        let page = args["body"]["page"].as_u64().expect("named");
        json!({"data": {"page_info": {"page": page, "total_page": 2}, "app_list": numbers(page * 100, 100)}})
    });
    assert_eq!((asked.len(), count, end), (2, 200, END));
    assert_eq!(asked[1], json!({"body": {"status": 1, "page_size": 100, "page": 2}}));
}

#[test]
fn offsets_move_by_what_came_even_when_the_network_gives_less_than_asked() {
    let pagination = json!({"kind": "offset", "request_param": "offset", "page_size_param": "limit"});
    let schema = json!({"properties": {"limit": {"maximum": 400}}});
    let op = operation("report", "rows", &pagination, &schema);
    // The network caps pages at 50 rows, whatever we ask for.
    let (asked, count, end) = run(&op, &json!({}), BOUNDS, |args| {
        let offset = args["offset"].as_u64().expect("named");
        json!({"rows": numbers(offset, 120_u64.saturating_sub(offset).min(50))})
    });
    assert_eq!((count, end), (120, END));
    let offsets: Vec<_> = asked.iter().map(|args| args["offset"].as_u64().expect("named")).collect();
    assert_eq!((offsets, &asked[0]["limit"]), (vec![0, 50, 100], &json!(400)));
}

#[test]
fn a_bound_of_the_network_is_learned_from_the_first_page_whatever_number_it_is() {
    let pagination = json!({"kind": "page", "request_param": "page", "page_size_param": "per_page"});
    let op = operation("list", "", &pagination, &open());
    for (cap, have, questions) in [(64, 150, 3), (64, 128, 3), (64, 64, 2), (33, 34, 2), (99, 12, 2), (99, 7, 1)] {
        let (asked, count, end) = run(&op, &json!({}), BOUNDS, |args| {
            let before = (args["page"].as_u64().expect("named") - 1) * cap;
            numbers(before, u64::saturating_sub(have, before).min(cap))
        });
        assert_eq!((asked.len(), count as u64, end), (questions, have, END), "{have} by {cap}");
    }
}

#[test]
fn a_count_of_this_page_only_is_not_taken_for_the_total() {
    let pagination =
        json!({"kind": "offset", "request_param": "offset", "page_size_param": "limit", "total_field": "count"});
    let op = operation("list", "results", &pagination, &open());
    let (asked, count, end) = run(&op, &json!({}), BOUNDS, |args| {
        let offset = args["offset"].as_u64().expect("named");
        let rows = numbers(offset, 150_u64.saturating_sub(offset).min(100));
        json!({"count": rows.as_array().expect("rows").len(), "results": rows})
    });
    assert_eq!((asked.len(), count, end), (2, 150, END));
}

#[test]
fn a_network_that_ignores_the_page_is_noticed() {
    let pagination = json!({"kind": "page", "request_param": "page", "page_size_param": "per_page"});
    let op = operation("list", "", &pagination, &open());
    let (asked, count, end) = run(&op, &json!({}), BOUNDS, |_| numbers(0, 20));
    assert_eq!((asked.len(), count, end), (2, 20, END), "a short page again: that was everything");
    let (_, count, end) = run(&op, &json!({}), BOUNDS, |_| numbers(0, 100));
    assert_eq!((count, end), (100, Step::Done { truncated: true, next: None }), "a full page again: there may be more");
}

#[test]
fn who_names_a_page_or_a_size_gets_that_page() {
    let pagination =
        json!({"kind": "offset", "request_param": "offset", "page_size_param": "limit", "total_field": "total"});
    let op = operation("list", "rows", &pagination, &open());
    for args in [json!({"limit": 10}), json!({"offset": 5})] {
        let (asked, count, end) = run(&op, &args, BOUNDS, |_| json!({"total": 99, "rows": numbers(0, 10)}));
        assert_eq!((asked, count), (vec![args], 10));
        assert_eq!(end, Step::Done { truncated: true, next: None });
    }
}

#[test]
fn bounds_end_it_and_say_where_to_go_on() {
    let pagination = json!({"kind": "page", "request_param": "page", "page_size_param": "per_page"});
    let op = operation("list", "", &pagination, &open());
    let answer = |args: &Json| numbers(args["page"].as_u64().expect("named") * 1000, 100);
    let (asked, count, end) = run(&op, &json!({}), Bounds { pages: 3, rows: 10_000 }, answer);
    assert_eq!((asked.len(), count, end), (3, 300, Step::Done { truncated: true, next: Some("4".into()) }));
    let (_, count, _) = run(&op, &json!({}), Bounds { pages: 30, rows: 150 }, answer);
    assert_eq!(count, 200);
}

#[test]
fn a_missing_list_is_no_empty_list_unless_the_network_leaves_them_out() {
    let op = operation("list", "data.lists", &Json::Null, &open());
    let take = |left_out, mut page: Json| Pager::new(&op, &json!({}), left_out, BOUNDS).take(&mut page);
    assert_eq!(take(false, json!({"data": {}})), Err(NoList));
    assert_eq!(take(false, json!({"data": {"lists": {"a": 1}}})), Err(NoList));
    assert_eq!(take(false, json!({"data": {"lists": null}})), Ok(END));
    assert_eq!(take(true, json!({})), Ok(END));
}

#[test]
fn rows_may_lie_under_an_argument() {
    assert_eq!(fill("Data.{date}", &json!({"date": "2026-11-20"})), "Data.2026-11-20");
}
