//! Answers orders to move money: payouts, transfers, withdrawals. No network's API offers that here, and this program must never look as if
//! it had tried.

use super::{Answer, read::Turn, talk};
use crate::text::{Kind, Token, tokens};

/// Verbs that move money, in English, German and Spanish.
const MOVES: [&str; 17] = [
    "transfer",
    "wire",
    "withdraw",
    "payout",
    "cashout",
    "deposit",
    "überweise",
    "überweisen",
    "ueberweise",
    "auszahlen",
    "zahle",
    "zahl",
    "abheben",
    "transfiere",
    "transferir",
    "retira",
    "paga",
];

/// Words for money that someone has or gets.
const MONEY: [&str; 24] = [
    "money",
    "balance",
    "funds",
    "earnings",
    "payout",
    "payouts",
    "payment",
    "payments",
    "cash",
    "bank",
    "iban",
    "paypal",
    "guthaben",
    "geld",
    "auszahlung",
    "einnahmen",
    "konto",
    "rechnung",
    "saldo",
    "dinero",
    "fondos",
    "pago",
    "ganancias",
    "factura",
];

const POLITE: [&str; 16] = [
    "please", "pls", "can", "could", "would", "you", "hey", "now", "just", "bitte", "kannst", "du", "mal", "jetzt",
    "por", "favor",
];

/// Returns the answer if the message orders a payment. A question about payments is none.
pub(super) fn answer(turn: &Turn<'_>) -> Option<Answer> {
    is_ordered(turn.question()).then(|| {
        Answer::text(
            "I can't move money: no payouts, transfers or payments. You do that in the network's own console. I can show what you earned there.",
        )
        .following(talk::EXAMPLES)
    })
}

fn is_ordered(text: &str) -> bool {
    let all = tokens(text);
    let words: Vec<&Token> = all.iter().filter(|token| token.kind == Kind::Word).collect();
    let is = |token: &Token, any: &[&str]| any.contains(&token.norm.as_str());
    let Some(first) = words.iter().position(|token| !is(token, &POLITE)) else { return false };
    let out = |at: usize| words.get(at + 1..).is_some_and(|rest| rest.iter().any(|token| is(token, &["out", "aus"])));
    // "pay out the balance", "zahl das Guthaben aus".
    let verb = match words[first].norm.as_str() {
        "pay" | "zahl" | "zahle" | "cash" => out(first),
        _ => is(words[first], &MOVES),
    };
    // "Can you withdraw …?" is an order, "when does AdMob pay out?" is not: its verb doesn't come first.
    verb && words[first + 1..].iter().any(|token| is(token, &MONEY))
}

#[cfg(test)]
mod tests {
    use super::is_ordered;

    #[test]
    fn an_order_to_move_money_is_told_from_a_question_about_it() {
        for order in [
            "Transfer our Unity balance to the bank account",
            "please pay out the AdMob earnings",
            "Überweise das Guthaben von Unity auf unser Konto",
            "Zahl bitte das Guthaben von AppLovin aus",
            "Transfiere el saldo de Unity a nuestra cuenta",
            "Can you withdraw the money from Liftoff?",
        ] {
            assert!(is_ordered(order), "{order}");
        }
        for other in [
            "When does AdMob pay out?",
            "Show me the earnings of yesterday",
            "Transfer the app Puzzle Game to the other account",
            "What was the payout last month?",
            "Wann zahlt Unity das Guthaben aus?",
        ] {
            assert!(!is_ordered(other), "{other}");
        }
    }
}
