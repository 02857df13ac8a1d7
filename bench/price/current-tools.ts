import { type Json, objectOf } from "../../src/core/values/json.ts";

/** A tool as it is called today. */
interface CurrentTool {
  name: string;
  /** The input of the frozen tool as today's tool accepts it; the same unless given. */
  input?(frozen: Json): Json;
}

/**
 * The tasks and the plain loop call tools by the names and inputs of `frozen-tools.json`. This table is the only place that says which
 * tool of today does the same; a tool that is not in it has kept its name and input.
 */
const renamed: Readonly<Record<string, CurrentTool>> = {
  reminder: { name: "schedule_add" },
  schedule_add: {
    name: "schedule_add",
    input(frozen) {
      const { at, cron, ...rest } = objectOf(frozen);
      return { ...rest, when: at ?? cron ?? "" };
    },
  },
};

/** Today's tool for a frozen name. */
export function currentTool(name: string): CurrentTool {
  return renamed[name] ?? { name };
}

/** Today's input for an input of the frozen tool. */
export function currentInput(name: string, input: Json): Json {
  return renamed[name]?.input?.(input) ?? input;
}
