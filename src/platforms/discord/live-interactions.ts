import type { APIMessage, RawFile } from "discord.js";
import type { OutgoingMessage } from "../../app/chat/chat-platform.ts";
import type { Clock } from "../../core/clock.ts";
import { messageFlags } from "./discord-facts.ts";
import { referenceOf } from "./discord-place.ts";
import type { DiscordProblem } from "./discord-problem.ts";
import { type DiscordRest, unlessRefused } from "./discord-rest.ts";
import { editBody, rawFiles, whisperParts } from "./message-body.ts";

/** A command or a press that can still be answered. */
export interface LiveInteraction {
  id: string;
  token: string;
  application: string;
  channel: string;
  /**
   * What people see of it so far: a "thinking…" that everybody or only the person sees, or nothing of its own (a press was
   * acknowledged without a word).
   */
  placeholder: "public" | "private" | "none";
}

/**
 * Interactions by id, for the fifteen minutes that Discord takes answers. In memory: after a restart their answers go another
 * way.
 */
export interface LiveInteractions {
  add(interaction: LiveInteraction): void;
  has(id: string): boolean;
  /** Answers for all to see, in place of a public placeholder. Undefined where there is none. @throws DiscordProblem */
  answer(id: string, message: OutgoingMessage): Promise<string | undefined>;
  /** Says something that only the person sees. False when it is too late. @throws DiscordProblem */
  whisper(id: string, message: OutgoingMessage): Promise<boolean>;
  /** Edits a message that came as an answer. False when it is not one of them, or too late. @throws DiscordProblem */
  edit(message: string, body: object): Promise<boolean>;
  stop(): void;
}

/** The person sent the placeholder away, or the token is no good any more. */
const isOver = ({ code }: DiscordProblem) => code === "gone" || code === "forbidden";

/** ms that an interaction's token is good for, less a little. Source: Discord reference, "Interactions". */
const tokenLifetime = 14.5 * 60_000;

export function createLiveInteractions(rest: DiscordRest, clock: Clock): LiveInteractions {
  const live = new Map<string, LiveInteraction>();
  const messages = new Map<string, LiveInteraction>();
  const timers = new Map<string, () => void>();
  const hook = ({ application, token }: LiveInteraction) => `/webhooks/${application}/${token}` as const;
  const send = (interaction: LiveInteraction, body: object, files: RawFile[]) =>
    rest.request<APIMessage>("POST", hook(interaction), { body, files, auth: false });
  const fill = async (interaction: LiveInteraction, body: object, files: RawFile[]) => {
    interaction.placeholder = "none";
    const path = `${hook(interaction)}/messages/@original` as const;
    return unlessRefused(rest.request<APIMessage>("PATCH", path, { body, files, auth: false }), isOver);
  };
  const dropPlaceholder = async (interaction: LiveInteraction) => {
    interaction.placeholder = "none";
    const path = `${hook(interaction)}/messages/@original` as const;
    await unlessRefused(rest.request("DELETE", path, { auth: false }), isOver);
  };

  return {
    add(interaction) {
      live.set(interaction.id, interaction);
      const cancel = clock.after(tokenLifetime, () => {
        live.delete(interaction.id);
        timers.delete(interaction.id);
        for (const [id, of] of messages) if (of === interaction) messages.delete(id);
      });
      timers.set(interaction.id, cancel);
    },
    has: (id) => live.has(id),
    async answer(id, message) {
      const interaction = live.get(id);
      if (interaction === undefined) return undefined;
      if (interaction.placeholder === "private" && message.tag?.purpose === "answer")
        await dropPlaceholder(interaction);
      if (interaction.placeholder !== "public") return undefined;
      const posted = await fill(interaction, editBody(message), rawFiles(message.files ?? []));
      if (posted === undefined) return undefined;
      messages.set(posted.id, interaction);
      return referenceOf(posted.channel_id, posted.id);
    },
    async whisper(id, message) {
      const interaction = live.get(id);
      if (interaction === undefined) return false;
      if (interaction.placeholder === "public") await dropPlaceholder(interaction);
      for (const { body, files } of whisperParts(message)) {
        const filled = interaction.placeholder === "private" && (await fill(interaction, body, files));
        if (!filled) await send(interaction, { ...body, flags: messageFlags.ephemeral }, files);
      }
      return true;
    },
    async edit(message, body) {
      const interaction = messages.get(message);
      if (interaction === undefined) return false;
      await rest.request("PATCH", `${hook(interaction)}/messages/${message}`, { body, auth: false });
      return true;
    },
    stop() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      live.clear();
    },
  };
}
