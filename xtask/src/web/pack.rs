//! Packs the chunks that parts share into a few files. The splitter makes one file for every set of parts that share code, which
//! means hundreds of requests of a few bytes each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::split::{LINK, MANIFEST, Needed};

/// The highest number of packs. A page loads all packs that hold any of its chunks at once.
const MOST_PACKS: usize = 24;
/// How much each byte counts that a part loads but does not need. Most people open these parts first.
const WEIGHTS: [(&str, u64); 2] = [("chat", 6), ("home", 3)];

/// The glue that gets a chunk from its pack, which is loaded once. After a failure, the next request loads it again.
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

/// Chunks that go together, and a bit for each part that needs any of them.
struct Pack {
    parts: u64,
    bytes: u64,
    chunks: Vec<String>,
}

/// Groups chunks into few packs, so that parts load as little as possible that they do not need. Until there are few enough, it
/// merges the two packs whose union costs least.
fn plan(chunks: &BTreeMap<&str, (BTreeSet<&str>, u64)>, most: usize) -> Vec<Pack> {
    let names: Vec<&str> =
        chunks.values().flat_map(|(parts, _)| parts).copied().collect::<BTreeSet<_>>().into_iter().collect();
    assert!(names.len() <= 64, "more parts than bits");
    let weight = |name: &str| WEIGHTS.iter().find(|(heavy, _)| *heavy == name).map_or(1, |(_, weight)| *weight);
    let weights: Vec<u64> = names.iter().map(|name| weight(name)).collect();
    let mut packs: BTreeMap<u64, Pack> = BTreeMap::new();
    for (chunk, (needed_by, bytes)) in chunks {
        let bit = |part: &&str| names.binary_search(part).map_or(0, |at| 1_u64 << at);
        let parts = needed_by.iter().map(bit).fold(0, |all, bit| all | bit);
        let pack = packs.entry(parts).or_insert_with(|| Pack { parts, bytes: 0, chunks: Vec::new() });
        pack.bytes += bytes;
        pack.chunks.push((*chunk).to_owned());
    }
    let mut packs: Vec<Pack> = packs.into_values().collect();
    let in_vain = |parts: u64| {
        weights.iter().enumerate().filter(|(at, _)| parts >> at & 1 == 1).map(|(_, weight)| *weight).sum::<u64>()
    };
    let cost = |a: &Pack, b: &Pack| {
        let union = a.parts | b.parts;
        a.bytes * in_vain(union & !a.parts) + b.bytes * in_vain(union & !b.parts)
    };
    while packs.len() > most {
        let pairs = (0..packs.len()).flat_map(|a| (a + 1..packs.len()).map(move |b| (a, b)));
        let Some((a, b)) = pairs.min_by_key(|(a, b)| cost(&packs[*a], &packs[*b])) else { break };
        let gone = packs.remove(b);
        packs[a].parts |= gone.parts;
        packs[a].bytes += gone.bytes;
        packs[a].chunks.extend(gone.chunks);
    }
    packs
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
    let mut chunks = BTreeMap::new();
    for (chunk, parts) in parts_of {
        let file = folder.join(format!("{chunk}.wasm"));
        let bytes = fs::metadata(&file).with_context(|| format!("{} is missing", file.display()))?.len();
        chunks.insert(chunk, (parts, bytes));
    }
    let mut places = BTreeMap::new();
    for (number, pack) in plan(&chunks, MOST_PACKS).into_iter().enumerate() {
        let name = format!("shared_{number}");
        let mut bytes = Vec::new();
        for chunk in pack.chunks {
            let file = folder.join(format!("{chunk}.wasm"));
            let start = bytes.len();
            bytes.extend(fs::read(&file)?);
            fs::remove_file(file)?;
            places.insert(chunk, (name.clone(), start, bytes.len()));
        }
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

/// By chunk: its pack, its first byte and the end of its bytes.
type Places = BTreeMap<String, (String, usize, usize)>;

/// Returns the glue with chunks read from packs.
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
    // Insert it after the imports, which must come first.
    let at = out.find("let sharedImports").context("the glue has no imports; did the splitter change?")?;
    out.insert_str(at, PACKED);
    // The page itself reports a part that it misses. A failed load in advance is not an error.
    Ok(out.replace("console.error(e);", "console.debug(e);"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_are_few_and_hold_little_in_vain() {
        let chunk = |parts: &[&'static str], bytes| (parts.iter().copied().collect::<BTreeSet<_>>(), bytes);
        let chunks = BTreeMap::from([
            ("chunk_0", chunk(&["chat", "runs", "team"], 1000)),
            ("chunk_1", chunk(&["runs", "team"], 500)),
            ("chunk_2", chunk(&["runs", "team"], 1)),
            ("chunk_3", chunk(&["chat", "team"], 10)),
        ]);
        let names = |most| {
            let mut names: Vec<Vec<String>> = plan(&chunks, most).into_iter().map(|pack| pack.chunks).collect();
            for names in &mut names {
                names.sort();
            }
            names.sort();
            names
        };
        assert_eq!(
            names(3),
            [vec!["chunk_0"], vec!["chunk_1", "chunk_2"], vec!["chunk_3"]],
            "the same readers, one pack"
        );
        // The runs page would load ten unneeded bytes; the chat would load five hundred.
        assert_eq!(names(2), [vec!["chunk_0", "chunk_3"], vec!["chunk_1", "chunk_2"]]);
        assert_eq!(names(1)[0].len(), 4);
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
