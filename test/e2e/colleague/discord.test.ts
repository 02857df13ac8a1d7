import { colleagueDiscord, discordStage } from "./discord-stage.ts";
import { saySentences } from "./say-sentences.ts";

saySentences({
  name: "discord",
  discord: colleagueDiscord(),
  open: async ({ discord }) => discordStage(discord),
});
