//! Puts the chunks that parts share into a few files: the splitter makes one for every set of parts that share something, which
//! are hundreds of requests of a few bytes each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::split::{LINK, MANIFEST, Needed};

/// What is used by so many parts comes with the first of them.
const COMMON: usize = 5;
/// Shared by fewer: fetched with the first of these that needs it, as people come to them.
const ORDER: [&str; 3] = ["chat", "answer", "card"];

/// How the glue gets a chunk: its bytes out of a pack that is fetched once. What failed is tried again when it is asked for again.
const PACKED: &str = "const packs = {};
function packed(name, start, end) {
    const pack = (packs[name] ??= fetch(new URL(name, import.meta.url)).then((answer) => {
        if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
        return answer.arrayBuffer();
    }));
    return pack.then((bytes) => new Uint8Array(bytes, start, end - start), (lost) => {
        delete packs[name];
        throw lost;
    });
}
";

/// The pack of a chunk, by the parts that need it.
fn pack_of(parts: &BTreeSet<&str>) -> String {
    let first = ORDER.into_iter().find(|part| parts.contains(part));
    match first {
        _ if parts.len() >= COMMON => "shared".to_owned(),
        Some(first) => format!("shared_{first}"),
        None => "shared_rest".to_owned(),
    }
}

/// Replaces the chunks in the folder, in its manifest and in its glue.
pub fn pack(folder: &Path) -> Result<()> {
    let manifest = folder.join(MANIFEST);
    let needed: Needed = serde_json::from_slice(&fs::read(&manifest)?)?;
    let mut parts_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (part, files) in &needed {
        for file in files.iter().filter(|file| file.starts_with("chunk_")) {
            parts_of.entry(file).or_default().insert(part);
        }
    }
    let mut packs: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (chunk, parts) in &parts_of {
        let file = folder.join(format!("{chunk}.wasm"));
        let name = pack_of(parts);
        let pack = packs.entry(name.clone()).or_default();
        let start = pack.len();
        pack.extend(fs::read(&file).with_context(|| format!("{} is missing", file.display()))?);
        places.insert((*chunk).to_owned(), (name, start, pack.len()));
        fs::remove_file(file)?;
    }
    for (name, bytes) in packs {
        fs::write(folder.join(format!("{name}.wasm")), bytes)?;
    }
    let link = folder.join(LINK);
    fs::write(&link, relink(&fs::read_to_string(&link)?, &places)?)?;
    let packed: Needed = needed
        .iter()
        .map(|(part, files)| {
            let files = files.iter().map(|file| places.get(file).map_or(file, |(pack, ..)| pack).clone());
            (part.clone(), files.collect::<BTreeSet<_>>().into_iter().collect())
        })
        .collect();
    fs::write(manifest, serde_json::to_string_pretty(&packed)?)?;
    Ok(())
}

/// Pack, first byte and the byte after the last, by chunk.
type Places = BTreeMap<String, (String, usize, usize)>;

/// The glue, with chunks taken out of packs.
fn relink(glue: &str, places: &Places) -> Result<String> {
    const FETCH: (&str, &str) = ("fetch(new URL(\"./", ".wasm\", import.meta.url))");
    const STREAMED: &str = "WebAssembly.instantiateStreaming(src, imports)";
    let mut out = String::new();
    let (mut replaced, mut within) = (0, false);
    for line in glue.split_inclusive('\n') {
        let place = line
            .split_once(FETCH.0)
            .and_then(|(before, rest)| Some((before, rest.split_once(FETCH.1)?)))
            .and_then(|(before, (file, after))| Some((before, places.get(file)?, after)));
        if let Some((before, (pack, start, end), after)) = place {
            write!(out, "{before}packed(\"./{pack}.wasm\", {start}, {end}){after}")?;
            within = true;
        } else if within && line.contains(STREAMED) {
            out.push_str(&line.replace(STREAMED, "WebAssembly.instantiate(await src, imports)"));
            within = false;
            replaced += 1;
        } else {
            out.push_str(line);
        }
    }
    if replaced != places.len() {
        bail!("the glue fetches {replaced} of {} chunks as expected; did the splitter change?", places.len());
    }
    // After the imports, which come first.
    let at = out.find("let sharedImports").context("the glue has no imports; did the splitter change?")?;
    out.insert_str(at, PACKED);
    // What is missing is told on the page, where it is missed; what was only fetched ahead is no error.
    Ok(out.replace("console.error(e);", "console.debug(e);"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_goes_where_its_first_reader_finds_it() {
        let pack = |parts: &[&str]| pack_of(&parts.iter().copied().collect());
        assert_eq!(pack(&["a", "b", "c", "chat", "e"]), "shared");
        assert_eq!(pack(&["answer", "chat"]), "shared_chat");
        assert_eq!(pack(&["team", "answer"]), "shared_answer");
        assert_eq!(pack(&["team", "tokens"]), "shared_rest");
    }

    #[test]
    fn the_glue_takes_chunks_out_of_packs_and_fetches_parts_as_before() {
        let one = |name: &str| {
            format!(
                "const x = makeLoad(() => {{\n    const src = fetch(new URL(\"./{name}.wasm\", import.meta.url));\n    src.catch(() => {{}});\n    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n}}\n"
            )
        };
        let glue = format!(
            "import {{ initSync }} from \"./web.js\";\nlet sharedImports = undefined;\n{}{}",
            one("chunk_1"),
            one("split_chat")
        );
        let places = Places::from([("chunk_1".to_owned(), ("shared".to_owned(), 3, 9))]);
        let made = relink(&glue, &places).unwrap();
        assert!(made.contains("packed(\"./shared.wasm\", 3, 9);"), "{made}");
        assert!(made.contains("WebAssembly.instantiate(await src, imports)"), "{made}");
        assert!(made.contains("fetch(new URL(\"./split_chat.wasm\", import.meta.url))"), "{made}");
        assert_eq!(made.matches("instantiateStreaming").count(), 1, "{made}");
        let gone = Places::from([("chunk_2".to_owned(), ("shared".to_owned(), 0, 1))]);
        assert!(relink(&glue, &gone).is_err());
    }
}
