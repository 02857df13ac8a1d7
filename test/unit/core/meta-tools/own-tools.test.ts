import { expect, it } from "vitest";
import { createMetaTools } from "../../../../src/core/meta-tools/create-meta-tools.ts";
import { ownToolNames } from "../../../../src/core/skill/offered-tools.ts";

it("keeps the names of the agent's own tools from skills, all of them and no others", () => {
  expect(new Set(createMetaTools().map(({ name }) => name))).toEqual(ownToolNames);
});
