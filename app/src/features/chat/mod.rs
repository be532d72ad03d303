//! The thread: turns with their steps, approvals, answers and artifacts.
// Agreed with the pages: `turn::Turn` takes turn: Signal<TurnView>, rating: Signal<Option<Rating>>, refused: Signal<Option<Problem>>,
// on_answer: Callback<AnswerRequest>, on_ask: Callback<String> (follow-up chips), on_retry: Callback<()>, on_rate: Callback<Rating>.
// The page draws the <article class="entry"> and the question; `Turn` draws the parts below it.
// page.rs, composer.rs, thread.rs, welcome.rs, client.rs, stream.rs are declared here once `turn` exists.
