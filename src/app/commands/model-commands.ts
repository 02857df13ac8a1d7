import { oneLine } from "../../base/markdown-text.ts";
import { effortFor, modelFor } from "../../core/chosen-model.ts";
import type { KeyValue } from "../../core/key-value.ts";
import { type Effort, efforts } from "../../core/message.ts";
import type { Models } from "../../core/model.ts";
import { type NamespaceState, readNamespace } from "../../core/namespace-state.ts";
import { profileNamed } from "../../core/profile.ts";
import type { Profile } from "../../core/turn.ts";
import {
  type CommandResult,
  type PlainCall,
  type PlainCommand,
  refused,
  said,
  shown,
} from "../operations/command.ts";
import { placeWords } from "../operations/place-words.ts";
import type { ChangeSettings } from "../services/channel-settings.ts";

export interface ModelCommandDeps {
  store: KeyValue;
  models: Models;
  /** The configured effort. */
  effort: Effort | undefined;
  profiles: readonly [Profile, ...Profile[]];
  changeSettings: ChangeSettings;
}

/** What goes back to the agent's or the configured value. */
const byDefault = "default";

/** `/agent model|effort`: which model answers in a channel, and how hard it thinks. */
export function modelCommands(deps: ModelCommandDeps): PlainCommand[] {
  return [
    {
      name: "agent model",
      usage: "[model|default]",
      description: "Shows or chooses the model that answers in this channel",
      complete: async () => [
        { text: byDefault, description: "the agent's own, else the configured one" },
        ...deps.models.proposals().map(({ name, description }) => ({ text: name, description })),
      ],
      run: (call) => (call.rest === "" ? showModel(deps, call) : chooseModel(deps, call)),
    },
    {
      name: "agent effort",
      usage: `[${efforts.join("|")}|default]`,
      description: "Shows or chooses how hard the model thinks in this channel",
      complete: async () => [...efforts, byDefault].map((text) => ({ text, description: "" })),
      run: (call) => (call.rest === "" ? showEffort(deps, call) : chooseEffort(deps, call)),
    },
  ];
}

/** The model and the effort of a channel in words, with who says so where it is not the configuration. */
export function modelWords(
  { models, effort, profiles }: Pick<ModelCommandDeps, "models" | "effort" | "profiles">,
  settings: NamespaceState["settings"],
): { model: string; effort: string } {
  const profile = profileNamed(profiles, settings.profile);
  const from = (own: unknown, agents: unknown) =>
    own !== undefined ? " (chosen here)" : agents !== undefined ? ` (of the agent ${profile.id})` : "";
  return {
    model: `**${modelFor(models, settings, profile).id}**${from(settings.model, profile.model)}`,
    effort: `**${effortFor({ effort }, settings, profile) ?? "the model's own"}**${from(settings.effort, profile.effort)}`,
  };
}

async function showModel(deps: ModelCommandDeps, { place }: PlainCall): Promise<CommandResult> {
  const { settings } = await readNamespace(deps.store, place.namespace);
  const { models, profiles } = deps;
  const small = models.small(modelFor(models, settings, profileNamed(profiles, settings.profile))).id;
  return shown(
    [
      `The model ${placeWords(place.namespace)} is ${modelWords(deps, settings).model}.`,
      `Summaries and other small work go to **${small}**.`,
      "`/agent model <provider>/<model>` chooses another one, `/agent model default` goes back.",
    ].join(" "),
  );
}

async function chooseModel(deps: ModelCommandDeps, call: PlainCall): Promise<CommandResult> {
  const { place, author, rest } = call;
  if (rest === byDefault) {
    const outcome = await deps.changeSettings(place.namespace, { model: null }, author);
    if (!outcome.ok) return refused(outcome.message);
    return said(
      `The model ${placeWords(place.namespace)} is ${modelWords(deps, outcome.value.settings).model} again.`,
    );
  }
  const choice = deps.models.choose(rest);
  const outcome = await deps.changeSettings(place.namespace, { model: rest }, author);
  if (!outcome.ok) return refused(outcome.message);
  const note = choice.ok && choice.note !== undefined ? ` ${choice.note}` : "";
  return said(
    `**${outcome.value.settings.model}** answers ${placeWords(place.namespace)} from the next message on.${note}`,
  );
}

async function showEffort(deps: ModelCommandDeps, { place }: PlainCall): Promise<CommandResult> {
  const { settings } = await readNamespace(deps.store, place.namespace);
  return shown(
    `The model thinks with effort ${modelWords(deps, settings).effort} ${placeWords(place.namespace)}. Choose one of: ${efforts.join(", ")}, ${byDefault}. A model that does not know one takes the nearest.`,
  );
}

async function chooseEffort(
  { changeSettings }: ModelCommandDeps,
  { place, author, rest }: PlainCall,
): Promise<CommandResult> {
  const word = rest.toLowerCase();
  const effort = efforts.find((each) => each === word);
  if (effort === undefined && word !== byDefault)
    return refused(
      `There is no effort ${oneLine(rest, 40)}. Choose one of: ${efforts.join(", ")}, ${byDefault}.`,
    );
  const outcome = await changeSettings(place.namespace, { effort: effort ?? null }, author);
  if (!outcome.ok) return refused(outcome.message);
  return said(
    effort === undefined
      ? `How hard the model thinks ${placeWords(place.namespace)} is up to the agent and the configuration again.`
      : `The model thinks with effort **${effort}** ${placeWords(place.namespace)}, or with what it knows nearest to it.`,
  );
}
