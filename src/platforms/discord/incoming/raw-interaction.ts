import type { APIUser } from "discord.js";
import { ApplicationIntegrationType, InteractionContextType } from "discord-api-types/v10";
import type { RawMessage } from "../channel/parse-message.ts";

/** The parts of a gateway interaction that are read. Source: Discord reference, "Interaction Object". */
export interface RawInteraction {
  id: string;
  application_id: string;
  token: string;
  type: number;
  guild_id?: string;
  channel_id?: string;
  channel?: { id: string; type: number; parent_id?: string | null };
  member?: { user: APIUser; roles: string[]; nick?: string | null };
  user?: APIUser;
  /** Where it was used: 0 a server, 1 the direct messages with the bot, 2 other direct messages. */
  context?: number;
  /** Who added the app there, by kind of installation: a server, a person. */
  authorizing_integration_owners?: { readonly [kind: string]: string | undefined };
  /** The message whose button was pressed. */
  message?: RawMessage;
  data?: RawInteractionData;
}

export interface RawInteractionData {
  /** Of commands. 1 is a slash command, 3 one of a message's menu. Source: "Application Command Types". */
  type?: number;
  name?: string;
  options?: readonly RawOption[];
  target_id?: string;
  resolved?: { messages?: Record<string, RawMessage> };
  /** Of components and modals. */
  custom_id?: string;
  values?: readonly string[];
  components?: readonly RawModalComponent[];
}

export interface RawOption {
  name: string;
  type: number;
  value?: string | number | boolean;
  focused?: boolean;
  options?: readonly RawOption[];
}

/** A field of a modal: in a row (older) or a label. */
export interface RawModalComponent {
  type: number;
  custom_id?: string;
  value?: string;
  values?: readonly string[];
  component?: RawModalComponent;
  components?: readonly RawModalComponent[];
}

/**
 * Whether a person uses the bot where it is no member: they have added it to their account. It reads nothing there, and the place is
 * the person's direct messages. Source: Discord reference, "Authorizing Integration Owners Object", "Interaction Context Types".
 */
export function isOutside({
  guild_id,
  context,
  authorizing_integration_owners: owners,
}: RawInteraction): boolean {
  if (context === InteractionContextType.PrivateChannel) return true;
  return (
    guild_id !== undefined &&
    owners !== undefined &&
    owners[ApplicationIntegrationType.GuildInstall] === undefined
  );
}
