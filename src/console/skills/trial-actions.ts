import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";
import type { Trial } from "./panel-state.ts";
import { readTrialValues } from "./trial-values.ts";

/** Actions to try the skill shown. */
export interface TrialActions {
  /**
   * Runs the skill in the open channel by a command, so that its steps, approvals and answer appear in the conversation.
   * `texts` are the fields of the form.
   */
  run(texts: ReadonlyMap<string, string>): void;
  /** Shows what a flow would do, without doing it. */
  dryRun(texts: ReadonlyMap<string, string>): void;
}

export function createTrialActions(parts: {
  store: ConsoleStore;
  session: Session;
  /** Posts a message in the open channel. */
  send(text: string): void;
}): TrialActions {
  const { store, session, send } = parts;
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
    run(texts) {
      const asked = read(texts);
      if (asked === undefined) return;
      set(undefined);
      send(`/${asked.kind === "flow" ? "flow" : "skill"} run ${asked.id} ${JSON.stringify(asked.values)}`);
    },
    async dryRun(texts) {
      const asked = read(texts);
      if (asked === undefined) return;
      set(undefined);
      const { namespace } = store.get().open;
      const told = await session.attempt(
        (client) => client.call("flow.run", { id: asked.id, vars: asked.values, dry_run: true, namespace }),
        ({ detail }) => set({ problem: { text: detail } }),
      );
      if (told !== undefined && store.get().skills.detailId === asked.id) set({ dryRun: told });
    },
  };
}
