import { oneLine } from "../../base/markdown-text.ts";
import { costText, type UsageTotal } from "../../core/log/usage.ts";
import { effortFor, modelFor } from "../../core/scope/chosen-model.ts";
import type { NamespaceState } from "../../core/skill/namespace-state.ts";
import { isDirectMessage } from "../../core/values/place.ts";
import { profileNamed } from "../../core/values/profile.ts";
import type { Services } from "./services.ts";

type Agents = Pick<Services, "models" | "effort" | "profiles">;

/** The model and effort of a channel in words, with their source if that is not the configuration. */
export function modelWords(
  { models, effort, profiles }: Agents,
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

/** The model of small work in a channel, by its id. */
export function smallModel({ models, profiles }: Agents, settings: NamespaceState["settings"]): string {
  return models.small(modelFor(models, settings, profileNamed(profiles, settings.profile))).id;
}

/** Names the place that a command changed. The `dm` of the console and the terminal counts as a channel. */
export function placeWords(namespace: string): string {
  const isWithPerson = isDirectMessage(namespace) && !namespace.endsWith(":dm");
  return isWithPerson ? "in our direct messages" : "in this channel";
}

/** A text from elsewhere as a code span: on one line, and unable to end the span. */
export function codeSpan(text: string, maxChars: number): string {
  return `\`${oneLine(text.replaceAll("`", "ˋ"), maxChars)}\``;
}

/** The first items of a list, one line each; `rest` is the line about those beyond the maximum. */
export function firstLines<T>(
  items: readonly T[],
  max: number,
  line: (item: T) => string,
  rest: (more: number) => string,
): string[] {
  const more = items.length - max;
  return [...items.slice(0, max).map(line), ...(more > 0 ? [rest(more)] : [])];
}

/** The words of a list that is written with spaces or commas. */
export function listed(words: string): string[] {
  return words.split(/[\s,]+/).filter((word) => word !== "");
}

/** The tokens and the cost of a total. */
export function usageText(total: UsageTotal): string {
  const { input_tokens, cached_tokens, output_tokens } = total;
  const share = Math.round((100 * cached_tokens) / input_tokens);
  const cached = input_tokens === 0 ? "" : ` (${share}% from the provider's cache)`;
  const parts = [
    `${input_tokens.toLocaleString("en")} tokens in${cached}`,
    `${output_tokens.toLocaleString("en")} out`,
    costText(total),
  ];
  return parts.filter(Boolean).join(", ");
}
