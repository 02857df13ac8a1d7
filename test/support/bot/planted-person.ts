/** A data folder in which a person has left words of theirs in every place that words of people reach. */
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TurnEventBody } from "../../../src/core/log/turn-event.ts";
import type { Author, Inbound } from "../../../src/core/values/inbound.ts";
import { exited, fakeCode } from "../fakes/fake-code.ts";
import { runThatWrites, writes } from "../fakes/folder-code.ts";
import { scriptedModel } from "../models/scripted-model.ts";
import { ben, createTestApp } from "../test-app.ts";
import type { DataFolder } from "./stored-bytes.ts";

/** A person whose id and name occur in no other text. */
export const zora: Author = { id: "UZORA77", name: "Zora Quill", trust: "member" };

/** The prefix of all words of the person, and of other people's words that must stay. */
const stem = "heliotrope";
export const others = "marigold";
/** Too short to be searched for in other people's text. */
const shortFact = "hx7-qz";

const bytes = (text: string) => new TextEncoder().encode(text);
const file = (name: string, text: string) => ({ name, media_type: "text/plain", data: bytes(text) });

/** Each person's message, the output of the code in their turn, and the answer. */
const turns = [
  {
    by: zora,
    text: `${stem}message`,
    wrote: { "keep.txt": `${stem}code`, [`${stem}folder/a.txt`]: "1", "output/r.txt": `${stem}output` },
    printed: `${stem}stdout`,
    answer: `${stem}answer`,
  },
  {
    by: ben,
    text: `${others}question`,
    wrote: { "bens.txt": `${others}file` },
    printed: `${stem}read`,
    answer: `${others}answer`,
  },
] as const;

/** Plants it all in a channel. `bulk` are further turns of the person, of different lengths: rows that move between pages. */
export async function plantPerson(data: DataFolder, root: string, namespace: string, { bulk = 0 } = {}) {
  const direct = namespace.split(":").length > 2 ? namespace.replace(/[^:]+$/, "") : `${namespace}:`;
  await plantTurnsOfOthers(data, namespace);
  const printed = turns.map((turn) => turn.printed as string);
  const wrote = turns.map((turn) => turn.wrote as Record<string, string>);
  const code = fakeCode(async ({ working }) => {
    if (working !== undefined) await writes(wrote.shift() ?? {})(working);
    return exited(printed.shift() ?? "");
  });
  const run = [{ call: "run_code", with: { language: "python", code: "print(open('keep.txt'))" } }];
  const lines = turns.flatMap(({ answer }) => [run, answer]);
  const { store, log, index, knowledge, files, folders, due, sealed } = data;
  const model = scriptedModel([...lines, `${stem}again`]);
  const app = createTestApp(model, {
    store,
    log,
    index,
    files,
    folders,
    due,
    code,
    sealed: sealed.webhooks,
    means: { knowledge },
  });
  for (const { by, text } of turns) {
    const given = by === zora ? { files: [file(`${stem}name.txt`, `${stem}attached`)] } : {};
    const outcome = await app.app.submit({ namespace, thread: "shared", text, author: by, ...given });
    if (!outcome.ok) throw new Error(outcome.message);
    await app.events(outcome.value.turn_id);
    await store.set(`feedback:${outcome.value.turn_id}`, { [zora.id]: "good" });
  }
  for (let at = 0; at < bulk; at += 1)
    await app.ask(`${stem}${at} ${"word ".repeat(at * 7)}`, { by: zora, namespace, thread: `z${at}` });
  const [own] = await log.list({ namespace, author: zora.id, limit: 1 });
  const key = `again:${own?.turn_id}:press`;
  await app.ask(`${stem}again`, { namespace, thread: own?.thread ?? "shared", key });
  await plantValues(data, namespace, `${direct}dm-${zora.id}`);
  await plantLearned(data, namespace);
  await plantPlans(data, namespace);
  await plantLeftovers(root, namespace);
  return app;
}

