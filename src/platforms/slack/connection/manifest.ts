import { parse, stringify } from "yaml";

/** The parts of a Slack app manifest that are read here. https://docs.slack.dev/reference/app-manifest */
export interface SlackManifest {
  features: { slash_commands: { command: string; url?: string }[]; [key: string]: unknown };
  oauth_config: { redirect_urls?: string[]; scopes: { bot: string[]; bot_optional?: string[] } };
  settings: {
    event_subscriptions: { request_url?: string; bot_events: string[] };
    interactivity: { is_enabled: boolean; request_url?: string };
    socket_mode_enabled: boolean;
    token_rotation_enabled: boolean;
    [key: string]: unknown;
  };
  [key: string]: unknown;
}

/** Paths that Slack and browsers call. */
export const slackPaths = {
  events: "/slack/events",
  install: "/slack/install",
  redirect: "/slack/oauth_redirect",
} as const;

/** The address of a path of this bot, whose public address may end with slashes and have a path of its own. */
export function addressOf(publicUrl: string, path: string): string {
  return new URL(`${publicUrl.replace(/(?<!\/)\/+$/, "")}${path}`).href;
}

/** @param text YAML of the manifest that ships */
export function readManifest(text: string): SlackManifest {
  return parse(text) as SlackManifest;
}

/**
 * The manifest for an app that Slack calls over HTTP at `publicUrl`. With `installations` any workspace may install it, so it
 * gets a redirect address and token rotation, and an organisation may install it for its workspaces.
 */
export function manifestOverHttp(
  manifest: SlackManifest,
  publicUrl: string,
  installations: boolean,
): SlackManifest {
  const requests = addressOf(publicUrl, slackPaths.events);
  const { features, oauth_config, settings } = manifest;
  return {
    ...manifest,
    features: {
      ...features,
      slash_commands: features.slash_commands.map((command) => ({ ...command, url: requests })),
    },
    oauth_config: installations
      ? { ...oauth_config, redirect_urls: [addressOf(publicUrl, slackPaths.redirect)] }
      : oauth_config,
    settings: {
      ...settings,
      event_subscriptions: { ...settings.event_subscriptions, request_url: requests },
      interactivity: { ...settings.interactivity, request_url: requests },
      socket_mode_enabled: false,
      org_deploy_enabled: installations,
      token_rotation_enabled: installations,
    },
  };
}

/**
 * The page of Slack that creates an app with the manifest filled in.
 * https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests
 */
export function createAppLink(manifest: SlackManifest): string {
  return `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`;
}

/** For pasting. */
export function manifestText(manifest: SlackManifest): string {
  return stringify(manifest);
}

/** Scopes the bot needs, each with the consequence of not having it. */
export const scopeMeanings: Readonly<Record<string, string>> = {
  "app_mentions:read": "it does not hear when it is mentioned",
  "assistant:write":
    "it cannot show that it is thinking or suggest prompts, and direct messages are one conversation without threads",
  "channels:history": "it does not hear follow-ups and cannot read threads in public channels",
  "channels:read": "it does not know channels' names, creators and members",
  "chat:write": "it cannot answer",
  commands: "slash commands and the message shortcut do not work",
  "files:read": "it cannot read files",
  "files:write": "it cannot answer with files",
  "groups:history": "it does not hear follow-ups and cannot read threads in private channels",
  "groups:read": "it does not know private channels' names, creators and members",
  "im:history": "it does not hear direct messages",
  "im:read": "it does not know direct messages",
  "im:write": "it cannot begin a direct message",
  "mpim:history": "it does not hear group messages",
  "mpim:read": "it does not know group messages",
  "pins:write": "it cannot pin messages",
  "reactions:read": "reactions cannot begin work",
  "reactions:write": "it cannot mark messages as seen or react",
  "search:read.im": "Slack's search does not look at direct messages",
  "search:read.mpim": "Slack's search does not look at group messages",
  "search:read.private": "Slack's search does not look at private channels",
  "search:read.public": "it does not search with Slack's own search",
  "usergroups:read": "it does not know user groups",
  "users:read": "it cannot tell guests, admins and bots from members, so it refuses everybody",
};

/** Scopes without which everything else works: older installations need not be repeated. */
export const optionalScopes: ReadonlySet<string> = new Set([
  "pins:write",
  "reactions:read",
  "search:read.im",
  "search:read.mpim",
  "search:read.private",
  "search:read.public",
  "usergroups:read",
]);
