import { OpenAPIHono } from "@hono/zod-openapi";
import { Command } from "commander";
import { expect, it } from "vitest";
import { z } from "zod";
import { operationCommands } from "../../../src/app/commands/operation-commands.ts";
import { complete, type Operation, operation, runOperation } from "../../../src/app/operations/operation.ts";
import type { Services } from "../../../src/app/operations/services.ts";
import { allOperations } from "../../../src/app/operations/table.ts";
import { CommandReader } from "../../../src/app/turns/command-reader.ts";
import { addOperationCommands } from "../../../src/cli/operation-commands.ts";
import { createApiClient } from "../../../src/client/api-client.ts";
import { slashCommands } from "../../../src/platforms/discord/incoming/slash-commands.ts";
import { addOperationRoutes } from "../../../src/server/routes/operation-routes.ts";
import { ada } from "../../support/test-app.ts";

const ownMachine = { host: "127.0.0.1", port: 0 };
/** All that it takes: one definition. */
const remember = operation({
  name: "note.add",
  input: z.object({
    id: z.string().min(1).describe("what to note"),
    namespace: z.string().default("console:local:dm"),
  }),
  output: z.object({ noted: z.string() }),
  who: { least: "manager", refusal: "Only managers may note something." },
  http: { route: "POST /notes/{id}", summary: "Note something", answers: "what was noted" },
  chat: [
    {
      command: "note add",
      description: "Notes something",
      options: [
        {
          name: "text",
          description: "What to note",
          required: true,
          complete: async () => [{ text: "milk", description: "is always needed" }],
        },
      ],
      read: (words, { namespace }) => (words === "" ? undefined : { id: words, namespace }),
      missing: "Note what?",
    },
  ],
  commandLine: { command: "notes add <id>" },
  text: ({ noted }) => `Noted **${noted}**.`,
  run: async ({ input: { id } }) => ({ ok: true, value: { noted: id } }),
  audit: ({ noted }) => ({ action: "noted", subject: noted, detail: `noted **${noted}**` }),
});
const operations = [remember as unknown as Operation];

const recorded: object[] = [];
const commands = operationCommands(operations);
const services = {
  commands,
  audit: { record: (entry: object) => void recorded.push(entry) },
  feed: { changed: () => {} },
  clock: { now: () => 0 },
} as unknown as Services;

it("a new operation is a slash command with help and completion, and a subcommand on Discord", async () => {
  const reader = new CommandReader(commands, "Knack");
  const said = reader.read("@Knack note add milk", { namespace: "slack:T1:C1", thread: "t" });
  expect(said).toMatchObject({
    command: { name: "note add", operation: "note.add", input: { id: "milk", namespace: "slack:T1:C1" } },
  });
  const whole = await complete(services, "/", "slack:T1:C1");
  expect(whole).toEqual([{ text: "/note add ", label: "/note add <text>", description: "Notes something" }]);
  expect(await complete(services, "/note add m", "slack:T1:C1")).toMatchObject([{ text: "/note add milk" }]);
  expect(slashCommands(commands).find(({ name }) => name === "note")?.options).toMatchObject([
    { name: "add", options: [{ name: "text", description: "What to note", autocomplete: true }] },
  ]);
});

it("a new operation is a route that openapi.json describes, and a call of the client", async () => {
  const server = new OpenAPIHono();
  const app = {
    run: (_name: string, call: { input: never; asker: never }) =>
      runOperation(remember, { ...call, services, signal: new AbortController().signal }),
  };
  addOperationRoutes(
    server,
    { app, operator: "Ada", speakForPeople: false } as never,
    ownMachine,
    operations,
  );
  const document = server.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "t", version: "1" } });
  expect(document.paths?.["/notes/{id}"]?.post).toMatchObject({ summary: "Note something" });

  const root = new OpenAPIHono();
  root.route("/api/v1", server);
  const client = createApiClient({
    fetch: async (url, init) => root.request(url, init),
    baseUrl: "http://localhost",
    routes: { "note.add": "POST /notes/{id}" },
  });
  recorded.length = 0;
  expect(await client.call("note.add" as never, { id: "milk" } as never)).toEqual({ noted: "milk" });
  expect(recorded).toEqual([expect.objectContaining({ action: "noted", subject: "milk" })]);
});

it("a new operation is a command of the command line with --json", () => {
  const program = new Command("knack");
  program.command("notes");
  addOperationCommands(program, () => async () => {}, operations);
  const [command] = program.commands[0]?.commands ?? [];
  const help = command?.helpInformation();
  expect(help).toContain("Usage: knack notes add [options] <id>\n\nnote something\n");
  expect(help).toMatch(/^ {2}id +what to note$/m);
  expect(help).toMatch(/^ {2}--json +\{noted\}$/m);
  expect(command?.options.map(({ flags }) => flags)).toEqual(["--namespace <namespace>", "--json"]);
});

it("a new operation answers a command with its text, for the person alone where it is not public", async () => {
  const place = { namespace: "slack:T1:C1", thread: "t" };
  const given = { input: { id: "milk", namespace: place.namespace }, author: ada, place, words: "milk" };
  const call = { ...given, turn_id: "1", files: [], signal: new AbortController().signal };
  const text = "Noted **milk**.";
  const answers = [undefined, true, "failed"].map((kind) => {
    const chat = { ...remember.chat, public: kind === true ? true : undefined };
    const changed = { ...remember, chat, failed: () => kind === "failed" } as unknown as Operation;
    return operationCommands([changed])[0]?.run(call as never, services);
  });
  expect(await Promise.all(answers)).toEqual([
    { ok: true, text, private: true },
    { ok: true, text },
    { ok: false, text, private: true },
  ]);
});

it("each operation that people give as a command answers them", () => {
  const silent = allOperations.filter(
    ({ text, chat = [], commandLine = [] }) =>
      text === undefined &&
      ([commandLine].flat().length > 0 ||
        [chat].flat().some((form) => !("answer" in form) && form.say === undefined)),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it("each command of the command line belongs to one operation", () => {
  const forms = allOperations.flatMap(({ commandLine = [] }) =>
    [commandLine].flat().map(({ command }) => command),
  );
  expect(forms.length).toBeGreaterThan(30);
  const words = forms.map((command) => command.replace(/ [<[].*/, ""));
  expect(new Set(words).size).toBe(words.length);
});

it("a new operation is refused to people who may not use it, without an audit entry", async () => {
  recorded.length = 0;
  const call = {
    input: { id: "milk", namespace: "slack:T1:C1" },
    services,
    signal: new AbortController().signal,
  };
  const asker = { by: { ...ada, trust: "member" as const }, namespace: "slack:T1:C1" };
  expect(await runOperation(remember, { ...call, asker })).toMatchObject({ ok: false, status: 403 });
  expect(recorded).toEqual([]);
});
