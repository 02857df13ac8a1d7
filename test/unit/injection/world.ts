/** A bot with the skills that ship, flows, a tool server and real sites, on a chat platform. */
import { onTestFinished } from "vitest";
import type { TurnEventOf } from "../../../src/core/log/turn-event.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import type { Author, Origin } from "../../../src/core/values/inbound.ts";
import { createSaidLine } from "../../../src/core/values/said-line.ts";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { approve } from "../../support/bot/ask-app.ts";
import { channel } from "../../support/bot/called-bot.ts";
import { createFakePlatform, type FakePlatform } from "../../support/fakes/fake-platform.ts";
import { follow } from "../../support/follow.ts";
import { type Line, type ScriptedModel, scriptedModel } from "../../support/models/scripted-model.ts";
import { openBench } from "../../support/skills/mcp-bench.ts";
import { shippedSkills } from "../../support/skills/shipped-skills.ts";
import { testSource } from "../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, type TestApp } from "../../support/test-app.ts";
import { resolverOf } from "../net/local-server.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";
import { type MailServer, openMailServer, type Planted } from "./mail-server.ts";

export interface World {
  app: TestApp;
  model: ScriptedModel;
  platform: FakePlatform;
  mail: MailServer | undefined;
  /** Ben says something, and an operator decides whatever is asked with `verdict`. */
  say(text: string, verdict: boolean | "always" | "turn", more?: Said): Promise<Told>;
}

export interface Said extends Partial<Origin> {
  by?: Author;
  thread?: string;
}

interface Told {
  answer: string;
  asked: TurnEventOf<"approval_requested">[];
}

export interface WorldOptions {
  script: (request: ModelRequest) => Line;
  /** Flow files by name. */
  flows?: Record<string, object>;
  skills?: readonly Skill[];
  /** Whether there is a tool server, and what is planted in its texts. */
  mail?: Planted;
  topic?: string;
}

export async function createWorld(options: WorldOptions): Promise<World> {
  const mail = options.mail === undefined ? undefined : await openMailServer(options.mail);
  const bench = mail === undefined ? undefined : await openBench({ mail: { url: mail.url } });
  onTestFinished(async () => {
    await bench?.close();
    await mail?.close();
  });
  await bench?.servers.start("mail");
  const model = scriptedModel(options.script);
  const files = Object.entries(options.flows ?? {}).map(([name, flow]) => [
    `${name}.json`,
    JSON.stringify(flow),
  ]);
  const root = temporaryFolder(Object.fromEntries(files));
  const app = createTestApp(model, {
    saidLine: createSaidLine(),
    limits: { skill_list_tokens: 4_000 },
    web: createWeb({ allow: ["127.0.0.1"], lookup: resolverOf(["127.0.0.1"]), timeoutMs: 5_000 }),
    sources: [
      ...shippedSkills,
      createFlowSource({ source: "workspace", precedence: 5, root, ports: {} }),
      testSource(options.skills ?? []),
      ...(bench === undefined ? [] : [bench.source]),
    ],
  });
  const describe = async () => ({ name: "general", topic: options.topic ?? "" });
  const platform = Object.assign(createFakePlatform(), { describe });
  app.chat.connect(platform);
  let count = 0;
  const say: World["say"] = async (text, verdict, { by = ben, thread = "t1", ...origin } = {}) => {
    count += 1;
    const message = `call-${count}`;
    const said_at = Date.UTC(2026, 10, 22, 8, count);
    const place = { namespace: channel, by, thread, key: message };
    const turnId = await app.say(text, {
      ...place,
      origin: { message, said_at, files: [], in_thread: true, ...origin },
    });
    const asked: Told["asked"] = [];
    let answer = "";
    for await (const event of follow(app.app, turnId)) {
      if (event.type === "turn_finished") answer = event.text;
      if (event.type !== "approval_requested") continue;
      asked.push(event);
      await approve(app.app, event.approval_id, verdict, ada);
    }
    return { answer, asked };
  };
  return { app, model, platform, mail, say };
}
