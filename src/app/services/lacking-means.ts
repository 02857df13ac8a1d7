import type { Chats } from "../../core/ports/chat-platform.ts";
import { modelFor } from "../../core/scope/chosen-model.ts";
import type { NamespaceState } from "../../core/skill/namespace-state.ts";
import { type Mean, meanSchema } from "../../core/skill/skill.ts";
import { profileNamed } from "../../core/values/profile.ts";
import type { AppDeps } from "../app-deps.ts";

/** The means that turns of a channel in this state lack: services of the bot, and abilities of the channel's platform. */
export async function lackingIn(
  { settings }: NamespaceState,
  namespace: string,
  { ports, profiles, taught }: Pick<AppDeps, "ports" | "profiles" | "taught">,
  actionsOf: Chats["actions"],
): Promise<Mean[]> {
  const { models, means, code } = ports;
  const actions = actionsOf(namespace);
  const there: Readonly<Record<Mean, boolean>> = {
    model: modelFor(models, settings, profileNamed(profiles, settings.profile)).generative,
    images: means.images.model !== undefined,
    search: means.search.engines.length > 0,
    code: (await code?.means())?.ok === true,
    teaching: taught !== undefined,
    messages: actions !== undefined,
    people: actions?.people !== undefined,
    posting: actions?.posts === true,
  };
  return meanSchema.options.filter((mean) => !there[mean]);
}
