//! Parses Markdown into a tree of what we draw. Pure. What is not in the tree cannot reach the page.

use pulldown_cmark::{Alignment, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    Text(String),
    Code(String),
    CodeBlock(String),
    Break,
    Rule,
    /// The end of an answer that is still being written.
    Caret,
    Element(Kind, Vec<Self>),
}

/// The kind of an element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    Paragraph,
    Heading(u8),
    Strong,
    Emphasis,
    Struck,
    Quote,
    Bullets,
    Numbers(u64),
    Item,
    Link {
        href: String,
        outside: bool,
    },
    /// The text of something that we do not draw: an unsafe link, an image.
    Plain,
    Table,
    TableHead,
    TableBody,
    TableRow,
    TableCell {
        head: bool,
        right: bool,
    },
}

/// Deeper nesting is flattened: no answer needs it, and drawing is recursive.
const DEEPEST: usize = 32;

#[derive(Default)]
struct Builder {
    stack: Vec<(Kind, Vec<Node>)>,
    done: Vec<Node>,
    /// The text of the code block that is open.
    code: Option<String>,
    right: Vec<bool>,
    cell: usize,
    in_head: bool,
    /// How many open elements were skipped for being too deep; their ends are skipped too.
    skipped: usize,
}

/// Parses the blocks of an answer.
pub fn parse(text: &str) -> Vec<Node> {
    let mut builder = Builder::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        builder.take(event);
    }
    // An unfinished answer may end anywhere.
    if let Some(code) = builder.code.take() {
        builder.push(Node::CodeBlock(code));
    }
    while builder.close() {}
    builder.done
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            // HTML is shown as text, never interpreted.
            Event::Text(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::Html(text)
            | Event::InlineHtml(text) => self.text(&text),
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
            Event::Code(text) => self.push(Node::Code(text.into_string())),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.push(Node::Break),
            Event::Rule => self.push(Node::Rule),
            Event::TaskListMarker(on) => self.text(if on { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.stack.len() >= DEEPEST {
            self.skipped += 1;
            return;
        }
        let kind = match tag {
            Tag::CodeBlock(_) => {
                self.code = Some(String::new());
                return;
            }
            Tag::Heading { level, .. } => Kind::Heading(level_of(level)),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::List(None) => Kind::Bullets,
            Tag::List(Some(start)) => Kind::Numbers(start),
            Tag::Item => Kind::Item,
            Tag::Emphasis => Kind::Emphasis,
            Tag::Strong => Kind::Strong,
            Tag::Strikethrough => Kind::Struck,
            Tag::Link { dest_url, .. } => link(&dest_url),
            Tag::Table(alignments) => {
                self.right = alignments.iter().map(|alignment| *alignment == Alignment::Right).collect();
                Kind::Table
            }
            Tag::TableHead => {
                (self.cell, self.in_head) = (0, true);
                Kind::TableHead
            }
            Tag::TableRow => {
                self.cell = 0;
                Kind::TableRow
            }
            Tag::TableCell => {
                let right = self.right.get(self.cell).copied().unwrap_or(false);
                self.cell += 1;
                Kind::TableCell { head: self.in_head, right }
            }
            Tag::Image { .. } => Kind::Plain,
            _ => Kind::Paragraph,
        };
        self.stack.push((kind, Vec::new()));
    }

    fn end(&mut self, end: TagEnd) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match end {
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.push(Node::CodeBlock(code.trim_end_matches('\n').to_owned()));
            }
            TagEnd::TableHead => {
                self.in_head = false;
                self.close();
                self.stack.push((Kind::TableBody, Vec::new()));
            }
            TagEnd::Table => {
                self.close();
                self.close();
            }
            _ => {
                self.close();
            }
        }
    }

    fn close(&mut self) -> bool {
        let Some((kind, children)) = self.stack.pop() else { return false };
        self.push(Node::Element(kind, children));
        true
    }

    fn text(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            code.push_str(text);
            return;
        }
        let siblings = self.siblings();
        if let Some(Node::Text(before)) = siblings.last_mut() {
            before.push_str(text);
        } else {
            siblings.push(Node::Text(text.to_owned()));
        }
    }

    fn push(&mut self, node: Node) {
        self.siblings().push(node);
    }

    fn siblings(&mut self) -> &mut Vec<Node> {
        match self.stack.last_mut() {
            Some((_, children)) => children,
            None => &mut self.done,
        }
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        _ => 4,
    }
}

