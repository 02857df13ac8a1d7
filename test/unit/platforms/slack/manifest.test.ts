import { readFile } from "node:fs/promises";
import type { App } from "@slack/bolt";
import { describe, expect, it } from "vitest";
import {
  createAppLink,
  manifestOverHttp,
  manifestText,
  optionalScopes,
  readManifest,
  scopeMeanings,
} from "../../../../src/platforms/slack/connection/manifest.ts";
import { type EventDeps, listenToEvents } from "../../../../src/platforms/slack/incoming/listen-events.ts";

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
    listenToEvents(bolt, {} as EventDeps);
    // Apps with an agent view get no assistant threads.
    heard.delete("assistant_thread_started");
    const asked = manifest.settings.event_subscriptions.bot_events.map((name) => name.split(".")[0]);
    expect([...new Set(asked)].sort()).toEqual([...heard].sort());
  });

  it("the shipped manifest needs no address: Slack is reached over a socket", () => {
    expect(manifest.settings.socket_mode_enabled).toBe(true);
    expect(manifestText(manifest)).not.toContain("url");
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

describe("the manifest over HTTP", () => {
  it("the manifest over HTTP is called at one address for events, commands and buttons", () => {
    const made = manifestOverHttp(manifest, "https://knack.example.com/base/", false);
    const address = "https://knack.example.com/base/slack/events";
    expect(made.settings.event_subscriptions.request_url).toBe(address);
    expect(made.settings.interactivity.request_url).toBe(address);
    expect(new Set(made.features.slash_commands.map(({ url }) => url))).toEqual(new Set([address]));
    expect(made.settings.socket_mode_enabled).toBe(false);
    expect(made.oauth_config.redirect_urls).toBeUndefined();
  });

  it("the manifest over HTTP has a redirect address and rotating tokens for installations", () => {
    const made = manifestOverHttp(manifest, "https://knack.example.com", true);
    expect(made.oauth_config.redirect_urls).toEqual(["https://knack.example.com/slack/oauth_redirect"]);
    expect(made.settings.token_rotation_enabled).toBe(true);
  });

  it("the manifest over HTTP leaves the shipped one unchanged", () => {
    manifestOverHttp(manifest, "https://knack.example.com", true);
    expect(manifest.settings.socket_mode_enabled).toBe(true);
  });
});

describe("the link that creates the app", () => {
  it("the link that creates the app carries the whole manifest, in a length browsers take", () => {
    const link = createAppLink(manifest);
    expect(JSON.parse(new URL(link).searchParams.get("manifest_json") ?? "")).toEqual(manifest);
    expect(link.length).toBeLessThan(8_000);
  });
});
