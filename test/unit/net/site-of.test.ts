import { expect, it } from "vitest";
import { readAddress } from "../../../src/core/values/address.ts";
import { siteOf } from "../../../src/net/site-of.ts";

it.each([
  ["a.abc.io", "abc.io"],
  ["b.a.abc.io:8080", "abc.io"],
  ["xyz.me", "xyz.me"],
  ["a.xyz.me", "xyz.me"],
  ["www.t.co", "t.co"],
  ["a.abc.de", "abc.de"],
  ["x.example.co.uk", "example.co.uk"],
  ["y.example.com.au", "example.com.au"],
  ["x.b\u00fccher.example.jp", "example.jp"],
  ["evil.github.io", "github.io"],
  ["other.github.io", "github.io"],
  ["evil.s3.amazonaws.com", "amazonaws.com"],
  ["a.corp", "corp"],
  ["b.c.corp", "corp"],
  ["localhost", "localhost"],
  ["localhost:80", "localhost"],
  ["127.0.0.1:3000", "127.0.0.1"],
  ["com", "com"],
  ["co.uk", "co.uk"],
])("the host %s is of the site %s [address-3]", async (host, site) => {
  expect(await siteOf(readAddress(`http://${host}/`)?.host ?? "")).toBe(site);
});

it.each([
  ["[2001:db8:7:1::1]:8080", "[2001:db8:7:ffff::2]", true],
  ["[2001:db8:7::1]", "[2001:db8:8::1]", false],
  ["[2001:db8::1]", "[2001:db8:0:9:9:9:9:9]:81", true],
  ["[::ffff:102:304]", "1.2.3.4:8080", true],
  ["1.2.3.4", "1.2.3.5", false],
])("the addresses %s and %s are of one site: %s", async (one, other, isOne) => {
  const [first = "", second = ""] = [one, other].map((host) => readAddress(`http://${host}/a`)?.host);
  expect((await siteOf(first)) === (await siteOf(second))).toBe(isOne);
});
