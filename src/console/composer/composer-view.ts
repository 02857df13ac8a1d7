import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import { channelName, isDirect } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";
import { runningTurns, turnsOf } from "../state/timeline.ts";
import { chosenFiles, dropArea } from "./attached-files.ts";
import { filesIn } from "./chosen-files.ts";

/** Maximum lines in browsers without `field-sizing`. */
const maxLines = 10;

/** The editor for messages. */
export function composerView(state: ConsoleState, actions: Actions): TemplateResult {
  const { draft, completions } = state;
  const isEmpty = draft.text.trim() === "" && draft.pasted.length === 0 && draft.files.length === 0;
  const lines = Math.min(maxLines, draft.text.slice(0, 5_000).split("\n").length);
  const submit = (event: Event) => {
    event.preventDefault();
    actions.messages.send();
  };
  return html`<form class="composer column" @submit=${submit}>
    ${completionList(state, actions)}
    <div class="composer-box">
      ${dropArea(state.dropping)}
      ${chosenFiles(draft.files, actions)}
      ${draft.pasted.length === 0 ? nothing : pastedPieces(draft.pasted, actions)}
      <textarea
        id="composer"
        rows=${lines}
        autocomplete="off"
        spellcheck="true"
        enterkeyhint="send"
        aria-label=${placeholder(state)}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls="completions"
        aria-activedescendant=${completions === undefined ? nothing : `completion-${completions.selected}`}
        placeholder=${placeholder(state)}
        .value=${live(draft.text)}
        @input=${(event: Event) => actions.draft.write(textIn(event))}
        @keydown=${(event: KeyboardEvent) => onKey(event, state, actions)}
        @paste=${(event: ClipboardEvent) => onPaste(event, actions)}
        @blur=${() => actions.draft.closeCompletions()}
      ></textarea>
      <div class="composer-foot">
        ${attachButton(actions)}
        <span class="hint"><kbd>/</kbd> commands <span class="wide-only"> · <kbd>Shift</kbd> <kbd>Enter</kbd> new line</span></span>
        ${stopButton(state, actions)}
        <button type="submit" class="send" aria-label="Send" ?disabled=${isEmpty}>${icon("send")}</button>
      </div>
    </div>
  </form>`;
}

function attachButton(actions: Actions): TemplateResult {
  const chosen = (event: Event) => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement)) return;
    actions.draft.attach([...(input.files ?? [])]);
    // Allows choosing the same file again.
    input.value = "";
  };
  return html`<label class="icon-button attach" title="Attach files">
    <input type="file" multiple class="visually-hidden" aria-label="Attach files" @change=${chosen} />
    ${icon("attach")}
  </label>`;
}

/** In reach even below a long answer; Escape does the same. */
function stopButton({ timeline }: ConsoleState, actions: Actions): TemplateResult | typeof nothing {
  if (runningTurns(timeline).length === 0) return nothing;
  return html`<button type="button" class="small-button" title="Stop (Escape)" @click=${() => actions.messages.stopAll()}>
    ${icon("stop")} Stop
  </button>`;
}

function placeholder({ open, timeline }: ConsoleState): string {
  if (turnsOf(timeline).some(({ question }) => question !== undefined))
    return "Answer, or write something else";
  const working = runningTurns(timeline).filter(
    ({ kind, status, background }) => kind === "message" && status === "running" && background === undefined,
  );
  // A message joins the work between two steps; the last step is the answer.
  if (working.some(({ text }) => text !== "")) return "Keep typing: your message is answered next";
  if (working.length > 0) return "Keep typing: your message joins the next step";
  if (open.thread !== undefined) return "Reply";
  return isDirect(open.namespace) ? "Write a message" : `Message #${channelName(open.namespace)}`;
}

function pastedPieces(pasted: readonly string[], actions: Actions): TemplateResult {
  return html`<ul class="pasted" aria-label="Pasted texts">
    ${pasted.map(
      (text, index) => html`<li class="chip">
        ${icon("page")}
        <span>Pasted text, ${text.length.toLocaleString()} characters</span>
        ${
          text.length > 100_000
            ? nothing
            : html`<button type="button" class="quiet-button" @click=${() => actions.draft.unfoldPasted(index)}>Edit</button>`
        }
        <button
          type="button"
          class="icon-button is-small"
          aria-label="Remove the pasted text"
          @click=${() => actions.draft.removePasted(index)}
        >
          ${icon("close")}
        </button>
      </li>`,
    )}
  </ul>`;
}

function textIn(event: Event): string {
  return event.target instanceof HTMLTextAreaElement ? event.target.value : "";
}

function onPaste(event: ClipboardEvent, actions: Actions): void {
  const files = filesIn(event.clipboardData);
  if (files.length > 0) {
    event.preventDefault();
    actions.draft.attach(files);
    return;
  }
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (actions.draft.paste(text)) event.preventDefault();
}

function onKey(event: KeyboardEvent, state: ConsoleState, actions: Actions): void {
  if (event.isComposing) return;
  // The list may belong to an older text: a completion takes a moment.
  const isCurrent = state.completions !== undefined && state.completions.text === textIn(event);
  const handled = isCurrent ? onListKey(event, state, actions) : onPlainKey(event, state, actions);
  if (handled) event.preventDefault();
}

function onListKey(event: KeyboardEvent, state: ConsoleState, actions: Actions): boolean {
  switch (event.key) {
    case "ArrowDown":
    case "ArrowUp":
      actions.draft.selectCompletion(event.key === "ArrowDown" ? 1 : -1);
      return true;
    case "Tab":
      if (event.shiftKey) return false;
      actions.draft.acceptCompletion();
      return true;
    case "Escape":
      actions.draft.closeCompletions();
      event.stopPropagation();
      return true;
    case "Enter": {
      const typed = state.draft.text.trim();
      if (event.shiftKey || state.completions?.items.some(({ text }) => text.trim() === typed)) {
        return onPlainKey(event, state, actions);
      }
      actions.draft.acceptCompletion();
      return true;
    }
    default:
      return false;
  }
}

function onPlainKey(event: KeyboardEvent, state: ConsoleState, actions: Actions): boolean {
  if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
    actions.messages.send();
    return true;
  }
  return event.key === "ArrowUp" && state.draft.text === "" && actions.draft.recall();
}

/** The completions of a command, above the editor. The list always exists, so that assistive technology can refer to it. */
function completionList({ completions }: ConsoleState, actions: Actions): TemplateResult {
  const items = completions?.items ?? [];
  return html`<ul id="completions" class="completions" role="listbox" aria-label="Commands" ?hidden=${items.length === 0}>
    ${items.map(
      ({ label, description }, index) => html`<li
        id="completion-${index}"
        role="option"
        aria-selected=${index === completions?.selected}
        @pointerdown=${(event: Event) => event.preventDefault()}
        @click=${() => actions.draft.acceptCompletion(index)}
      >
        <span class="completion-label">${label}</span>
        <span class="completion-description">${description}</span>
      </li>`,
    )}
  </ul>`;
}
