import { describe, expect, it } from "vitest";
import {
  addressesIn,
  differInOnePlace,
  hostOfKey,
  isSameSite,
  linksIn,
  readAddress,
  requestsIn,
} from "../../../../src/core/values/address.ts";
import {
  asEntities,
  bareAddress,
  evilHost,
  fullAddress,
  inSentence,
  loneAddress,
  machineAddress,
  pathAddress,
  percentEncoded,
  withDropped,
} from "../../../support/families/addresses.ts";
import { exceptions, inOrder, oneOf } from "../../../support/families/family.ts";

const same = (one: string, other: string) => readAddress(one)?.key === readAddress(other)?.key;

describe("two addresses", () => {
  it.each([
    ["http://host.test", "http://host.test/"],
    ["http://host.test/a/", "http://host.test/a"],
    ["http://host.test:80/a", "http://HOST.test/a#part"],
    ["https://host.test:443/a", "https://host.test./a"],
    ["http://host.test/a", "https://host.test/a"],
    ["http://2130706433/", "http://127.0.0.1/"],
  ])("the addresses %s and %s are the same", (one, other) => {
    expect(same(one, other)).toBe(true);
  });

  it.each([
    ["http://host.test/", "http://host.test/?d=1"],
    ["http://host.test/?a=1", "http://host.test/?a=1&d=2"],
    ["http://host.test/?d=a", "http://host.test/?d=A"],
    ["http://host.test/a%2fb", "http://host.test/a%2Fb"],
    ["http://host.test/a", "http://host.test/a//"],
    ["http://host.test/a", "http://host.test/A"],
    ["http://host.test/", "http://secret.host.test/"],
    ["http://host.test/", "http://host.test:8080/"],
    ["http://host.test/", "http://user:word@host.test/"],
  ])("the addresses %s and %s differ", (one, other) => {
    expect(same(one, other)).toBe(false);
  });
});

it.each([
  "ftp://host.test",
  "javascript:alert(1)",
  "host.test/a",
  "",
  `http://host.test/${"a".repeat(9_000)}`,
])("the text %s is not an address", (text) => {
  expect(readAddress(text)).toBeUndefined();
});

describe("a person's text names", () => {
  it.each<[text: string, keys: string[]]>([
    ["See https://host.test/a.", ["host.test/a.", "host.test/a"]],
    ["read (https://host.test/a_(b)) now", ["host.test/a_(b))", "host.test/a_(b)"]],
    ["[docs](https://host.test/a?b=c#d), **https://two.test**", ["host.test/a?b=c", "two.test"]],
    ["<https://host.test/a>", ["host.test/a"]],
    ["what does nodejs.org/en/blog say, and example.co.uk?", ["nodejs.org/en/blog", "example.co.uk"]],
    [
      "http://127.0.0.1:3000/x and localhost:8080/y and 10.0.0.1",
      ["127.0.0.1:3000/x", "localhost:8080/y", "10.0.0.1"],
    ],
    ["münchen.de", ["xn--mnchen-3ya.de"]],
  ])("a person's text names pages: %s", (text, expected) => {
    const keys = addressesIn(text).map(({ key }) => key);
    for (const key of expected) expect(keys).toContain(key);
  });

  it.each(["mail ann@host.test", "a.b", "3.14 and 1.2.3", "end.Start", "/etc/host.conf"])(
    "a person's text names no page in: %s",
    (text) => {
      expect(
        addressesIn(text).filter(({ key }) => !["a.b", "end.Start".toLowerCase()].includes(key)),
      ).toEqual([]);
    },
  );

  it("the pages a person's text names are found in time bounded by its length", () => {
    for (const text of [
      "a".repeat(500_000),
      "a.".repeat(250_000),
      "http://".repeat(70_000),
      "a-".repeat(250_000),
    ]) {
      const from = performance.now();
      addressesIn(text);
      expect(performance.now() - from).toBeLessThan(2_000);
    }
  });
});

it("a page's links are full addresses only", () => {
  const found = linksIn("[a](https://host.test/a) host.test/b “https://host.test/c” is not on it");
  expect(found.map(({ key }) => key)).toEqual(expect.arrayContaining(["host.test/a", "host.test/c"]));
  expect(found.map(({ key }) => key)).not.toContain("host.test/b");
});

