//! A small glossary for "what does … mean". If it doesn't know a word, it must say so, and never make up a procedure.

use super::{Answer, read::Turn, talk};

/// Words that name the entry, and their meaning.
const ENTRIES: [(&[&str], &str); 15] = [
    (
        &["ecpm", "cpm", "rpm"],
        "**eCPM** is what a thousand impressions earned: revenue × 1,000 ÷ impressions. It is recomputed from sums here, never averaged.",
    ),
    (
        &["match rate"],
        "**Match rate** is the share of ad requests that were answered with an ad: matched requests ÷ ad requests. AdMob uses it where other networks say fill rate.",
    ),
    (
        &["fill rate", "fill"],
        "**Fill rate** is the share of ad requests that were answered with an ad. AdMob reports it as **match rate**: matched requests ÷ ad requests.",
    ),
    (
        &["show rate"],
        "**Show rate** is the share of matched requests whose ad was actually shown: impressions ÷ matched requests. AdMob reports it in the AdMob Network report only.",
    ),
    (&["ctr", "click-through rate", "click through rate"], "**CTR** is clicks ÷ impressions."),
    (
        &["app-ads.txt", "app-ads", "app ads txt", "ads.txt"],
        "**app-ads.txt** is a text file on the developer's website that lists who may sell the app's ad space. Without your AdMob line in it, buyers may not bid on your inventory.",
    ),
    (
        &["mediation group", "mediation groups"],
        "A **mediation group** says which ad sources compete for which ad units: it targets a platform, a format, ad units and countries, and holds bidding and waterfall lines.",
    ),
    (
        &["mapping", "mappings", "ad unit mapping"],
        "An **ad unit mapping** ties one AdMob ad unit to the placement identifiers another network uses for it, through that network's adapter.",
    ),
    (
        &["a/b", "ab test", "experiment", "split test", "teste a/b"],
        "A **mediation A/B test** sends a share of a group's traffic to variant B, which has other lines, so you can compare both on the same days. It ends when you keep variant A (the control) or B (the treatment).",
    ),
    (
        &["bidding", "waterfall", "bidder"],
        "With **bidding**, an ad source names its price for each request and the highest one wins. In a **waterfall**, sources are called one after the other by a fixed CPM that you set. A mediation group can hold both.",
    ),
    (
        &["floor", "floors", "floor price"],
        "A **floor** is the lowest price at which a waterfall line is called: its fixed CPM. A higher floor raises the price per impression and lowers the fill rate.",
    ),
    (
        &["adapter", "adapters"],
        "An **adapter** is the piece of code, per network and platform, through which the Google Mobile Ads SDK talks to a third-party network; it states which identifiers a mapping needs.",
    ),
    (
        &["impression", "impressions"],
        "AdMob counts an **impression** when an ad is shown on the screen. Other networks may count at a different point, so their numbers differ.",
    ),
    (
        &["app open"],
        "**App open ads** are full-screen ads shown while an app starts or comes back to the foreground; they have a format of their own in AdMob.",
    ),
    (&["latency"], "**Latency** is the average time mediation took to load an ad, per request."),
];

pub(super) fn answer(turn: &Turn<'_>) -> Answer {
    let procedure = turn.says(&["how do i", "how to", "where do i", "where can i", "set up", "how can i", "steps"]);
    let known: Vec<&str> =
        ENTRIES.iter().filter(|(words, _)| turn.says(words)).map(|(_, text)| *text).take(3).collect();
    let text = match (known.as_slice(), procedure) {
        ([], _) => "I can't look up documentation yet, and I don't have a definition for this, so I won't guess. I can explain eCPM, match rate, show rate, CTR, bidding and waterfall, mediation groups, mappings, adapters, floors, A/B tests and app-ads.txt, and answer questions about your own numbers."
            .to_owned(),
        (known, true) => format!(
            "{}\n\nFor step-by-step instructions: I can't search the documentation yet; Google's AdMob help has them.",
            known.join("\n\n")
        ),
        (known, false) => known.join("\n\n"),
    };
    Answer::text(text).following(["eCPM by ad source, last 7 days", talk::EXAMPLES[0], talk::EXAMPLES[2]])
}
