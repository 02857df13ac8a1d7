import { formatBytes } from "./format-bytes.ts";
import { mediaTypeOf } from "./media-type.ts";
import type { ScriptFile } from "./scripts.ts";
import type { ToolContext } from "./tool.ts";

/** Makes files that code left files of the answer. Answers what a model is told of it, a line each. */
export async function handOverFiles(
  { files = [], files_left_out }: { files?: readonly ScriptFile[]; files_left_out?: string },
  context: Pick<ToolContext, "file">,
): Promise<string[]> {
  for (const { name, data } of files) {
    await context.file({ name, media_type: mediaTypeOf(name), data });
  }
  const names = files.map(({ name, data }) => `${name} (${formatBytes(data.byteLength)})`).join(", ");
  return [
    ...(files.length === 0 ? [] : [`[files the person gets with your answer: ${names}]`]),
    ...(files_left_out === undefined ? [] : [`[${files_left_out}]`]),
  ];
}
