/** The layers of the house: an arrow is an import. CONTRIBUTING.md draws them. */
const adapters = [
  ...["skills", "imported", "flows", "mcp", "packages"],
  ...["models", "storage", "net", "documents", "sandbox", "search", "telemetry", "web-search", "charts"],
];

/** Adapters that start child processes. */
const startProcesses = ["mcp", "packages", "sandbox", "documents", "charts"];

/** Adapters that read HTML. */
const readHtml = ["net", "documents"];

/** What each room of app may know besides itself. */
const roomsOfApp = {
  reading: [],
  turns: ["reading"],
  schedules: ["reading", "turns"],
  services: ["reading", "turns"],
  operations: ["reading", "turns", "schedules", "services"],
  commands: ["reading", "turns", "schedules", "services", "operations"],
  chat: ["reading", "turns", "schedules", "services", "operations"],
};

/** The rooms of core, lowest first: each may know itself and the rooms before it. */
const roomsOfCore = [
  ...["values", "log", "ports", "skill", "scope"],
  ...["transcript", "decisions", "effects", "turn", "meta-tools"],
];

/** The rooms of Slack and of Discord, lowest first. The files beside them join them. */
const roomsOfPlatform = ["connection", "channel", "outgoing", "incoming"];

/** A room that may import the ground floor and, of the other rooms, what `allowed` says. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: "^(src|skills)/", pathNot: ["^src/base/", ...allowed] },
});

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "base-imports-nothing",
      comment: "the ground floor imports itself alone: no package, no node:, nothing that knows the bot",
      severity: "error",
      from: { path: "^src/base/" },
      to: { pathNot: ["^src/base/"] },
    },
    {
      name: "core-is-pure",
      comment: "core imports zod, base and itself: no platform, vendor, clock or environment",
      severity: "error",
      from: { path: "^src/core/" },
      to: { pathNot: ["^src/base/", "^src/core/", "(^|/)node_modules/zod/"] },
    },
    ...roomsOfCore.map((room, floor) => ({
      name: `core-${room}`,
      comment: `the rooms of core are stacked: ${roomsOfCore.join(", ")}`,
      severity: "error",
      from: { path: `^src/core/${room}/` },
      to: {
        path: "^src/core/",
        pathNot: roomsOfCore.slice(0, floor + 1).map((each) => `^src/core/${each}/`),
      },
    })),
    ...roomsOfPlatform.map((room, floor) => ({
      name: `platform-${room}`,
      comment: `the rooms of a chat platform are stacked: ${roomsOfPlatform.join(", ")}`,
      severity: "error",
      from: { path: `^src/platforms/(?:slack|discord)/${room}/` },
      to: {
        path: "^src/platforms/(?:slack|discord)/",
        pathNot: roomsOfPlatform.slice(0, floor + 1).map((each) => `^src/platforms/[^/]+/${each}/`),
      },
    })),
    {
      name: "core-has-rooms",
      comment: "each file of core belongs to a room",
      severity: "error",
      from: {},
      to: { path: "^src/core/[^/]+$" },
    },
    only("app-on-core", "^src/app/", ["^src/app/", "^src/core/"], "app knows core only"),
    ...Object.entries(roomsOfApp).map(([room, below]) => ({
      name: `app-${room}`,
      comment:
        "the rooms of app are stacked: chat and commands on services, those on turns, those on reading",
      severity: "error",
      from: { path: `^src/app/${room}/` },
      to: {
        path: "^src/app/",
        // What the app gets from outside is known to all rooms.
        pathNot: ["^src/app/app-deps.ts$", ...[room, ...below].map((each) => `^src/app/${each}/`)],
      },
    })),
    ...adapters.map((adapter) =>
      only(
        `${adapter}-is-an-adapter`,
        `^src/${adapter}/`,
        [
          `^src/${adapter}/`,
          "^src/core/",
          ...(startProcesses.includes(adapter) ? ["^src/process/"] : []),
          ...(readHtml.includes(adapter) ? ["^src/html/"] : []),
        ],
        "an adapter implements core's ports and knows no other adapter",
      ),
    ),
    {
      name: "process-on-base",
      comment: "child processes, for adapters; it knows node and the ground floor, no port and no package",
      severity: "error",
      from: { path: "^src/process/" },
      to: { pathNot: ["^src/base/", "^src/process/"], dependencyTypesNot: ["core"] },
    },
    only(
      "html-on-base",
      "^src/html/",
      ["^src/html/"],
      "readable text of HTML, for adapters; it knows no port",
    ),
    only("server-on-app", "^src/server/", ["^src/server/", "^src/app/", "^src/core/"], "the HTTP surface"),
    only(
      "client-of-server",
      "^src/client/",
      ["^src/client/", "^src/core/", "^src/server/[a-z-]*schemas.ts$", "^src/app/operations/table.ts$"],
      "the HTTP client",
    ),
    only(
      "terminal-is-a-client",
      "^src/platforms/terminal/",
      ["^src/platforms/terminal/", "^src/client/", "^src/core/"],
      "a client of the HTTP API",
    ),
    ...["slack", "discord"].map((platform) =>
      only(
        `${platform}-is-a-platform`,
        `^src/platforms/${platform}/`,
        [`^src/platforms/${platform}/`, "^src/app/", "^src/core/"],
        "a platform parses, renders and limits; it knows no other platform",
      ),
    ),
    only(
      "console-is-a-client",
      "^src/console/",
      ["^src/console/", "^src/client/", "^src/core/"],
      "a client of the HTTP API",
    ),
    only("config-alone", "^src/config/", ["^src/config/"], "config is read by the composition roots alone"),
    {
      name: "config-for-roots",
      severity: "error",
      from: { path: "^(src|skills)/", pathNot: ["^src/(main|cli)\\.ts$", "^src/(cli|config|wiring)/"] },
      to: { path: "^src/config/" },
    },
    only(
      "shipped-skills-on-core",
      "^skills/",
      ["^skills/", "^src/core/"],
      "a shipped skill sees core's contract only",
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