/** Turns of Ben that had to do with the person. */
async function plantTurnsOfOthers({ log, files }: DataFolder, namespace: string): Promise<void> {
  const from = { by: zora.name, author: zora.id };
  const heard = { ...from, text: `${stem}heard`, at: 1 };
  const image = { ...from, name: "i.png", media_type: "image/png", bytes: 3, image: "i.png" };
  const call = { call_id: "c", tool: "t", status: "ok" as const, duration_ms: 1 };
  const decided = { approval_id: "a", approved: true, by: zora.id, name: zora.name };
  const said = (text: string) => ({ from: `${zora.name} <@${zora.id}>`, text });
  const journal = { author: { id: zora.id, name: zora.name }, text: `${stem}journal` };
  const picture = { call_id: "c", name: "p.png", media_type: "image/png", bytes: 3 };
  type Kind = { event?: TurnEventBody; inbound?: Partial<Inbound>; stops?: true; thread?: string };
  const kinds: Record<string, Kind> = {
    heard: { event: { type: "context_read", thread: [heard], files: [image] } },
    decided: { event: { type: "approval_decided", ...decided } },
    answered: { event: { type: "question_answered", question_id: "q", text: `${stem}reply`, by: zora.id } },
    found: { event: { type: "tool_finished", ...call, output: [said(`${stem}found`)] } },
    step: { event: { type: "step_finished", call_id: "c", step: "read#1", result: [journal] } },
    named: {
      event: { type: "tool_started", ...{ ...call, title: "", skill_id: "s" }, input: { id: zora.id } },
    },
    caused: {
      inbound: {
        cause: { kind: "trigger", id: "g", because: "", happened: `${stem}event`, caused_by: [zora.id] },
      },
    },
    stopped: { stops: true },
    // Nothing in it names the person, but it continues a transcript that does.
    later: {
      event: { type: "step_finished", call_id: "c", step: "s#1", result: `${stem}later` },
      thread: "found",
    },
  };
  for (const [id, { event, inbound, stops, thread = id }] of Object.entries(kinds)) {
    const message = { key: id, namespace, thread, author: ben, kind: "message", text: others } as const;
    await log.accept({ ...message, ...inbound }, id, 1);
    if (stops) await log.signal(id, { type: "stop", by: zora.id }, 1);
    await log.claim(`lease-${id}`, 1_000);
    const looked: TurnEventBody[] = event === undefined ? [] : [event, { type: "picture_shown", ...picture }];
    const end: TurnEventBody = { type: "turn_finished", outcome: "completed", text: `${others}kept` };
    const stamp = (body: TurnEventBody, at: number) => ({ ...body, turn_id: id, seq: at + 1, at: 2 });
    await log.append(id, `lease-${id}`, [...looked, end].map(stamp));
    const kept = { heard: ["i.png", "p.png"] }[id] ?? (event === undefined ? [] : ["p.png"]);
    for (const name of kept)
      await files.put(id, { name, media_type: "image/png", data: bytes(`${stem}${name}`) });
  }
  await log.accept({ key: "d", namespace, thread: "d", author: ben, kind: "message", text: "d" }, "d", 1);
  await log.claim("lease-d", 1_000);
  await log.append("d", "lease-d", [
    { type: "turn_finished", outcome: "completed", text: "", turn_id: "d", seq: 1, at: 2 },
  ]);
  // A manager deletes what others asked.
  await log.forget("d", zora.id, 3);
}

async function plantValues({ store, sealed }: DataFolder, namespace: string, direct: string): Promise<void> {
  const fact = { by: zora.name, author: zora.id, at: 1, pinned: true };
  const facts = [
    { ...fact, id: 1, text: `Prefers ${stem}fact` },
    { ...fact, id: 2, text: shortFact },
    { ...fact, id: 3, text: `${others}fact`, by: "Ben", author: "ben" },
  ];
  await store.set(`skill:${namespace}:memory:facts`, { next: 4, facts });
  await store.set(
    `skill:${namespace}:memory:pinned`,
    facts.map(({ text, by, author }) => ({ text, by, author })),
  );
  await store.set(`opening:${"0".repeat(64)}`, {
    told: { facts: [`<fact from="${zora.name}">${shortFact}</fact>`] },
  });
  const binding = { skill_id: "s", tool: "t", definition: "d", values: { to: `${stem}recipient` } };
  const decision = { binding, approver: "asker", at: 1, by: zora.id, name: zora.name };
  const book = { next: 3, allowances: [{ ...decision, id: 1 }], refusals: [{ ...decision, id: 2 }] };
  await store.set(`allowances:${namespace}`, book);
  await store.set(`allowances:${direct}`, book);
  await store.set(`namespace:${namespace}`, { settings: { paused: { by: zora.id, at: 1 } } });
  await store.set(`namespace:${direct}`, { settings: { profile: `${stem}profile` } });
  await store.set(`channel-index:${namespace}`, { by: zora.id, name: zora.name, at: 1 });
  await store.set(`skill:${direct}:notes:list`, [`${stem}private`]);
  await store.set(`chat-thread:${namespace}:shared`, { asker: zora.id, company: "alone", bot_turns: 0 });
  await store.set(`chat-late:${namespace}:late`, {
    newest: { author: { id: zora.id, name: zora.name }, text: `${stem}late` },
  });
  await store.set("trust:files", { tools: [], by: zora.id, at: 1 });
  const account = `${namespace.split(":").slice(0, 2).join(":")}:${zora.id}`;
  await sealed.logins.set(`tokens:0f:${account}`, { access_token: `${stem}token` });
}

