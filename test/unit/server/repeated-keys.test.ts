import { expect, it } from "vitest";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { ada, createTestApp } from "../../support/test-app.ts";
import { json, send, startServer } from "./start-server.ts";

const said = {
  namespace: "console:local:general",
  thread: "t1",
  text: "Pay the bill",
  user: "ada",
  key: "k",
};

async function posting() {
  const { app, log } = createTestApp(scriptedModel(["done"]));
  const { url } = await startServer({ app });
  const post = async (body: object) => {
    const answer = await send(`${url}/api/v1/turns`, {
      method: "POST",
      headers: json,
      body: JSON.stringify(body),
    });
    return { status: answer.status, type: answer.headers["content-type"], body: JSON.parse(answer.text) };
  };
  return { app, log, post };
}

it("a retry is answered with the turn that the message made", async () => {
  const { post } = await posting();
  const first = await post(said);
  expect(await post(said)).toEqual(first);
  expect(first.status).toBe(202);
});

it("a retry without a thread is answered with the same turn and thread", async () => {
  const { post } = await posting();
  const { thread: _thread, ...anywhere } = said;
  const first = await post(anywhere);
  expect(first.status).toBe(202);
  expect(await post(anywhere)).toEqual(first);
  expect((await post({ ...anywhere, key: "k2" })).body.thread).not.toBe(first.body.thread);
});

it.each([
  { text: "Pay another bill" },
  { namespace: "console:local:other" },
  { thread: "t2" },
  { user: "ben" },
])("another message under the same key is refused: %j", async (change) => {
  const { post, log } = await posting();
  await post(said);
  const refused = await post({ ...said, ...change });
  expect(refused).toMatchObject({
    status: 409,
    type: "application/problem+json",
    body: { status: 409, code: "key_taken", detail: expect.stringContaining("Nothing was done") },
  });
  expect(await log.list({})).toHaveLength(1);
});

it("a chat platform's message is taken once, though it was edited before it was delivered again", async () => {
  const { app } = await posting();
  const origin = { message: "m1", said_at: 1, files: [], in_thread: false };
  const message = { namespace: "slack:w:c", thread: "t1", text: "hello", author: ada, key: "m1", origin };
  const first = await app.submit(message);
  const again = await app.submit({ ...message, text: "hello, edited" });
  expect(first).toMatchObject({ ok: true, value: { accepted: true } });
  expect(again).toMatchObject({ ok: true, value: { accepted: false } });
});
