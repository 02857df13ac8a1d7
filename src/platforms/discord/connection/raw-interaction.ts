import type { APIUser } from "discord.js";
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
