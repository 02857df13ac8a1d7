import { z } from "zod";
import { tellOfChanges } from "../effects/folder-run.ts";
import { outputFolder } from "../ports/working-folder.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";

/** Characters of one file. */
const longest = 400_000;

/** A text file that the agent writes for the person. */
export const createWriteFile = () =>
  defineMetaTool({
    name: "write_file",
    title: ({ name }) => `Writing ${name.slice(0, 100)}`,
    description: "Writes a text file; the person gets it with your answer. The same name replaces it.",
    parameters: z.object({
      name: z.string().trim().min(1).max(200).describe("with its ending, e.g. notes.md"),
      content: z.string().max(longest),
    }),
    effect: "idempotent",
    shares: true,
    offered: () => true,
    run: async ({ name, content }, context, { turn, ports }) => {
      const folder = ports.folders.of(turn.place);
      const how = {
        writer: { kind: "agent" },
        turn_id: turn.turn_id,
        call_id: context.call_id,
        text: name,
      } as const;
      const data = new TextEncoder().encode(content);
      const changed = await folder.write({ name: withoutFolder(name), data }, how, context.signal);
      const notes = await tellOfChanges(folder, outputFolder, changed, context.file);
      return ok(notes.length === 0 ? "It is there already, as the person has it." : notes.join("\n"));
    },
  });

/** A name may come as the path that results and listings show; it is still the same file. */
function withoutFolder(name: string): string {
  return [`${outputFolder}/`, "output/"].reduce(
    (left, folder) => (left.startsWith(folder) ? left.slice(folder.length) : left),
    name,
  );
}
