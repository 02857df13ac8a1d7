import { html, type TemplateResult } from "lit-html";
import type { Actions } from "../state/actions.ts";
import { channelName, isDirect } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";
import type { Installing } from "./panel-state.ts";
import { visibleText } from "./visible-text.ts";

/** What was installed, with what enables it in the open channel. */
export function installedView(
  { installed, enabled }: Extract<Installing, { stage: "installed" }>,
  { open, skills }: ConsoleState,
  actions: Actions,
): TemplateResult {
  const where = isDirect(open.namespace) ? "this direct message" : `#${channelName(open.namespace)}`;
  const isOn = (id: string) => {
    const listing = skills.skills?.find((skill) => skill.id === id);
    return enabled.get(id) === "on" || listing?.state === "pinned" || listing?.state === "active";
  };
  const control = (id: string) => {
    if (isOn(id)) return html`<span class="server-state is-running" role="status">On in ${where}</span>`;
    const saving = enabled.get(id) === "saving";
    return html`<button type="button" class="small-button" ?disabled=${saving} @click=${() => actions.install.enable(id)}>
      Enable here
    </button>`;
  };
  const wasOn = installed.some(({ skill_id }) => isOn(skill_id) && enabled.get(skill_id) === undefined);
  const show = (id: string) => {
    actions.page.show(undefined);
    actions.skills.showSkill(id);
  };
  return html`<p role="status">
      ${
        wasOn
          ? `Installed again. It is on where people had enabled exactly these files.`
          : `Nothing of it is on yet, and it reaches no host. Enable it in ${where}, or later in any channel.`
      }
    </p>
    <ul class="installed">
      ${installed.map(
        ({ skill_id, review }) => html`<li data-skill=${skill_id}>
          <button type="button" class="skill-name" @click=${() => show(skill_id)}>${visibleText(review.name)}</button>
          ${control(skill_id)}
        </li>`,
      )}
    </ul>
    <div class="dialog-actions">
      <button type="button" class="button" @click=${() => actions.page.show(undefined)}>Done</button>
    </div>`;
}
