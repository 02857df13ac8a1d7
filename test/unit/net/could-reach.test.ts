import { expect, it } from "vitest";
import { createCouldReach } from "../../../src/net/address-policy.ts";

const couldReach = createCouldReach(["10.1.0.0/16", "127.0.0.0/8"]);

it.each([
  "api.example.com",
  "*.example.com",
  "*",
  "api.example.com:8443",
  "8.8.8.8",
  "10.1.2.3",
  "10.1.2.3:80",
  "127.0.0.2",
])("the host %s could be granted", (host) => expect(couldReach(host)).toBe(true));

it.each(["169.254.169.254", "10.2.0.1:8080", "192.168.0.1", "::ffff:10.2.0.1", "fe80::1", "[fd00::1]:443"])(
  "the host %s is private and cannot be granted",
  (host) => expect(couldReach(host)).toBe(false),
);

it.each(["localhost", "localhost:3000", "db.localhost", "127.0.0.1", "127.0.0.1:3000", "::1", "[::1]:80"])(
  "the host %s is the sandbox itself and cannot be granted",
  (host) => expect(couldReach(host)).toBe(false),
);
