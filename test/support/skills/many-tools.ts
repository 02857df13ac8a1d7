import type { Skill } from "../../../src/core/skill/skill.ts";
import { testSkill } from "./test-skill.ts";

const deeds = ["create", "close", "list", "assign", "label"];
const things = ["issue", "branch", "release", "comment"];
const origin = { source: "mcp" as const, precedence: 5, path: "mcp.json" };

/**
 * A server with twenty tools for each hundred: `create_issue_1`, …
 *
 * @param answer the text of each result; the tool's name unless given
 */
export function serverWithManyTools(hundreds = 1, answer = (name: string) => `${name} ran`): Skill[] {
  const parts = Array.from({ length: hundreds }, (_, at) => at + 1).flatMap((at) =>
    deeds.flatMap((deed) =>
      things.map((thing) => {
        const name = `${deed}_${thing}_${at}`;
        const description = `${deed} a ${thing}, kind ${at}`;
        const id = `mcp_tracker#${name}`;
        const tool = { name, description, run: () => answer(name) };
        return testSkill(id, [tool], { kind: "mcp", origin, parent: "mcp_tracker", description });
      }),
    ),
  );
  const instructions = "Ask for issues by number.";
  const whole = testSkill("mcp_tracker", [], { kind: "mcp", origin, instructions });
  return [{ ...whole, tools: parts.flatMap(({ tools }) => tools) }, ...parts];
}
