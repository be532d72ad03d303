//! What every adapter must do, as test cases that each adapter runs.
//!
//! Compiled only with the feature `conformance`. A case gets an empty, migrated store and panics if the store breaks a promise.

pub mod accounts;
pub mod agents;
pub mod approvals;
pub mod asked;
pub mod audit;
pub mod chats;
pub mod children;
pub mod connections;
pub mod documents;
pub mod fixtures;
pub mod history;
pub mod home;
pub mod lanes;
pub mod leases;
pub mod mail;
pub mod misc;
pub mod newer;
pub mod organizations;
pub mod privacy;
pub mod revocations;
pub mod runs;
pub mod sign_in;
pub mod todos;
pub mod tokens;
pub mod tool_servers;
pub mod units;
pub mod usage;

/// Calls `$with!` once with every case. This is the only list of them.
#[macro_export]
macro_rules! conformance_cases {
    ($with:ident) => {
        $with! {
            accounts::users_are_found_by_id_and_by_email_key
            accounts::a_used_email_is_taken_and_nothing_is_left_behind
            accounts::a_membership_is_found_for_its_person_and_workspace_only
            accounts::a_password_is_replaced_and_an_unknown_user_is_an_error
            agents::an_agent_comes_back_as_it_was_made_and_belongs_to_its_workspace
            agents::agents_are_seen_by_their_owner_and_where_they_are_shared
            agents::the_names_of_agents_begin_with_those_that_a_text_names
            agents::of_two_changes_of_one_version_the_first_wins
            agents::what_was_granted_of_a_tool_server_goes_with_it
            agents::agents_of_someone_who_leaves_pass_to_the_owner_switched_off
            agents::a_chat_knows_the_agent_of_its_newest_run
            approvals::an_approval_comes_back_as_it_was_asked
            approvals::the_first_of_many_answers_wins
            approvals::an_approval_is_found_in_its_workspace_only
            approvals::approvals_page_newest_first_and_filter_by_status
            approvals::expired_approvals_are_listed_oldest_first
            approvals::an_approval_for_another_persons_run_is_refused
            approvals::what_waits_in_a_workspace_is_listed_whoever_asked
            approvals::only_an_undo_that_was_made_is_listed
            asked::what_is_asked_for_is_open_once
            asked::what_is_being_stopped_stands_in_nobodys_way
            asked::of_many_who_ask_for_the_same_at_once_one_begins
            audit::the_audit_log_is_one_chain_for_each_workspace
            audit::many_writers_at_once_keep_one_chain
            audit::a_changed_row_a_missing_one_and_a_false_end_are_seen
            audit::the_audit_log_is_filtered_and_paged
            audit::the_beginning_of_a_chain_may_go_and_the_rest_holds
            audit::how_far_a_chain_was_followed_is_kept_and_only_what_is_new_is_read
            audit::of_a_workspace_that_is_gone_the_last_row_stays
            chats::a_chat_belongs_to_its_person_alone
            chats::chats_page_by_last_use
            chats::search_takes_wildcards_literally
            chats::messages_page_backwards_in_order
            chats::history_carries_the_answers
            chats::a_message_into_a_chat_of_somebody_else_is_refused
            chats::a_chat_says_whether_it_is_busy_or_waits
            chats::a_shared_chat_is_read_by_its_workspace_alone
            chats::deleting_a_chat_takes_everything_with_it
            chats::feedback_is_kept_with_its_message
            chats::any_text_survives
            connections::connecting_again_replaces_and_keeps_where_it_came_from
            connections::a_simulated_connection_never_replaces_a_real_one
            connections::one_of_many_refreshes_wins
            connections::another_workspaces_connection_is_neither_read_nor_written
            connections::state_accounts_and_switch_are_kept
            connections::a_state_is_not_set_over_credentials_somebody_renewed
            connections::an_id_of_another_place_is_not_made_anew
            connections::several_of_one_network_are_told_apart_by_their_labels
            connections::of_many_that_add_one_label_one_wins
            connections::consents_are_found_by_workspace_and_by_person
            connections::an_oauth_attempt_is_used_once
            connections::what_is_found_or_removed_is_of_one_making_only
            connections::what_runs_have_before_them_is_listed_by_operation
            children::a_child_is_there_exactly_when_the_step_that_began_it_is
            children::a_step_begins_one_run_and_only_whoever_holds_the_parent_begins_any
            children::a_child_never_waits_for_what_waits_for_it
            children::the_end_of_a_child_makes_its_parent_claimable
            children::a_child_that_begins_to_wait_for_a_person_wakes_its_parent_once
            children::a_parent_that_waits_for_people_takes_its_turn
            children::a_request_to_stop_goes_down
            children::many_children_that_end_at_once_and_a_parent_that_begins_more_never_block_each_other
            history::what_a_run_began_goes_with_it_and_stays_with_it
            history::what_an_agent_was_asked_is_no_message_of_the_chat_and_goes_with_its_run
            lanes::a_flow_belongs_to_no_conversation_and_comes_back_as_it_was_begun
            lanes::runs_of_a_lane_follow_each_other_without_a_conversation_too
            lanes::interactive_runs_are_claimed_before_background_ones
            lanes::a_claim_takes_only_the_classes_it_names
            lanes::a_lane_never_has_two_runs_at_work_however_many_begin
            history::a_flow_is_swept_by_its_own_age
            privacy::a_flow_is_taken_home_and_erased_with_its_person
            history::a_fork_knows_its_parent_and_outlives_it
            history::only_what_ended_long_ago_is_deleted
            history::a_sweep_takes_no_more_than_it_is_told
            history::a_sweep_goes_on_behind_what_it_has_seen
            history::of_an_old_run_the_last_saved_state_stays
            history::events_of_one_write_keep_their_own_times
            home::a_reading_belongs_to_its_person_and_is_in_no_list
            home::what_an_agent_was_asked_is_no_reading
            home::a_message_makes_a_reading_an_ordinary_chat
            home::old_readings_are_deleted_and_those_that_work_stay
            home::saved_questions_belong_to_their_person
            leases::the_longest_ready_run_is_claimed_first
            leases::many_claimers_never_get_the_same_run
            leases::an_expired_lease_is_taken_over_with_the_next_epoch
            leases::takeovers_are_counted_until_the_run_is_written_or_given_back
            leases::a_renewed_lease_is_not_taken_over
            leases::every_write_of_a_worker_that_lost_its_lease_is_refused
            leases::every_write_after_giving_the_lease_back_is_refused
            leases::a_lease_reaches_its_own_run_only
            leases::an_owner_must_match_as_well_as_the_epoch
            leases::a_wake_while_the_run_is_held_survives_the_release
            leases::a_final_run_is_never_claimed
            leases::a_claim_that_is_not_committed_never_happened
            leases::a_takeover_waits_for_the_commit_of_a_worker_in_time
            leases::runs_of_a_conversation_follow_each_other
            leases::a_run_that_waits_its_turn_can_be_stopped_at_once
            leases::a_run_that_waits_for_a_person_keeps_no_other_waiting
            leases::a_run_that_was_answered_goes_at_once_when_nobody_else_works
            leases::a_turn_comes_when_nobody_else_works_whatever_the_order_of_ids
            leases::a_run_whose_turn_comes_queues_from_then_on
            leases::a_new_run_is_claimed_by_whoever_prepares_it
            leases::a_conversation_never_has_two_runs_at_work_however_many_ask
            mail::a_mail_is_claimed_by_one_of_many_and_sent_once
            mail::a_claim_that_came_to_nothing_is_made_again_and_the_old_one_settles_nothing
            mail::mails_go_in_turn_and_what_is_taken_back_does_not_go
            mail::invitations_wait_behind_what_lets_people_in
            mail::what_was_sent_keeps_no_content_and_is_forgotten_later
            mail::what_was_given_up_is_kept_to_be_sent_after_all_until_it_is_over
            misc::a_browser_session_ends_with_its_time
            misc::an_idempotency_key_is_taken_once
            misc::sweeping_removes_what_is_over_and_nothing_else
            misc::context_settings_belong_to_person_and_workspace
            misc::a_reporting_time_zone_belongs_to_its_workspace
            misc::the_audit_log_lists_newest_first
            organizations::an_organisation_has_its_founder_as_owner_and_an_address_of_its_own
            organizations::members_come_go_and_change_roles_and_the_owner_does_not
            organizations::of_many_transfers_at_a_time_one_wins
            organizations::two_owners_are_not_possible
            organizations::an_address_is_invited_once_and_answers_once
            organizations::an_invitation_says_what_became_of_its_newest_mail
            organizations::a_link_is_used_as_often_as_it_may_however_many_try
            organizations::a_link_that_is_over_or_deactivated_lets_nobody_in
            organizations::what_still_lets_people_in_is_listed_before_what_is_over
            organizations::what_somebody_may_know_or_sent_lets_nobody_in_any_more
            organizations::who_comes_back_begins_anew
            organizations::deleting_an_organisation_takes_everything_in_it
            organizations::open_runs_are_found_by_workspace_and_person
            organizations::a_thing_is_found_where_its_person_is_a_member_and_by_nobody_else
            privacy::an_answered_invitation_is_exported_to_who_had_the_address_then
            revocations::a_consent_is_taken_back_by_one_of_many_and_its_token_goes
            revocations::what_could_not_be_taken_back_is_told_until_somebody_did_it
            revocations::a_consent_outlives_its_workspace_and_is_nobodys_then
            runs::a_run_is_found_in_its_workspace_and_by_its_person_only
            runs::runs_page_newest_first
            runs::event_numbers_have_no_gaps_under_concurrency
            runs::events_replay_after_any_number
            runs::events_of_many_runs_come_in_order
            runs::every_kind_of_event_body_survives
            runs::tokens_and_cost_add_up
            runs::the_latest_checkpoint_is_found_and_old_ones_are_pruned
            runs::a_call_moves_from_expected_states_only
            runs::cancelling_is_asked_of_open_runs_only
            runs::a_status_changes_from_expected_ones_and_unheld_only
            runs::a_run_in_somebody_elses_chat_is_refused
            runs::a_run_that_is_over_takes_no_events_of_requests
            runs::a_locked_run_is_as_it_is_now_and_waits_for_whoever_holds_it
            sign_in::an_address_is_proven_once_and_replaced_with_its_proof
            sign_in::a_providers_account_is_one_persons
            sign_in::of_many_who_use_a_link_one_does
            sign_in::a_second_factor_is_confirmed_as_it_was_seen_and_no_step_counts_twice
            sign_in::guesses_are_counted_and_every_third_blocks
            sign_in::a_trip_to_a_provider_ends_once_and_with_what_its_browser_holds
            sign_in::browser_sessions_are_their_persons_and_stay_ended
            sign_in::of_many_sessions_those_used_last_stay
            sign_in::wrong_passwords_are_counted_by_place_and_noted_now_and_then
            documents::a_document_comes_back_as_it_was_written_and_belongs_to_its_workspace
            documents::of_two_saves_of_one_version_the_first_wins_and_the_newest_versions_stay
            documents::a_version_names_the_run_whose_call_wrote_it_and_a_call_writes_once
            documents::documents_are_found_by_their_words_and_the_beginning_of_the_last
            documents::the_trash_keeps_a_document_for_thirty_days
            documents::documents_of_someone_who_leaves_stay_without_who_wrote_them
            todos::a_to_do_comes_back_as_it_was_made_and_belongs_to_its_workspace
            todos::open_to_dos_come_by_day_and_done_ones_by_when_they_were_done
            todos::of_two_changes_of_one_to_do_the_first_wins
            todos::a_to_do_names_the_run_whose_call_made_it
            todos::to_dos_of_someone_who_leaves_stay_with_the_workspace
            tool_servers::a_tool_server_comes_back_as_it_was_made_and_belongs_to_its_workspace
            tool_servers::of_two_changes_of_one_tool_server_the_first_wins
            tool_servers::a_tool_server_of_someone_who_leaves_stays_without_who
            tool_servers::one_process_refreshes_a_sign_in_and_the_newer_one_counts
            tool_servers::a_round_trip_to_a_tool_server_ends_with_it
            tokens::a_token_is_found_by_its_digest_alone
            tokens::tokens_are_listed_and_removed_by_their_person_in_their_workspace_only
            tokens::the_last_use_of_a_token_never_goes_back
            tokens::of_many_made_at_once_only_as_many_are_kept_as_fit
            units::a_dropped_unit_leaves_nothing_and_wakes_nobody
            units::a_commit_wakes_once_per_thing
            units::a_failed_statement_does_not_spoil_the_next_unit
            units::readers_see_nothing_before_the_commit
            units::many_durable_units_at_once_all_commit
            misc::the_store_answers_a_ping
            usage::a_reservation_is_settled_with_what_was_spent
            usage::a_call_that_could_break_the_ceiling_is_refused
            usage::a_question_has_one_reservation_and_a_dead_ones_expires
            usage::questions_of_one_run_leave_each_others_reservation_alone
            usage::who_takes_a_run_over_finds_what_was_set_aside_for_it
            usage::many_runs_at_once_never_promise_more_than_the_ceiling
            usage::a_worker_that_lost_its_lease_neither_reserves_nor_books
        }
    };
}

