//! Verbs: for changing, reading and analyzing.

use super::Rows;

/// Kinds of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    Create,
    Update,
    Delete,
    Stop,
    Activate,
    Deactivate,
    Archive,
    Submit,
    Link,
}

impl Write {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "Create",
            Self::Update => "Update",
            Self::Delete => "Delete",
            Self::Stop => "Stop",
            Self::Activate => "Activate",
            Self::Deactivate => "Deactivate",
            Self::Archive => "Archive",
            Self::Submit => "Submit",
            Self::Link => "Link",
        }
    }
}

pub const READS: Rows<()> = &[(
    (),
    "show|list|display|give me|get|get me|tell me|pull|pull me|fetch|what|which|who|whose|where|when|how|is|are|do|does|did|has|have|had|can i|can we|see|view|look up|lookup|look|find|search|read|open|check|dump|export|print|let me see|was|were|whats|see me|shwo|details of|detail|status of|browse|enumerate|count|describe|report|compare|i want to see|i need to see|i want to know|i need to know|need know|tell|run|kick off|break|split",
)];

pub const ANALYSIS: Rows<()> = &[(
    (),
    "why|find the reason|going on with|find out|figure out|work out|dig into|dig in|investigate|analyse|analyze|analysis|analyses|diagnose|diagnosis|root cause|what is behind|what stands behind|reason for|reasons for|reason behind|what caused|what causes|what drives|what drove|driver of|drivers of|explain the drop|explain why|explain it|explain this|explain what happened|what happened|what went wrong|optimise|optimize|optimisation|optimization|optimising|optimizing|propose|proposal|suggest|suggestion|recommend|recommendation|recommendations|what should i change|what should we change|what should i do|what to do|what would you change|what can i improve|how can i improve|how can i increase|how can we increase|how do i increase|how to increase my|how to increase our|how can we improve|how do i improve our|improve my|improve our|improvement|conclusion|go through|walk through|break down until|until you find|dragging|audit|assess|evaluate|review our|review my|deep dive|look into|is behind|spot the|troubleshoot|what moved|what changed and|what changed|what has changed|looks odd|looks off|looks weird|looks wrong|seems off|seems odd|to blame|responsible for|identify what|find where|find countries and|find the cause|forecast|predict|estimate how|underperforming and|what explains|make sense of|health check|get more out of|squeeze|maximise|maximize|advise|advice|opportunities|opportunity|how come|go over|going over|explain the spike|explain the jump|explain the dip|explain the rise|explain the fall|explain the change|explain the increase|explain the decrease|explain the decline|what to fix|what to change|what to improve|what to add|what to remove|where we lose|where do we lose|where are we losing|where we are losing|for mistakes|for errors|for problems|for issues|for weaknesses|weak spot|anything unusual|anything odd|anomaly|anomalies|outlier|reasons why|what is wrong|whats wrong|something is off|something is wrong|what can we do about|what should we do|what can i do about|would you recommend|the cause of|the reason that|holding back|holds back|room for|what would you do|what could we do|what can we do|what can be done|what should be done|what could be done|what could be better|what can be better|what would be better|how would you|are losing money|losing money",
)];

pub const WRITES: Rows<Write> = &[
    (
        Write::Create,
        "create|add|make|register|set up|setup|build|launch|insert|schedule|start|new|save|duplicate|clone|trigger|offer|import|introduce|establish|need a new|want a new|put up|spin up|open a new|define|generate a new|roll out|craft|give them|kick off a|run a split|run an ab|run a test|run an experiment|run an a|run ab|run a mediation|run an mediation|group together|book|traffic a|traffic an|traffic the|traffic this",
    ),
    (
        Write::Update,
        "update|change|set|rename|edit|modify|raise|lower|increase|decrease|adjust|put|move|mark|cap|limit|bump|reduce|drop the floor|cut|switch|turn|assign|reassign|replace|correct|fix|swap|resume|unpause|pause|promote|push|extend|give|retitle|reorder|reprioritise|reprioritize|reconfigure|take|exclude|retarget|block|unblock|allow|should be called|should be|is called|call it|force|flag|hide|apply|toggle|approve|mute|point to|point|repoint|deprecate|promoted|roll back|override|restrict|double|halve|include|hook|plug|reserve|release|unreserve|retract|withdraw|disapprove|reject|decline|unarchive|restore|greenlight|green light|sign off|overbook|rewrite|amend|prolong|shorten|postpone|whitelist|blacklist|ban|reopen|let run|let it run|out of the archive|out of archive|from the archive|back from archive",
    ),
    (
        Write::Delete,
        "delete|remove|get rid of|drop|erase|discard|forget|destroy|throw away|wipe|trash|cancel|clear out|kill|unlink|delet|throw out|purge",
    ),
    (Write::Stop, "stop|end|finish|conclude|terminate|wrap up|halt|call off|abort|break off"),
    (
        Write::Activate,
        "activate|reactivate|enable|switch on|turn on|bring back|bring|live again|re enable|reenable|bring back to life|make active|resurrect",
    ),
    (
        Write::Deactivate,
        "deactivate|disable|switch off|turn off|take out of use|out of use|stop using|suspend|put to sleep|shut off|shut down",
    ),
    (Write::Archive, "archive|put into the archive|into the archive|move to archive|to the archive"),
    (
        Write::Submit,
        "submit|send for review|send to google|for review|send for approval|for approval|to approval|resubmit",
    ),
    (Write::Link, "map|link|connect ad unit|hook up|associate|tie|pair|wire up|attach"),
];
