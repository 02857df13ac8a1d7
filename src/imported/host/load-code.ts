import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** `runtime` of a handler.js: the handler and its own fields. */
export type HandlerRuntime = Record<string, unknown> & { handler(this: object, args: unknown): unknown };

/** The parts of Node's CommonJS loader that are not in its types. */
interface LoadedModule {
  _compile(source: string, file: string): void;
}
interface CommonJsLoader {
  _extensions: Record<string, ((module: LoadedModule, file: string) => void) | undefined>;
}

const moduleSyntax =
  /^[^\S\r\n]*(?:import\s*[\w{*"']|export\s+(?:default|const|let|var|function|async|class|[{*]))/m;

/** An unusable handler.js. The message is for its author. */
class HandlerError extends Error {
  override readonly name = "HandlerError";
}

/**
 * Loads the handler.js of a folder with `require`, as AnythingLLM does. The skill's own files are CommonJS whatever a package.json says,
 * except for files with module syntax. @throws errors of the code
 */
export function loadHandler(folder: string): HandlerRuntime {
  readOwnFilesAsCommonJs(folder);
  const loaded: unknown = createRequire(join(folder, "/"))("./handler.js");
  const runtime = runtimeOf(loaded) ?? runtimeOf(property(loaded, "default"));
  if (runtime === undefined) {
    throw new HandlerError(
      "handler.js exports no runtime with a function called handler: module.exports.runtime = { handler }",
    );
  }
  return runtime;
}

function readOwnFilesAsCommonJs(folder: string): void {
  const loader = Module as unknown as CommonJsLoader;
  const standard = loader._extensions[".js"];
  loader._extensions[".js"] = (module, file) => {
    const isOwn = file.startsWith(`${folder}/`) && !file.slice(folder.length).includes("/node_modules/");
    const source = isOwn ? readFileSync(file, "utf8").replace(/^\uFEFF/, "") : undefined;
    if (source === undefined || moduleSyntax.test(source)) standard?.(module, file);
    else module._compile(source, file);
  };
}

function runtimeOf(value: unknown): HandlerRuntime | undefined {
  const runtime = property(value, "runtime");
  return typeof property(runtime, "handler") === "function" ? (runtime as HandlerRuntime) : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** A call of a tool package: list its tools, or run one. */
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

/** A module without tools. The message is for its author. */
class PackageError extends Error {
  override readonly name = "PackageError";
}

/**
 * Loads the entry module of a tool package, CommonJS or ESM. A tool is an object with a function `run`, `handler` or `execute`, in a
 * list, under `tools`, or as a separate export. It gets its input and a context with `introspect`, `logger`, `runtimeArgs`,
 * `requestToolApproval` and `webScraper`. @throws errors of the module
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