/// Makes a test of every case. `$open` is an async function that returns a store, or a guard that derefs to one.
#[macro_export]
macro_rules! conformance_suite {
    ($open:path) => {
        $crate::conformance_suite! { ($) $open }
    };
    // The first argument is a dollar sign, for the macro that this one defines.
    (($d:tt) $open:path) => {
        macro_rules! each {
            ($d($d area:ident :: $d case:ident)*) => {$d(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $d case() {
                    let opened = $open().await;
                    let store = std::sync::Arc::clone(&opened);
                    $crate::conformance::$d area::$d case(store).await;
                }
            )*};
        }
        $crate::conformance_cases!(each);
    };
}

#[cfg(test)]
mod tests {
    macro_rules! names {
        ($($area:ident :: $case:ident)*) => { [$((stringify!($area), stringify!($case))),*] };
    }

    #[test]
    fn no_case_is_forgotten() {
        let listed = conformance_cases!(names);
        for (area, text) in [
            ("accounts", include_str!("accounts.rs")),
            ("agents", include_str!("agents.rs")),
            ("approvals", include_str!("approvals.rs")),
            ("asked", include_str!("asked.rs")),
            ("audit", include_str!("audit.rs")),
            ("chats", include_str!("chats.rs")),
            ("children", include_str!("children.rs")),
            ("connections", include_str!("connections.rs")),
            ("history", include_str!("history.rs")),
            ("home", include_str!("home.rs")),
            ("lanes", include_str!("lanes.rs")),
            ("leases", include_str!("leases.rs")),
            ("mail", include_str!("mail.rs")),
            ("misc", include_str!("misc.rs")),
            ("organizations", include_str!("organizations.rs")),
            ("privacy", include_str!("privacy.rs")),
            ("revocations", include_str!("revocations.rs")),
            ("runs", include_str!("runs.rs")),
            ("sign_in", include_str!("sign_in.rs")),
            ("todos", include_str!("todos.rs")),
            ("documents", include_str!("documents.rs")),
            ("tool_servers", include_str!("tool_servers.rs")),
            ("tokens", include_str!("tokens.rs")),
            ("units", include_str!("units.rs")),
            ("usage", include_str!("usage.rs")),
        ] {
            for line in text.lines() {
                let Some(rest) = line.strip_prefix("pub async fn ") else { continue };
                let case = rest.split('(').next().unwrap_or_default();
                assert!(listed.contains(&(area, case)), "{area}::{case} is not in conformance_cases!");
            }
        }
    }
}
