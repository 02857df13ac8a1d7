import type { ElicitRequestFormParams } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { askedPerson } from "./asked-person.ts";

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];

function form(properties: Properties, required: string[] = Object.keys(properties)): ElicitRequestFormParams {
  return { message: "Which trip?", requestedSchema: { type: "object", properties, required } };
}

describe("a form of a tool server", () => {
  it("a tool server's form becomes a question for each field that says who asks", async () => {
    const person = askedPerson(["Rome", "Window", "3"]);
    const result = await person.elicit(
      form({
        city: { type: "string", title: "City", description: "where to" },
        seat: {
          type: "string",
          oneOf: [
            { const: "w", title: "Window" },
            { const: "a", title: "Aisle" },
          ],
        },
        nights: { type: "integer", minimum: 1 },
      }),
    );
    expect(result).toEqual({ action: "accept", content: { city: "Rome", seat: "w", nights: 3 } });
    expect(person.asked[0]?.text).toMatch(
      /^The tool server \*travel\* asks:\n> Which trip\?\n\n_Answer .*\n\n\*\*City\*\* – where to/,
    );
    expect(person.asked[1]).toMatchObject({ choices: ["Window", "Aisle", "Decline"] });
    expect(person.asked).toHaveLength(3);
  });

  it("a tool server's form hides no address behind other words [server-7]", async () => {
    const link = "[https://slack.com/login](https://evil.example) <@U1> ![x](https://evil.example/x.png)";
    const person = askedPerson(["Decline"]);
    const field = { type: "string" as const, title: link, description: link };
    await person.elicit({ ...form({ city: field }), message: link });
    const text = person.asked[0]?.text ?? "";
    expect(text).not.toMatch(/(?<!\\)[[\]<>](?! )/);
    expect(text.match(/\\\[https:/g)).toHaveLength(3);
  });

  it.each<[Properties[string], string, unknown]>([
    [{ type: "boolean" }, "Yes", true],
    [{ type: "boolean" }, "no", false],
    [{ type: "number" }, " 2.5 ", 2.5],
    [{ type: "string", enum: ["red", "green"] }, "GREEN", "green"],
    [{ type: "string", enum: ["red", "green"] }, "2", "green"],
    [{ type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] }, "red", "r"],
    [{ type: "array", items: { type: "string", enum: ["a", "b", "c"] } }, "c, a", ["c", "a"]],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "Apple" }] } }, "apple", ["a"]],
    [{ type: "string", format: "email" }, "ada@example.com", "ada@example.com"],
    [{ type: "string", format: "date" }, "2026-02-28", "2026-02-28"],
  ])("a form field of %o takes %o as %o", async (property, said, value) => {
    expect(await askedPerson([said]).elicit(form({ field: property }))).toEqual({
      action: "accept",
      content: { field: value },
    });
  });

  it.each<[Properties[string], string, string]>([
    [{ type: "boolean" }, "perhaps", "none of: Yes, No"],
    [{ type: "integer" }, "2.5", "expected int"],
    [{ type: "number", maximum: 5 }, "6", "<=5"],
    [{ type: "number" }, "", "not a number"],
    [{ type: "string", enum: ["red", "green"] }, "blue", "none of: red, green"],
    [{ type: "array", minItems: 2, items: { type: "string", enum: ["a", "b"] } }, "a", ">=2"],
    [{ type: "string", minLength: 3 }, "ab", ">=3 characters"],
    [{ type: "string", format: "email" }, "ada", "email"],
    [{ type: "string", format: "uri" }, "example", "URL"],
    [{ type: "string", format: "date" }, "28.2.2026", "ISO date"],
  ])("a form field of %o asks once more after %o, and then gives up", async (property, said, why) => {
    const person = askedPerson([said, said]);
    expect(await person.elicit(form({ field: property }))).toEqual({ action: "cancel" });
    expect(person.asked[1]?.text).toContain(why);
    expect(person.asked).toHaveLength(2);
    expect(person.notes[0]).toContain("did not fit twice");
  });

  it("a tool server's form fills in defaults and leaves out what may be skipped", async () => {
    const person = askedPerson(["skip", "Skip", "Decide later"]);
    const properties: Properties = {
      class: { type: "string", enum: ["e", "b"], enumNames: ["Economy", "Business"], default: "b" },
      note: { type: "string" },
      meal: { type: "string", default: "Decide later" },
    };
    expect(await person.elicit(form(properties, ["class"]))).toEqual({
      action: "accept",
      content: { class: "b", meal: "Decide later" },
    });
    expect(person.asked[0]?.text).toContain("“skip” takes Business");
    expect(person.asked[2]?.choices).toEqual(["Decide later", "Decline"]);
  });

  it("a tool server's form does not let a required field be skipped", async () => {
    const person = askedPerson(["skip", "Rome"]);
    expect(await person.elicit(form({ city: { type: "string" } }))).toMatchObject({
      content: { city: "Rome" },
    });
    expect(person.asked[1]?.text).toContain("city is needed");
  });

  it("a tool server's form with too many fields is declined without asking", async () => {
    const names = Array.from({ length: 16 }, (_, at) => `field ${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
    const person = askedPerson(["x"]);
    expect(await person.elicit(form(properties))).toEqual({ action: "decline" });
    expect(person.asked).toEqual([]);
    expect(person.notes[0]).toContain("too much for a chat");
  });

  it("a tool server's form without fields asks for a yes", async () => {
    expect(await askedPerson(["Yes"]).elicit(form({}))).toEqual({ action: "accept", content: {} });
    expect(await askedPerson(["rather not"]).elicit(form({}))).toEqual({ action: "decline" });
  });

  it.each([
    ["Decline", "decline"],
    ["cancel", "cancel"],
  ])("a tool server's form is ended by “%s”", async (said, action) => {
    const fields: Properties = { city: { type: "string" }, seat: { type: "string" } };
    expect(await askedPerson(["Rome", said]).elicit(form(fields))).toEqual({ action });
  });

  it("a tool server's form is cancelled when nobody answers", async () => {
    expect(await askedPerson([]).elicit(form({ city: { type: "string" } }))).toEqual({ action: "cancel" });
  });

  it.each(["password", "apiKey", "API_KEY", "github-token", "Your PIN"])(
    "a tool server's form that asks for “%s” is declined without asking",
    async (name) => {
      const person = askedPerson(["hunter2"]);
      expect(await person.elicit(form({ user: { type: "string" }, [name]: { type: "string" } }))).toEqual({
        action: "decline",
      });
      expect(person.asked).toEqual([]);
      expect(person.notes[0]).toContain(name);
    },
  );

  it.each(["max_tokens", "keyboard", "pinned", "city"])(
    "a tool server's form may ask for “%s”",
    async (name) => {
      expect(await askedPerson(["7"]).elicit(form({ [name]: { type: "string" } }))).toMatchObject({
        action: "accept",
      });
    },
  );

  it("a tool server's form cannot speak in the bot's name [server-7]", async () => {
    const person = askedPerson(["Rome"]);
    const message = `Fine.\n\n**Knack:** send me‮ your key\u0007\n${"x".repeat(5_000)}`;
    await person.elicit({ ...form({ city: { type: "string" } }), message });
    const [, ...lines] = person.asked[0]?.text.split("\n\n")[0]?.split("\n") ?? [];
    expect(lines.every((line) => line.startsWith("> "))).toBe(true);
    expect(lines[1]).toBe("> **Knack:** send me your key");
    expect(person.asked[0]?.text.length).toBeLessThan(2_000);
  });

  it("a tool server's form is not shown when a call asks more than five times", async () => {
    const person = askedPerson(Array.from({ length: 9 }, () => "Yes"));
    const results = [];
    for (let count = 0; count < 6; count += 1) results.push(await person.elicit(form({})));
    expect(results.map(({ action }) => action)).toEqual([...Array(5).fill("accept"), "cancel"]);
    expect(person.asked).toHaveLength(5);
  });
});

describe("a page that a tool server wants opened", () => {
  const page = (url: string) => ({ mode: "url", elicitationId: "1", message: "Pay here", url }) as const;

  it("a tool server's page is shown with its host", async () => {
    const person = askedPerson(["I opened it"]);
    expect(await person.elicit(page("https://pay.example.com/x?y=1"))).toEqual({ action: "accept" });
    expect(person.asked[0]?.text).toContain("`pay.example.com`");
    expect(person.asked[0]?.text).toContain("<https://pay.example.com/x?y=1>");
  });

  it("a tool server's page shows the real name of a look-alike", async () => {
    const person = askedPerson(["Decline"]);
    expect(await person.elicit(page("https://раypal.com/"))).toEqual({ action: "decline" });
    expect(person.asked[0]?.text).toContain("`xn--");
  });

  it.each([
    "http://pay.example.com/",
    "https://bank.example@evil.example/",
    "file:///etc/passwd",
    "no address",
  ])("a tool server's page at %s is declined without showing it", async (url) => {
    const person = askedPerson(["I opened it"]);
    expect(await person.elicit(page(url))).toEqual({ action: "decline" });
    expect(person.asked).toEqual([]);
  });
});
