import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { looseText } from "../base/decode-text.ts";
import { errorCode } from "../base/error-text.ts";
import { ConfigError } from "./config-error.ts";

export type ConfigFile = Awaited<ReturnType<typeof readConfigFile>>;

/**
 * Reads a YAML file. An empty one sets nothing.
 * @param advice what to do if it cannot be read
 * @throws ConfigError when it cannot be read, is not YAML, or is not a map of keys
 */
export async function readConfigFile(file: string, cwd: string, advice = "Check --config or KNACK_CONFIG") {
  const shown = path.relative(cwd, file).startsWith("..") ? file : path.relative(cwd, file);
  const text = await readText(file, shown, advice);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${line}:${col}`;
  };
  const hint = "Check indentation, quotes and colons of this line and the one before";
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos: [offset] }) =>
    code === "DUPLICATE_KEY"
      ? { where: at(offset), key: "", message: "this key is set twice", hint: "Remove one of them" }
      : { where: at(offset), key: "", message, hint },
  );
  if (faults.length > 0) throw new ConfigError(faults);
  /** `config/knack.yaml:12:3` of a key, or of its nearest parent. */
  const locate = (key: readonly PropertyKey[]) => at(offsetOf(document, key));
  return { values: toValues(document, shown), locate };
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
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const segment of key) {
    const pair = isMap(node)
      ? node.items.find((each) => isScalar(each.key) && String(each.key.value) === String(segment))
      : undefined;
    const item = isSeq(node) ? node.items[Number(segment)] : undefined;
    const found = pair?.key ?? item;
    if (!isNode(found)) break;
    offset = found.range?.[0] ?? offset;
    node = pair?.value ?? item;
  }
  return offset;
}
