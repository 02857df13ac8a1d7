import { randomUUID } from "node:crypto";
import type { World } from "./world.ts";

export interface Trigger {
  user: string;
  team_id: string;
  /** Milliseconds since 1970. */
  at: number;
  used: boolean;
  /** The open modal that the interaction came from. */
  view_id?: string;
}

export interface ResponsePlace {
  channel: string;
  user: string;
  team_id: string;
}

export interface ResponseUrl extends ResponsePlace {
  uses: number;
  at: number;
  /** The message of the interaction: the one that `replace_original` replaces. */
  original?: { ts: string; ephemeral: boolean };
}

/** A trigger opens a modal within this time, once. */
const triggerMs = 3_000;

/** The keys that Slack gives out with an interaction: trigger ids and response_urls. */
export class Interactivity {
  readonly triggers = new Map<string, Trigger>();
  readonly responseUrls = new Map<string, ResponseUrl>();
  readonly #world: World;
  readonly #baseUrl: string;

  constructor(world: World, baseUrl: string) {
    this.#world = world;
    this.#baseUrl = baseUrl;
  }

  trigger(user: string, teamId: string, viewId?: string): string {
    const id = `${Date.now()}.${this.#world.id("")}.${randomUUID().replaceAll("-", "")}`;
    this.triggers.set(id, {
      user,
      team_id: teamId,
      at: Date.now(),
      used: false,
      ...(viewId === undefined ? {} : { view_id: viewId }),
    });
    return id;
  }

  /** Takes a trigger: the error that Slack answers if it is unknown, too old or taken before. */
  take(
    id: string,
    teamId: string,
  ): Trigger | "invalid_trigger_id" | "expired_trigger_id" | "exchanged_trigger_id" {
    const trigger = this.triggers.get(id);
    if (trigger === undefined || trigger.team_id !== teamId) return "invalid_trigger_id";
    if (trigger.used) return "exchanged_trigger_id";
    if (Date.now() - trigger.at > triggerMs) return "expired_trigger_id";
    trigger.used = true;
    return trigger;
  }

  responseUrl(kind: "commands" | "actions" | "app", url: Omit<ResponseUrl, "uses" | "at">): string {
    const path = `${kind}/${url.team_id}/${this.#world.id("")}/${randomUUID().replaceAll("-", "")}`;
    this.responseUrls.set(path, { ...url, uses: 0, at: Date.now() });
    return `${this.#baseUrl}/${path}`;
  }
}
