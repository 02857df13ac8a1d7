import { saySentences } from "./say-sentences.ts";
import { colleagueSlack, slackStage } from "./slack-stage.ts";

saySentences({
  name: "slack",
  slack: { seed: colleagueSlack() },
  open: async ({ slack }) => slackStage(slack),
});
