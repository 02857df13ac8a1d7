import { html, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { repetitions } from "../../core/values/repetition.ts";
import { onSubmit } from "../page/form.ts";
import { focusWhenShown, modal } from "../page/modal.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";

const dayMs = 24 * 3_600_000;

/** Plans a reminder or a task with the browser's own pickers, and then shows its next runs. */
export function scheduleDialog({ planning, now }: ConsoleState, actions: Actions): TemplateResult {
  const close = () => actions.page.show(undefined);
  const title = planning.what === "task" ? "Plan a task" : "Plan a reminder";
  const content =
    planning.planned === undefined
      ? fieldsView(title, { problem: planning.problem, now }, actions)
      : html`<div class="token-form">
          <h2 id="schedule-title" tabindex="-1" ${ref(focusWhenShown)}>Planned</h2>
          <p>${planning.planned.text}, ${planning.planned.when}</p>
          <ul aria-label="Next runs">${planning.planned.next.map((time) => html`<li>${time}</li>`)}</ul>
          <button type="button" class="button is-primary" @click=${close}>Done</button>
        </div>`;
  return modal({ labelledBy: "schedule-title", close, content });
}

function fieldsView(
  title: string,
  { problem, now }: { problem: string | undefined; now: number },
  actions: Actions,
): TemplateResult {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([zone, "UTC", ...Intl.supportedValuesOf("timeZone")])];
  const tomorrow = new Intl.DateTimeFormat("sv-SE").format(now + dayMs);
  const submit = onSubmit((texts) => void actions.schedule.plan(texts));
  return html`<form class="token-form" @submit=${submit}>
    <h2 id="schedule-title">${title}</h2>
    <label>What <textarea class="field" name="text" rows="2" maxlength="4000" autofocus required></textarea></label>
    <label>Date <input class="field" type="date" name="date" .defaultValue=${tomorrow} required /></label>
    <label>Time <input class="field" type="time" name="time" .defaultValue=${"09:00"} required /></label>
    <label>How often <select class="field" name="repeat">${repetitions.map((each) => html`<option>${each}</option>`)}</select></label>
    <label>Time zone <select class="field" name="zone">${zones.map((each) => html`<option>${each}</option>`)}</select></label>
    <p class="problem" role="alert">${problem ?? ""}</p>
    <button type="submit" class="button is-primary">Plan</button>
  </form>`;
}
