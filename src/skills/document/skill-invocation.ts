import { z } from "zod";
import type { Diagnostic, Skill } from "../../core/skill/skill.ts";
import { caution } from "../diagnose.ts";
import type { FieldReader } from "./field-reader.ts";

type Invoked = Pick<Skill, "invocation" | "settings">;

/** Keys of OpenClaw that say who may call a skill, and under which name its settings are found. */
export const invocationKeys: readonly string[] = [
  ...["user_invocable", "disable_model_invocation", "skillKey", "primaryEnv"],
  ...["command_dispatch", "command_tool", "command_arg_mode"],
];

/** Reads them. Missing ones are left out. */
export function readInvocation(reader: FieldReader, path: string, diagnostics: Diagnostic[]): Invoked {
  const flag = (name: string) => reader.read(name, "flag", z.boolean());
  const text = (name: string) => reader.read(name, "text", z.string().trim().min(1).max(200));
  const by_people = flag("user_invocable") ?? true;
  const by_model = !(flag("disable_model_invocation") ?? false);
  const command_tool = readDispatch(text, path, diagnostics);
  const key = text("skillKey");
  const api_key_variable = text("primaryEnv");
  const isUsual = by_people && by_model && command_tool === undefined;
  const invocation = { by_people, by_model, ...(command_tool === undefined ? {} : { command_tool }) };
  return {
    ...(isUsual ? {} : { invocation }),
    ...(key === undefined && api_key_variable === undefined
      ? {}
      : { settings: { ...(key && { key }), ...(api_key_variable && { api_key_variable }) } }),
  };
}

/** `command-dispatch: tool` with `command-tool`; the arguments are always passed on raw. */
function readDispatch(
  text: (name: string) => string | undefined,
  path: string,
  diagnostics: Diagnostic[],
): string | undefined {
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
  const message = `${problem}. Its command goes to the agent instead.`;
  diagnostics.push(caution(path, "command_dispatch", message));
  return undefined;
}
