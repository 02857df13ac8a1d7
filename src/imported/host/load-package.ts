import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { HandlerRuntime } from "./load-handler.ts";

/** What a call of a tool package says: name its tools, or run one. */
interface PackageCall {
  list?: boolean;
  tool?: string;
  input?: unknown;
}

interface ExportedTool {
  name: string;
  description: string;
  parameters: unknown;
  run(input: unknown, context: unknown): unknown;
}

/** A module without tools; the message is for its author. */
class PackageError extends Error {
  override readonly name = "PackageError";
}

/**
 * Loads the entry module of a tool package, of either kind of module. Tools are what has a function `run`, `handler` or `execute`: in a
 * list, under `tools`, or as exports of their own. They get their input and a context with `introspect`, `logger`, `runtimeArgs`,
 * `requestToolApproval` and `webScraper`. @throws what the module throws
 */
export async function loadPackage(folder: string, entry: string): Promise<HandlerRuntime> {
  const module: unknown = await import(pathToFileURL(join(folder, entry)).href);
  const tools = new Map(toolsOf(module).map((tool) => [tool.name, tool]));
  if (tools.size === 0) {
    throw new PackageError(`${entry} exports no tools: { name, description, parameters, run }`);
  }
  return {
    async handler(this: object, call: unknown) {
      const { list, tool, input } = call as PackageCall;
      if (list === true) {
        return [...tools.values()].map(({ name, description, parameters }) => ({
          name,
          description,
          parameters,
        }));
      }
      const found = tools.get(tool ?? "");
      if (found === undefined) throw new PackageError(`${entry} exports no tool ${tool} any more`);
      return found.run(input, this);
    },
  };
}

function toolsOf(module: unknown): ExportedTool[] {
  const seen = new Set<unknown>();
  const collect = (value: unknown, name: string, depth: number): ExportedTool[] => {
    if (typeof value !== "object" || value === null || seen.has(value) || depth > 3) return [];
    seen.add(value);
    if (Array.isArray(value))
      return value.flatMap((each, at) => collect(each, `${name}${at + 1}`, depth + 1));
    const fields = value as Record<string, unknown>;
    const run = [fields.run, fields.handler, fields.execute].find((each) => typeof each === "function");
    if (typeof run === "function")
      return [toTool(fields, name, (input, context) => run.call(value, input, context))];
    return Object.entries(fields).flatMap(([key, each]) => collect(each, key, depth + 1));
  };
  return collect(module, "tool", 0);
}

function toTool(fields: Record<string, unknown>, name: string, run: ExportedTool["run"]): ExportedTool {
  return {
    name: typeof fields.name === "string" && fields.name !== "" ? fields.name : name,
    description: typeof fields.description === "string" ? fields.description : "",
    parameters: fields.parameters ?? fields.inputSchema ?? fields.input_schema ?? {},
    run,
  };
}
