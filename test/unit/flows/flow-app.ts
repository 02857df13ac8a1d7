import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import type { FlowPorts } from "../../../src/flows/run-flow.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { createTestApp, type TestAppOptions } from "../../support/test-app.ts";
import { startServer } from "../net/local-server.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";

interface Received {
  method: string;
  url: string;
  type: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

/** An API that remembers what it got and answers as told. */
export async function startApi(answer: (request: Received, response: ServerResponse) => void) {
  const received: Received[] = [];
  const server = await startServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const got = { method, url, headers, type: headers["content-type"], body: await text(request) };
    received.push(got);
    answer(got, response);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { origin: server.origin, received };
}

export const json = (value: unknown) => (_request: Received, response: ServerResponse) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
};
export const page = (html: string) => (_request: Received, response: ServerResponse) => {
  response.setHeader("content-type", "text/html");
  response.end(html);
};

export const start = (variables: object[]) => ({ type: "start", config: { variables } });

/** A condition block. */
export const condition = (test: object, yes: object[], no: object[] = [], more: object = {}) => ({
  type: "condition",
  // biome-ignore lint/suspicious/noThenProperty: it is a word of the file format.
  config: { if: test, then: yes, else: no, ...more },
});

/** A whole app with one flow `f`, and more if told. */
export function appWith(
  steps: object[],
  {
    script = ["Done."],
    generative = true,
    file = {},
    files = {},
    skills = [],
    ports = {},
    ...more
  }: Partial<Setting> = {},
) {
  const root = temporaryFolder({ "7f3a.json": JSON.stringify({ name: "F", steps, ...file }), ...files });
  const model = scriptedModel(script, { generative });
  const sources = [
    createFlowSource({ source: "bundled", precedence: 4, root, ports }),
    { id: "skills", load: async () => ({ skills, diagnostics: [] }) },
  ];
  return { model, app: createTestApp(model, { sources, web: createWeb({ allow: ["127.0.0.1"] }), ...more }) };
}

export interface Setting extends Pick<TestAppOptions, "log" | "clock"> {
  script: Parameters<typeof scriptedModel>[0];
  generative: boolean;
  /** Further keys of the flow's file. */
  file: object;
  /** Further files of its folder. */
  files: Record<string, string>;
  /** Further skills. */
  skills: readonly Skill[];
  ports: FlowPorts;
}

/** The output of `/flow run f` with these arguments; its error's fields when it fails. */
export async function run(steps: object[], args: object = {}, setting: Partial<Setting> = {}) {
  const { app } = appWith(steps, setting);
  const { end, events } = await app.ask(`/flow run f ${JSON.stringify(args)}`);
  expect(app.errors).toEqual([]);
  return { text: end.text, outcome: end.outcome, output: end.output as Record<string, unknown>, events };
}

/** The variables of a run that succeeded. */
export async function variablesOf(steps: object[], args: object = {}, setting: Partial<Setting> = {}) {
  const { output, text: told, outcome } = await run(steps, args, setting);
  expect(outcome, told).toBe("completed");
  return (output.output as { variables: Record<string, unknown> }).variables;
}

/** Stages that were completed, with their names in the trace. */
export function traceOf(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "stage" && event.status === "completed" && event.skill_id === "f" ? [event.name] : [],
  );
}
