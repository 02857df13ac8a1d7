/** What the operator configured for Discord. */
export interface DiscordSettings {
  /** The bot's token, without `Bot `. */
  token: string;
  /** Of the REST API, without version: `https://discord.com/api`. Undefined for that. */
  api_url?: string | undefined;
  /** How many shards there are in all; `auto`: as many as Discord recommends. */
  shards: "auto" | number;
  /** User ids of people who run the bot. */
  operators: readonly string[];
}
