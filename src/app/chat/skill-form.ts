import type { GivenCommand } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";

/** One field of a form. `json` is a text that must be JSON; a `date` is `2026-12-24`, a `time` is `09:00`. */
export interface FormField {
  name: string;
  /** At most 45 characters, Discord's limit. */
  label: string;
  description: string;
  kind: "text" | "long_text" | "number" | "boolean" | "choice" | "json" | "date" | "time";
  required: boolean;
  default?: Json | undefined;
  choices?: readonly string[] | undefined;
}

/** A form that asks for a skill's parameters, or for the fields of a command. */
export interface SkillForm {
  /** The id of the skill; of a command the command, with its slash. */
  skill_id: string;
  title: string;
  /** What the skill does, one line for people. */
  summary: string;
  /** The label of the button that submits it; `Run` by default. */
  submit?: string | undefined;
  fields: readonly FormField[];
  /** The command of a filled form, or what is wrong with which field. Values are texts, as platforms have them. */
  command(values: Readonly<Record<string, string>>): FilledForm;
}

/** `text` is how people read the command. */
type FilledForm =
  | { ok: true; text: string; command: GivenCommand }
  | { ok: false; problems: Record<string, string> };
