//! The form of an agent. It works without JavaScript: the server then answers with the page, which holds what the person filled
//! in.

use adagent_contract::{AgentBody, JournalSharing, MOST_INSTRUCTIONS, ProviderView, Sharing, handle_problem};
use adagent_domain::AgentId;
use leptos::{ev::SubmitEvent, form::FromFormData as _, prelude::*, wasm_bindgen::JsCast as _};

use super::{
    grid::Grid,
    parts::{FIELDS, sharing_id, wrong_at, wrong_besides},
    words,
};
use crate::{
    features::{
        api::{ApiError, SaveAgent, Told},
        chat::model_name,
    },
    ui::{AgentMark, ErrorLine, described_by, raw_text},
};

/// The names of the colors that a mark can have.
const COLORS: [&str; 8] = ["Petrol", "Blue", "Violet", "Pink", "Red", "Orange", "Lime", "Green"];

/// The agent that the form edits, and the choices that the form offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices {
    /// `None` for a new agent.
    pub id: Option<AgentId>,
    pub body: AgentBody,
    pub models: Vec<String>,
    pub connected: Vec<ProviderView>,
    /// Tool servers, by handle and name.
    pub servers: Vec<(String, String)>,
    /// Whether the workspace is an organization, so that the agent can be shared with its members.
    pub organization: bool,
    /// Whether the person owns the agent. Only its owner chooses the handle, who may use it, and whether it is on.
    pub mine: bool,
    pub editable: bool,
}

