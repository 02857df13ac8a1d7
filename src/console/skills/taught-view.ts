import { html, nothing, type TemplateResult } from "lit-html";
import { escapedInvisible } from "../../base/text/invisible-text.ts";
import type { SkillDetail, TaughtHistory } from "../../client/shapes.ts";
import { fullTime } from "../page/relative-time.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { confirmControl } from "./confirm-control.ts";

/** Of a skill that was made in the chat: its versions, and who has it. */
export function taughtView(
  { id, taught, eligible }: SkillDetail,
  state: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (taught === undefined) return nothing;
  const { history, saving } = state.skills;
  const busy = saving.has(id);
  const isHome = taught.home === state.open.namespace;
  return html`<section aria-label="Made in the chat" data-testid="taught">
    <h4>Made in the chat</h4>
    <p class="installed-from">
      ${isHome ? "In this channel" : html`In <code>${escapedInvisible(taught.home)}</code>`}${taught.everyone ? ", for all channels" : taught.offered ? ", offered to other channels" : ""}
    </p>
    ${history?.id === id ? versionList(history, isHome, busy, state, actions) : nothing}
    <div class="actions" aria-busy=${busy}>
      ${isHome || eligible ? nothing : button("Take it as it is", busy, () => actions.upkeep.take(id))}
      ${isHome && !taught.everyone ? sharing(id, taught.offered, busy, state, actions) : nothing}
      ${isHome ? discarding(id, busy, state, actions) : nothing}
    </div>
  </section>`;
}

function versionList(
  { id, current, versions }: TaughtHistory,
  isHome: boolean,
  busy: boolean,
  state: ConsoleState,
  actions: Actions,
): TemplateResult {
  return html`<ul class="versions">
    ${versions.toReversed().map(
      ({ number, why, accepted, at, text }) => html`<li>
        <details>
          <summary><b>${number}</b>${number === current ? " (in use)" : ""} ${why}</summary>
          <p class="hint">Accepted by ${accepted.name}, ${fullTime(at)}</p>
          <pre tabindex="0" aria-label="Text of version ${number}"><code>${text}</code></pre>
        </details>
        ${
          isHome && number !== current
            ? confirmControl(
                {
                  key: `restore-${id}-${number}`,
                  label: "Go back to it",
                  question: `Use version ${number} of ${id} again?`,
                  busy,
                  act: () => actions.upkeep.restore(id, number),
                },
                state,
                actions,
              )
            : nothing
        }
      </li>`,
    )}
  </ul>`;
}

function sharing(
  id: string,
  offered: boolean,
  busy: boolean,
  state: ConsoleState,
  actions: Actions,
): TemplateResult {
  return html`${
    offered
      ? button("Offer it no more", busy, () => actions.upkeep.share(id, "nobody"))
      : button("Offer it to other channels", busy, () => actions.upkeep.share(id, "others"))
  }
  ${confirmControl(
    {
      key: `everyone-${id}`,
      label: "Give it to all channels",
      question: `Give ${id}, as its text is now, to all channels? Only operators change it from then on.`,
      busy,
      act: () => actions.upkeep.share(id, "everyone"),
    },
    state,
    actions,
  )}`;
}

function discarding(id: string, busy: boolean, state: ConsoleState, actions: Actions): TemplateResult {
  return confirmControl(
    {
      key: `discard-${id}`,
      label: "Discard",
      question: `Discard ${id} with all its versions, in every channel?`,
      busy,
      act: () => actions.upkeep.discard(id),
    },
    state,
    actions,
  );
}

function button(label: string, busy: boolean, act: () => void): TemplateResult {
  return html`<button type="button" class="small-button" ?disabled=${busy} @click=${act}>${label}</button>`;
}
