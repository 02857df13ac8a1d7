/** How a command shows or changes a setting of a channel. */
import type { NamespaceState } from "../../core/skill/namespace-state.ts";
import type { SettingsChange } from "../services/channel-settings.ts";
import type { ChatForm, CommandResult, OperationCall } from "./operation.ts";
import type { CommandOption } from "./services.ts";
import { placeWords } from "./words.ts";

type Settings = NamespaceState["settings"];
interface Input {
  ns: string;
  settings: SettingsChange;
}
interface Output {
  settings: Settings;
}

/** The word that restores the agent's or the configured value. */
export const byDefault = "default";

interface SettingForm {
  command: string;
  public?: true;
  description: string;
  option?: CommandOption;
  /** The change that the words after the command ask for; undefined when they ask for none. */
  change(words: string): SettingsChange | undefined;
  missing?: string | ((words: string) => string);
  /** The answer. `change` is empty when the command only shows the setting. */
  tell(told: {
    settings: Settings;
    change: SettingsChange;
    where: string;
    call: OperationCall<Input>;
  }): CommandResult | Promise<CommandResult>;
}

/** A command for a setting. */
export function form({ option, change, tell, ...form }: SettingForm): ChatForm<Input, Output> {
  return {
    ...form,
    ...(option === undefined ? {} : { options: [option] }),
    read(words, { namespace }) {
      const settings = change(words);
      return settings === undefined ? undefined : { ns: namespace, settings };
    },
    say: ({ settings }, call) =>
      tell({ settings, change: call.input.settings, where: placeWords(call.input.ns), call }),
  };
}

/** The change of one setting; undefined if there is no such value. */
export function choice<Name extends keyof SettingsChange>(
  name: Name,
  value: SettingsChange[Name],
): SettingsChange | undefined {
  return value === undefined ? undefined : { [name]: value };
}
