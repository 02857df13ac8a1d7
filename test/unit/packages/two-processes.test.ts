import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { KeyValue } from "../../../src/core/ports/storage.ts";
import { sharingProcesses } from "../../support/fakes/sharing-processes.ts";
import { skillText, zipOf } from "./build-archives.ts";
import { byAnna, only, packagePlace, succeeded, upload } from "./package-place.ts";

const archive = (body: string, id = "greeting") =>
  upload(zipOf([{ name: "SKILL.md", data: skillText(id, body) }]), `${id}.zip`);

/** Two processes that share a data folder. */
async function twoProcesses() {
  const place = await packagePlace();
  const processes = sharingProcesses();
  const mutex = processes.next();
  /** A process whose next installation stops before it counts as installed: the files are in place. */
  const stopping = () => {
    const [stopped, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store: KeyValue = {
      ...place.store,
      async set(key, value) {
        stopped.resolve();
        await gate.promise;
        await place.store.set(key, value);
      },
    };
    return { packages: place.open({ mutex, store }), stopped: stopped.promise, goOn: gate.resolve };
  };
  return {
    ...place,
    processes,
    stopping,
    one: await place.open({ mutex }),
    two: await place.open({ mutex: processes.next() }),
    installedText: () => readFile(join(place.folders.skills, "greeting/SKILL.md"), "utf8"),
  };
}

describe("installed skills of two processes", () => {
  it("a skill that one process installs, updates or removes is seen by the next load of the other", async () => {
    const { one, two, loader } = await twoProcesses();
    const load = loader();
    const seen = async () => (await two.verify(await load())).skills;
    expect(await seen()).toEqual([]);
    succeeded(await one.install(archive("First."), byAnna));
    const first = only(await seen());
    expect(first).toMatchObject({ id: "greeting", instructions: expect.stringContaining("First.") });
    expect(first.problems).toBeUndefined();
    expect(await two.verifyBeforeRun(first)).toEqual({ ok: true });
    succeeded(await one.install(archive("Second."), byAnna));
    const second = only(await seen());
    expect(second).toMatchObject({ instructions: expect.stringContaining("Second.") });
    expect(second.problems).toBeUndefined();
    expect(await two.verifyBeforeRun(first)).toMatchObject({ ok: false });
    succeeded(await one.remove("greeting"));
    expect(await seen()).toEqual([]);
  });

  it("two processes that install the same skill do so one after another", async () => {
    const { one, two, load, staged } = await twoProcesses();
    const outcomes = await Promise.all(
      [one, two, one, two].map((each, at) => each.install(archive(`Number ${at}.`), byAnna)),
    );
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(only((await two.verify(await load())).skills).problems).toBeUndefined();
    expect(await staged()).toEqual([]);
  });

  it("a process that starts during a change waits for its end and undoes nothing", async () => {
    const { stopping, processes, open, load, installedText } = await twoProcesses();
    const { packages, stopped, goOn } = stopping();
    const installing = (await packages).install(archive("New."), byAnna);
    await stopped;
    let hasStarted = false;
    const starting = open({ mutex: processes.next() }).then((started) => {
      hasStarted = true;
      return started;
    });
    expect(await installedText()).toContain("New.");
    expect(hasStarted).toBe(false);
    goOn();
    succeeded(await installing);
    const started = await starting;
    expect(only((await started.verify(await load())).skills).problems).toBeUndefined();
  });

  it("a process undoes the change of one that died, also while it runs itself", async () => {
    const { one, two, stopping, processes, load, installedText, staged } = await twoProcesses();
    succeeded(await one.install(archive("Old."), byAnna));
    const dying = stopping();
    void (await dying.packages).install(archive("Never finished."), byAnna);
    await dying.stopped;
    expect(await installedText()).toContain("Never finished.");
    processes.pass(20_000);
    succeeded(await two.install(archive("Other.", "other"), byAnna));
    expect(await installedText()).toContain("Old.");
    expect(await staged()).toEqual([]);
    const { skills } = await two.verify(await load());
    expect(skills.map(({ id, problems }) => [id, problems])).toEqual([
      ["greeting", undefined],
      ["other", undefined],
    ]);
  });

  it("a process that wakes up after another one undid its change does not go on with it", async () => {
    const { one, two, stopping, processes, load, installedText, staged } = await twoProcesses();
    succeeded(await one.install(archive("Old."), byAnna));
    const sleeping = stopping();
    const installing = (await sleeping.packages).install(archive("Too late."), byAnna);
    await sleeping.stopped;
    processes.pass(20_000);
    succeeded(await two.install(archive("Newer."), byAnna));
    sleeping.goOn();
    await expect(installing).rejects.toMatchObject({ code: "locked" });
    expect(await installedText()).toContain("Newer.");
    expect(await staged()).toEqual([]);
    expect(only((await two.verify(await load())).skills).problems).toBeUndefined();
  });
});
