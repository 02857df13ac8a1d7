import { surfaceContracts } from "../contract/surface-contracts.ts";

surfaceContracts(["slack", "discord", "console", "terminal"]);
