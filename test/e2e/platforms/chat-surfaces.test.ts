import { surfaceContracts } from "../../contract/chat/surface-contracts.ts";

surfaceContracts(["slack", "discord", "console", "terminal"]);
