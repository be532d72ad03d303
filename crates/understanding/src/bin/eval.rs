//! `cargo xtask eval` runs this: scores the understanding on files of labelled questions, prints and stores the figures.

use std::{path::PathBuf, process::ExitCode};

use adagent_understanding::eval::{self, Local};

/// The command line: pairs of `--name value`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    data: Vec<PathBuf>,
    today: String,
    json: Option<PathBuf>,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments { today: "2026-11-21".into(), ..Arguments::default() };
    while let Some(name) = words.next() {
        let value = words.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--data" => arguments.data.push(value.into()),
            "--today" => arguments.today = value,
            "--json" => arguments.json = Some(value.into()),
            "--model" if value == "local" => {}
            "--model" => {
                return Err(format!(
                    "{value} cannot be measured offline: only `--model local` routes without a provider"
                ));
            }
            _ => return Err(format!("unknown option {name}; known are --data, --today, --json, --model")),
        }
    }
    if arguments.data.is_empty() { Err("--data names a JSONL file or a folder of them".into()) } else { Ok(arguments) }
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let report = eval::run(&arguments.data, &arguments.today, &Local::new(&eval::bundled_tools()))
        .map_err(|error| error.to_string())?;
    println!("{}", report.to_text());
    if let Some(path) = &arguments.json {
        let json = serde_json::to_vec_pretty(&report).map_err(|error| error.to_string())?;
        std::fs::write(path, json).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|arguments| measure(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn words(text: &str) -> impl Iterator<Item = String> {
        text.split(' ').map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn options_are_read_and_strangers_refused() {
        let read = parse(words("--data evals --today 2026-01-02 --model local")).unwrap();
        assert_eq!((read.data.len(), read.today.as_str()), (1, "2026-01-02"));
        assert!(parse(words("--dat evals")).is_err());
        assert!(parse(words("--today 2026-01-02")).is_err());
        assert!(parse(words("--data")).is_err());
    }
}
