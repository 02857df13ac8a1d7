/** The operator's configuration of Discord. */
export interface DiscordSettings {
  /** The bot's token, without `Bot `. */
  token: string;
  /** Address of the REST API, without its version; `https://discord.com/api` if undefined. */
  api_url?: string | undefined;
  /** Total number of shards; `auto` uses Discord's recommendation. */
  shards: "auto" | number;
  /** User ids of the operators. */
  operators: readonly string[];
}
