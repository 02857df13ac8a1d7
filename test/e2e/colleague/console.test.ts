import { consoleStage, hoursBefore } from "./console-stage.ts";
import { saySentences, wednesday } from "./say-sentences.ts";

saySentences({ name: "console", from: wednesday - hoursBefore * 3_600_000, open: consoleStage });
