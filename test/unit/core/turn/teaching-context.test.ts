import { expect, it } from "vitest";
import type { Teaching } from "../../../../src/core/ports/teaching.ts";
import { noMeans } from "../../../../src/core/ports/work-means.ts";
import { namespaceStateSchema } from "../../../../src/core/skill/namespace-state.ts";
import { createToolContext } from "../../../../src/core/turn/tool-context.ts";
import { call, callScope } from "../../../support/fakes/call-scope.ts";
import { temporaryFolders } from "../../../support/temporary-folders.ts";

const lesson = { text: "---\nname: x\n---", request: "x", why: "x" };

it.each([
  [
    true,
    { ok: false, status: 403, message: expect.stringContaining("everybody here would read the skill") },
    0,
  ],
  [false, { ok: false, status: 400, message: "Read." }, 1],
])(
  "nothing is taught of a turn that only one person may read (private: %s) [package-8]",
  async (isPrivate, outcome, reads) => {
    let read = 0;
    const teaching = {
      check: async () => {
        read += 1;
        return { ok: false, status: 400, message: "Read." };
      },
    } as unknown as Teaching;
    const models = { main: { generative: false } };
    const { scope } = callScope({
      ports: {
        teaching,
        models,
        time_zone: "UTC",
        means: noMeans,
        folders: temporaryFolders(),
        chats: { actions: () => undefined },
      } as never,
    });
    Object.assign(scope.turn, { profile: { id: "chat" }, profiles: [{ id: "chat" }] });
    scope.namespace = namespaceStateSchema.parse({});
    scope.state.private = isPrivate;
    const { signal } = new AbortController();
    const context = createToolContext(scope, call, { skill_id: "", max_iterations: 1 }, signal);
    expect(await context.teaching?.check(lesson)).toEqual(outcome);
    expect(read).toBe(reads);
  },
);
