import { describe, expect, it } from "vitest";
import { createAddressPolicy, isPublicAddress } from "../../../src/net/address-policy.ts";

describe("isPublicAddress", () => {
  it.each([
    ["loopback", ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1"]],
    [
      "private networks",
      ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00::1", "fc00::1", "fec0::1"],
    ],
    [
      "link-local and metadata",
      ["169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "168.63.129.16", "100.100.100.200"],
    ],
    [
      "unspecified, broadcast and multicast",
      ["0.0.0.0", "0.1.2.3", "::", "255.255.255.255", "224.0.0.1", "ff02::1"],
    ],
    [
      "reserved",
      ["192.0.0.192", "198.18.0.1", "203.0.113.5", "240.0.0.1", "2001:db8::1", "100::1", "2001::1"],
    ],
    [
      "private inside NAT64, 6to4 and IPv4-compatible",
      [
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        // RFC 6052 section 2.2: of a prefix of 48 bits, the IPv4 address stands in bits 48 to 87. Here 10.0.0.1, before a public one.
        "64:ff9b:1:a00:0:100:808:808",
        "64:ff9b:1::808:808",
        "2002:7f00:1::",
        "2002:c0a8:101::1",
        "::a00:1",
        "::ffff:0:7f00:1",
      ],
    ],
    [
      "carrier-grade NAT, benchmark, documentation and relay networks, to their last address",
      [
        ...["100.64.0.0", "100.127.255.255", "198.18.0.0", "198.19.255.255", "192.0.2.1", "198.51.100.7"],
        ...["192.88.99.1", "239.255.255.255", "255.255.255.254", "3fff::1", "ff0e::1", "fe80::1%25eth0"],
      ],
    ],
    [
      "notations of the loopback that a resolver might hand on",
      [
        ...["2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "017700000001"],
        ...["0:0:0:0:0:0:0:1", "::ffff:0:127.0.0.1", "::1%lo", "0000:0000:0000:0000:0000:ffff:7f00:0001"],
      ],
    ],
    ["what is no address", ["", "localhost", "127.0.0.1.nip.io", "999.1.1.1"]],
  ])("isPublicAddress refuses %s", (_name, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it("isPublicAddress permits public addresses, even embedded ones", () => {
    const addresses = [
      "1.1.1.1",
      "8.8.8.8",
      "172.32.0.1",
      "2606:4700::1111",
      "::ffff:8.8.8.8",
      "64:ff9b::808:808",
      "2002:808:808::1",
    ];
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

describe("an address policy", () => {
  const policy = createAddressPolicy({
    allow: [
      "Intranet.example.com.",
      "*.corp.example",
      "10.1.0.0/16",
      "192.168.7.7",
      "fd00::/64",
      "[::1]",
      "64:ff9b:1::/48",
      " ",
    ],
  });

  it.each([
    ["intranet.example.com", "10.9.9.9"],
    ["wiki.corp.example", "192.168.0.1"],
    ["anything.example", "10.1.2.3"],
    ["anything.example", "::ffff:10.1.2.3"],
    ["192.168.7.7", "192.168.7.7"],
    ["[fd00::5]", "fd00::5"],
    ["::1", "::1"],
    ["nat.example", "64:ff9b:1:a00:0:100::"],
    ["public.example", "8.8.8.8"],
  ])("an address policy lets %s reach %s", (host, address) => {
    expect(policy.permits(host, address)).toBe(true);
  });

  it.each([
    ["evil.example", "10.9.9.9"],
    ["corp.example", "192.168.0.1"],
    ["evilcorp.example", "192.168.0.1"],
    ["intranet.example.com.evil.example", "10.9.9.9"],
    ["10.1.0.0", "10.2.0.0"],
    ["192.168.7.8", "192.168.7.8"],
    ["x", ""],
  ])("an address policy keeps %s from %s", (host, address) => {
    expect(policy.permits(host, address)).toBe(false);
  });

  describe("an address policy and the bot's own ports", () => {
    const addresses = () => ["127.0.0.1", "192.168.7.20", "203.0.114.9", "fe80::1%eth0", "2001:470::9"];
    const allow = ["0.0.0.0/0", "::/0", "intranet.example.com"];
    const policy = createAddressPolicy({ allow, own: new Set([3000, 45_001]), addresses });

    it.each([
      ...["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"],
      ...["192.168.7.20", "::ffff:192.168.7.20", "::ffff:c0a8:714", "203.0.114.9", "64:ff9b::cb00:7209"],
      ...["2002:cb00:7209::1", "fe80::1", "fe80::1%eth0", "fe80::1%2", "2001:470::9", "2001:470:0:0::0:9"],
    ])("an address policy keeps every request from the bot's own ports at %s [address-12]", (address) => {
      for (const host of [address, "intranet.example.com"])
        for (const port of [3000, 45_001]) expect(policy.permits(host, address, port)).toBe(false);
      expect(policy.permits("intranet.example.com", address, 3001)).toBe(true);
    });

    it("an address policy permits the bot's port number at other machines", () => {
      for (const address of ["192.168.7.21", "203.0.114.10", "2001:470::a", "fe80::2"])
        expect(policy.permits("intranet.example.com", address, 3000)).toBe(true);
    });

    it("an address policy knows an address that the machine has had only for a moment", () => {
      const changing: string[] = [];
      const moved = createAddressPolicy({ allow: [], own: new Set([3000]), addresses: () => changing });
      expect(moved.permits("me.example", "203.0.114.9", 3000)).toBe(true);
      changing.push("203.0.114.9");
      expect(moved.permits("me.example", "203.0.114.9", 3000)).toBe(false);
    });
  });
});
