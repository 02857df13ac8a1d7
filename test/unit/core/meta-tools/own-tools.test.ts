import { expect, it } from "vitest";
import { createMetaTools } from "../../../../src/core/meta-tools/create-meta-tools.ts";
import { ownToolNames } from "../../../../src/core/skill/offered-tools.ts";

it("the reserved names are those of the agent's own tools, all of them and no others", () => {
  expect(new Set(createMetaTools().map(({ name }) => name))).toEqual(ownToolNames);
});