it("hosts of one owner are one site", () => {
  expect([isSameSite("www.a.test", "a.test"), isSameSite("b.a.test", "a.test")]).toEqual([true, false]);
  expect(hostOfKey("user:word@host.test:81/a?b")).toBe("host.test:81");
});

it.each([
  ["a.test/x/1", "a.test/x/2", true],
  ["a.test/1/x", "a.test/2/x", true],
  ["a.test/x?c=a", "a.test/x?c=b", true],
  ["a.test/x?a=1&c=a", "a.test/x?a=1&d=b", true],
  ["a.test/x", "a.test/x/1", true],
  ["a.test/x", "a.test/x?c=1", true],
  ["a.test:1/x", "b.a.test:2/x", true],
  ["a.test/x/1", "a.test/y/2", false],
  ["a.test/x?a=1&c=a", "a.test/x?a=2&c=b", false],
  ["a.test/x/1?c=a", "a.test/x/2?c=b", false],
])("the addresses %s and %s differ in one place: %s", (one, other, isOne) => {
  expect(differInOnePlace(one, other)).toBe(isOne);
});

/** The hosts that a text may send a request to, apart from a page that people know. */
const hostsIn = (text: string, isName: boolean) =>
  requestsIn(text, isName)
    .map((each) => (URL.canParse(each) ? each : `http://${each}`))
    .filter((url) => readAddress(url)?.key !== "lunch.test/menu")
    .map((url) => URL.parse(url)?.hostname.replace(/\.$/, "") ?? "");

describe("what a program may send a request to", () => {
  const isEvil = (host: string) => host === evilHost || host.endsWith(`.${evilHost}`);
  it.each([
    ["an address", fullAddress],
    ["an address with characters that readers drop", withDropped(loneAddress)],
  ])("the requests of a text with %s go to its host", async (_name, family) => {
    expect(await exceptions(family, (text) => hostsIn(text, false).some(isEvil))).toEqual([]);
  });

  it.each([
    ["inside a sentence", inSentence(fullAddress)],
    ["percent-encoded", percentEncoded(fullAddress)],
    ["percent-encoded twice", percentEncoded(percentEncoded(loneAddress))],
    ["encoded for HTML", asEntities(fullAddress)],
    ["encoded inside a sentence", inSentence(asEntities(percentEncoded(fullAddress)))],
    ["behind much text", inSentence(inOrder("x ".repeat(5_000), fullAddress))],
  ])("the requests of a text are found %s", async (_name, family) => {
    expect(await exceptions(family, (text) => hostsIn(text, false).length > 0)).toEqual([]);
  });

  it("the requests of an argument for addresses include names without a scheme, and other schemes", async () => {
    expect(await exceptions(bareAddress, (text) => hostsIn(text, true).length > 0)).toEqual([]);
  });

  it("the requests of a text include names with a path, wherever they are", async () => {
    const family = inSentence(oneOf(pathAddress, asEntities(pathAddress), percentEncoded(pathAddress)));
    expect(await exceptions(family, (text) => hostsIn(text, false).length > 0)).toEqual([]);
  });

  it("the requests of a text go to the machine, however its number is written", async () => {
    const finds = ({ text, host }: { text: string; host: string }) => hostsIn(text, false).includes(host);
    expect(await exceptions(machineAddress, finds)).toEqual([]);
  });

  it.each([
    "from:ann@example.com to:bob@example.com, ann@example.com: hello",
    "README.md, v1.2, bob.smith, Node.js, 12:30, C:\\work\\a.txt, either/or and 100% of R&D &amp; more",
    "x = a / b; // see below\n//TODO later\nselect * from a.b where c = 'd:e'",
    '{"repo":"owner/name","label:bug":["a/b",1.5]}',
    "2026-11-29T08:00:00Z",
  ])("no requests are in %j", (text) => {
    expect(requestsIn(text, false)).toEqual([]);
  });

  it.each(["12345", "db:5432", "owner/name", "Ann Lee", "main", "localhost"])(
    "no requests are in an argument for addresses with %j",
    (text) => expect(requestsIn(text, true)).toEqual([]),
  );

  it("the requests of a text are what it is named with, whatever the lines below say", () => {
    expect(hostsIn("See https://lunch.test/menu\nand thank you, 100%.", false)).toEqual([]);
  });
});
