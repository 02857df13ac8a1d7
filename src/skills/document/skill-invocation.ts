import { z } from "zod";
import type { Skill } from "../../core/skill/skill.ts";
import type { FieldReader } from "./field-reader.ts";

type Invoked = Pick<Skill, "invocation" | "settings">;

/** Keys of OpenClaw that say who may call a skill, and under which name its settings are found. */
export const invocationKeys: readonly string[] = [
  ...["user_invocable", "disable_model_invocation", "skillKey", "primaryEnv"],
  ...["command_dispatch", "command_tool", "command_arg_mode"],
];

/** Reads them. Missing ones are left out. */
export function readInvocation(reader: FieldReader): Invoked {
  const flag = (name: string) => reader.read(name, "flag", z.boolean());
  const text = (name: string) => reader.read(name, "text", z.string().trim().min(1).max(200));
  const by_people = flag("user_invocable") ?? true;
  const by_model = !(flag("disable_model_invocation") ?? false);
  const command_tool = readDispatch(text, reader);
  const settings = { key: text("skillKey"), api_key_variable: text("primaryEnv") };
  const isUsual = by_people && by_model && command_tool === undefined;
  return {
    invocation: isUsual ? undefined : { by_people, by_model, command_tool },
    settings: settings.key === undefined && settings.api_key_variable === undefined ? undefined : settings,
  };
}

/** `command-dispatch: tool` with `command-tool`; the arguments are always passed on raw. */
function readDispatch(text: (name: string) => string | undefined, reader: FieldReader): string | undefined {
  const dispatch = text("command_dispatch");
  const tool = text("command_tool");
  const mode = text("command_arg_mode") ?? "raw";
  const problem =
    dispatch === undefined && tool === undefined
      ? undefined
      : dispatch !== "tool"
        ? "command-tool needs `command-dispatch: tool`"
        : tool === undefined
          ? "command-dispatch needs `command-tool`, the tool or skill that is called"
          : mode === "raw"
            ? undefined
            : `command-arg-mode is ${mode}; only raw is known`;
  if (problem === undefined) return tool;
  reader.caution("command_dispatch", `${problem}. Its command goes to the agent instead.`);
  return undefined;
}
