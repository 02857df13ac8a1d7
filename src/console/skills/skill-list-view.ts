import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { repeat } from "lit-html/directives/repeat.js";
import { counted } from "../../base/amounts.ts";
import type { NamespaceSettings, SkillListing } from "../../client/shapes.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import type { PanelFilter, SkillsPanel } from "./panel-state.ts";
import { countKinds, kindNames, listedSkills } from "./skill-kinds.ts";
import { skillRow } from "./skill-row.ts";

/** All skills by their state in the channel, with a search, a filter, and problems of loading. */
export function skillListView(state: ConsoleState, actions: Actions): TemplateResult {
  const { skills: panel } = state;
  const onSearch = (event: Event) => {
    if (event.target instanceof HTMLInputElement) actions.skills.search(event.target.value);
  };
  return html`<p class="hint">
      On keeps a skill active in this channel. Off hides it from the agent. The agent activates the others when it needs them.
    </p>
    <input class="field" type="search" placeholder="Find a skill" aria-label="Find a skill" .value=${panel.query} @input=${onSearch} />
    ${filters(panel, actions)}
    ${panel.skills === undefined ? html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>` : nothing}
    ${guard([panel.skills, panel.servers, panel.query, panel.filter, panel.saving], () => groups(panel, actions))}
    ${diagnosticsList(panel)} ${channelSettings(state, actions)}`;
}

function filters(
  { skills, filter, diagnostics }: SkillsPanel,
  actions: Actions,
): TemplateResult | typeof nothing {
  const kinds = countKinds(skills ?? []);
  if (kinds.length < 2) return nothing;
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  const chip = (value: PanelFilter | undefined, name: string, count: number) => html`<button
    type="button"
    class="chip"
    aria-pressed=${value === filter}
    @click=${() => actions.skills.narrow(value)}
  >
    ${name} <span>${count}</span>
  </button>`;
  return html`<div class="chips" role="group" aria-label="Show">
    ${chip(undefined, "All", total)} ${kinds.map(({ kind, count }) => chip(kind, kindNames[kind].all, count))}
    ${diagnostics.length === 0 ? nothing : chip("problems", "Problems", diagnostics.length)}
  </div>`;
}

function groups(panel: SkillsPanel, actions: Actions): TemplateResult | typeof nothing {
  if (panel.filter === "problems") return nothing;
  const found = listedSkills(panel);
  const inGroup = Map.groupBy(found, ({ eligible, state }): string => (eligible ? titles[state] : unusable));
  const all = [...new Set(Object.values(titles)), unusable];
  return html`${all.map((title) => group(title, inGroup.get(title) ?? [], panel, actions))}
    ${found.length > 0 || panel.skills === undefined ? nothing : html`<p class="empty" role="status">No skill fits. Try fewer words or another kind.</p>`}`;
}

/** Titles of the groups by state, in the order in which they are shown. */
const titles = { pinned: "On", active: "On", available: "Available", blocked: "Off" } as const;
const unusable = "Needs something first";

function group(
  title: string,
  skills: readonly SkillListing[],
  panel: SkillsPanel,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (skills.length === 0) return nothing;
  const serverOf = (id: string) => panel.servers?.find(({ skill_id }) => skill_id === id);
  return html`<section class="skill-group">
    <h3>${title} <span>${skills.length}</span></h3>
    <ul>
      ${repeat(
        skills,
        ({ id }) => id,
        (skill) => html`<li>${skillRow(skill, panel.saving.has(skill.id), actions, serverOf(skill.id))}</li>`,
      )}
    </ul>
  </section>`;
}

function diagnosticsList({ diagnostics, filter }: SkillsPanel): TemplateResult | typeof nothing {
  if (filter !== undefined && filter !== "problems") return nothing;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const others = diagnostics.filter(({ severity }) => severity !== "error");
  const notes = `${counted(others.length, "note")} from loading skills`;
  return html`${diagnosticGroup(errors, `${errors.length} could not be loaded`, true)}
  ${diagnosticGroup(others, notes, filter === "problems")}`;
}

function diagnosticGroup(
  list: SkillsPanel["diagnostics"],
  title: string,
  open: boolean,
): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<details class="diagnostics" ?open=${open}>
    <summary>${title}</summary>
    <ul>
      ${list.map(
        ({ severity, message, path }) => html`<li class="is-${severity}">
          <code>${path}</code>
          <p>${severity === "warning" ? html`<strong>Warning</strong> ` : nothing}${message}</p>
        </li>`,
      )}
    </ul>
  </details>`;
}

const progressNames = {
  quiet: "Only the answer",
  steps: "Steps",
  full: "Steps with input and output",
} as const;

const replyNames = {
  default: "As configured",
  mention: "Never",
  thread: "In threads it was called into",
  always: "Always",
  ambient: "In threads it was called into, and it offers answers privately",
} as const;

const botNames = {
  default: "As configured",
  ignore: "Ignore them",
  mention: "Answer when mentioned",
  people: "As with people",
} as const;

type Change = (settings: NamespaceSettings) => void;

/** How the agent behaves in the open channel. */
function channelSettings(
  { settings, open }: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (settings === undefined) return nothing;
  const { change } = actions.skills;
  // The console needs no mentions.
  const isConsole = open.namespace.startsWith("console:");
  return html`${choice("While the agent works, show", progressNames, settings.progress, (progress) =>
    change({ progress }),
  )}
  ${isConsole ? nothing : mentionChoices(settings, change)} ${pauseControl(settings.paused, change)}`;
}

function mentionChoices(
  { reply, bots }: NonNullable<ConsoleState["settings"]>,
  change: Change,
): TemplateResult[] {
  return [
    choice("Answer without being mentioned", replyNames, reply ?? "default", (value) =>
      change({ reply: value === "default" ? null : value }),
    ),
    choice("Messages of other bots", botNames, bots ?? "default", (value) =>
      change({ bots: value === "default" ? null : value }),
    ),
  ];
}

function pauseControl(paused: { by: string } | undefined, change: Change): TemplateResult {
  const isPaused = paused !== undefined;
  return html`<div class="setting" data-testid="pause">
    <span>${isPaused ? `Paused by ${paused.by}: the agent answers only commands here.` : "The agent answers in this channel."}</span>
    <button type="button" class="small-button" @click=${() => change({ paused: !isPaused })}>
      ${isPaused ? "Resume" : "Pause"}
    </button>
  </div>`;
}

function choice<Value extends string>(
  label: string,
  names: Readonly<Record<Value, string>>,
  current: Value,
  choose: (value: Value) => void,
): TemplateResult {
  const isValue = (text: string): text is Value => Object.hasOwn(names, text);
  const onChange = (event: Event) => {
    const value = event.target instanceof HTMLSelectElement ? event.target.value : "";
    if (isValue(value)) choose(value);
  };
  return html`<label class="setting">
    <span>${label}</span>
    <select class="field" @change=${onChange}>
      ${Object.entries<string>(names).map(
        ([value, name]) => html`<option value=${value} .selected=${value === current}>${name}</option>`,
      )}
    </select>
  </label>`;
}
