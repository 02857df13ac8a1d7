import { describe, expect, it } from "vitest";
import { hostsInCode } from "../../../src/imported/code-hosts.ts";

const hostsOf = (text: string) =>
  hostsInCode({
    list: async () => [{ path: "handler.js", bytes: text.length }],
    read: async () => ({ ok: true, text }),
  });

describe("the hosts code names", () => {
  it("the hosts of code are not those of its comments", async () => {
    const code = `/* https://a.test/ */ fetch("https://b.test/x"); /* https://c.test/\n*/\n  // https://d.test/\nfetch("https://e.test");`;
    expect(await hostsOf(code)).toEqual(["b.test", "e.test"]);
  });

  it.each([
    ["in a call", `const got = await fetch("https://a.test/x", { method: "POST" });`],
    ["in a template", "await fetch(`https://a.test/x`);"],
    ["of a library", `const { data } = await axios.get('https://a.test/x');`],
    ["of a client with a base", `const api = axios.create({ baseURL: "https://a.test" });`],
    ["of a client of a service", `const client = new Client({\n  apiUrl: "https://a.test/v1",\n});`],
    ["through a name", `const url = "https://a.test/x";\nreturn fetch(url);`],
    [
      "through names of names",
      "const BASE = 'https://a.test';\nconst url = BASE + `/x`;\nreturn fetch(url);",
    ],
    ["through a field", `this.url = "https://a.test";\nawait got(this.url);`],
    ["of a socket", `new WebSocket("wss://a.test/live")`],
    ["of Node", `https.get("https://a.test/", done)`],
    ["in a URL that is put together", `const u = new URL("/x", "https://a.test");\nfetch(u)`],
  ])("the hosts of code are those it evidently asks: %s", async (_where, code) => {
    expect(await hostsOf(code)).toEqual(["a.test"]);
  });

  it.each([
    ["help", `fetch(args.url); return "See https://docs.example.com/help";`],
    ["a failure", `fetch(args.url);\nthrow new Error("Get a key at https://console.example.com/");`],
    ["a field of documentation", `const info = { docs: "https://docs.example.com" };\nfetch(args.url)`],
    [
      "text that is made for others",
      'fetch(args.url);\nconst script = `import requests\nrequests.get("https://py.example.com")`;',
    ],
    ["no address at all", `fetch("https://...");\nfetch("https://./x"); fetch("https://a..b/")`],
    ["a machine without a domain", `fetch("http://localhost/x")`],
  ])("the hosts of code are not those it only mentions: %s", async (_where, code) => {
    expect(await hostsOf(code)).toEqual([]);
  });

  it("the hosts of code are all found when a comment does not end", async () => {
    expect(await hostsOf(`fetch("https://a.test/"); /* fetch("https://b.test/")`)).toEqual([
      "a.test",
      "b.test",
    ]);
  });

  it.each(["/* ", "\n", " \n", "a=", "a:", "fetch(", "a=b;"])(
    "the hosts of code are found in linear time in code made of %j",
    async (piece) => {
      expect(await hostsOf(`fetch("https://a.test/");${piece.repeat(500_000)}`)).toEqual(["a.test"]);
    },
  );
});
