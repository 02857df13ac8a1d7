import { describe, expect, it } from "vitest";
import type { Place } from "../../../../src/core/values/place.ts";
import { forgetPerson } from "../../../support/bot/ask-app.ts";
import {
  others,
  plantNamesake,
  plantPerson,
  wordsOfZora,
  zora,
} from "../../../support/bot/planted-person.ts";
import { newDataFolder, openDataFolder, wordsIn } from "../../../support/bot/stored-bytes.ts";
import { ada } from "../../../support/test-app.ts";

/** What forgetting writes with. */
const writes = new Set([
  ...["set", "delete", "update", "scrub", "forget", "disown", "removeDetails", "signal"],
  ...["clearAuthor", "remove", "change", "clear"],
]);

/** How many writes are still made, and whether the last one is. */
interface Life {
  left: number;
  before: boolean;
}

/** The same, but with the last write it dies: before it, or behind it. */
function dying<T extends object>(port: T, life: Life): T {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name === "of") return (place: Place) => dying(value.call(target, place), life);
      if (!writes.has(String(name))) return value;
      return async (...given: unknown[]) => {
        life.left -= 1;
        const dies = life.left <= 0;
        if (dies && life.before) throw new Error("died");
        const result = await value.apply(target, given);
        if (dies) throw new Error("died");
        return result;
      };
    },
  });
}

const asker = { by: ada, namespace: "console:local:dm" };

describe("a person of whom something is stored everywhere", () => {
  it.each([
    ["two parts", "web:sole", 40, "web:soledad"],
    ["three parts", "slack:T1:C1", 2, "slack:T12:C1"],
    ["four parts", "web:sole:room:inner", 2, "web:soledad:room:inner"],
  ])(
    "a forgotten person leaves no byte in any file, in a namespace of %s [delete-3]",
    async (_parts, namespace, bulk, elsewhere) => {
      const root = newDataFolder();
      const data = await openDataFolder(root);
      const namesake = await plantNamesake(data, elsewhere);
      const before = await namesake();
      const { app, errors, stop } = await plantPerson(data, root, namespace, { bulk });
      const places = new Set(
        (await wordsIn(root, wordsOfZora)).map((each) => each.replace(/(-wal|\/.*)?: [^:]*$/, "")),
      );
      for (const place of [
        "turns.db",
        "state.db",
        "state.db (sealed mcp-login)",
        "state.db (sealed webhook)",
      ])
        expect(places).toContain(place);
      for (const place of ["knowledge.db (index)", "messages.db (index)", "files", "threads"])
        expect(places).toContain(place);
      const whole = `${namespace.split(":").slice(0, 2).join(":")}:${zora.id}`;
      const tried = await forgetPerson(app, whole, asker, { dryRun: true });
      const done = await forgetPerson(app, whole, asker);
      if (!tried.ok || !done.ok) throw new Error("refused");
      expect(done.value).toMatchObject({
        complete: true,
        turns: 1 + bulk,
        plans: 2,
        documents: 1,
        messages: 20,
      });
      expect(done.value).toMatchObject({ facts: 2, allowances: 2, accounts: 1, feedback: 1 });
      expect({ ...tried.value, kept: done.value.kept }).toEqual({ ...done.value, dry_run: true });
      // In the folder of the namesake the id is theirs.
      const left = await wordsIn(root, wordsOfZora);
      expect(left.filter((each) => !each.endsWith(zora.id))).toEqual([]);
      expect(await namesake()).toEqual(before);
      const kept = ["question", "answer", "file", "kept", "fact", "document", "said"].map(
        (each) => others + each,
      );
      const found = await wordsIn(root, kept);
      expect(kept.filter((word) => !found.some((each) => each.endsWith(`: ${word}`)))).toEqual([]);
      await stop(0);
      expect(errors).toEqual([]);
      await data.close();
    },
  );

  it("forgetting a person reports them until everything is gone, wherever it is cut off", async () => {
    const root = newDataFolder();
    const data = await openDataFolder(root);
    const life = { left: Number.POSITIVE_INFINITY, before: false };
    const { log, store, index, knowledge, files, folders, due } = data;
    const ports = { log, store, index, knowledge, files, folders, due };
    for (const [name, port] of Object.entries(ports)) Object.assign(ports, { [name]: dying(port, life) });
    const { app, stop } = await plantPerson({ ...data, ...ports }, root, "web:sole");
    let died = 0;
    for (let at = 2; ; at += 1) {
      Object.assign(life, { left: at >> 1, before: at % 2 === 0 });
      const outcome = await forgetPerson(app, zora.id, asker).catch((error: Error) => error);
      life.left = Number.POSITIVE_INFINITY;
      if (!(outcome instanceof Error) && (!outcome.ok || outcome.value.complete)) break;
      died += 1;
    }
    // Complete, or told that nothing is stored: then that is so.
    expect(died).toBeGreaterThan(20);
    expect(await wordsIn(root, wordsOfZora)).toEqual([]);
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ status: 404 });
    await stop(0);
    await data.close();
  });
});
