import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { looseText } from "../base/decode-text.ts";
import { errorCode } from "../base/error-text.ts";
import { readJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import { nearestNames } from "../base/text/nearest-name.ts";
import type { Diagnostic } from "../core/skill/skill.ts";
import type { Environment } from "./expand-variables.ts";
import { withPackaged } from "./packaged-servers.ts";
import { type ReadServers, readServers } from "./read-servers.ts";

const maxBytes = 1_000_000;

export type ConfigFile = ReturnType<typeof createConfigFile>;

/** The file of servers. @param path may be missing: then there are no servers. @param network as `readServers` takes it */
export function createConfigFile(
  path: string,
  environment: Environment,
  network: Readonly<Record<string, string>> = {},
) {
  let latest: ReadServers = { servers: [], diagnostics: [] };
  let seen = "";
  return {
    /** Whether the file could be read as a whole: then a server that is not in it was taken out. */
    isWhole: () =>
      seen !== "" && seen !== '""' && latest.diagnostics.every(({ severity }) => severity !== "error"),
    /**
     * The current content; the same object while it has not changed. If the file as a whole cannot be read, the servers stay as they were and
     * a diagnostic says so.
     */
    async read(): Promise<ReadServers> {
      const text = await textIn(path);
      const state = JSON.stringify(text);
      if (state === seen) return latest;
      seen = state;
      const found = typeof text === "string" ? entriesIn(text, path) : text;
      if ("code" in found) {
        latest = { servers: latest.servers, diagnostics: [found] };
        return latest;
      }
      const machine = { platform: process.platform, environment };
      const entries = await withPackaged(found.entries, dirname(path), machine);
      const { servers, diagnostics } = readServers(entries, path, environment, network);
      const next = { servers, diagnostics: [...found.notes, ...diagnostics] };
      if (JSON.stringify(next) !== JSON.stringify(latest)) latest = next;
      return latest;
    },
  };
}

/** The text of the file, empty if it is missing, or why it cannot be read. */
async function textIn(path: string): Promise<string | Diagnostic> {
  try {
    const bytes = await readFile(path);
    if (bytes.byteLength <= maxBytes) return looseText(bytes);
    return defect(path, "too_large", `It is larger than ${maxBytes} bytes.`);
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    if (code === "ENOENT") return "";
    return defect(path, "unreadable", `It cannot be read (${code}). Check its permissions.`);
  }
}

interface Entries {
  entries: Record<string, unknown>;
  notes: Diagnostic[];
}

function entriesIn(text: string, path: string): Entries | Diagnostic {
  const parsed = readJson(text.trim() === "" ? "{}" : text);
  if (!parsed.ok) {
    const message = `Not valid JSON: ${parsed.reason}. The servers stay as they were. Fix the file.`;
    return defect(path, "invalid_json", message);
  }
  const { value, lenient } = parsed;
  if (!isRecord(value)) return defect(path, "invalid_file", 'It is not {"mcpServers": {…}}.');
  // VS Code calls it `servers`.
  const entries = value.mcpServers ?? value.servers ?? (Object.keys(value).length === 0 ? {} : undefined);
  if (isRecord(entries)) return { entries, notes: lenient ? [notPlain(path)] : [] };
  const [near] = nearestNames("mcpServers", Object.keys(value));
  const hint = near === undefined ? "" : ` It has ${near}; did you mean that?`;
  return defect(path, "invalid_file", `It has no mcpServers.${hint}`);
}

function notPlain(path: string): Diagnostic {
  const message =
    "It has comments or a comma after a last entry. It was read, but other programs may refuse it, because JSON allows neither.";
  return { path, severity: "warning", code: "not_plain_json", message };
}

function defect(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "error", code, message };
}
