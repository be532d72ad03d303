//! The program that `cargo xtask eval` runs: scores the understanding on files of labeled questions, prints and stores the
//! figures.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use adagent_eval::{Hosted, Local, Prediction, Sets};
use adagent_llm::{HostedModel, ModelChoice, ModelsConfig, Provider, ProviderConfig};
use adagent_scorer::{Scorer, Weights};
use adagent_understanding::bundled_tools;

/// The command line: pairs of `--name value`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    data: Vec<PathBuf>,
    today: String,
    json: Option<PathBuf>,
    /// Write every prediction as a line of JSON, for other programs to score.
    predictions: Option<PathBuf>,
    model: ModelChoice,
    /// Weigh the rules against these learned scores. For a folder, each file uses the weights that leave its writer out.
    weights: Option<PathBuf>,
    /// Score the rules alone.
    rules: bool,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments { today: "2026-11-21".into(), ..Arguments::default() };
    while let Some(name) = words.next() {
        if name == "--rules" {
            arguments.rules = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--data" => arguments.data.push(value.into()),
            "--today" => arguments.today = value,
            "--json" => arguments.json = Some(value.into()),
            "--predictions" => arguments.predictions = Some(value.into()),
            "--weights" => arguments.weights = Some(value.into()),
            "--model" => arguments.model = value.parse().map_err(|error| format!("--model: {error}"))?,
            _ => {
                return Err(format!(
                    "unknown option {name}; known are --data, --today, --json, --predictions, --model, --weights, --rules"
                ));
            }
        }
    }
    if arguments.data.is_empty() { Err("--data names a JSONL file or a folder of them".into()) } else { Ok(arguments) }
}

#[expect(clippy::disallowed_methods, reason = "a developer's program: its configuration is the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the key and base URL of a provider, from the same variables as the server.
fn provider_config(provider: Provider, variable: impl Fn(&str) -> Option<String>) -> Result<ProviderConfig, String> {
    let name = provider.key_variable();
    let key = variable(name)
        .ok_or_else(|| format!("{} cannot be asked without a key: set {name}, or use --model local", provider.id()))?;
    Ok(ProviderConfig { api_key: Some(key.into()), base_url: variable(&name.replace("_API_KEY", "_BASE_URL")) })
}

fn ask(provider: Provider, model: &str, sets: &Sets) -> Result<Vec<Prediction>, String> {
    let mut config = ModelsConfig::default();
    config.providers.insert(provider, provider_config(provider, variable)?);
    // A provider's client needs an installed crypto provider before it is built.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let hosted = HostedModel::new(provider, model, &config).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let questions = sets.questions();
    eprintln!("asking {}/{model} {} questions", provider.id(), questions.len());
    let (predictions, usage) = runtime.block_on(Hosted::new(Arc::new(hosted), bundled_tools()).predict(&questions))?;
    eprintln!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens);
    Ok(predictions)
}

fn scorer(path: &Path) -> Result<Scorer, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let weights = Weights::read(bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Scorer::new(weights))
}

/// Returns the weights that leave out the writer of a file, with the names that `cargo xtask train --folds --fold-weights` uses.
fn fold(folder: &Path, file: &str) -> PathBuf {
    let stem = file.trim_end_matches(".jsonl").trim_end_matches("-journeys");
    let writer = ["own", "nine"].into_iter().find(|writer| stem.starts_with(writer)).unwrap_or(stem);
    let own = folder.join(format!("{writer}.bin"));
    if own.is_file() { own } else { folder.join("base.bin") }
}

fn local(arguments: &Arguments, sets: &Sets) -> Result<Vec<Prediction>, String> {
    let tools = bundled_tools();
    let product = Local::new(&tools);
    let predict = |local: &Local| sets.questions().iter().map(|question| local.predict(question)).collect();
    match &arguments.weights {
        _ if arguments.rules => Ok(predict(&product.by_rules())),
        None => Ok(predict(&product)),
        Some(path) if !path.is_dir() => Ok(predict(&product.with_scorer(scorer(path)?))),
        Some(folder) => {
            let mut all = Vec::new();
            for (file, questions) in sets.by_file() {
                let local = Local::new(&tools).with_scorer(scorer(&fold(folder, file))?);
                all.extend(questions.map(|question| local.predict(question)));
            }
            Ok(all)
        }
    }
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let sets = Sets::read(&arguments.data, &arguments.today).map_err(|error| error.to_string())?;
    let predictions = match &arguments.model {
        ModelChoice::Local => local(arguments, &sets)?,
        ModelChoice::Hosted { provider, model } => ask(*provider, model, &sets)?,
    };
    let report = sets.score(&predictions);
    println!("{}", report.to_text());
    let store = |path: &PathBuf, text: String| {
        std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    if let Some(path) = &arguments.json {
        store(path, serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?)?;
    }
    if let Some(path) = &arguments.predictions {
        store(path, sets.lines(&predictions))?;
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
    use super::*;

    fn words(text: &str) -> impl Iterator<Item = String> {
        text.split(' ').map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn options_are_read_and_strangers_refused() {
        let read = parse(words("--data evals --today 2026-01-02 --model local")).unwrap();
        assert_eq!((read.data.len(), read.today.as_str(), read.model), (1, "2026-01-02", ModelChoice::Local));
        assert!(parse(words("--dat evals")).is_err());
        assert!(parse(words("--today 2026-01-02")).is_err());
        assert!(parse(words("--data")).is_err());
    }

    #[test]
    fn an_unknown_model_and_a_missing_key_are_said_in_one_line() {
        let error = parse(words("--data evals --model gpt-5")).unwrap_err();
        assert!(error.contains("gpt-5") && !error.contains('\n'), "{error}");
        let error = provider_config(Provider::OpenAi, |_| None).unwrap_err();
        assert!(error.contains("OPENAI_API_KEY") && !error.contains('\n'), "{error}");
        let set = |name: &str| Some(if name.ends_with("KEY") { "sk-1" } else { "http://127.0.0.1:1/v1" }.to_owned());
        let config = provider_config(Provider::Anthropic, set).unwrap();
        assert_eq!(config.base_url.as_deref(), Some("http://127.0.0.1:1/v1"));
    }
}
