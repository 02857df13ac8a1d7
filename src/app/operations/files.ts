import { z } from "zod";
import { formatBytes } from "../../base/amounts.ts";
import { oneLine } from "../../base/markdown-text.ts";
import { folderRoot } from "../../core/ports/working-folder.ts";
import { failed } from "../../core/values/failure.ts";
import { threadSchema } from "../../core/values/place.ts";
import { channelName, milliseconds } from "../services/shapes.ts";
import { auditNote, managers, operation } from "./operation.ts";
import { codeSpan, firstLines } from "./words.ts";

const place = z.object({
  ns: channelName,
  thread: threadSchema,
});

const listing = z.object({
  files: z.array(
    z.object({
      path: z.string().describe("as code and tools see it"),
      bytes: z.number(),
      changed_at: milliseconds,
      by: z.string().optional().describe("name of the person who attached it"),
    }),
  ),
  bytes: z.number().describe("of all files together"),
  most_bytes: z.number().describe("maximum bytes of all files together"),
});

/** Maximum characters of a path that people are shown. */
const maxPath = 300;

/** Maximum files that a chat shows; the rest is counted. */
const maxShown = 30;

export const listFiles = operation({
  name: "files.list",
  input: place,
  output: listing,
  who: "anyone",
  http: {
    route: "GET /namespaces/{ns}/threads/{thread}/files",
    summary: "The files of a thread: what people attached, and what code left",
    answers: "the files, by path",
  },
  chat: {
    command: "agent files list",
    description: "Shows the files of this thread, and how much room they take",
    alsoAlone: true,
    read: (words, { namespace: ns, thread }) => (words === "" ? { ns, thread } : undefined),
    missing: "`/agent files` shows them, `/agent files remove <path>` removes one.",
  },
  commandLine: { command: "files list <namespace> <thread>" },
  text({ files, bytes, most_bytes }, _input, { whole }) {
    if (files.length === 0)
      return "This thread has no files. Ask in the thread itself: `@Knack agent files`.";
    const line = ({ path, bytes: size, by }: (typeof files)[number]) => {
      const who = by === undefined ? "" : `, from ${oneLine(by, 80)}`;
      return `- ${codeSpan(shortened(path), maxPath)} (${formatBytes(size)}${who})`;
    };
    const rest = (more: number) => `… and ${more.toLocaleString("en")} more.`;
    const head = `${files.length.toLocaleString("en")} files, ${formatBytes(bytes)} of ${formatBytes(most_bytes)}:`;
    return [head, ...firstLines(files, whole ? Infinity : maxShown, line, rest)].join("\n");
  },
  async run({ input: { ns: namespace, thread }, services: { folders } }) {
    const { files, bytes, most_bytes } = await folders.of({ namespace, thread }).list();
    return { ok: true, value: { files: files.map((file) => ({ ...file })), bytes, most_bytes } };
  },
});

export const removeFile = operation({
  name: "files.remove",
  input: place.extend({ path: z.string().min(1).max(1_000).describe("as the list shows it") }),
  output: z.object({ path: z.string() }),
  who: managers(
    "Only managers of the channel may remove files. If you attached it, delete your message: the file is deleted with it.",
  ),
  http: {
    route: "DELETE /namespaces/{ns}/threads/{thread}/files",
    summary: "Remove a file of a thread",
    answers: "its path",
  },
  chat: {
    command: "agent files remove",
    public: true,
    description: "Removes a file of this thread; for managers",
    options: [{ name: "path", description: "The file, as the list shows it", required: true }],
    read: (words, { namespace: ns, thread }) => (words === "" ? undefined : { ns, thread, path: words }),
    missing: "Which file? `/agent files` shows them.",
  },
  commandLine: { command: "files remove <namespace> <thread> <path>" },
  text: ({ path }) => `${codeSpan(path, maxPath)} is removed.`,
  async run({ input: { ns: namespace, thread, path }, services: { folders } }) {
    if (await folders.of({ namespace, thread }).remove(path)) return { ok: true, value: { path } };
    return failed(404, `There is no file ${path.slice(0, 300)} in this thread.`);
  },
  audit: ({ path }) => auditNote("file_removed", path, `removed the file ${codeSpan(path, maxPath)}`),
});

function shortened(path: string): string {
  return path.startsWith(`${folderRoot}/`) ? path.slice(folderRoot.length + 1) : path;
}