/// Makes a link. Only http(s) and our own addresses can be followed; `javascript:` and `//host` become plain text.
fn link(href: &str) -> Kind {
    let lower = href.trim().to_ascii_lowercase();
    let outside = lower.starts_with("https://") || lower.starts_with("http://");
    let ours =
        (lower.starts_with('/') && !lower.starts_with("//") && !lower.starts_with("/\\")) || lower.starts_with('#');
    let clean = !href.chars().any(char::is_control);
    if clean && (outside || ours) { Kind::Link { href: href.trim().to_owned(), outside } } else { Kind::Plain }
}

/// Puts the caret where the next word will appear: at the end of the last paragraph, list item or cell.
pub(super) fn push_caret(blocks: &mut Vec<Node>) {
    match blocks.last_mut() {
        Some(Node::Element(
            Kind::Paragraph | Kind::Heading(_) | Kind::Item | Kind::Bullets | Kind::Numbers(_) | Kind::Quote,
            inner,
        )) => {
            push_caret(inner);
        }
        _ => blocks.push(Node::Caret),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node {
        Node::Text(text.into())
    }

    fn p(inner: Vec<Node>) -> Node {
        Node::Element(Kind::Paragraph, inner)
    }

    #[test]
    fn raw_html_is_shown_not_run() {
        let blocks = parse("Hi <img src=x onerror=alert(1)> there\n\n<script>alert(1)</script>");
        assert_eq!(blocks.first(), Some(&p(vec![text("Hi <img src=x onerror=alert(1)> there")])));
        assert!(format!("{blocks:?}").contains("<script>alert(1)</script>"));
    }

    #[test]
    fn links_lead_only_to_http_or_to_us() {
        let kind = |href: &str| match parse(&format!("[x](<{href}>)")).pop() {
            Some(Node::Element(_, mut inner)) => match inner.pop() {
                Some(Node::Element(kind, _)) => kind,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        assert_eq!(
            kind("https://admob.google.com"),
            Kind::Link { href: "https://admob.google.com".into(), outside: true }
        );
        assert_eq!(
            kind("/settings/networks?connect=admob"),
            Kind::Link { href: "/settings/networks?connect=admob".into(), outside: false }
        );
        for bad in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "//evil.example",
            "/\\evil.example",
            "data:text/html,x",
            "vbscript:x",
        ] {
            assert_eq!(kind(bad), Kind::Plain, "{bad}");
        }
    }

    #[test]
    fn tables_have_heads_bodies_and_right_aligned_figures() {
        let blocks = parse("| App | Revenue |\n| --- | ---: |\n| Puzzle | $1.00 |\n");
        let Some(Node::Element(Kind::Table, parts)) = blocks.first() else { panic!("{blocks:?}") };
        assert_eq!(parts.len(), 2);
        let cell = |head, right, inner: &str| Node::Element(Kind::TableCell { head, right }, vec![text(inner)]);
        assert_eq!(
            parts[0],
            Node::Element(Kind::TableHead, vec![cell(true, false, "App"), cell(true, true, "Revenue")])
        );
        let row = Node::Element(Kind::TableRow, vec![cell(false, false, "Puzzle"), cell(false, true, "$1.00")]);
        assert_eq!(parts[1], Node::Element(Kind::TableBody, vec![row]));
    }

    #[test]
    fn an_unfinished_answer_is_closed_and_carries_the_caret_in_its_last_item() {
        let mut blocks = parse("One:\n\n1. Brazil\n2. Col");
        push_caret(&mut blocks);
        let Some(Node::Element(Kind::Numbers(1), items)) = blocks.last() else { panic!("{blocks:?}") };
        assert_eq!(items.last(), Some(&Node::Element(Kind::Item, vec![text("Col"), Node::Caret])));
        assert_eq!(parse("```json\n{\"a\""), [Node::CodeBlock("{\"a\"".into())]);
        let mut nothing = parse("");
        push_caret(&mut nothing);
        assert_eq!(nothing, [Node::Caret]);
    }

    #[test]
    fn deep_nesting_is_flattened() {
        let deep = format!("{}x", "> ".repeat(5000));
        assert!(format!("{:?}", parse(&deep)).contains('x'));
    }
}
