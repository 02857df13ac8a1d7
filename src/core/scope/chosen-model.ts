/** The model of a turn and its effort: people's choice for the channel, otherwise the agent's, otherwise the configured one. */

import { type Model, ModelError, type Models } from "../ports/model.ts";
import type { NamespaceState } from "../skill/namespace-state.ts";
import type { WorkModel } from "../skill/tool.ts";
import type { Effort } from "../values/message.ts";
import type { Profile } from "../values/profile.ts";
import type { TurnPorts } from "./turn.ts";
import type { TurnScope } from "./turn-scope.ts";

type Settings = Pick<NamespaceState["settings"], "model" | "effort">;

/** The model for a channel and the agent that has the turn. */
export function modelFor(models: Models, settings: Settings, profile: Profile): Model {
  const name = settings.model ?? profile.model;
  return name === undefined ? models.main : models.named(name);
}

/** The model of the running turn or sub-run. It may change during the turn, because people choose another one. */
export function chosenModel(scope: TurnScope): Model {
  return modelFor(scope.ports.models, scope.namespace.settings, scope.turn.profile);
}

/** The reasoning effort for a channel and the agent that has the turn; undefined leaves it to the provider. */
export function effortFor(
  { effort }: Pick<TurnPorts, "effort">,
  settings: Settings,
  profile: Profile,
): Effort | undefined {
  return settings.effort ?? profile.effort ?? effort;
}

/**
 * The model for auxiliary work of a turn: summaries, extraction, writing.
 * @throws ModelError `not_configured` for a name that is not selectable
 */
export function workModel(scope: TurnScope, wanted: WorkModel | undefined): Model {
  const { models } = scope.ports;
  const chosen = chosenModel(scope);
  if (wanted === undefined) return chosen;
  if (wanted === "small") return models.small(chosen);
  const choice = models.choose(wanted);
  if (!choice.ok) throw new ModelError("not_configured", choice.message);
  return models.named(choice.name);
}
