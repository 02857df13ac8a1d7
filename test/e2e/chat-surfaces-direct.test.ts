import { surfaceContracts } from "../contract/surface-contracts.ts";

surfaceContracts(["slack direct messages", "discord direct messages"]);
