import { surfaceContracts } from "../../contract/chat/surface-contracts.ts";

surfaceContracts(["slack direct messages in one conversation"]);
