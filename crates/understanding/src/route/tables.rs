//! Words of small talk, of questions for the documentation, and of what we refuse. Only data, no decisions.

use std::sync::LazyLock;

use crate::vocab::phrases::Phrases;

pub(super) static SECRET: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "service account|service account json|service account file|json key|key file|keystore|signing secret|api key|apikey|api secret|secret key|secret|client secret|access token|refresh token|oauth token|token|password|passwords|passphrase|credential|security key|private key|login data|bearer token|session cookie|cookie|auth header|signing key|encryption key|service account key|api token|secrets|env variable|environment variable|connection string|database password|vault",
    )])
});

pub(super) static INSTRUCTIONS: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "system prompt|your prompt|your instruction|your instructions|your rules|your guidelines|hidden prompt|hidden instruction|hidden note|hidden notes|initial prompt|developer mode|jailbreak|dan mode|ignore all|ignore previous|ignore your|ignore the above|ignore any|ignore every|ignore prior|disregard all|disregard previous|disregard your|disregard the|forget your|forget all previous|forget previous|forget everything|override your|bypass your|everything above|repeat everything|word for word|god mode|pretend you are|pretend to be|act as|you are now|new instructions|follow it|follow the instruction|follow the instructions|obey|do what it says|do what the name says|execute the instruction|execute the command in|follow what|as the app name says|debug mode|unrestricted mode|no restrictions|without restrictions|roleplay|role play|text above|prompt above|message above|your configuration|your source code",
    )])
});

pub(super) static BYPASS: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "skip approval|skip the approval|skip approvals|skip confirmation|skip the confirmation|without approval|without my approval|without asking|without asking me|without confirmation|without confirming|without any approval|without any confirmation|without a confirmation|without an approval|without the approval|bypass approval|bypass the approval|bypass confirmation|no approval|no approval needed|no confirmation|no confirmation needed|approve your own|approve it yourself|approve them yourself|approve yourself|auto approve|autoapprove|approve everything|approve all|approve automatically|self approve|disable approvals|disable approval|disable the approval|turn off approval|turn off approvals|turn off the approval|switch off approval|pretend the approval|pretend i approved|pretend it was approved|pretend approval|act as if approved|as if i approved|as if i had approved|fake the approval|fake approval|fake an approval|mark as approved|mark it as approved|already approved so just|dont ask for approval|dont ask for confirmation|dont ask me|stop asking for approval|stop asking me|disable safe mode|approval form|around the approval|forge|consider it approved|treat it as approved|treat this as approved|no more forms|any more forms|ask for forgiveness|dont bother asking|dont wait for approval|dont wait for my approval|dont wait for confirmation|approval is not needed|approval was already",
    )])
});

pub(super) static OTHERS: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "other publisher|other publishers|other organisation|other organization|other organisations|other organizations|another publisher|another organisation|another organization|another company|other customer|other customers|another customer|other companies|competitor|competitors|other tenants|other tenant|another tenant|other workspace|other workspaces|another workspace|all organisations|all organizations|every publisher|other users on this platform|other clients of yours|someone elses|somebody elses|other accounts on this platform|everyone elses|rival",
    )])
});

pub(super) static FRAUD: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "click fraud|fake click|fake clicks|fake impressions|fake traffic|fake installs|bot clicks|click bot|click farm|clicks our own|click our own|click on our own|clicking our own|click my own|clicks my own|click on my own|clicking my own|own ads|own banners|bot traffic|invalid traffic generator|generate clicks|generate fake|inflate|inflate clicks|inflate impressions|autoclick|auto click|auto clicker|make a bot|build a bot|traffic bot|simulate clicks|buy clicks|buy traffic that clicks|trick users|trick the user|accidental clicks|fool users|hidden ads|stack ads|ad stacking|hide ads behind|invisible ads|emulator farm|device farm to click|spoof",
    )])
});

pub(super) static OFF_TOPIC: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "poem|haiku|limerick|song|lyrics|joke|recipe|banana|bread|cook|cooking|homework|maths|essay|stock|stocks|shares of|invest in|bitcoin|crypto|doctor|medicine|medication|alcohol|symptom|headache|diagnose my|weather|forecast for tomorrow|football|soccer|movie|film|novel|bedtime story|translate|translation of|capital of|president|election|politics|horoscope|dating|girlfriend|boyfriend|vacation|holiday trip|flight|hotel|restaurant|pizza|birthday|python script|javascript|write code|write a script|sort a list|sql query for|leetcode|quantum|dinosaur|history of rome|lawyer|legal advice|divorce|tax return|lottery|gamble|workout|diet|calories|chess|sudoku|riddle|wikipedia|love letter|cover letter|resume for a job|my cv|wedding|math problem|integral of|equation|philosophy|meaning of life|guitar|tattoo|car engine|plant|cat|dog|pets",
    )])
});

pub(super) static CHAT: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "hi|hello|hey|hiya|howdy|yo|greetings|good morning|good afternoon|good evening|good night|morning|good day|thanks|thank you|thank|thx|ty|cheers|great job|good job|well done|nice work|nice|awesome|perfect|cool|great|amazing|bye|goodbye|see you|see ya|later|how are you|how are you doing|how is it going|hows it going|whats up|what is up|sup|who are you|what are you|are you real|are you a real person|are you human|are you a human|are you a bot|is this a bot|am i talking to|a bot or a human|a human or a bot|a real person|are you an ai|what can you do|what can you do for me|what do you do|can you help me|help|help me|what is this|what is this thing|first time here|nice to meet you|have a nice|have a good|have a great|nice weekend|you are great|you are doing|my friend|i love you|love it|lol|haha|that is all|thats all|no thanks|never mind|nevermind|sorry|happy monday|happy friday|what is your name|are you there|you there|test test|ping|how do you work|what can i ask|what can i ask you|what should i ask|who made you|pleasure|appreciate it|much appreciated|welcome|i am new here|im new here|new here|testing",
    )])
});

pub(super) static DOCS: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "how do i|how do we|how do you|how to|how can i|how can we|how does|how should i|how should we|how would i|what does|what do the|difference between|differences between|is there documentation|documentation|docs|guide|tutorial|help article|article|best practice|best practices|explain|meaning of|definition of|define the term|stand for|stands for|where do i find|where can i find|where do i|where can i|what is meant|when should i use|when should i|should i use|pros and cons|is it possible to|how is calculated|how long do|how long does|instructions for|step by step|steps to|can you explain|manual|in general|requirements for|what happens if|what happens when|is it allowed|policy on|policies|policy|how do experiments|what are the benefits|recommended way|do i need|anleitung|sdk setup|integrate|integration guide|learn about|learn more|counted as|is counted|why would i use|why do i need|how is|what counts as|read about|troubleshooting guide|faq|supported by|rule about|rules about|rule on|rules on|rules for|guideline on|guidelines on|guidelines for|guideline for|allowed to",
    )])
});
