//! What the person typed before hydration. Hydration resets every field to the server's value and handles none of the earlier
//! keys, so we read the fields before it and put the text back after it. Runs in the browser only.

use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::JsCast as _;
use web_sys::{Document, Event, EventInit, HtmlInputElement, HtmlTextAreaElement};

/// The IDs and contents of fields.
pub struct Typed(Vec<(String, String)>);

/// Reads every field whose content differs from what the server rendered.
pub fn so_far() -> Typed {
    let fields = document()
        .and_then(|document| document.query_selector_all("input[id], textarea[id]:not(form[data-asleep] *)").ok());
    // Skip the composer, which takes over its own text.
    let fields = fields.iter().flat_map(|list| (0..list.length()).filter_map(|index| list.item(index)));
    Typed(fields.filter_map(|node| Field::of(node.dyn_into().ok()?)).filter_map(|field| field.typed()).collect())
}

impl Typed {
    /// Puts the text back as if it were typed now, unless the person has typed more since.
    pub fn put_back(self) {
        if self.0.is_empty() {
            return;
        }
        leptos::task::spawn_local(async move {
            // Parts that wait for a resource are hydrated a little later.
            for wait in [0, 120] {
                TimeoutFuture::new(wait).await;
                for (id, value) in &self.0 {
                    let element = document().and_then(|document| document.get_element_by_id(id));
                    if let Some(field) = element.and_then(Field::of)
                        && (field.typed().is_none() || wait == 0)
                    {
                        field.type_again(value);
                    }
                }
            }
        });
    }
}

enum Field {
    Line(HtmlInputElement),
    Text(HtmlTextAreaElement),
}

impl Field {
    fn of(element: web_sys::Element) -> Option<Self> {
        match element.dyn_into::<HtmlTextAreaElement>() {
            Ok(text) => Some(Self::Text(text)),
            Err(element) => {
                let line: HtmlInputElement = element.dyn_into().ok()?;
                let ticked = ["hidden", "checkbox", "radio", "file", "submit"].contains(&line.type_().as_str());
                (!ticked).then_some(Self::Line(line))
            }
        }
    }

    fn typed(&self) -> Option<(String, String)> {
        let (id, value, rendered) = match self {
            Self::Line(line) => (line.id(), line.value(), line.default_value()),
            Self::Text(text) => (text.id(), text.value(), text.default_value().unwrap_or_default()),
        };
        (value != rendered).then_some((id, value))
    }

    fn type_again(&self, value: &str) {
        let (element, held): (&web_sys::EventTarget, String) = match self {
            Self::Line(line) => (line, line.value()),
            Self::Text(text) => (text, text.value()),
        };
        if !held.starts_with(value) {
            match self {
                Self::Line(line) => line.set_value(value),
                Self::Text(text) => text.set_value(value),
            }
        }
        let bubbling = EventInit::new();
        bubbling.set_bubbles(true);
        if let Ok(event) = Event::new_with_event_init_dict("input", &bubbling) {
            let _ = element.dispatch_event(&event);
        }
    }
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}