async function plantLearned({ knowledge, index }: DataFolder, namespace: string): Promise<void> {
  const document = { title: `${stem}title`, source: `${stem}source`, author: zora.id, by: zora.name, at: 1 };
  await knowledge.add(namespace, document, [{ text: `About ${stem}document`, place: "page 1" }]);
  const bens = { title: "Menu", source: "m", author: "ben", by: "Ben", at: 1 };
  await knowledge.add(namespace, bens, [{ text: `${others}document`, place: "" }]);
  const said = Array.from({ length: 60 }, (_, at) => ({
    namespace,
    reference: String(at),
    at,
    author: at % 3 === 0 ? { id: zora.id, name: zora.name } : { id: "ben", name: "Ben" },
    text: at % 3 === 0 ? `${stem}said ${at}` : `${others}said helio ${at}`,
  }));
  await index.put(said);
}

async function plantPlans({ due, sealed }: DataFolder, namespace: string): Promise<void> {
  const made = { text: `${stem}plan`, thread: "t", made_at: 1 };
  const condition = { on: "reaction", emoji: "x", by: zora.id };
  const entry = (id: string, value: object) =>
    due.add({ id, namespace, kind: "trigger", value: { ...value } });
  await entry("hers", { ...made, what: "trigger", maker: { ...zora }, condition: { on: "webhook" } });
  await sealed.webhooks.set("hers", `${stem}secret`);
  // A program's request, or the output of their code, that waits for a turn.
  const waits = { key: "k", at: 1, happened: `${stem}waits`, trigger: "hers" };
  await due.add({ id: "hers.k", namespace, kind: "trigger_event", value: waits });
  const held = { key: "k", at: 1, by: zora.id, happened: `${stem}held`, trigger: "bens" };
  await due.add({ id: "bens.k", namespace, kind: "trigger_event", value: held });
  await entry("bens", { ...made, text: others, what: "trigger", maker: { ...ben }, condition });
  await entry("watched", { trigger: "bens", thread: "t", by: zora.id, text: `${stem}watched`, at: 1 });
}

/** Leftovers of a crash in the folders of threads: a draft, and a copy of a file for a run, with times of an earlier process. */
async function plantLeftovers(root: string, namespace: string): Promise<void> {
  const threads = join(root, "threads");
  for (const thread of await readdir(threads)) {
    const owner = await readFile(join(threads, thread, "thread.json"), "utf8");
    if (!owner.includes(`"${namespace}"`)) continue;
    const draft = join(threads, thread, ".1.draft");
    const copies = join(threads, thread, "shown-1");
    await mkdir(copies, { recursive: true });
    await writeFile(join(copies, "0"), `${stem}copy`);
    await writeFile(draft, `${stem}draft`);
    await utimes(draft, 1, 1);
  }
}

/** The same id elsewhere belongs to another person, whose data must stay. */
export async function plantNamesake({ knowledge, index, store, folders }: DataFolder, namespace: string) {
  const document = { title: "T", source: "s", author: zora.id, by: "N", at: 1 };
  await knowledge.add(namespace, document, [{ text: others, place: "" }]);
  await index.put([{ namespace, reference: "1", author: { id: zora.id, name: "N" }, text: others, at: 1 }]);
  const fact = { id: 1, text: others, by: "N", author: zora.id, at: 1, pinned: false };
  await store.set(`skill:${namespace}:memory:facts`, { next: 2, facts: [fact] });
  await runThatWrites(folders.of({ namespace, thread: "t" }), { "a.txt": others });
  return async () => ({
    documents: (await knowledge.list(namespace)).length,
    messages: (await index.extent(namespace)).messages,
    facts: JSON.stringify(await store.get(`skill:${namespace}:memory:facts`)).includes(others),
    files: (await folders.of({ namespace, thread: "t" }).list()).files.length,
  });
}

/** Everything that has to be gone. */
export const wordsOfZora: readonly string[] = [stem, zora.id, zora.name, "Zora", shortFact];
