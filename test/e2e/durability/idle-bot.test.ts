import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { useBot } from "../support/use-bot.ts";

const bot = useBot();

/** What a bot loads although nobody has talked to it. Another package here costs every bot memory and time at its start. */
const needed = [
  "@asteasolutions/zod-to-openapi",
  "@hono/node-server",
  "@hono/zod-openapi",
  "@hono/zod-validator",
  "@keyv/sqlite",
  "@opentelemetry/api",
  "@pinojs/redact",
  "atomic-sleep",
  "bintrees",
  "commander",
  "croner",
  "eventsource-parser",
  "extend-shallow",
  "gray-matter",
  "hono",
  "hookified",
  "ipaddr.js",
  "is-extendable",
  "js-yaml", // a stub: the build leaves its content out
  "jsonrepair",
  "keyv",
  "kind-of",
  "lru-cache",
  "luxon",
  "marked",
  "minisearch",
  "on-exit-leak-free",
  "pino",
  "pino-std-serializers",
  "prom-client",
  "quick-format-unescaped",
  "safe-stable-stringify",
  "section-matter",
  "sonic-boom",
  "strip-bom-string",
  "tdigest",
  "thread-stream",
  "tokenx",
  "yaml",
  "zod",
];

it("an idle bot loads no package before it is needed", async () => {
  const { home } = bot();
  const list = join(home.folder, "loaded.txt");
  const hook = `import { registerHooks } from "node:module";
import { appendFileSync } from "node:fs";
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + "\\n"); return next(url, context); } });`;
  const started = await home.start({
    env: {
      KNACK_MODEL: "offline",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    },
  });
  await started.terminate();
  const files = readFileSync(list, "utf8")
    .split("\n")
    .filter((url) => url.startsWith("file:"))
    .map((url) => new URL(url).pathname);
  const packages = new Set(
    files
      .flatMap(sourcesOf)
      .flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []),
  );
  expect([...packages].sort()).toEqual(needed);
});

/** The sources that a built file was made from; a file that was not built is its own. */
function sourcesOf(file: string): string[] {
  if (!existsSync(`${file}.map`)) return [file];
  const { sources } = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { sources: string[] };
  return sources.map((source) => resolve(dirname(file), source));
}
