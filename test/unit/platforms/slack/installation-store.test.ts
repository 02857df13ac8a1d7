import type { Installation } from "@slack/bolt";
import { expect, test } from "vitest";
import type { Clock } from "../../../../src/core/ports/storage.ts";
import {
  createInstallationStore,
  createStateStore,
  installedIn,
  Organisations,
} from "../../../../src/platforms/slack/connection/installation-store.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";

const query = (teamId: string) => ({ teamId, enterpriseId: undefined, isEnterpriseInstall: false });
const installation = (team: string, token: string) =>
  ({
    team: { id: team },
    bot: { token, id: "B1", userId: "U1", scopes: [] },
    isEnterpriseInstall: false,
  }) as unknown as Installation<"v2", false>;

test("each workspace has one installation, the latest, and deleting one keeps the others", async () => {
  const store = createInstallationStore(createMemoryKeyValue());
  await store.storeInstallation(installation("T1", "old"));
  await store.storeInstallation(installation("T1", "new"));
  await store.storeInstallation(installation("T2", "other"));

  expect((await store.fetchInstallation(query("T1"))).bot?.token).toBe("new");
  await store.deleteInstallation?.(query("T1"));

  await expect(store.fetchInstallation(query("T1"))).rejects.toMatchObject({ code: "gone" });
  expect((await store.fetchInstallation(query("T2"))).bot?.token).toBe("other");
});

test("the workspaces are those that installed the app, and those heard of whose organisation did", async () => {
  const sealed = createMemoryKeyValue();
  const store = createInstallationStore(sealed);
  await store.storeInstallation(installation("T1", "own"));
  await store.storeInstallation({
    ...installation("T1", "whole"),
    team: undefined,
    enterprise: { id: "E1" },
    isEnterpriseInstall: true,
  } as unknown as Installation<"v2", true>);
  await new Organisations(sealed).learn("T2", "E1");

  expect(await installedIn(sealed)).toEqual(["T1", "T2"]);
});

test("an installation state is valid once and for ten minutes [access-5]", async () => {
  let now = 0;
  const clock: Clock = { now: () => now, after: () => () => {}, sleep: async () => {} };
  const states = createStateStore(createMemoryKeyValue(), clock);
  const state = await states.generateStateParam({ scopes: ["chat:write"] }, new Date());

  expect(await states.verifyStateParam(new Date(), state)).toEqual({ scopes: ["chat:write"] });
  await expect(states.verifyStateParam(new Date(), state)).rejects.toMatchObject({
    code: "slack_oauth_invalid_state",
  });
  const late = await states.generateStateParam({ scopes: [] }, new Date());
  now = 10 * 60_000;
  await expect(states.verifyStateParam(new Date(), late)).rejects.toMatchObject({
    code: "slack_oauth_invalid_state",
  });
  await expect(states.verifyStateParam(new Date(), "made up")).rejects.toThrow();
});

test("a person who opens the install page repeatedly does not fill the store, and a state is valid for one of two at once", async () => {
  const store = createMemoryKeyValue();
  let now = 0;
  const clock: Clock = { now: () => now, after: () => () => {}, sleep: async () => {} };
  const states = createStateStore(store, clock);
  for (let index = 0; index < 201; index += 1) await states.generateStateParam({ scopes: [] }, new Date());
  const last = await states.generateStateParam({ scopes: ["chat:write"] }, new Date());
  expect(Object.keys((await store.get("slack-install-states")) ?? {})).toHaveLength(200);

  const both = await Promise.allSettled([1, 2].map(() => states.verifyStateParam(new Date(), last)));
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);

  now = 11 * 60_000;
  await states.generateStateParam({ scopes: [] }, new Date());
  expect(Object.keys((await store.get("slack-install-states")) ?? {})).toHaveLength(1);
});
