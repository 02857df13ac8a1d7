import { describe, expect, it } from "vitest";
import { forgetPerson } from "../../support/ask-app.ts";
import { others, plantNamesake, plantPerson, wordsOfZora, zora } from "../../support/planted-person.ts";
import { newDataFolder, openDataFolder, wordsIn } from "../../support/stored-bytes.ts";
import { ada } from "../../support/test-app.ts";

const asker = { by: ada, namespace: "console:local:dm" };

describe("a person of whom something is stored everywhere", () => {
  it.each([
    ["two parts", "web:sole", 40, "web:soledad"],
    ["three parts", "slack:T1:C1", 2, "slack:T12:C1"],
    ["four parts", "web:sole:room:inner", 2, "web:soledad:room:inner"],
  ])("leaves no byte in any file, in a namespace of %s", async (_parts, namespace, bulk, elsewhere) => {
    const root = newDataFolder();
    const data = await openDataFolder(root);
    const namesake = await plantNamesake(data, elsewhere);
    const before = await namesake();
    const { app, errors, stop } = await plantPerson(data, root, namespace, { bulk });
    const places = new Set(
      (await wordsIn(root, wordsOfZora)).map((each) => each.replace(/(-wal|\/.*)?: [^:]*$/, "")),
    );
    for (const place of ["turns.db", "state.db", "state.db (sealed mcp-login)", "state.db (sealed webhook)"])
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
  });
});
