import path from "node:path";
import { createFlowSource } from "../../../../src/flows/flow-source.ts";
import { createOfflineModel } from "../../../../src/models/offline/offline-model.ts";
import { createFolderSource } from "../../../../src/skills/folder-source.ts";
import { createTestApp, type TestApp } from "../../../support/test-app.ts";

/** The bot with the offline model and the skills of these folders, through the real loop; `flows`: with the shipped flows. */
export function startOffline(
  folders: readonly string[],
  options: Parameters<typeof createTestApp>[1] & { flows?: true } = {},
): OfflineBot {
  const sources = folders.map((folder, index) =>
    createFolderSource({
      source: `bundled-${index}`,
      precedence: index,
      root: path.resolve("skills", folder),
      importModules: true,
    }),
  );
  let threads = 0;
  const flows = createFlowSource({ source: "bundled", precedence: 0, root: path.resolve("flows") });
  const app = createTestApp(createOfflineModel(), {
    sources: options.flows === true ? [...sources, flows] : sources,
    limits: { tool_output_tokens: 4_000 },
    ...options,
  });
  return {
    app,
    async ask(text, thread) {
      threads += 1;
      const { end, events } = await app.ask(text, { thread: thread ?? `own-${threads}` });
      const calls = events.flatMap((event) =>
        event.type === "tool_started" ? [{ tool: event.tool, input: event.input }] : [],
      );
      return { text: end.text, outcome: end.outcome, calls };
    },
  };
}

export interface OfflineBot {
  app: TestApp;
  /** Says something, in a thread of its own unless told; answers the text and the tool calls. */
  ask(
    text: string,
    thread?: string,
  ): Promise<{ text: string; outcome: string; calls: { tool: string; input: unknown }[] }>;
}
