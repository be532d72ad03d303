//! Text inside elements whose content the renderer writes unchanged: `title` and `textarea`.

/// Returns the text for such an element: escaped on the server, so that no text can end the element; unchanged in the browser.
pub fn raw_text(text: String) -> String {
    if cfg!(feature = "ssr") { escaped(&text) } else { text }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_text_ends_its_element() {
        assert_eq!(escaped("</title><svg onload=a&b>"), "&lt;/title>&lt;svg onload=a&amp;b>");
    }
}
