import type { TurnView } from "../../core/log/turn-view.ts";
import { formatBytes } from "../../core/values/shown.ts";
import type { Paint } from "./paint.ts";
import { plainLine } from "./plain-text.ts";

/** The files of a turn with where the HTTP API has them, one line each. */
export function fileLines({ files }: TurnView, paint: Paint): string[] {
  return files.map(
    ({ name, bytes, url }) =>
      `${paint.accent("File:")} ${plainLine(name)} ${paint.dim(`(${formatBytes(bytes)}) ${plainLine(url)}`)}`,
  );
}
