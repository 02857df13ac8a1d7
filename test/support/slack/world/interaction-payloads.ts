import type { Backend } from "../api/method.ts";
import type { Channel, ViewRecord, Workspace } from "./world.ts";

type Fields = Record<string, unknown>;

/** The fields that every interaction has. */
export function interactionBase(backend: Backend, workspace: Workspace, userId: string): Fields {
  const { world } = backend;
  const user = world.users.get(userId);
  const enterprise = world.botToken(workspace.id)?.enterprise_id;
  return {
    team: { id: workspace.id, domain: workspace.domain },
    user: { id: userId, username: user?.name ?? "", name: user?.name ?? "", team_id: user?.team_id ?? "" },
    api_app_id: world.seed.app.id,
    token: world.seed.app.verification_token,
    enterprise: enterprise === undefined ? null : { id: enterprise, name: "Grid" },
    is_enterprise_install: enterprise !== undefined,
  };
}

/** The name that payloads use: of direct messages and private channels not the real one. */
export function channelName(channel: Channel): string {
  if (channel.kind === "im") return "directmessage";
  return channel.kind === "public" ? channel.name : "privategroup";
}

/** The view as payloads and answers of views.* have it. */
export function renderView(backend: Backend, record: ViewRecord, values: Fields = {}): Fields {
  const workspace = backend.world.workspaces.get(record.team_id);
  const { view } = record;
  return {
    id: record.id,
    team_id: record.team_id,
    type: record.type,
    blocks: record.blocks,
    private_metadata: view.private_metadata ?? "",
    callback_id: record.callback_id,
    state: { values },
    hash: record.hash,
    title: view.title ?? { type: "plain_text", text: backend.world.seed.app.name, emoji: true },
    clear_on_close: view.clear_on_close === true,
    notify_on_close: view.notify_on_close === true,
    close: view.close ?? null,
    submit: view.submit ?? null,
    previous_view_id: record.previous_view_id,
    root_view_id: record.root_view_id,
    app_id: backend.world.seed.app.id,
    external_id: record.external_id,
    app_installed_team_id: record.team_id,
    bot_id: workspace?.bot_id ?? "",
  };
}
