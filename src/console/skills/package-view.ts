import { html, nothing, type TemplateResult } from "lit-html";
import type { SkillDetail } from "../../client/shapes.ts";
import { fullTime } from "../page/relative-time.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { confirmControl } from "./confirm-control.ts";
import { visibleText } from "./visible-text.ts";

/** Where an installed skill came from, whether it is still what was installed, and what updates or removes it. */
export function packageView(
  { id, parent, package: installed }: SkillDetail,
  state: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (installed === undefined) return nothing;
  const owner = parent ?? id;
  const busy = state.skills.saving.has(owner);
  const from = visibleText(installed.from);
  return html`<section aria-label="Installation" data-testid="package">
    <h4>Installed</h4>
    <p class="installed-from">From <code>${from}</code> by ${installed.by}, ${fullTime(installed.installed_at)}</p>
    ${
      installed.changed
        ? html`<p class="skill-reason">Its files are no longer those that were installed and reviewed. Update or remove it.</p>`
        : nothing
    }
    <div class="actions" aria-busy=${busy}>
      ${confirmControl(
        {
          key: `update-${owner}`,
          label: "Update",
          question: `Get it again from ${from}? Where files changed, it is off and reaches no host until somebody allows it again.`,
          busy,
          act: () => actions.upkeep.update(owner),
        },
        state,
        actions,
      )}
      ${confirmControl(
        {
          key: `remove-${owner}`,
          label: "Remove",
          question: `Remove ${owner} from all channels? Its files are deleted.`,
          busy,
          act: () => actions.upkeep.remove(owner),
        },
        state,
        actions,
      )}
    </div>
  </section>`;
}
