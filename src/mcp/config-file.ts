import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { looseText } from "../base/decode-text.ts";
import { errorCode } from "../base/error-text.ts";
import { readJson } from "../base/json-reader.ts";
import { nearestNames } from "../base/nearest-name.ts";
import { isRecord } from "../base/record.ts";
import type { Diagnostic } from "../core/skill/skill.ts";
import type { Environment } from "./expand-variables.ts";
import { withPackaged } from "./packaged-servers.ts";
import { type ReadServers, readServers } from "./read-servers.ts";

const maxBytes = 1_000_000;

/** Resolution of file times on coarse file systems: a file that changed this short before it was read may change again unnoticed, ms. */
const timeResolutionMs = 100;

export type ConfigFile = ReturnType<typeof createConfigFile>;

/** The file of servers. @param path may be missing: then there are no servers. @param network as `readServers` takes it */
export function createConfigFile(
  path: string,
  environment: Environment,
  network: Readonly<Record<string, string>> = {},
) {
  let latest: ReadServers = { servers: [], diagnostics: [] };
  let seen = "";
  let settled = false;

  const look = async (): Promise<string> => {
    try {
      const { mtimeMs, ctimeMs, size, ino } = await stat(path);
      settled = Date.now() - Math.max(mtimeMs, ctimeMs) > timeResolutionMs;
      return `${mtimeMs}:${ctimeMs}:${size}:${ino}`;
    } catch (error) {
      settled = true;
      return errorCode(error) ?? "unknown error";
    }
  };

  return {
    /**
     * The current content; the same object while it has not changed. If the file as a whole cannot be read, the servers stay as they were and
     * a diagnostic says so.
     */
    async read(): Promise<ReadServers> {
      const wasSettled = settled;
      const state = await look();
      if (state === seen && wasSettled) return latest;
      seen = state;
      const machine = { platform: process.platform, environment };
      const next = await readFrom(path, latest, async (entries) =>
        readServers(await withPackaged(entries, dirname(path), machine), path, environment, network),
      );
      if (JSON.stringify(next) !== JSON.stringify(latest)) latest = next;
      return latest;
    },
  };
}

async function readFrom(
  path: string,
  before: ReadServers,
  read: (entries: Record<string, unknown>) => Promise<ReadServers>,
): Promise<ReadServers> {
  const broken = (code: string, message: string): ReadServers => ({
    servers: before.servers,
    diagnostics: [defect(path, code, message)],
  });
  let text: string;
  try {
    const bytes = await readFile(path);
    if (bytes.byteLength > maxBytes) return broken("too_large", `It is larger than ${maxBytes} bytes.`);
    text = looseText(bytes);
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    if (code === "ENOENT") return { servers: [], diagnostics: [] };
    return broken("unreadable", `It cannot be read (${code}). Check its permissions.`);
  }
  const parsed = readJson(text.trim() === "" ? "{}" : text);
  if (!parsed.ok) {
    return broken(
      "invalid_json",
      `Not valid JSON: ${parsed.reason}. The servers stay as they were. Fix the file.`,
    );
  }
  const found = serversIn(parsed.value);
  if (!found.ok) return broken("invalid_file", found.problem);
  const { servers, diagnostics } = await read(found.entries);
  return { servers, diagnostics: parsed.lenient ? [notPlain(path), ...diagnostics] : diagnostics };
}

function serversIn(
  value: unknown,
): { ok: true; entries: Record<string, unknown> } | { ok: false; problem: string } {
  if (!isRecord(value)) return { ok: false, problem: 'It is not {"mcpServers": {…}}.' };
  // VS Code calls it `servers`.
  const entries = value.mcpServers ?? value.servers;
  if (isRecord(entries)) return { ok: true, entries };
  if (Object.keys(value).length === 0) return { ok: true, entries: {} };
  const [near] = nearestNames("mcpServers", Object.keys(value));
  const hint = near === undefined ? "" : ` It has ${near}; did you mean that?`;
  return { ok: false, problem: `It has no mcpServers.${hint}` };
}

function notPlain(path: string): Diagnostic {
  const message =
    "It has comments or a comma after a last entry. It was read, but other programs may refuse it, because JSON allows neither.";
  return { path, severity: "warning", code: "not_plain_json", message };
}

function defect(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "error", code, message };
}
