import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { type IconName, icon } from "./icons.ts";
import { modal } from "./modal.ts";
import { threadTitle } from "./thread-title.ts";

interface Target {
  icon: IconName;
  label: string;
  hint: string;
  go(): void;
}

/** Maximum targets listed. */
const maxListed = 9;

/** Goes to a channel, a thread or a part of the page by a part of its name. */
export function switcherDialog(state: ConsoleState, actions: Actions): TemplateResult {
  const targets = matching(state, actions);
  const selected = Math.min(state.switcher.selected, Math.max(0, targets.length - 1));
  const choose = (target: Target | undefined) => {
    actions.page.show(undefined);
    target?.go();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0)
      actions.page.selectTarget((selected + step + targets.length) % Math.max(1, targets.length));
    else if (event.key === "Enter" && !event.isComposing) choose(targets[selected]);
    else return;
    event.preventDefault();
  };
  const onInput = (event: Event) => {
    if (event.target instanceof HTMLInputElement) actions.page.searchTargets(event.target.value);
  };
  const content = html`<div class="switcher">
    <h2 id="switcher-title" class="visually-hidden">Go to</h2>
    <div class="switcher-field">
      ${icon("search")}
      <input
        type="text"
        autofocus
        autocomplete="off"
        role="combobox"
        aria-expanded="true"
        aria-controls="targets"
        aria-activedescendant=${targets.length === 0 ? nothing : `target-${selected}`}
        aria-label="Go to a channel or thread"
        placeholder="Go to a channel or thread"
        .value=${live(state.switcher.query)}
        @input=${onInput}
        @keydown=${onKey}
      />
    </div>
    <ul id="targets" class="targets" role="listbox" aria-label="Channels and threads">
      ${targets.map(
        (target, index) => html`<li
          id="target-${index}"
          role="option"
          aria-selected=${index === selected}
          @click=${() => choose(target)}
        >
          ${icon(target.icon)}<span>${target.label}</span><span class="thread-time">${target.hint}</span>
        </li>`,
      )}
    </ul>
    ${targets.length === 0 ? html`<p class="empty">No matches.</p>` : nothing}
  </div>`;
  return modal({ labelledBy: "switcher-title", close: () => actions.page.show(undefined), content });
}

function matching(state: ConsoleState, actions: Actions): Target[] {
  const query = state.switcher.query.trim().toLowerCase().replace(/^#/, "");
  return allTargets(state, actions)
    .filter(({ label }) => label.toLowerCase().includes(query))
    .slice(0, maxListed);
}

function allTargets(state: ConsoleState, actions: Actions): Target[] {
  const { namespace } = state.open;
  const channels = state.channels.map(
    ({ namespace: target, name, direct }): Target => ({
      icon: direct ? "person" : "hash",
      label: direct && name === "dm" ? "Direct message" : name,
      hint: target === namespace ? "open" : "channel",
      go: () => actions.channels.openChannel(target),
    }),
  );
  const threads = (state.threads ?? []).map(
    (thread): Target => ({
      icon: "write",
      label: threadTitle(thread),
      hint: "thread",
      go: () => actions.channels.open({ namespace, thread: thread.thread }),
    }),
  );
  const parts: Target[] = [
    { icon: "plus", label: "New thread", hint: "", go: () => actions.channels.beginThread() },
    { icon: "skills", label: "Skills of this channel", hint: "", go: () => actions.skills.togglePanel() },
  ];
  return [...channels, ...parts, ...threads];
}
