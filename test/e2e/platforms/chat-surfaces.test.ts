import { surfaceContracts } from "../../contract/chat/surface-contracts.ts";

surfaceContracts([
  "slack",
  "discord",
  "console",
  "terminal",
  "slack direct messages",
  "discord direct messages",
]);
surfaceContracts(["slack direct messages in one conversation"]);
