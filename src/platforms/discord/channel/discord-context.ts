import type { DiscordRest } from "../connection/discord-rest.ts";
import type { ConversationTargets } from "./conversation-targets.ts";
import type { Directory } from "./directory.ts";
import type { ReplyChains } from "./reply-chains.ts";

/** What the parts of the platform share. */
export interface DiscordContext {
  rest: DiscordRest;
  directory: Directory;
  targets: ConversationTargets;
  chains: ReplyChains;
}
