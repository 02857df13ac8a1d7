import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";
import type { Trial } from "./panel-state.ts";
import { readTrialValues } from "./trial-values.ts";

export type TrialActions = ReturnType<typeof createTrialActions>;

/** Actions to try the skill shown. @param send posts a message in the open channel */
export function createTrialActions(store: ConsoleStore, session: Session, send: (text: string) => void) {
  const set = (trial: Trial | undefined) => store.set(({ skills }) => ({ skills: { ...skills, trial } }));

  /** The values of the form; undefined if they are invalid, which the form then shows. */
  const read = (texts: ReadonlyMap<string, string>) => {
    const { detail } = store.get().skills;
    if (detail === undefined) return undefined;
    const result = readTrialValues(detail.parameters, texts);
    if (result.ok) return { id: detail.id, kind: detail.kind, values: result.values };
    set({ problem: { text: result.problem, field: result.field } });
    return undefined;
  };

  return {
    /**
     * Runs the skill in the open channel by a command, so that its steps, approvals and answer appear in the conversation.
     * `texts` are the fields of the form.
     */
    run(texts: ReadonlyMap<string, string>) {
      const asked = read(texts);
      if (asked === undefined) return;
      set(undefined);
      send(`/${asked.kind === "flow" ? "flow" : "skill"} run ${asked.id} ${JSON.stringify(asked.values)}`);
    },
    /** Shows what a flow would do, without doing it. */
    async dryRun(texts: ReadonlyMap<string, string>) {
      const asked = read(texts);
      if (asked === undefined) return;
      set(undefined);
      const { namespace } = store.get().open;
      const input = { id: asked.id, vars: asked.values, dry_run: true, namespace };
      const told = await session.call("flow.run", input, ({ detail }) => set({ problem: { text: detail } }));
      if (told !== undefined && store.get().skills.detailId === asked.id) set({ dryRun: told });
    },
  };
}
