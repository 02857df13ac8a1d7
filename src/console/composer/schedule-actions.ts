import { timesOf } from "../../core/values/repetition.ts";
import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";

export type ScheduleActions = ReturnType<typeof createScheduleActions>;

/** The form that plans a reminder, or a task, in the open channel. `MessageActions.send` opens it. */
export function createScheduleActions(store: ConsoleStore, session: Session) {
  return {
    /** `fields`: those of the form, as the browser has them. */
    async plan(fields: ReadonlyMap<string, string>) {
      const { what } = store.get().planning;
      const field = (name: string) => fields.get(name) ?? "";
      const input = {
        namespace: store.get().open.namespace,
        text: field("text"),
        what,
        zone: field("zone") || undefined,
        ...timesOf(field("date"), field("time"), field("repeat")),
      };
      store.set({ planning: { what } });
      const planned = await session.call("schedule.add", input, ({ detail: problem }) =>
        store.set({ planning: { what, problem } }),
      );
      if (planned !== undefined) store.set({ planning: { what, planned } });
    },
  };
}
