//! Turns Markdown into views, without HTML strings: raw HTML in an answer is shown as text, and links only open http(s) or our
//! own pages.

mod figures;
#[cfg(all(test, feature = "ssr"))]
mod hostile;
mod parse;
mod source;
mod sums;

use std::hash::{DefaultHasher, Hash, Hasher};

use leptos::prelude::*;

pub use figures::{Figure, Figures};
pub use parse::{Kind, Node, parse};
pub use source::SourceTurn;

/// Draws an answer. While the answer is being written, unchanged blocks keep their elements, and a caret marks the end.
#[component]
pub fn Markdown(
    #[prop(into)] text: Signal<String>,
    /// Numbers that are known to come from a call.
    #[prop(optional, into)]
    figures: Signal<Figures>,
    #[prop(optional, into)] writing: Signal<bool>,
) -> impl IntoView {
    let blocks = Memo::new(move |_| {
        let mut blocks = parse(&text.get());
        if writing.get() {
            parse::push_caret(&mut blocks);
        }
        // When another number becomes known, blocks that are already drawn must link it.
        let known = figures.with(Figures::len);
        blocks.into_iter().enumerate().map(|(at, node)| ((at, known, hash(&node)), node)).collect::<Vec<_>>()
    });
    // Numbers the popovers. Server and browser draw in the same order, so the numbers match.
    let next = StoredValue::new(0_usize);
    view! {
        <For
            each=move || blocks.get()
            key=|(key, _)| *key
            children=move |(_, node)| draw(&node, &figures.get_untracked(), next)
        />
    }
}

fn hash(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    node.hash(&mut hasher);
    hasher.finish()
}

fn draw_all(nodes: &[Node], figures: &Figures, next: StoredValue<usize>) -> Vec<AnyView> {
    nodes.iter().map(|node| draw(node, figures, next)).collect()
}

fn draw(node: &Node, figures: &Figures, next: StoredValue<usize>) -> AnyView {
    match node {
        Node::Text(text) => figures
            .split(text)
            .into_iter()
            .map(|piece| source::piece(piece, &figures.of, next))
            .collect_view()
            .into_any(),
        Node::Code(text) => view! { <code>{text.clone()}</code> }.into_any(),
        Node::Break => view! { <br/> }.into_any(),
        Node::Rule => view! { <hr/> }.into_any(),
        Node::Caret => view! { <span class="caret"></span> }.into_any(),
        Node::CodeBlock(text) => view! { <pre class="code" tabindex="0"><code>{text.clone()}</code></pre> }.into_any(),
        // HTML does not allow a link inside a link; the browser would split it.
        Node::Element(kind @ Kind::Link { .. }, children) => {
            element(kind, draw_all(children, &Figures::default(), next))
        }
        Node::Element(kind, children) => element(kind, draw_all(children, figures, next)),
    }
}

fn element(kind: &Kind, inner: Vec<AnyView>) -> AnyView {
    match kind {
        Kind::Paragraph => view! { <p>{inner}</p> }.into_any(),
        // The title of the page and the question use the higher heading levels.
        Kind::Heading(1 | 2) => view! { <h3>{inner}</h3> }.into_any(),
        Kind::Heading(_) => view! { <h4>{inner}</h4> }.into_any(),
        Kind::Strong => view! { <b>{inner}</b> }.into_any(),
        Kind::Emphasis => view! { <em>{inner}</em> }.into_any(),
        Kind::Struck => view! { <del>{inner}</del> }.into_any(),
        Kind::Quote => view! { <blockquote class="note">{inner}</blockquote> }.into_any(),
        Kind::Bullets => view! { <ul>{inner}</ul> }.into_any(),
        Kind::Numbers(start) => view! { <ol start=(*start != 1).then(|| start.to_string())>{inner}</ol> }.into_any(),
        Kind::Item => view! { <li>{inner}</li> }.into_any(),
        Kind::Link { href, outside: false } => view! { <a class="link" href=href.clone()>{inner}</a> }.into_any(),
        // The text of a link may claim any target, so the sign and the host show the real one.
        Kind::Link { href, outside: true } => view! {
            <a class="link" href=href.clone() rel="noopener noreferrer nofollow" title=host(href)>
                {inner}
                <span class="faint" aria-hidden="true">"\u{2197}"</span>
            </a>
        }
        .into_any(),
        Kind::Plain => view! { <span>{inner}</span> }.into_any(),
        Kind::Table => view! {
            <div class="table-wrap" tabindex="0" role="group" aria-label="Table"><table class="table">{inner}</table></div>
        }
        .into_any(),
        Kind::TableHead => view! { <thead><tr>{inner}</tr></thead> }.into_any(),
        Kind::TableBody => view! { <tbody>{inner}</tbody> }.into_any(),
        Kind::TableRow => view! { <tr>{inner}</tr> }.into_any(),
        Kind::TableCell { head: true, right } => view! { <th scope="col" class=right.then_some("n")>{inner}</th> }.into_any(),
        Kind::TableCell { head: false, right } => view! { <td class=right.then_some("n")>{inner}</td> }.into_any(),
    }
}

/// Returns the host that a link opens: the part between the slashes, without a user name before it that only looks like a host.
fn host(href: &str) -> String {
    let rest = href.split_once("://").map_or(href, |(_, rest)| rest);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("Leads to {host}")
}
