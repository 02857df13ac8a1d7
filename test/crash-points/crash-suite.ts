import { beforeAll, describe, expect, it } from "vitest";
import type { Death } from "./life.ts";
import { type Picture, pictureOf, type Remains, remainsOf, violations } from "./verdict.ts";
import { createWorld, live, type World } from "./world.ts";

/** The picture of a world without deaths, without what calls of unknown outcome did not come to. */
type Undisturbed = (unknown: readonly string[]) => Promise<Picture>;

/** Tests share the points of a kind of platform: so many that none takes long on a slow machine. */
const parts = Array.from({ length: 12 }, (_, part) => part);

/**
 * A process dies at every point of a scripted turn, and another one goes on with what it left behind.
 *
 * @param when whether what happens at the point still happens
 */
export function describeCrashes(when: Death["when"]): void {
  const dying = (point: number): Death => ({ point, when });
  describe.each([false, true])("on a platform that streams: %s", (streams) => {
    let world: World;
    let undisturbed: Undisturbed;
    let names: readonly string[];
    let points: readonly number[];

    beforeAll(async () => {
      world = createWorld(streams);
      names = (await live(world)).points;
      undisturbed = pictures(world);
      points = [...names.keys()].slice(...(streams ? streamed(names) : []));
    });

    it("a turn without a crash violates nothing", async () => {
      expect(await violations(world, undisturbed, [])).toEqual([]);
      expect((await pictureOf(world)).shown.join()).not.toContain("it was not run");
      expect(points.length).toBeGreaterThan(streams ? 10 : 120);
    });

    it.each(parts)("a crash leaves nothing lost, doubled or left behind (part %i)", async (part) => {
      const wrong: string[] = [];
      for (const point of points.filter((_, at) => at % parts.length === part))
        wrong.push(...(await crashedAt([dying(point)], streams, undisturbed)));
      expect(wrong).toEqual([]);
    });

    it("a second crash soon after leaves nothing lost, doubled or left behind", async () => {
      const wrong: string[] = [];
      for (const point of points.filter((_, at) => at % 4 === 0)) {
        const soon = (point * 7) % 30;
        wrong.push(...(await crashedAt([point, soon].map(dying), streams, undisturbed)));
      }
      expect(wrong).toEqual([]);
    });
  });
}

/** Where streaming makes a difference: from the first message in a stream to the end of its turn. */
function streamed(names: readonly string[]): [number, number] {
  const end = names.findIndex((name) => name.includes("turn_finished"));
  return [names.indexOf("platform.openStream"), end + 1];
}

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
