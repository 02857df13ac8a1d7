import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import { looseText } from "../base/decode-text.ts";
import { errorCode } from "../base/error-text.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";

/** A parsed configuration file. */
export interface ConfigFile {
  values: Record<string, unknown>;
  /** `config/knack.yaml:12:3` of a key, or of its nearest parent. */
  locate(key: readonly PropertyKey[]): string;
}

/**
 * Reads a YAML file. An empty one sets nothing.
 * @param hint what to do if it cannot be read
 * @throws ConfigError when it cannot be read, is not YAML, or is not a map of keys
 */
export async function readConfigFile(
  file: string,
  cwd: string,
  hint = "Check --config or KNACK_CONFIG",
): Promise<ConfigFile> {
  const shown = path.relative(cwd, file).startsWith("..") ? file : path.relative(cwd, file);
  const text = await readText(file, shown, hint);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings].map(
    (fault): ConfigProblem => ({
      where: at(fault.pos[0]),
      key: "",
      message:
        (fault.code === "DUPLICATE_KEY" && duplicateMessage(document, fault.pos[0], at)) || fault.message,
      hint: "Check indentation, quotes and colons of this line and the one before",
    }),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  return { values: toValues(document, shown), locate: (key) => at(offsetOf(document, key)) };
}

/** The message for a duplicate key at an offset, with the place of the first one. */
function duplicateMessage(
  document: Document.Parsed,
  offset: number,
  at: (offset: number) => string,
): string | undefined {
  let message: string | undefined;
  visit(document, {
    Map(_key, { items }) {
      const second = items.findIndex(({ key }) => isScalar(key) && key.range?.[0] === offset);
      const name = items[second]?.key;
      if (!isScalar(name)) return undefined;
      const first = items.find(({ key }) => isScalar(key) && key.value === name.value)?.key;
      if (!isScalar(first) || first.range == null) return undefined;
      message = `${String(name.value)} is set twice, first at ${at(first.range[0])}`;
      return visit.BREAK;
    },
  });
  return message;
}

async function readText(file: string, shown: string, hint: string): Promise<string> {
  try {
    return looseText(await readFile(file));
  } catch (cause) {
    const missing = errorCode(cause) === "ENOENT";
    const message = missing ? "there is no such file" : `cannot be read (${String(cause)})`;
    throw new ConfigError([{ where: shown, key: "", message, hint }], { cause });
  }
}

function toValues(document: Document.Parsed, shown: string): Record<string, unknown> {
  const fail = (message: string, cause?: unknown): never => {
    const hint = "Write one setting per line, as config/knack.yaml does";
    throw new ConfigError([{ where: shown, key: "", message, hint }], { cause });
  };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return {};
  if (!isMap(document.contents)) return fail("expected keys with values, like `name: Knack`");
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    return fail("too many aliases", cause);
  }
}

/** The offset of a key; for a missing key, of its innermost existing parent. */
function offsetOf(document: Document.Parsed, key: readonly PropertyKey[]): number {
  let step: Step = { node: document.contents, offset: document.contents?.range?.[0] ?? 0 };
  for (const segment of key) {
    const next = descend(step, segment);
    if (next === undefined) break;
    step = next;
  }
  return step.offset;
}

interface Step {
  node: unknown;
  offset: number;
}

function descend({ node, offset }: Step, segment: PropertyKey): Step | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment));
    const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
    return pair && { node: pair.value, offset: start ?? offset };
  }
  if (!isSeq(node)) return undefined;
  const item = node.items[Number(segment)];
  return isNode(item) ? { node: item, offset: item.range?.[0] ?? offset } : undefined;
}
