import { expect, it } from "vitest";
import { recordPackages } from "../support/loaded-packages.ts";
import { useBot } from "../support/use-bot.ts";

const bot = useBot();

/** What a bot loads although nobody has talked to it. Another package here costs every bot memory and time at its start. */
const needed = [
  "@asteasolutions/zod-to-openapi",
  "@hono/node-server",
  "@hono/zod-openapi",
  "@hono/zod-validator",
  "@keyv/sqlite",
  "@opentelemetry/api", // of prom-client
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
  "stemmer",
  "strip-bom-string",
  "tdigest",
  "thread-stream",
  "tokenx",
  "yaml",
  "zod",
];

it("an idle bot loads no package before it is needed", async () => {
  const { home } = bot();
  const { env, packages } = recordPackages(home.folder);
  const started = await home.start({ env: { ...env, KNACK_MODEL: "offline" } });
  await started.terminate();
  expect(packages()).toEqual(needed);
});
