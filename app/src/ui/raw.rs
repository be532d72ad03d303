//! Text inside elements whose content the renderer writes as it is: `title` and `textarea`.

/// On the server the text as markup, so that no text can end the element; in the browser the text itself.
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
