import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { SealedValueError, sealKeyValue } from "../../../src/storage/sealed-key-value.ts";
import { createSecretKey } from "../../../src/storage/secret-key.ts";
import { keyValueContract } from "./key-value-contract.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-sealed-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** One for all, because deriving it takes longer than a test. */
const secret = createSecretKey("", "a long enough secret");

keyValueContract("the sealed key-value store", async () => sealKeyValue(createMemoryKeyValue(), secret));

describe("what is sealed", () => {
  it("a sealed value cannot be read in the store [secret-3]", async () => {
    const store = createMemoryKeyValue();
    await sealKeyValue(store, secret).set("slack:T1", { token: "xoxb-plain" });
    expect(JSON.stringify(await store.get("slack:T1"))).not.toContain("xoxb-plain");
  });

  it("a sealed value does not look the same twice", async () => {
    const store = createMemoryKeyValue();
    const sealed = sealKeyValue(store, secret);
    await sealed.set("a", "same");
    const first = await store.get("a");
    await sealed.set("a", "same");
    expect(await store.get("a")).not.toEqual(first);
  });

  it.each([
    ["with another key", async () => createSecretKey(folder, "another long secret")],
    ["with a new key file", async () => createSecretKey(await mkdtemp(join(folder, "key-")), undefined)],
  ])("a sealed value cannot be opened %s", async (_name, other) => {
    const store = createMemoryKeyValue();
    await sealKeyValue(store, secret).set("a", 1);
    const stranger = sealKeyValue(store, await other());
    await expect(stranger.get("a")).rejects.toThrow(SealedValueError);
    await expect(stranger.update("a", () => 2)).rejects.toThrow("KNACK_SECRET_KEY");
    expect(await sealKeyValue(store, secret).get("a")).toBe(1);
  });

  it("a sealed value cannot be exchanged for another, changed, or replaced by plain text [secret-3]", async () => {
    const store = createMemoryKeyValue();
    const sealed = sealKeyValue(store, secret);
    await sealed.set("mine", "a");
    await sealed.set("yours", "b");
    await store.set("mine", (await store.get("yours")) ?? null);
    await expect(sealed.get("mine")).rejects.toThrow(SealedValueError);
    await store.set("mine", { token: "planted" });
    await expect(sealed.get("mine")).rejects.toThrow(SealedValueError);
  });
});

describe("the key file", () => {
  it("the key file is made once, for its owner only, and used again", async () => {
    const data = await mkdtemp(join(folder, "data-"));
    const store = createMemoryKeyValue();
    await sealKeyValue(store, createSecretKey(data, undefined)).set("a", 1);
    const text = await readFile(join(data, "secret.key"), "utf8");
    expect((await stat(join(data, "secret.key"))).mode & 0o777).toBe(0o600);
    expect(await sealKeyValue(store, createSecretKey(data, undefined)).get("a")).toBe(1);
    expect(await readFile(join(data, "secret.key"), "utf8")).toBe(text);
  });

  it("the key file is made by one of two that start at the same time", async () => {
    const data = await mkdtemp(join(folder, "data-"));
    const [one, other] = await Promise.all([
      createSecretKey(data, undefined)(),
      createSecretKey(data, undefined)(),
    ]);
    expect(one).toEqual(other);
  });
});
