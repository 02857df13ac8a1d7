import { describe, expect, it } from "vitest";
import { personKey } from "../../../src/core/values/place.ts";
import { json, send, startServer } from "./start-server.ts";

const slack = "slack:T024BE7LD:C024BE91L";
const discord = "discord:81384788765712384:381870553235193857";

/** A caller of the API says something in a channel under a name. */
async function say(namespace: string, user: string, speakForPeople = false) {
  const { url, asked } = await startServer({ speakForPeople });
  const body = JSON.stringify({ namespace, thread: "t1", text: "hello", user });
  const response = await send(`${url}/api/v1/turns`, { method: "POST", headers: json, body });
  return { status: response.status, text: response.text, asked };
}

describe("the user that a caller of the API names", () => {
  it.each([
    [slack, "U024BE7LH"],
    [slack, "W012A3CDE"],
    [slack, "U_VICTIM"],
    [discord, "80351110224678912"],
    [slack, "80351110224678912"],
  ])(
    "the API's user is no person of the platform: in %s, %s is refused with the reason [access-3]",
    async (namespace, user) => {
      const { status, text, asked } = await say(namespace, user);
      expect([status, asked]).toEqual([403, []]);
      expect(JSON.parse(text)).toMatchObject({
        code: "user_refused",
        detail: expect.stringContaining("server.speak_for_people: true"),
      });
    },
  );

  it.each([
    [slack, "operator", "operator"],
    [slack, "anna", "api:anna"],
    [discord, "Anna-Lena", "api:Anna-Lena"],
    ["console:local:general", "anna", "anna"],
    ["console:local:general", "U024BE7LH", "U024BE7LH"],
  ])(
    "the API's user has, in %s, an id that no person of a platform has: %s is %s",
    async (namespace, user, id) => {
      const { status, asked } = await say(namespace, user);
      expect(status).toBe(202);
      expect(asked).toMatchObject([{ author: { id, name: user, trust: "operator" } }]);
    },
  );

  it("the API's user does not reach the accounts of the person with that name", async () => {
    const { asked } = await say(slack, "anna");
    const [{ author }] = asked as [{ author: { id: string } }];
    expect(personKey(slack, author.id)).not.toBe(personKey(slack, "anna"));
  });

  it("the API's user is a person of the platform where the operator allows it", async () => {
    const { status, asked } = await say(slack, "U024BE7LH", true);
    expect(status).toBe(202);
    expect(asked).toMatchObject([{ author: { id: "U024BE7LH" } }]);
  });

  it.each([
    ["POST", "/approvals/a1", { approve: true, user: "U024BE7LH" }],
    ["POST", "/turns/t1/stop", { user: "80351110224678912" }],
    ["PUT", `/namespaces/${slack}`, { settings: { paused: true }, user: "U024BE7LH" }],
  ])("the API decides nothing in a person's name: %s %s", async (method, path, body) => {
    const { url, asked } = await startServer();
    const response = await send(`${url}/api/v1${path}`, {
      method,
      headers: json,
      body: JSON.stringify(body),
    });
    expect(JSON.parse(response.text)).toMatchObject({ status: 403, code: "user_refused" });
    expect(asked).toEqual([]);
  });
});
