/** How commands that change a setting of a channel are written. */
import type { ChannelSettings, SettingsChange } from "../../core/skill/namespace-state.ts";
import { type ChatForm, type OperationCall, said, shown } from "./operation.ts";
import type { CommandOption } from "./services.ts";
import { placeWords } from "./words.ts";

interface Input {
  ns: string;
  settings: SettingsChange;
}
/** A command of the operation that changes a channel. */
export type Form = ChatForm<Input, { settings: ChannelSettings }>;

/** What an answer is made of. `change` is empty when the command only shows the setting. */
export interface Changed extends OperationCall<Input> {
  settings: ChannelSettings;
  change: SettingsChange;
  where: string;
}

interface SettingForm extends Pick<Form, "command" | "public" | "description"> {
  option?: CommandOption;
  missing?: string | ((words: string) => string);
  /** The change that the words after the command ask for; undefined when they ask for none. */
  change(words: string): SettingsChange | undefined;
  /** The answer to a change. */
  done(changed: Changed): string | Promise<string>;
  /** The answer when the command only shows the setting. */
  show?(changed: Changed): string | Promise<string>;
}

/** A command that changes a setting, or shows it. */
export function form({ option, change, done, show, ...form }: SettingForm): Form {
  return {
    ...form,
    options: option === undefined ? [] : [option],
    read(words, { namespace: ns }) {
      const settings = words === "" && show !== undefined ? {} : change(words);
      return settings && { ns, settings };
    },
    async say({ settings }, call) {
      const { ns, settings: change } = call.input;
      const changed = { ...call, settings, change, where: placeWords(ns) };
      const isLook = show !== undefined && Object.keys(change).length === 0;
      return isLook ? shown(await show(changed)) : said(await done(changed));
    },
  };
}

/** The change of one setting; undefined if there is no such value. */
export function choice<Name extends keyof SettingsChange>(
  name: Name,
  value: SettingsChange[Name],
): SettingsChange | undefined {
  return value === undefined ? undefined : { [name]: value };
}

/** A command whose only option is a word, with the value that it sets, what it means, and the answer. */
export function wordForm<Name extends keyof SettingsChange>(
  name: Name,
  {
    option,
    words,
    ...rest
  }: Pick<Form, "command" | "description"> & {
    option: Pick<CommandOption, "name" | "description">;
    words: { readonly [word: string]: readonly [value: SettingsChange[Name], means: string, answer: string] };
  },
): Form {
  const all = Object.entries(words);
  return form({
    ...rest,
    public: true,
    option: {
      ...option,
      required: true,
      choices: all.map(([text, [, description]]) => ({ text, description })),
    },
    change: (given) => choice(name, all.find(([word]) => word === given.toLowerCase())?.[1][0]),
    missing: `Choose one of: ${all.map(([word]) => word).join(", ")}.`,
    done: ({ change }) => all.find(([, [value]]) => value === change[name])?.[1][2] ?? "",
  });
}
