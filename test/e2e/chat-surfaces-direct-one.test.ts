import { surfaceContracts } from "../contract/surface-contracts.ts";

surfaceContracts(["slack direct messages in one conversation"]);
