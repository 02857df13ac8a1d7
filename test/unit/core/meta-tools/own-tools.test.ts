import { expect, it } from "vitest";
import { createMetaTools } from "../../../../src/core/meta-tools/create-meta-tools.ts";
import { ownToolNames } from "../../../../src/core/skill/offered-tools.ts";

it("skills cannot take the names of the agent's own tools", () => {
  expect(new Set(createMetaTools().map(({ name }) => name))).toEqual(ownToolNames);
});
