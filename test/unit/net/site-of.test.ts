import { expect, it } from "vitest";
import { readAddress } from "../../../src/core/values/address.ts";
import { siteOf } from "../../../src/net/site-of.ts";
import { exceptions } from "../../support/families/family.ts";
import { ownHosts } from "../../support/families/hosts.ts";

const hostOf = (host: string) => readAddress(`http://${host}/`)?.host ?? "";

it.each([
  ["other.abc.io", "abc.io"],
  ["evil.s3.amazonaws.com", "amazonaws.com"],
  ["b.c.corp", "corp"],
  ["localhost:80", "localhost"],
  ["com", "com"],
  ["co.uk", "co.uk"],
])("the host %s is of the site %s [address-3]", async (host, site) => {
  expect(await siteOf(hostOf(host))).toBe(site);
});

it.each([
  ["[2001:db8:7::1]", "[2001:db8:8::1]", false],
  ["1.2.3.4", "1.2.3.5", false],
  ["a.github.io", "a.gitlab.io", false],
  ["abc.io", "abd.io", false],
])("the addresses %s and %s are of one site: %s", async (one, other, isOne) => {
  expect((await siteOf(hostOf(one))) === (await siteOf(hostOf(other)))).toBe(isOne);
});

it("the hosts of one owner are one site, whatever their names, ports and spellings", async () => {
  const isOne = async ({ owner, hosts }: { owner: string; hosts: string[] }) => {
    const sites = await Promise.all(hosts.map((host) => siteOf(hostOf(host))));
    return sites.every((site) => site === hostOf(owner));
  };
  expect(await exceptions(ownHosts, isOne)).toEqual([]);
});