#[component]
#[expect(clippy::too_many_lines, reason = "one form; its fields in the order of the page")]
pub fn Form(
    choices: Choices,
    save: ServerAction<SaveAgent>,
    version: Signal<i64>,
    refused: Signal<Option<ApiError>>,
) -> impl IntoView {
    let Choices { id, body, models, connected, servers, organization, mine, editable } = choices;
    let edited = RwSignal::new(Vec::<String>::new());
    let send = move |event: SubmitEvent| {
        // If the form cannot be read, the browser posts it, as it does without JavaScript.
        if let Ok(form) = SaveAgent::from_event(&event) {
            event.prevent_default();
            edited.update(Vec::clear);
            save.dispatch(form);
        }
    };
    // An error at a field disappears once the person changes the field.
    let edit = move |event: leptos::ev::Event| {
        if let Some(name) = field_of(&event) {
            edited.update(|fields| fields.push(name));
        }
    };
    let path = id.map_or_else(|| "/agents/new".to_owned(), |id| format!("/agents/{id}"));
    let wrong = move |field: &'static str| {
        Signal::derive(move || {
            let said = refused.with(|refused| refused.as_ref().and_then(|error| wrong_at(error, field)));
            said.filter(|_| edited.with(|edited| !edited.iter().any(|name| name == field)))
        })
    };
    let besides = move || {
        let error = refused.get()?;
        let mended = || FIELDS.iter().all(|field| wrong(field).with(Option::is_none));
        match wrong_besides(&error) {
            None => (!mended()).then(|| "Not saved. Check the marked fields.".to_owned()),
            said => said,
        }
    };
    let (name, handle) = (RwSignal::new(body.name.clone()), RwSignal::new(body.handle.clone()));
    let color = RwSignal::new(body.color);
    // A handle that the person typed stays. Until then, the handle follows the name.
    let follows =
        RwSignal::new(id.is_none() && (body.handle.is_empty() || body.handle == words::suggested_handle(&body.name)));
    let handle_wrong = Signal::derive(move || {
        let typed = handle.get();
        let problem = if typed.is_empty() { None } else { handle_problem(&typed) };
        problem.map(str::to_owned).or_else(|| wrong("handle").get())
    });
    let model = body.model.clone().unwrap_or_default();
    let (sharing, journal, active) = (body.sharing, body.journal, body.active);
    view! {
        <form class="agent-form" action=crate::features::form::here(&path) method="post" novalidate=true on:submit=send on:input=edit>
            {id.map(|id| view! { <input type="hidden" name="form[id]" value=id.to_string()/> })}
            <input type="hidden" name="form[version]" value=move || version.get().to_string() prop:value=move || version.get().to_string()/>
            <fieldset class="agent-parts" disabled=!editable>
                <section class="form-part" aria-labelledby="part-who">
                    <div class="form-about"><h3 id="part-who">"Identity"</h3><p>"How people see it and call it."</p></div>
                    <div class="form-fields">
                        <div class="form-pair">
                            <Text id="agent-name" label="Name" field="name" longest="60" value=body.name.clone() wrong=wrong("name") on_input=Callback::new(move |text: String| {
                                if follows.get_untracked() {
                                    handle.set(words::suggested_handle(&text));
                                    edited.update(|fields| fields.push("handle".to_owned()));
                                }
                                name.set(text);
                            })/>
                            <div class="field">
                                <label for="agent-handle">"Handle"</label>
                                <div class="input-group">
                                    <span class="affix" aria-hidden="true">"@"</span>
                                    <input
                                        class="input mono" id="agent-handle" name="form[handle]" maxlength="30" autocomplete="off" autocapitalize="none"
                                        spellcheck="false" value=body.handle.clone() prop:value=move || handle.get() readonly=!mine
                                        aria-invalid=move || handle_wrong.with(Option::is_some).then_some("true")
                                        aria-describedby=move || described_by("agent-handle", true, handle_wrong.with(Option::is_some))
                                        on:input=move |event| {
                                            // If the person empties the handle, it follows the name again.
                                            let typed = event_target_value(&event).trim_start_matches('@').to_lowercase();
                                            follows.set(id.is_none() && typed.is_empty());
                                            handle.set(typed);
                                        }
                                    />
                                </div>
                                {move || handle_wrong.get().map(|text| view! { <ErrorLine text id="agent-handle-e"/> })}
                                <p class="hint" id="agent-handle-h">"Begin a message with it to ask this agent."</p>
                            </div>
                        </div>
                        <Text id="agent-position" label="Position" optional=true field="position" longest="60" value=body.position wrong=wrong("position") hint="What it is in your team, such as Reporting or Yield."/>
                        <Area id="agent-description" label="Description" optional=true field="description" longest=300 rows=2 value=body.description wrong=wrong("description") hint="For people who choose an agent."/>
                        <fieldset class="field">
                            <legend class="label">"Color"</legend>
                            <div class="agent-colors">
                                {move || view! { <AgentMark name=name.get() color=color.get()/> }}
                                {COLORS.into_iter().zip(0_u8..).map(|(label, number)| view! {
                                    <label class=format!("agent-color agent-{number}") title=label>
                                        <input
                                            type="radio" name="form[color]" value=number.to_string() checked=number == body.color
                                            on:change=move |_| color.set(number)
                                        />
                                        <span class="unseen">{label}</span>
                                    </label>
                                }).collect_view()}
                            </div>
                            {move || wrong("color").get().map(|text| view! { <ErrorLine text/> })}
                        </fieldset>
                    </div>
                </section>
                <section class="form-part" aria-labelledby="part-how">
                    <div class="form-about"><h3 id="part-how">"Instructions"</h3><p>"What it should know and how it should answer."</p></div>
                    <div class="form-fields">
                        <Area id="agent-instructions" label="Instructions" optional=true field="instructions" longest=MOST_INSTRUCTIONS rows=8 value=body.instructions wrong=wrong("instructions") hint="A language model reads them with every question. The built-in assistant doesn't read them."/>
                        {if models.len() > 1 {
                            view! {
                                <div class="field">
                                    <label for="agent-model">"Model"</label>
                                    <select class="select" id="agent-model" name="form[model]">
                                        <option value="" selected=model.is_empty()>"Automatic: as each person has it set"</option>
                                        {models.into_iter().map(|id| view! { <option value=id.clone() selected=id == model>{model_name(&id)}</option> }).collect_view()}
                                    </select>
                                    {move || wrong("model").get().map(|text| view! { <ErrorLine text/> })}
                                </div>
                            }.into_any()
                        } else {
                            view! { <input type="hidden" name="form[model]" value=model/> }.into_any()
                        }}
                    </div>
                </section>
                <section class="form-part" aria-labelledby="part-may">
                    <div class="form-about">
                        <h3 id="part-may">"Access"</h3>
                        <p>"What it can use, and what it can do there. It can do nothing else. Changes still need approval."</p>
                    </div>
                    <div class="form-fields">
                        {move || wrong("grants").get().map(|text| view! { <ErrorLine text/> })}
                        <Grid grants=body.grants connected servers/>
                    </div>
                </section>
                {if mine {
                    view! {
                        <section class="form-part" aria-labelledby="part-on">
                            <div class="form-about"><h3 id="part-on">{if organization { "Sharing" } else { "State" }}</h3></div>
                            <div class="form-fields">
                                {if organization {
                                    view! {
                                        <Share sharing wrong=wrong("sharing")/>
                                        <ShareJournal journal/>
                                    }.into_any()
                                } else {
                                    view! {
                                        <input type="hidden" name="form[sharing]" value=sharing_id(sharing)/>
                                        <input type="hidden" name="form[journal]" value=journal.as_str()/>
                                    }.into_any()
                                }}
                                <div class="field">
                                    <label class="switch">
                                        <input type="checkbox" role="switch" name="form[active]" value="true" checked=active aria-describedby="agent-active-h"/>
                                        <span>"On"</span>
                                    </label>
                                    <p class="hint" id="agent-active-h">"An agent that is off doesn't answer."</p>
                                </div>
                            </div>
                        </section>
                    }.into_any()
                } else {
                    view! {
                        <input type="hidden" name="form[sharing]" value=sharing_id(sharing)/>
                        <input type="hidden" name="form[journal]" value=journal.as_str()/>
                        {active.then(|| view! { <input type="hidden" name="form[active]" value="true"/> })}
                    }.into_any()
                }}
            </fieldset>
            {editable.then(|| view! {
                <div class="form-foot">
                    {move || besides().map(|text| view! { <ErrorLine text/> })}
                    <span class="grow"></span>
                    <a class="button ghost" href="/agents">"Cancel"</a>
                    <button class="button primary" type="submit" aria-busy=move || save.pending().get().then_some("true")>
                        {if id.is_some() { "Save changes" } else { "Create agent" }}
                    </button>
                </div>
            })}
        </form>
    }
}

