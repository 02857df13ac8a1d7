import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acme, type SlackWorld, startSlackWorld } from "../../support/slack/world/slack-world.ts";

describe("who decides", () => {
  const here = { namespace: acme("C0TEAM"), thread: "channel" };
  let decided: SlackWorld;
  beforeAll(async () => {
    decided = await startSlackWorld({ operators: ["U0GUS", "U0BEN", "U1CARL"] });
    const admin = { team_id: "T0ACME", tz: "Europe/Berlin", is_admin: true };
    const member = { ...admin, is_admin: false };
    const named = (id: string) => ({ id, name: id, real_name: id, display_name: id });
    await decided.slack.addUser([
      { ...admin, ...named("U0AWAY") },
      { ...admin, ...named("U0GONE"), deleted: true },
      { ...member, ...named("U0MAKER") },
    ]);
    await decided.slack.addChannel({
      ...{ id: "C0TEAM", team_id: "T0ACME", name: "team", kind: "private", creator: "U0MAKER" },
      members: ["U0ANNA", "U0BEN", "U0GONE", "U0MAKER", "U0KNACK"],
    });
  });
  afterAll(() => decided.slack.close());

  test("managers are the channel's creator and those who run the workspace, if they are in the channel", async () => {
    expect(await decided.platform.deciders(here, "manager")).toEqual([
      { id: "U0MAKER", here: true },
      { id: "U0ANNA", here: true },
    ]);
    expect(await decided.platform.deciders({ ...here, namespace: acme("dm-U0BEN") }, "manager")).toEqual([]);
  });

  test("operators are those of this workspace, those in the channel first", async () => {
    expect(await decided.platform.deciders(here, "operator")).toEqual([
      { id: "U0BEN", here: true },
      { id: "U0GUS", here: false },
    ]);
    expect(await decided.platform.deciders({ ...here, namespace: acme("dm-U0BEN") }, "operator")).toEqual([
      { id: "U0BEN", here: true },
      { id: "U0GUS", here: false },
    ]);
  });

  test("people whom Slack does not tell are left out", async () => {
    const { slack, platform, later } = decided;
    later(3_600_000);
    await slack.fail({ method: "users.list", error: "internal_error" });
    expect(await platform.deciders(here, "manager")).toEqual([{ id: "U0MAKER", here: true }]);
    later(3_600_000);
    await slack.fail({ method: "conversations.members", error: "internal_error" });
    expect(await platform.deciders(here, "manager")).toEqual([]);
    expect(await platform.deciders({ ...here, namespace: "slack:T0NOWHERE:C1" }, "manager")).toEqual([]);
  });
});
