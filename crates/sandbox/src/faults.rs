//! Faults that a test may inject, counted down per request. Without one, nothing fails.

use serde::{Deserialize, Serialize};

use crate::networks::{self, Kind, Operation};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Answers with this status instead. The operation does not run, unless `apply` is true.
    Status,
    /// The operation runs; its answer comes `ms` milliseconds later.
    Delay,
    /// The operation runs; half of its answer arrives, then the connection breaks.
    Truncate,
    /// The operation runs; the answer is not JSON.
    Malformed,
    /// The operation runs; a web page comes instead of its answer.
    Html,
    /// The operation runs; `bytes` bytes of padding come instead of its answer (50 MB by default).
    Huge,
    /// The operation runs; the headers and half of the answer arrive, then nothing more.
    Stall,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    #[serde(default = "admob")]
    pub network: String,
    /// A tool name such as `admob_list_apps`, `oauth_token` or `oauth_revoke`; if missing, every API operation.
    #[serde(default)]
    pub operation: Option<String>,
    pub kind: FaultKind,
    #[serde(default)]
    pub status: Option<u16>,
    #[serde(default)]
    pub ms: Option<u64>,
    /// The seconds in Retry-After of a `status`; 0 leaves the header out. If missing, the value that the network itself would send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(default = "once")]
    pub times: u32,
    /// For `status`: run the operation anyway, so that a write happens although the answer says that it did not.
    #[serde(default)]
    pub apply: bool,
}

fn admob() -> String {
    "admob".to_owned()
}

fn once() -> u32 {
    1
}

impl Fault {
    /// Returns what is wrong with the fault, if anything.
    pub fn problem(&self) -> Option<String> {
        let Some(network) = networks::find(&self.network) else {
            return Some(format!("network: \"{}\" is not simulated; one of {} is", self.network, networks::ids()));
        };
        let names: Vec<&str> = network.operations().iter().map(|operation| operation.name).collect();
        if let Some(operation) = self.operation.as_deref().filter(|name| !names.contains(name)) {
            return Some(format!("operation: \"{operation}\" does not exist; one of {} is expected", names.join(", ")));
        }
        if self.times == 0 {
            return Some("times: must be at least 1".to_owned());
        }
        match self.kind {
            FaultKind::Status if !self.status.is_some_and(|status| (400..600).contains(&status)) => {
                Some("status: a status from 400 to 599 is needed".to_owned())
            }
            FaultKind::Delay if self.ms.is_none_or(|ms| ms > 600_000) => {
                Some("ms: a delay up to 600000 is needed".to_owned())
            }
            FaultKind::Huge if self.bytes.is_some_and(|bytes| bytes > 1 << 30) => {
                Some("bytes: at most 1073741824".to_owned())
            }
            _ => None,
        }
    }
}

#[derive(Default)]
pub struct Faults {
    list: Vec<Fault>,
}

impl Faults {
    pub fn add(&mut self, fault: Fault) {
        self.list.push(fault);
    }

    pub fn clear(&mut self) {
        self.list.clear();
    }

    pub fn list(&self) -> &[Fault] {
        &self.list
    }

    /// Takes the first fault that fits and counts it down. Only a fault that names a sign-in operation hits it.
    pub fn take(&mut self, network: &str, operation: &Operation) -> Option<Fault> {
        let fits = |fault: &Fault| {
            fault.network == network
                && match &fault.operation {
                    Some(name) => name == operation.name,
                    None => operation.kind != Kind::Token,
                }
        };
        let at = self.list.iter().position(fits)?;
        let fault = self.list[at].clone();
        self.list[at].times -= 1;
        if self.list[at].times == 0 {
            self.list.remove(at);
        }
        Some(fault)
    }
}
