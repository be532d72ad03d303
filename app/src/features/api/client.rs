//! How the page calls the server: as the browser would, and with the name of the workspace.
//!
//! Every server function names this client (`client = DeskClient`); a test below finds those that do not.

use leptos::server_fn::{
    client::{Client, browser::BrowserClient},
    error::FromServerFnError,
    request::browser::BrowserRequest,
    response::browser::BrowserResponse,
};

pub struct DeskClient;

impl<E, I, O> Client<E, I, O> for DeskClient
where
    E: FromServerFnError,
    I: FromServerFnError,
    O: FromServerFnError,
{
    type Request = BrowserRequest;
    type Response = BrowserResponse;

    fn send(request: BrowserRequest) -> impl Future<Output = Result<BrowserResponse, E>> + Send {
        if let Some(workspace) = crate::platform::workspace() {
            request.headers().set("x-organization-id", &workspace);
        }
        let answer = <BrowserClient as Client<E, I, O>>::send(request);
        async move {
            let answer = answer.await;
            if answer.is_err() {
                crate::platform::say_unreached();
            }
            answer
        }
    }

    fn open_websocket(
        path: &str,
    ) -> impl Future<
        Output = Result<
            (
                impl futures::Stream<Item = Result<leptos::server_fn::Bytes, leptos::server_fn::Bytes>> + Send + 'static,
                impl futures::Sink<leptos::server_fn::Bytes> + Send + 'static,
            ),
            E,
        >,
    > + Send {
        <BrowserClient as Client<E, I, O>>::open_websocket(path)
    }

    fn spawn(future: impl Future<Output = ()> + Send + 'static) {
        <BrowserClient as Client<E, I, O>>::spawn(future);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    /// Returns every Rust file below a folder, with its text.
    fn sources(folder: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                found.extend(sources(&entry));
            } else if entry.extension().is_some_and(|ext| ext == "rs") {
                found.push((entry.display().to_string(), fs::read_to_string(&entry).unwrap()));
            }
        }
        found
    }

    /// Finds where the tag closes. A `>` inside braces or quotes does not close it.
    fn end_of_tag(form: &str) -> usize {
        let (mut braces, mut quoted) = (0, false);
        for (at, letter) in form.char_indices() {
            match letter {
                '"' => quoted = !quoted,
                '{' if !quoted => braces += 1,
                '}' if !quoted => braces -= 1,
                '>' if !quoted && braces == 0 && !form[..at].ends_with(['=', '-']) => return at,
                _ => {}
            }
        }
        form.len()
    }

    /// Checks whether a plain form names its workspace: in its address, or in a field if it only reads. Forms about the person's
    /// own account need none.
    fn says_where(tag: &str, body: &str) -> bool {
        let own = ["\"/api/auth/", "\"/api/account/", "format!(\"/api/account/sessions/"];
        let own = own.iter().any(|place| tag.contains(&format!("action={place}")));
        let reads = tag.contains("method=\"get\"");
        let in_field = body.contains("form::field()") || body.contains("{workspace}");
        // Only scripts read this form; no browser sends it.
        let kept = !tag.contains("action=") && tag.contains("prevent_default()");
        let never_sent = kept || tag.contains("method=\"dialog\"");
        own || never_sent
            || tag.contains("form::here(")
            // This form has the target workspace in a field.
            || tag.contains("action=SwitchWorkspace::url()")
            || (reads && in_field)
    }

    #[test]
    fn a_form_that_does_not_say_where_is_found() {
        let found = |form: &str| {
            let (tag, body) = form.split_at(end_of_tag(form));
            !says_where(tag, body)
        };
        assert!(found("<form action=\"/api/tokens\" method=\"post\"><button/>"));
        assert!(found("<form action=\"/runs\" method=\"get\"><input name=\"q\">"));
        assert!(found("<form on:submit=move |event| { if a > b { go() } } action=\"/chat/stream\" method=\"post\">"));
        assert!(!found("<form action=crate::features::form::here(\"/api/tokens\") method=\"post\">"));
        assert!(!found("<form action=\"/runs\" method=\"get\">{crate::features::form::field()}"));
        assert!(!found("<form action=\"/api/auth/sign-out\" method=\"post\">"));
    }

    #[test]
    fn every_server_function_and_every_form_says_in_which_workspace() {
        let sources = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
        let (mut functions, mut forms, mut plain) = (0, 0, 0);
        for (file, text) in sources.iter().filter(|(file, _)| !file.ends_with("client.rs")) {
            for attribute in text.match_indices("\n#[server(").map(|(at, _)| &text[at..]) {
                let attribute = attribute.split(")]").next().unwrap_or_default();
                assert!(attribute.contains("DeskClient"), "{file}: add `client = super::DeskClient` to {attribute}");
                let spoken = ["Asked,", "Sent,", "SentJson,"].map(|way| format!("protocol = super::{way}"));
                assert!(
                    spoken.iter().any(|way| attribute.contains(way)),
                    "{file}: add `protocol = super::Asked` (reads) or `protocol = super::Sent` (writes) to {attribute}"
                );
                functions += 1;
            }
            if text.contains("<ActionForm ") {
                assert!(
                    ["features::form::ActionForm", "form::ActionForm,", "form::ActionForm}", "form::{ActionForm"]
                        .iter()
                        .any(|way| text.contains(way)),
                    "{file}: use `crate::features::form::ActionForm`"
                );
                forms += 1;
            }
            // Skip the file that holds examples of hostile markup; its forms are not ours.
            for form in text.match_indices("<form").map(|(at, _)| &text[at..]).filter(|_| !file.ends_with("hostile.rs"))
            {
                let (tag, rest) = form.split_at(end_of_tag(form));
                let body = rest.split("</form>").next().unwrap_or_default();
                assert!(says_where(tag, body), "{file}: say in which workspace: {tag}");
                plain += 1;
            }
        }
        assert!(
            functions > 20 && forms > 5 && plain > 15,
            "the test looks at the wrong place: {functions} {forms} {plain}"
        );
    }
}
