import { beforeAll, describe, expect, it, type TestOptions } from "vitest";
import type { Death, Life } from "./life.ts";
import type { EmptyStorage } from "./stores.ts";
import { picturesOf, type Remains, remainsOf, type Undisturbed, violations } from "./verdict.ts";
import { createWorld, live } from "./world.ts";

/** Which deaths are tried: all near something that others notice or have told the bot, and a part of the rest. */
export interface Sample {
  /** Of the other deaths, one of so many is tried. */
  oneOf: number;
  /** After one of so many deaths that are tried, the next process dies, too. */
  againOneOf: number;
}

/** Tests share the deaths on a kind of platform: so many that none takes long on a slow machine. */
const parts = Array.from({ length: 6 }, (_, part) => part);

/** Points that a process passes, at most, until somebody outside has noticed what it told them. */
const pointsToNotice = 6;

/**
 * A process dies at points of a scripted turn before it knows what came of it, and another one goes on with what it left behind. One that
 * dies just before a point leaves the same behind as one that dies at the point before, unless the world outside has changed in between:
 * there, processes die before the point, too.
 */
export function describeDeaths(
  name: string,
  empty: EmptyStorage,
  { oneOf, againOneOf }: Sample,
  options: TestOptions = {},
): void {
  const describeEach = describe.each([false, true]);
  describeEach(`a bot on ${name} that dies, on a platform that streams: %s`, options, (streams) => {
    let undisturbed: Undisturbed;
    let found: readonly string[];
    let all: readonly Death[];
    let deaths: readonly Death[];
    const crashedAt = (...given: readonly Death[]) => crashed(given, undisturbed, streams, empty);

    beforeAll(async () => {
      const world = await createWorld(streams, empty);
      const life = await live(world);
      undisturbed = await picturesOf(world);
      found = await violations(world, undisturbed, []);
      all = deathsIn(life);
      const isNear = ({ point }: Death) => isNearNoticed(life.points, point);
      deaths = [...all.filter(isNear), ...all.filter((death) => !isNear(death)).filter(eachOf(oneOf))];
      console.log(`Of ${all.length} deaths, ${deaths.length} are tried`);
    });

    it("a turn without a crash violates nothing", () => {
      expect(found).toEqual([]);
      expect(undisturbed([]).shown.join()).not.toContain("it was not run");
      expect(all.length).toBeGreaterThan(120);
      expect(all.filter(({ when }) => when === "before").length).toBeGreaterThan(15);
    });

    it.each(parts)(
      "a crash leaves nothing lost, doubled or left behind (part %i) [record-1]",
      async (part) => {
        const wrong: string[] = [];
        for (const death of deaths.filter((_, at) => at % parts.length === part))
          wrong.push(...(await crashedAt(death)));
        expect(wrong).toEqual([]);
      },
    );

    it("a second crash soon after leaves nothing lost, doubled or left behind", async () => {
      const wrong: string[] = [];
      for (const { point, when } of deaths.filter(eachOf(againOneOf)))
        wrong.push(...(await crashedAt({ point, when }, { point: (point * 7) % 30, when })));
      expect(wrong).toEqual([]);
    });
  });
}

const eachOf = (number: number) => (_: unknown, at: number) => at % number === 0;

/** All deaths of a process that leave something else behind. */
function deathsIn({ points, changes }: Life): Death[] {
  const isAfterChange = (point: number) =>
    changes.some((change) => point <= change && point >= change - pointsToNotice);
  return [
    ...[...points.keys()].map((point) => ({ point, when: "after" as const })),
    ...[...points.keys()].filter(isAfterChange).map((point) => ({ point, when: "before" as const })),
  ];
}

/** What others notice, or have told the bot. */
const noticed = /^(effect|platform\.(post|openStream)|stream\.finish|log\.(accept|signal))/;

/** Whether a point is noticed, or stores something at most two points before or after one that is. */
function isNearNoticed(points: readonly string[], at: number): boolean {
  const around = /^(log|store|files)\./.test(points[at] ?? "") ? 2 : 0;
  return points.slice(Math.max(0, at - around), at + around + 1).some((point) => noticed.test(point));
}

/** What is wrong in the end with a turn whose processes died there, one after the other. */
async function crashed(
  deaths: readonly Death[],
  undisturbed: Undisturbed,
  streams: boolean,
  empty: EmptyStorage,
): Promise<string[]> {
  const world = await createWorld(streams, empty);
  const remains: Remains[] = [];
  const names: string[] = [];
  for (const death of deaths) {
    const { points } = await live(world, death);
    remains.push(await remainsOf(world));
    names.push(`${death.when} ${death.point}, ${points.at(-1)}`);
  }
  const wrong = await live(world).then(
    () => violations(world, undisturbed, remains),
    (error: Error) => [error.message],
  );
  return wrong.map((each) => `${names.join(", then ")}: ${each}`);
}
