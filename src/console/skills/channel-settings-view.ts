import { html, nothing, type TemplateResult } from "lit-html";
import type { NamespaceSettings } from "../../client/shapes.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";

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
} as const;

type Change = (settings: NamespaceSettings) => void;

/** How the agent behaves in the open channel. */
export function channelSettings(
  { settings, open }: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (settings === undefined) return nothing;
  const { change } = actions.skills;
  // Nobody has to mention the agent in the console.
  const isConsole = open.namespace.startsWith("console:");
  return html`${choice("While the agent works, show", progressNames, settings.progress, (progress) =>
    change({ progress }),
  )}
  ${isConsole ? nothing : replyChoice(settings.reply, change)} ${pauseControl(settings.paused, change)}`;
}

function replyChoice(reply: keyof typeof replyNames | undefined, change: Change): TemplateResult {
  return choice("Answer without being mentioned", replyNames, reply ?? "default", (value) =>
    change({ reply: value === "default" ? null : value }),
  );
}

function pauseControl(paused: { by: string } | undefined, change: Change): TemplateResult {
  const isPaused = paused !== undefined;
  return html`<div class="setting" data-testid="pause">
    <span>${isPaused ? `Paused by ${paused.by}: the agent answers nothing but commands here.` : "The agent answers in this channel."}</span>
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
