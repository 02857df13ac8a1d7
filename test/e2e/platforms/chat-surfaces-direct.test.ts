import { surfaceContracts } from "../../contract/chat/surface-contracts.ts";

surfaceContracts(["slack direct messages", "discord direct messages"]);
