//! Mutates the corpus for a while and runs the targets with it. It has no coverage guidance but runs on any toolchain, and the
//! same seed gives the same run.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    panic,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use adagent_fuzzing::{TARGETS, Target};
use anyhow::{Context as _, Result, bail};
use clap::Parser;

#[derive(Parser)]
struct Args {
    /// Run only this target.
    #[arg(long)]
    target: Option<String>,
    /// Seconds for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder with `corpus`; failing inputs go into `artifacts` in it.
    #[arg(long, default_value = "fuzz")]
    folder: PathBuf,
}

/// Pieces that mean something to one of the targets.
const WORDS: [&str; 40] = [
    "\n",
    "\n\n",
    "data:",
    "data: ",
    "id: 1\n",
    "event: done\n",
    ": ",
    "..",
    ".",
    "eyJhbGciOiJkaXIi",
    "=",
    "-",
    "_",
    ",",
    ", ",
    "10.0.0.1",
    "::ffff:",
    "[::1]",
    ":443",
    "desk.example.com",
    "localhost",
    "@",
    "%00",
    "javascript:",
    "data:text/html,",
    "](",
    "![",
    "<",
    ">",
    "&#x6a;",
    "\\",
    "//",
    "\u{202e}",
    "| - |\n",
    "> ",
    "{}",
    "[]",
    "null",
    "1e999",
    "\"",
];

/// The random generator `SplitMix64`.
struct Chance(u64);

impl Chance {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

/// The longest input, in bytes. A longer one finds nothing new.
const LONGEST: usize = 4096;

fn mutate(corpus: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut data = corpus.get(chance.below(corpus.len())).cloned().unwrap_or_default();
    for _ in 0..=chance.below(6) {
        let at = chance.below(data.len() + 1);
        match chance.below(7) {
            0 if at < data.len() => data[at] ^= 1 << chance.below(8),
            1 if at < data.len() => data[at] = chance.byte(),
            2 => data.insert(at, chance.byte()),
            3 => {
                let end = (at + chance.below(16)).min(data.len());
                data.drain(at..end);
            }
            4 => {
                let word = WORDS[chance.below(WORDS.len())];
                data.splice(at..at, word.bytes());
            }
            5 => {
                let other = corpus.get(chance.below(corpus.len())).map(Vec::as_slice).unwrap_or_default();
                let from = chance.below(other.len() + 1);
                data.splice(at.., other[from..].iter().copied());
            }
            _ => {
                let piece = data[at..(at + chance.below(32)).min(data.len())].to_vec();
                data.splice(at..at, piece);
            }
        }
    }
    data.truncate(LONGEST);
    data
}

fn corpus(folder: &Path) -> Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} is missing", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.sort();
    files.iter().map(|file| fs::read(file).context("a file of the corpus")).collect()
}

/// Runs a target again and again. Returns how often it passed; `Err` with the input that broke it.
fn hammer(target: Target, corpus: &[Vec<u8>], args: &Args) -> Result<u64, Vec<u8>> {
    let mut chance = Chance(args.seed);
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut runs = 0;
    while Instant::now() < end {
        for _ in 0..64 {
            let data = mutate(corpus, &mut chance);
            if panic::catch_unwind(|| (target.run)(&data)).is_err() {
                return Err(data);
            }
            runs += 1;
        }
    }
    Ok(runs)
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut broken = 0;
    for target in TARGETS {
        if args.target.as_deref().is_some_and(|only| only != target.name) {
            continue;
        }
        match hammer(target, &corpus(&args.folder.join("corpus").join(target.name))?, &args) {
            Ok(runs) => println!("{:<16} {runs} inputs, nothing broke", target.name),
            Err(data) => {
                broken += 1;
                let mut hasher = DefaultHasher::new();
                data.hash(&mut hasher);
                let folder = args.folder.join("artifacts").join(target.name);
                fs::create_dir_all(&folder)?;
                let file = folder.join(format!("broken-{:016x}", hasher.finish()));
                fs::write(&file, data)?;
                println!("{:<16} BROKE: {}", target.name, file.display());
            }
        }
    }
    if broken > 0 {
        bail!("{broken} targets broke");
    }
    Ok(())
}
