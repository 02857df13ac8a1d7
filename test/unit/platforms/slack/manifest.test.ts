import { readFile } from "node:fs/promises";
import type { App } from "@slack/bolt";
import { describe, expect, it } from "vitest";
import {
  createAppLink,
  optionalScopes,
  readManifest,
  scopeMeanings,
} from "../../../../src/platforms/slack/connection/manifest.ts";
import { type Listening, listenToEvents } from "../../../../src/platforms/slack/incoming/listen-events.ts";

const manifest = readManifest(
  await readFile(new URL("../../../../config/slack-manifest.yaml", import.meta.url), "utf8"),
);

describe("the manifest that ships", () => {
  it("the shipped manifest asks for exactly the scopes whose use is explained", () => {
    const { bot, bot_optional = [] } = manifest.oauth_config.scopes;
    expect([...bot, ...bot_optional].sort()).toEqual(Object.keys(scopeMeanings).sort());
    expect([...bot_optional].sort()).toEqual([...optionalScopes].sort());
  });

  it("the shipped manifest asks for every event that is listened for", () => {
    const heard = new Set<string>();
    const bolt = { event: (name: string) => heard.add(name) } as unknown as App;
    listenToEvents(bolt, {} as Listening);
    // Apps with an agent view get no assistant threads.
    heard.delete("assistant_thread_started");
    const asked = manifest.settings.event_subscriptions.bot_events.map((name) => name.split(".")[0]);
    expect([...new Set(asked)].sort()).toEqual([...heard].sort());
  });

  it("the shipped manifest keeps Slack's limits", () => {
    const { display_information: shown } = manifest as unknown as {
      display_information: { name: string; description: string };
    };
    expect(shown.name.length).toBeLessThanOrEqual(35);
    expect(shown.description.length).toBeLessThanOrEqual(140);
    expect(manifest.features.slash_commands.map(({ command }) => command)).toEqual([
      "/skill",
      "/flow",
      "/agent",
      "/mcp",
      "/knack",
    ]);
  });
});

describe("the link that creates the app", () => {
  it("the link that creates the app carries the whole manifest, in a length browsers take", () => {
    const link = createAppLink(manifest);
    expect(JSON.parse(new URL(link).searchParams.get("manifest_json") ?? "")).toEqual(manifest);
    expect(link.length).toBeLessThan(8_000);
  });
});
