import { beforeAll, describe, expect, it } from "vitest";
import type { Death } from "./life.ts";
import { type Picture, pictureOf, type Remains, remainsOf, violations } from "./verdict.ts";
import { createWorld, live, type World } from "./world.ts";

/** The picture of a world without deaths, without what calls of unknown outcome did not come to. */
type Undisturbed = (unknown: readonly string[]) => Promise<Picture>;

/** Tests share the deaths on a kind of platform: so many that none takes long on a slow machine. */
const parts = Array.from({ length: 6 }, (_, part) => part);

/** Points that a process passes, at most, until somebody outside has noticed what it told them. */
const pointsToNotice = 6;

/**
 * A process dies at every point of a scripted turn before it knows what came of it, and another one goes on with what it left behind.
 * One that dies just before a point leaves the same behind as one that dies at the point before, unless the world outside has changed
 * in between: there, processes die before the point, too.
 */
describe.each([false, true])("a bot that dies, on a platform that streams: %s", (streams) => {
  let world: World;
  let undisturbed: Undisturbed;
  let deaths: readonly Death[];

  beforeAll(async () => {
    world = createWorld(streams);
    const { points, changes } = await live(world);
    undisturbed = pictures(world);
    deaths = [
      ...[...points.keys()].map((point) => ({ point, when: "after" as const })),
      ...[...points.keys()]
        .filter((point) => changes.some((change) => point <= change && point >= change - pointsToNotice))
        .map((point) => ({ point, when: "before" as const })),
    ];
  });

  it("a turn without a crash violates nothing", async () => {
    expect(await violations(world, undisturbed, [])).toEqual([]);
    expect((await pictureOf(world)).shown.join()).not.toContain("it was not run");
    expect(deaths.length).toBeGreaterThan(120);
    expect(deaths.filter(({ when }) => when === "before").length).toBeGreaterThan(15);
  });

  it.each(parts)("a crash leaves nothing lost, doubled or left behind (part %i)", async (part) => {
    const wrong: string[] = [];
    for (const death of deaths.filter((_, at) => at % parts.length === part))
      wrong.push(...(await crashedAt([death], streams, undisturbed)));
    expect(wrong).toEqual([]);
  });

  it("a second crash soon after leaves nothing lost, doubled or left behind", async () => {
    const wrong: string[] = [];
    for (const { point, when } of deaths.filter((_, at) => at % 4 === 0)) {
      const soon = { point: (point * 7) % 30, when };
      wrong.push(...(await crashedAt([{ point, when }, soon], streams, undisturbed)));
    }
    expect(wrong).toEqual([]);
  });
});

function pictures(world: World): Undisturbed {
  const made = new Map<string, Promise<Picture>>();
  return (unknown) => {
    const picture = made.get(unknown.join()) ?? pictureOf(world, unknown);
    made.set(unknown.join(), picture);
    return picture;
  };
}

/** What is wrong in the end with a turn whose processes died there, one after the other. */
async function crashedAt(
  deaths: readonly Death[],
  streams: boolean,
  undisturbed: Undisturbed,
): Promise<string[]> {
  const world = createWorld(streams);
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
