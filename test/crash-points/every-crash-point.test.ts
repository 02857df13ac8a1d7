import { beforeAll, describe, expect, it } from "vitest";
import type { Death } from "./life.ts";
import { type Picture, pictureOf, remainsOf, violations } from "./verdict.ts";
import { createWorld, live, type World } from "./world.ts";

/** Tests share the points evenly: so many a kind of platform. */
const chunks = Array.from({ length: 8 }, (_, chunk) => chunk);

type Undisturbed = (unknown: readonly string[]) => Promise<Picture>;

/** A turn whose process dies at this point and is followed by another one. Answers what is wrong in the end. */
async function crashedAt(death: Death, streams: boolean, undisturbed: Undisturbed): Promise<string[]> {
  const world = createWorld(streams);
  const first = await live(world, death);
  const remains = await remainsOf(world);
  const name = `${death.point} ${death.when} ${first.points.at(-1)}`;
  const wrong = await live(world).then(
    () => violations(world, undisturbed, remains),
    (error: Error) => [error.message],
  );
  return wrong.map((each) => `${name}: ${each}`);
}

describe.each([false, true])("a bot on a platform that streams: %s", (streams) => {
  let world: World;
  let undisturbed: Undisturbed;
  let points: readonly string[];
  let first = 0;

  beforeAll(async () => {
    world = createWorld(streams);
    points = (await live(world)).points;
    const pictures = new Map<string, Promise<Picture>>();
    undisturbed = (unknown) => {
      const picture = pictures.get(unknown.join()) ?? pictureOf(world, unknown);
      pictures.set(unknown.join(), picture);
      return picture;
    };
    // Up to there it is as without streams.
    if (streams) first = points.indexOf("platform.openStream");
  });

  it("does all that the turn is made of", async () => {
    expect(await violations(world, undisturbed, await remainsOf(world))).toEqual([]);
    expect(points.length).toBeGreaterThan(100);
  });

  it.each(chunks)("survives its death at every point: part %i", async (chunk) => {
    const wrong: string[] = [];
    for (let point = first + chunk; point < points.length; point += chunks.length)
      for (const when of ["before", "after"] as const)
        wrong.push(...(await crashedAt({ point, when }, streams, undisturbed)));
    expect(wrong).toEqual([]);
  });
});
