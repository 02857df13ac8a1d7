import { randomBytes } from "node:crypto";
import type { Json } from "../api/json.ts";
import { fullMember, memberOf, wireChannel, wireMessage, wireUserById } from "../api/wire.ts";
import { bitfield, ordinaryPermissions } from "./permission-bits.ts";
import { guildPermissions, permissionsIn } from "./permissions.ts";
import { type Channel, intents, type World } from "./world.ts";

/** Interaction types. Source: Discord reference, "Interaction Type". */
export const interactionTypes = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** Callback types. Source: Discord reference, "Interaction Callback Type". */
export const callbackTypes = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  updateMessage: 7,
  autocomplete: 8,
  modal: 9,
} as const;

/** A person's action and the bot's response so far. */
export interface Interaction {
  id: string;
  token: string;
  type: number;
  user: string;
  channel: string;
  /** ms since the epoch. */
  createdAt: number;
  /** The message whose component was used, or from which the modal came. */
  source: string | null;
  callback: { type: number; data: Json; ephemeral: boolean; latency: number } | null;
  /** The message that `@original` is. */
  original: string | null;
  /** Whether the deferred answer is still empty. */
  loading: boolean;
  followups: string[];
  modal: Json | null;
  choices: Json[] | null;
}

interface NewInteraction {
  type: number;
  user: string;
  channel: Channel;
  data: Json;
  source?: string;
}

/** The interactions so far, oldest first. */
export class Interactions {
  readonly #world: World;
  readonly #byId = new Map<string, Interaction>();

  constructor(world: World) {
    this.#world = world;
  }

  all(): Interaction[] {
    return [...this.#byId.values()];
  }

  byId(id: string): Interaction | undefined {
    return this.#byId.get(id);
  }

  byToken(token: string): Interaction | undefined {
    return this.all().find((interaction) => interaction.token === token);
  }

  /** Lets a person interact: INTERACTION_CREATE, for which no intent is needed. */
  begin(seed: NewInteraction): Interaction {
    const world = this.#world;
    const interaction: Interaction = {
      id: world.snowflakes.next(),
      token: randomBytes(40).toString("base64url"),
      type: seed.type,
      user: seed.user,
      channel: seed.channel.id,
      createdAt: Date.now(),
      source: seed.source ?? null,
      callback: null,
      original: null,
      loading: false,
      followups: [],
      modal: null,
      choices: null,
    };
    this.#byId.set(interaction.id, interaction);
    const data = wireInteraction(world, interaction, seed);
    world.deliver({
      name: "INTERACTION_CREATE",
      guild: seed.channel.guild,
      intent: intents.none,
      data: () => data,
    });
    return interaction;
  }
}

function wireInteraction(world: World, interaction: Interaction, seed: NewInteraction): Json {
  const { channel, user } = seed;
  const guild = world.guildOf(channel);
  const member = memberOf(guild, user);
  const source = seed.source === undefined ? undefined : world.messages.get(seed.source);
  const rights = String(permissionsIn(world, user, channel));
  const who =
    guild && member
      ? {
          guild_id: guild.id,
          guild: { id: guild.id, locale: "en-US", features: [] },
          guild_locale: "en-US",
          member: { ...fullMember(world, member), permissions: rights },
        }
      : { user: wireUserById(world, user) };
  return {
    id: interaction.id,
    application_id: world.bot,
    type: seed.type,
    token: interaction.token,
    version: 1,
    data: seed.data,
    channel_id: channel.id,
    channel: { ...wireChannel(world, channel), permissions: rights },
    ...who,
    ...(source ? { message: wireMessage(world, source, "all") } : {}),
    app_permissions: String(guild ? permissionsIn(world, world.bot, channel) : guildlessPermissions),
    locale: "en-US",
    entitlements: [],
    authorizing_integration_owners: {
      ...(guild?.joined === false ? {} : { 0: guild?.id ?? "0" }),
      ...(world.users.get(user)?.installed === true ? { 1: user } : {}),
    },
    context: guild ? 0 : 1,
    attachment_size_limit: 10 * 1024 * 1024,
  };
}

/** The permissions of an app in a direct message with itself. */
const guildlessPermissions = bitfield(ordinaryPermissions);

/** Whether the interaction is one of a person in a guild without the bot. */
export function isOutside(world: World, { channel }: Pick<Interaction, "channel">): boolean {
  const { guild } = world.channels.get(channel) ?? {};
  return guild !== undefined && world.guilds.get(guild)?.joined === false;
}

/** Whether a member may use a command that asks for these permissions. */
export function mayUse(world: World, channel: Channel, user: string, needed: unknown): boolean {
  const guild = world.guildOf(channel);
  if (!guild || typeof needed !== "string") return true;
  const bits = BigInt(needed);
  const has = guildPermissions(guild, user);
  return bits === 0n ? (has & 8n) !== 0n : (has & bits) === bits;
}
