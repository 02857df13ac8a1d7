import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { join } from "node:path";

/** `runtime` of a handler.js: the handler and whatever it needs beside it. */
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

/** A handler.js that cannot be used; the message is for its author. */
class HandlerError extends Error {
  override readonly name = "HandlerError";
}

/**
 * Loads the handler.js of a folder as AnythingLLM does, by `require`. It and its own files are CommonJS whatever a package.json says;
 * files that are written as modules are loaded as such. @throws what they throw
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
