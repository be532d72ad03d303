//! Notifies clients when they may see something else: a network was connected or turned off, or safe mode was turned on.
//!
//! Reads the database, where every server of the installation writes, so nobody has to report a change. Runs only while a client listens,
//! and ends with the token.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex, PoisonError},
};

use adagent_contract::CONNECTION;
use adagent_service::{ServiceError, ServiceResult, TokenGrant};
use rmcp::{Peer, RoleServer, service::SubscriptionContext};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{Shared, resources};

/// How many subscriptions one token can have at a time; each one reads the database separately.
const MOST_STREAMS: usize = 32;

/// Watches for one token.
#[derive(Clone)]
pub(crate) struct Watch {
    shared: Arc<Shared>,
    grant: TokenGrant,
    ends: CancellationToken,
    /// Sessions that want notifications. `None` while no task checks for them.
    peers: Arc<Mutex<Option<Vec<Peer<RoleServer>>>>>,
    streams: Arc<Semaphore>,
}

/// The result of a check.
enum Seen {
    Same,
    Changed,
    /// The token is no longer valid.
    Over,
}

impl Watch {
    pub fn new(shared: Arc<Shared>, grant: TokenGrant, ends: CancellationToken) -> Self {
        Self { shared, grant, ends, peers: Arc::default(), streams: Arc::new(Semaphore::new(MOST_STREAMS)) }
    }

    /// Notifies this session from now on.
    pub fn tell(&self, peer: Peer<RoleServer>) {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(peers) = &mut *peers {
            peers.push(peer);
            return;
        }
        *peers = Some(vec![peer]);
        tokio::spawn(self.clone().look_for_sessions());
    }

    async fn look_for_sessions(self) {
        let mut last = self.sight().await.ok().flatten();
        while self.pause(&self.ends).await {
            let listening = self.listening();
            if listening.is_empty() {
                return;
            }
            match self.look(&mut last).await {
                Seen::Same => {}
                Seen::Changed => {
                    for peer in listening {
                        if let Err(error) = peer.notify_tool_list_changed().await {
                            tracing::debug!(%error, "a client could not be told of changed tools");
                        }
                    }
                }
                Seen::Over => {
                    // This ends the sessions too: their streams must not outlive the token.
                    self.ends.cancel();
                    return;
                }
            }
        }
    }

    /// Returns the sessions that still exist. If none is left, the next one starts the checks again.
    fn listening(&self) -> Vec<Peer<RoleServer>> {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let left: Vec<_> = peers.take().into_iter().flatten().filter(|peer| !peer.is_transport_closed()).collect();
        if !left.is_empty() {
            *peers = Some(left.clone());
        }
        left
    }

    /// Notifies a subscription, which has its own stream and ends with its client.
    pub async fn listen(&self, subscription: &SubscriptionContext) {
        let Ok(_one_of_them) = self.streams.try_acquire() else { return };
        let accepted = subscription.accepted();
        let tools = accepted.tools_list_changed == Some(true);
        let watched = accepted.resource_subscriptions.clone().unwrap_or_default();
        let mut last = self.sight().await.ok().flatten();
        let mut marks = self.marks(&watched).await.unwrap_or_default();
        // The client learned that its subscription is active before our first check. It may have missed a change in between, so ask it to
        // read once.
        if tools && subscription.sink().notify_tool_list_changed().await.is_err() {
            return;
        }
        if self.tell_of(subscription, &watched).await.is_err() {
            return;
        }
        let stops = self.ends.child_token();
        loop {
            tokio::select! {
                () = subscription.cancelled() => return,
                goes_on = self.pause(&stops) => if !goes_on { return },
            }
            match self.look(&mut last).await {
                Seen::Same => {}
                Seen::Changed => {
                    if tools && subscription.sink().notify_tool_list_changed().await.is_err() {
                        return;
                    }
                }
                Seen::Over => return,
            }
            // If the database does not answer, assume that nothing changed.
            let Ok(now) = self.marks(&watched).await else { continue };
            let changed: Vec<String> = watched.iter().filter(|uri| now.get(*uri) != marks.get(*uri)).cloned().collect();
            marks = now;
            if self.tell_of(subscription, &changed).await.is_err() {
                return;
            }
        }
    }

    async fn tell_of(&self, subscription: &SubscriptionContext, changed: &[String]) -> Result<(), ()> {
        for uri in changed {
            subscription.sink().notify_resource_updated(uri.clone()).await.map_err(drop)?;
        }
        Ok(())
    }

    /// Returns the current mark of each watched resource.
    async fn marks(&self, watched: &[String]) -> ServiceResult<HashMap<String, Option<String>>> {
        let mut marks = HashMap::new();
        if watched.is_empty() {
            return Ok(marks);
        }
        let actor = self.shared.service.actor_of(&self.grant).await?;
        for uri in watched {
            marks.insert(uri.clone(), resources::mark(&self.shared, &actor, uri).await?);
        }
        Ok(marks)
    }

    /// Pauses. Returns `false` if `stops` was canceled.
    async fn pause(&self, stops: &CancellationToken) -> bool {
        tokio::time::timeout(self.shared.look_every, stops.cancelled()).await.is_err()
    }

    /// Checks what the token's person may see. If the database does not answer, assumes that nothing changed.
    async fn look(&self, last: &mut Option<u64>) -> Seen {
        match self.sight().await {
            Ok(None) => Seen::Over,
            Ok(now) if now == *last => Seen::Same,
            Ok(now) => {
                let first = last.is_none();
                *last = now;
                if first { Seen::Same } else { Seen::Changed }
            }
            Err(error) => {
                tracing::debug!(%error, "cannot look whether tools have changed");
                Seen::Same
            }
        }
    }

    /// Returns a mark of everything the token's person may use now. `None` if the token is no longer valid.
    async fn sight(&self) -> ServiceResult<Option<u64>> {
        let service = &self.shared.service;
        if !service.grant_holds(&self.grant).await? {
            return Ok(None);
        }
        let actor = match service.actor_of(&self.grant).await {
            Ok(actor) => actor,
            Err(ServiceError::InvalidToken) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut hasher = DefaultHasher::new();
        for tool in service.usable_tools(&actor.grant()?).await? {
            tool.name.hash(&mut hasher);
            // The schema of an operation lists the connections to choose from.
            tool.input_schema["properties"][CONNECTION].to_string().hash(&mut hasher);
        }
        Ok(Some(hasher.finish()))
    }
}
