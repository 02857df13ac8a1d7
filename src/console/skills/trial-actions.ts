import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";
import type { Trial } from "./panel-state.ts";
import { readTrialValues } from "./trial-values.ts";

/** Trying the skill that is shown. */
export interface TrialActions {
  /**
   * Runs it in the open channel as the command people would write, so that its steps, approvals and answer are in the conversation.
   * `texts` are the fields of the form.
   */
  run(texts: ReadonlyMap<string, string>): void;
  /** Asks what a flow would do, without doing it. */
  dryRun(texts: ReadonlyMap<string, string>): void;
}

export function createTrialActions(parts: {
  store: ConsoleStore;
  session: Session;
  /** Sends a message to the open channel. */
  send(text: string): void;
}): TrialActions {
  const { store, session, send } = parts;
  const set = (trial: Trial | undefined) => store.set(({ skills }) => ({ skills: { ...skills, trial } }));

  /** The values of the form, or undefined after the person was told what is wrong with them. */
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