#[component]
fn Text(
    id: &'static str,
    label: &'static str,
    field: &'static str,
    longest: &'static str,
    value: String,
    wrong: Signal<Option<String>>,
    #[prop(optional)] optional: bool,
    #[prop(optional)] hint: Option<&'static str>,
    #[prop(optional)] on_input: Option<Callback<String>>,
) -> impl IntoView {
    view! {
        <div class="field">
            <label for=id>{label}{optional.then(|| view! { " "<span class="optional">"optional"</span> })}</label>
            <input
                class="input" id=id name=format!("form[{field}]") value=value maxlength=longest autocomplete="off"
                aria-invalid=move || wrong.with(Option::is_some).then_some("true")
                aria-describedby=move || described_by(id, hint.is_some(), wrong.with(Option::is_some))
                on:input=move |event| {
                    if let Some(on_input) = on_input {
                        on_input.run(event_target_value(&event));
                    }
                }
            />
            {move || wrong.get().map(|text| view! { <ErrorLine text id=format!("{id}-e")/> })}
            {hint.map(|hint| view! { <p class="hint" id=format!("{id}-h")>{hint}</p> })}
        </div>
    }
}

#[component]
fn Area(
    id: &'static str,
    label: &'static str,
    field: &'static str,
    longest: usize,
    rows: u8,
    value: String,
    wrong: Signal<Option<String>>,
    #[prop(optional)] optional: bool,
    hint: &'static str,
) -> impl IntoView {
    view! {
        <div class="field">
            <label for=id>{label}{optional.then(|| view! { " "<span class="optional">"optional"</span> })}</label>
            <textarea
                class="textarea" id=id name=format!("form[{field}]") maxlength=longest.to_string() rows=rows.to_string()
                aria-invalid=move || wrong.with(Option::is_some).then_some("true")
                aria-describedby=move || described_by(id, true, wrong.with(Option::is_some))
            >{raw_text(value)}</textarea>
            {move || wrong.get().map(|text| view! { <ErrorLine text id=format!("{id}-e")/> })}
            <p class="hint" id=format!("{id}-h")>{hint}</p>
        </div>
    }
}

#[component]
fn Share(sharing: Sharing, wrong: Signal<Option<String>>) -> impl IntoView {
    let ways = [Sharing::Private, Sharing::Use, Sharing::Edit].map(|way| {
        view! {
            <label class="check">
                <input type="radio" name="form[sharing]" value=sharing_id(way) checked=way == sharing/>
                {words::shared_with(way)}
            </label>
        }
    });
    view! {
        <fieldset class="field">
            <legend class="label">"Who can use it"</legend>
            {ways.into_iter().collect_view()}
            {move || wrong.get().map(|text| view! { <ErrorLine text/> })}
            <p class="hint">"It never does more than the person who asks is allowed to do."</p>
        </fieldset>
    }
}

#[component]
fn ShareJournal(journal: JournalSharing) -> impl IntoView {
    let ways = JournalSharing::ALL.map(|way| {
        view! {
            <label class="check">
                <input type="radio" name="form[journal]" value=way.as_str() checked=way == journal/>
                {words::journal_seen(way)}
            </label>
        }
    });
    view! {
        <fieldset class="field">
            <legend class="label">"What others see in its journal"</legend>
            {ways.into_iter().collect_view()}
            <p class="hint">"With “Everything”, all who can use it see what each of them asked, and how it was answered."</p>
        </fieldset>
    }
}

/// Returns the field that an event is about: `name` for `form[name]`, and `grants` for a connection's box in the grid.
fn field_of(event: &leptos::ev::Event) -> Option<String> {
    let element = event.target()?.dyn_into::<leptos::web_sys::Element>().ok()?;
    let name = element.get_attribute("name")?;
    let (field, _) = name.strip_prefix("form[")?.split_once(']')?;
    Some(if field == "connections" { "grants".to_owned() } else { field.to_owned() })
}

/// Returns the error of the last attempt, whether the request failed or the server refused the form.
pub fn refusal<T: Clone + Send + Sync + 'static>(answer: Option<Result<Told<T>, ApiError>>) -> Option<ApiError> {
    answer.and_then(|answer| crate::features::api::settled(answer).err())
}
