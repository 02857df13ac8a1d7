import { describe, expect, it } from "vitest";
import {
  hasRights,
  type Right,
  type Rights,
  rightInWords,
  rightsOn,
} from "../../../../src/core/skill/skill-identifier.ts";

const right = (more: Partial<Right>): Right => ({ people: [], roles: [], ...more });

describe("rights", () => {
  const rights: Rights = {
    github: right({ roles: ["manager"] }),
    "chat#send": right({ people: ["ann"] }),
    "@@Hub-Tool": right({ people: ["ann"] }),
    "docs-read": right({ people: ["ann"] }),
    memory_forget: right({ people: ["ann"] }),
  };
  it.each([
    ["a skill nobody named", { skill_id: "weather", name: "weather" }, 0],
    ["a skill by its id", { skill_id: "github" }, 1],
    ["a part of such a skill", { skill_id: "github#delete_repo" }, 1],
    ["a tool of such a server", { skill_id: "other", server: { server: "github" } }, 1],
    ["one part alone", { skill_id: "chat#send" }, 1],
    ["another part", { skill_id: "chat#read" }, 0],
    ["a skill by another spelling of its id", { skill_id: "hub-tool" }, 1],
    [
      "a tool of a server by the server's name",
      { skill_id: "mcp_docs#read", server: { server: "docs", tool: "read" } },
      1,
    ],
    ["another tool of it", { skill_id: "mcp_docs#find", server: { server: "docs", tool: "find" } }, 0],
    [
      "a part by its tool, which is called differently now",
      { skill_id: "memory#forget", name: "memory_forget_1a2b" },
      1,
    ],
  ])("the rights are counted on %s", (_name, subject, count) => {
    expect(rightsOn(rights, subject)).toHaveLength(count);
  });

  const member = { id: "ben", trust: "member" } as const;
  it.each<
    [string, Right[], { id: string; trust: "guest" | "member" | "manager" | "operator" }, string[], boolean]
  >([
    ["nothing is asked", [], member, [], true],
    ["a person who is named", [right({ people: ["ben"] })], member, [], true],
    ["a person who is not", [right({ people: ["ann"] })], member, [], false],
    ["who stands high enough", [right({ roles: ["member"] })], member, [], true],
    ["who does not", [right({ roles: ["manager"] })], member, [], false],
    ["who stands higher", [right({ roles: ["member"] })], { id: "m", trust: "manager" }, [], true],
    ["a role of the platform", [right({ roles: ["R1"] })], member, ["R1"], true],
    ["another role", [right({ roles: ["R1"] })], member, ["R2"], false],
    ["each right counts", [right({ people: ["ben"] }), right({ roles: ["manager"] })], member, [], false],
    ["an operator", [right({ people: ["ann"] })], { id: "op", trust: "operator" }, [], true],
  ])("a person has the rights: %s", async (_name, given, person, roles, has) => {
    expect(await hasRights(given, person, async () => roles)).toBe(has);
  });

  it("rights ask the platform only where one of its roles counts", async () => {
    const never = () => Promise.reject(new Error("not asked"));
    expect(await hasRights([right({ people: ["ben"] })], member, never)).toBe(true);
    expect(await hasRights([right({ roles: ["manager"] })], member, never)).toBe(false);
  });

  it("rights read well", () => {
    expect(rightInWords(right({ people: ["U1"], roles: ["manager", "R9"] }))).toBe(
      "managers, the role R9, U1",
    );
  });
});
