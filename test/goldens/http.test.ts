import { expect, it } from "vitest";
import { ben } from "../support/test-app.ts";
import { expectGolden } from "./golden.ts";
import { type GoldenServer, startGoldenServer } from "./golden-server.ts";
import { type Call, calls } from "./http-calls.ts";
import { type Answer, described, describedAnswer, send, storedEvents } from "./http-client.ts";
import { describedApi, routesOf } from "./openapi-lines.ts";

/** What earlier answers named. */
type Named = Record<"turn" | "approval" | "question" | "trust", string>;

function filledIn<T>(value: T, named: Named): T {
  const text = JSON.stringify(value).replace(
    /\{(turn|approval|question|trust)\}/g,
    (_all, name: keyof Named) => JSON.stringify(named[name]).slice(1, -1),
  );
  return JSON.parse(text);
}

/** Notes what a later call may name. */
function note(named: Named, text: string): void {
  const found = (pattern: RegExp, before: string) => pattern.exec(text)?.[1] ?? before;
  named.approval = found(/"approval_id":"([^"]+)"/, named.approval);
  named.question = found(/"question_id":"([^"]+)"/, named.question);
  named.trust = found(/"definition":"([^"]+)"/, named.trust);
}

async function followed({ url, test }: GoldenServer, call: string): Promise<string> {
  const [what, turn = ""] = call.split(" ");
  const events = await storedEvents(url, turn, what === "END");
  const isWaiting = !events.at(-1)?.includes('"type":"turn_finished"');
  await expect
    .poll(async () => (await test.app.turn(turn))?.status, { interval: 1 })
    .toBe(isWaiting ? "waiting" : "finished");
  return events.join("\n");
}

async function record(server: GoldenServer, call: Call, named: Named): Promise<string> {
  const asked = filledIn(call, named);
  if (/^(FOLLOW|END) /.test(asked.call)) {
    const events = await followed(server, asked.call);
    note(named, events);
    return described(asked, events);
  }
  // Not before what is followed: a turn that was accepted begins at the same time.
  server.tick();
  if (asked.call.startsWith("SAY ")) {
    const more = { by: ben, namespace: "fake:team:general", thread: "t1" };
    named.turn = await server.test.say(asked.call.slice("SAY ".length), more);
    return described(asked, "");
  }
  const answer = await send(server.url, asked);
  note(named, answer.text);
  if (answer.status === 202) named.turn = JSON.parse(answer.text).turn_id;
  return described(asked, describedAnswer(answer, asked));
}

it.each(Object.keys(calls))("the routes of %s answer as before", async (name) => {
  const server = await startGoldenServer();
  const named: Named = { turn: "none", approval: "none:1", question: "none", trust: "none" };
  const records: string[] = [];
  for (const call of calls[name] ?? []) records.push(await record(server, call, named));
  expect(server.test.errors).toEqual([]);
  await expectGolden(`http/${name.replaceAll(" ", "-")}.txt`, records.join("\n"));
});

it("the description of the API is as before", async () => {
  const { url } = await startGoldenServer();
  const { text } = await send(url, { call: "GET /openapi.json" });
  await expectGolden("http/openapi.txt", describedApi(JSON.parse(text)));
});

const token = "a-token-for-the-goldens";
const bearer = (value: string) => ({ headers: { Authorization: `Bearer ${value}` } });

it("the API with a token answers only callers who have it", async () => {
  const { url } = await startGoldenServer({ token });
  const document = await send(url, { call: "GET /openapi.json", ...bearer(token) });
  const outside = [
    "GET //healthz",
    "GET //readyz",
    "GET //metrics",
    "GET //",
    "GET /openapi.json",
    "GET /nonsense",
  ];
  const lines: string[] = [];
  for (const call of [...outside, ...routesOf(JSON.parse(document.text))]) {
    const without = await send(url, { call });
    const wrong = await send(url, { call, ...bearer("nonsense") });
    lines.push(`${call}: ${without.status} without a token, ${wrong.status} with a wrong one`);
  }
  for (const headers of [{}, bearer("nonsense").headers, bearer(token).headers]) {
    const call = { call: "GET /skills?query=haiku", headers };
    lines.push("", described(call, describedAnswer(await send(url, call), call)).trimEnd());
  }
  await expectGolden("http/access.txt", lines.join("\n"));
});

it("a server that is shutting down says that it is not ready", async () => {
  const { server, url } = await startGoldenServer();
  server.drain();
  const call = { call: "GET //readyz" };
  const answer: Answer = await send(url, call);
  await expectGolden("http/draining.txt", described(call, describedAnswer(answer, call)));
});
