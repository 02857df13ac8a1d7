import type { TurnEvent, TurnEventOf } from "../../../src/core/log/turn-event.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { TurnLimits } from "../../../src/core/scope/turn.ts";
import type { Author, Mention } from "../../../src/core/values/inbound.ts";
import type { Profile } from "../../../src/core/values/profile.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { approve } from "../bot/ask-app.ts";
import { follow } from "../follow.ts";
import { type Line, scriptedModel } from "../models/scripted-model.ts";
import { shippedSkills } from "../skills/shipped-skills.ts";
import { createTestApp } from "../test-app.ts";
import { createFakeChat, type FakeChat } from "./fake-chat-actions.ts";
import { createFakePlatform } from "./fake-platform.ts";

export const ann: Author = { id: "U1ANN", name: "Ann", trust: "member", time_zone: "Europe/Berlin" };
export const dora: Author = { id: "U4DORA", name: "Dora", trust: "member" };
export const mia: Author = { id: "U9MIA", name: "Mia", trust: "manager" };
export const general = "fake:team:general";
const at = (text: string) => Date.parse(`${text}Z`);

export type TestWorld = ReturnType<typeof createWorld>;

/** A workspace with six rooms, people and groups, and a bot that answers by `lines`. */
export function createWorld(
  lines: readonly Line[] | ((request: ModelRequest) => Line),
  limits: Partial<TurnLimits> = {},
  more: Parameters<typeof createTestApp>[1] = {},
) {
  const chat = createFakeChat();
  chat.rooms.push(
    { namespace: general, name: "general", members: ["U1ANN", "U2BEN", "U4DORA", "U9MIA"] },
    { namespace: "fake:team:random", name: "random", topic: "Lunch", members: ["U1ANN", "U2BEN"] },
    { namespace: "fake:team:board", name: "board", private: true, members: ["U1ANN", "U2BEN"] },
    { namespace: "fake:team:secret", name: "secret", members: ["U1ANN"], withoutBot: true },
    { namespace: "fake:team:old", name: "old", members: ["U1ANN"], archived: true },
    { namespace: "fake:team:dm-U1ANN", name: "Ann", private: true, members: ["U1ANN"] },
  );
  chat.known.push(
    { id: "U1ANN", name: "Ann", here: true },
    { id: "U2BEN", name: "Ben", full_name: "Benjamin Brown", here: true },
    { id: "U3CLEO", name: "Cleo", here: false },
    { id: "U6EVE", name: "What Ever", here: true },
    { id: "U7WILL", name: "Will Smith", here: true },
    { id: "U10WILL", name: "Will", full_name: "William Tell", here: true },
    { id: "U8MARK", name: "Mark Twain", here: true },
    { id: "U9MIA", name: "Mia", here: true },
    { id: "U14MARK", name: "Franken", here: true },
    { id: "U11FIRE", name: "🔥", here: true },
    { id: "B1", name: "CI", here: true, standing: "bot" },
  );
  chat.groups.push(
    { id: "S1ONCALL", name: "oncall", members: 4, callable: true },
    { id: "S2ALL", name: "all-hands", members: 500, callable: true },
    { id: "S3LOCKED", name: "locked", members: 3, callable: false },
    { id: "S4DESIGN", name: "design", members: 3, callable: true },
  );
  say(chat, general, "m1", "U2BEN", "Ben", "The release branch is cut.", "2026-11-23T08:00");
  say(chat, general, "m2", "U2BEN", "Ben", "Fixed the invoice bug.", "2026-11-25T08:00");
  say(chat, "fake:team:board", "b1", "U2BEN", "Ben", "We close Oslo.", "2026-11-25T08:00");
  say(chat, "fake:team:random", "r1", "U2BEN", "Ben", "Pizza on Friday?", "2026-11-25T08:00");
  const model = scriptedModel(lines);
  const platform = Object.assign(createFakePlatform(), { actions: chat });
  const { store = createMemoryKeyValue(), due = createMemoryTurnLog().due } = more;
  const app = createTestApp(model, {
    ...more,
    sources: [...shippedSkills, ...(more.sources ?? [])],
    limits: { tool_output_tokens: 4_000, ...limits },
    store,
    due,
  });
  app.chat.connect(platform);
  /** Everything that the channel keeps, as text. */
  const kept = async () => {
    const values: unknown[] = [await due.list({ namespace: general, most: 50 })];
    for await (const key of store.keys("skill:")) values.push(await store.get(key));
    return JSON.stringify(values);
  };
  return { app, chat, platform, model, kept };
}

/** Puts a message into the history of a room. */
export function say(
  { messages }: FakeChat,
  namespace: string,
  id: string,
  author: string,
  name: string,
  text: string,
  time: string,
) {
  const self = author === "bot";
  messages.push({
    namespace,
    id,
    text,
    at: at(time),
    files: [],
    link: `https://chat.example/${id}`,
    author: { id: author, name, bot: self, self },
  });
}

interface Asked {
  by?: Author;
  namespace?: string;
  mentions?: Mention[];
  verdict?: boolean;
}

/** Runs one turn; decides approvals with `verdict`, as a manager where required. */
export async function ask(world: ReturnType<typeof createWorld>, text: string, given: Asked = {}) {
  const { by = ann, namespace = general, mentions, verdict = true } = given;
  const { app, model } = world;
  const message = `${model.requests.length}.0`;
  const origin = { message, said_at: at("2026-11-25T09:00"), files: [], in_thread: false };
  const said = { ...origin, ...(mentions === undefined ? {} : { mentions }) };
  const turnId = await app.say(text, { by, namespace, thread: "t1", key: message, origin: said });
  const events: TurnEvent[] = [];
  const asked: TurnEventOf<"approval_requested">[] = [];
  for await (const event of follow(app.app, turnId)) {
    events.push(event);
    if (event.type !== "approval_requested") continue;
    asked.push(event);
    await approve(app.app, event.approval_id, verdict, event.approver === "manager" ? mia : by);
  }
  const results = events.flatMap((event) => (event.type === "tool_finished" ? [event] : []));
  return { turnId, events, asked, results, result: JSON.stringify(results[0]?.output) };
}

/** The bot's agents where it has two. */
export const agents: [Profile, Profile] = [
  { id: "chat", description: "Chats.", prompt: "" },
  { id: "maker", description: "Makes.", prompt: "" },
];

/** A call that has the second of them do a task in the background. */
export const inBackground = (reason: string) => ({
  call: "handoff",
  with: { to: "maker", reason, background: true },
});

/** The lines of a model that calls one tool of the chat skill and ends. */
export const call = (tool: string, given: object): Line[] => [
  [{ call: `chat_${tool}`, with: given }],
  "Done.",
];
