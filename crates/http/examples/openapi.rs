//! Prints the OpenAPI document; `cargo xtask generate` writes it to `docs/api/openapi.json`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", serde_json::to_string_pretty(&adagent_http::document())?);
    Ok(())
}
