import { formatBytes } from "../../core/format-bytes.ts";
import type { TurnView } from "../../core/turn-view.ts";
import type { Paint } from "./paint.ts";
import { plainLine } from "./plain-text.ts";

/** The files of a turn with where the HTTP API has them, one line each. */
export function fileLines({ files }: TurnView, paint: Paint): string[] {
  return files.map(
    ({ name, bytes, url }) =>
      `${paint.accent("File:")} ${plainLine(name)} ${paint.dim(`(${formatBytes(bytes)}) ${plainLine(url)}`)}`,
  );
}
