import type { ChatIntake } from "../../src/app/chat/chat-intake.ts";
import type { TurnLog } from "../../src/core/log/turn-log.ts";
import type { Clock } from "../../src/core/ports/storage.ts";
import type { Diagnostic, Skill } from "../../src/core/skill/skill.ts";
import type { Trust } from "../../src/core/values/inbound.ts";
import { fakePackages, testReview } from "../support/fakes/fake-packages.ts";
import { createFakePlatform, type FakePlatform } from "../support/fakes/fake-platform.ts";
import { fakeServers, testServer } from "../support/fakes/fake-servers.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { testSkill } from "../support/skills/test-skill.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** A bot whose every answer is known beforehand: fixed skills, servers and packages, a scripted model, a clock that is set. */
export interface GoldenBot {
  test: TestApp;
  platform: FakePlatform;
  intake: ChatIntake;
  /** Moves the clock one minute on and answers the time, ms since the epoch. */
  tick(): number;
}

const start = Date.UTC(2026, 10, 23, 8);
const dayMs = 86_400_000;

type GoldenClock = Clock & { tick(): number };

/** The wall clock stands still unless it is moved; timers are real. */
export function createGoldenClock(): GoldenClock {
  let now = start;
  const after: Clock["after"] = (ms, callback) => {
    const timer = setTimeout(callback, Math.max(1, ms));
    return () => clearTimeout(timer);
  };
  return {
    now: () => now,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const cancel = after(ms, resolve);
        signal?.addEventListener("abort", () => {
          cancel();
          reject(signal.reason);
        });
      }),
    tick() {
      now += 60_000;
      return now;
    },
  };
}

const noteParameters = {
  type: "object" as const,
  properties: {
    text: { type: "string", description: "What to keep." },
    count: { type: "integer", description: "How often.", default: 1 },
    colour: { type: "string", enum: ["red", "green"], description: "Of the paper." },
  },
  required: ["text"],
};

const serverTool = {
  server: "files",
  tool: "read_file",
  definition: "definition-1",
  own: true,
  hints: { read_only: true },
  configured: {},
};

const dryRun = {
  flow: "Weekly report",
  steps: [
    {
      step: "1",
      type: "apiCall",
      name: "weather",
      does: "GET a page",
      request: { method: "GET", url: "https://a.example" },
    },
    { step: "2", type: "llmInstruction", does: "Asks the model", result_goes_to: "summary" },
  ],
  note: "Nothing was sent.",
};

const flowAnswer = {
  success: true,
  results: [{ success: true, result: "sunny" }],
  variables: { city: "Oslo" },
  directOutput: null,
};

function createSkills(): Skill[] {
  const notes = testSkill("notes", [{ name: "notes", parameters: noteParameters }], {
    name: "Notes",
    description: "Keeps notes. They stay in the channel.",
    category: "data",
    tags: ["memory", "text"],
    author: "Knack",
    examples: [{ prompt: "Note that the key is under the mat", call: "notes(text)" }],
    about: { license: "MIT", homepage: "https://notes.example", emoji: "🗒" },
  });
  return [
    notes,
    testSkill("haiku", [], { description: "Writes a haiku." }),
    testSkill("only-agent", [], { invocation: { by_people: false, by_model: true } }),
    testSkill("only-people", [{ name: "only_people" }], { invocation: { by_people: true, by_model: false } }),
    testSkill("fails", [
      {
        name: "fails",
        run: () => ({ status: "error", code: "no_luck", message: "It did not work.", hint: "Try again." }),
      },
    ]),
    testSkill("deploy", [{ name: "deploy", effect: "side_effect", approval: () => "manager" }], {
      risk: "medium",
    }),
    testSkill("launch", [{ name: "launch", effect: "side_effect" }], { risk: "high" }),
    testSkill("asks", [
      {
        name: "asks",
        run: async (_input, context) => ({ answer: await context.ask({ text: "Which one?" }) }),
      },
    ]),
    testSkill("no-key", [{ name: "no_key" }], {
      requires: { bins: [], anyBins: [], env: ["NO_KEY_TOKEN"], config: [], os: [] },
    }),
    testSkill("weekly", [{ name: "weekly", run: () => flowAnswer, dryRun: async () => dryRun }], {
      kind: "flow",
      name: "Weekly report",
      aliases: ["flow_1"],
    }),
    testSkill(
      "broken-flow",
      [
        {
          name: "broken_flow",
          run: () => ({ status: "error", code: "http_error", message: "Step 1 failed." }),
        },
      ],
      { kind: "flow" },
    ),
    testSkill(
      "files",
      [{ name: "read_file", description: "Reads.", effect: "side_effect", server: serverTool }],
      { kind: "mcp" },
    ),
    testSkill("weather", [{ name: "weather" }], {
      kind: "imported",
      origin: { source: "managed", precedence: 3, path: "/data/skills/weather", installed_at: 0 },
    }),
  ];
}

const diagnostics: Diagnostic[] = [
  { path: "/skills/torn/SKILL.md", severity: "error", code: "broken_yaml", message: "The YAML is torn." },
  { path: "/flows/torn.json", severity: "error", code: "invalid_flow", message: "It is no flow." },
  {
    path: "/skills/notes/SKILL.md",
    severity: "warning",
    code: "ignored_keys",
    message: "colour is ignored.",
  },
];

const serverProblem: Diagnostic = {
  path: "/config/mcp.json",
  severity: "error",
  code: "invalid_server",
  message: "The server torn has no command.",
};

/** Trust of the people of the fake platform by their id; everybody else is a member. */
const people: Record<string, Trust> = { olga: "operator", mia: "manager", ben: "member", gus: "guest" };

export interface GoldenStart {
  /** Where turns are kept, by the same clock; in memory unless given. */
  log?: TurnLog;
  clock?: GoldenClock;
}

export function createGoldenBot({ log, clock = createGoldenClock() }: GoldenStart = {}): GoldenBot {
  const loaded = { skills: createSkills(), diagnostics };
  const finding = {
    code: "shell_command",
    severity: "danger" as const,
    message: "Runs a command.",
    path: "run.sh",
    line: 3,
    excerpt: "rm -rf /",
  };
  const test = createTestApp(scriptedModel(["An answer."]), {
    ...(log === undefined ? {} : { log }),
    clock,
    limits: { question_ms: dayMs, approval_ms: dayMs },
    max_duration_ms: dayMs,
    sources: [{ id: "test", load: async () => loaded }],
    packages: fakePackages([
      testReview("weather", { kind: "imported", hash: "b".repeat(64), findings: [finding] }),
    ]),
    servers: {
      ...fakeServers([
        testServer("files"),
        testServer("broken"),
        testServer("mail", { state: "needs_login", credentials: "per_user", transport: "http" }),
        testServer("shared", { state: "needs_login", credentials: "shared", transport: "http" }),
      ]),
      problems: () => [serverProblem],
    },
    addFlow: async (text) =>
      text.includes("steps") ? { ok: true, id: "weekly" } : { ok: false, reason: "It has no steps." },
    profiles: [
      { id: "chat", description: "Chats.", prompt: "" },
      {
        id: "research",
        description: "Looks things up.",
        prompt: "",
        model: "scripted/model",
        effort: "high",
      },
    ],
  });
  const platform = createFakePlatform({ now: clock.now });
  for (const [id, trust] of Object.entries(people)) {
    platform.people.set(id, { name: id, trust, standing: trust === "guest" ? "guest" : "member" });
  }
  return { test, platform, intake: test.chat.connect(platform), tick: clock.tick };
}
