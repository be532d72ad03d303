//! The strings of data files and documents.

/// Fields of the catalogs that pages, forms and answers show.
const SHOWN_FIELDS: &[&str] =
    &["title", "description", "label", "help", "hint", "note", "notes", "summary", "message", "warning", "name"];

/// Returns the values of the fields that are shown.
pub fn json(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in source.lines().enumerate() {
        for field in SHOWN_FIELDS {
            let key = format!("\"{field}\":");
            found.extend(line.match_indices(&key).filter_map(|(at, _)| {
                let value = line[at + key.len()..].trim_start();
                let text = serde_json::Deserializer::from_str(value).into_iter::<String>().next()?.ok()?;
                text.contains(' ').then_some((index + 1, text))
            }));
        }
    }
    found
}

/// Returns the lines of a document that are not code.
pub fn markdown(source: &str) -> Vec<(usize, String)> {
    let mut in_code = false;
    let mut found = Vec::new();
    for (index, line) in source.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code && !line.trim().is_empty() {
            found.push((index + 1, line.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_shown_is_read_and_another_is_not() {
        let found = json("{\n  \"title\": \"Create an \\\"app\\\"\", \"path\": \"a b\"\n}");
        assert_eq!(found, [(2, "Create an \"app\"".to_owned())]);
    }

    #[test]
    fn code_in_a_document_is_not_prose() {
        let found = markdown("Read `colour` me\n```sh\ncargo colour\n```\n\nAgain");
        assert_eq!(found, [(1, "Read `colour` me".to_owned()), (6, "Again".to_owned())]);
    }
}
