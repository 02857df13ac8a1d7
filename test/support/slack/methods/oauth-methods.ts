import type { Method } from "../api/method.ts";
import { rotatedTokenSeconds } from "../api/oauth-grants.ts";
import { SlackRefusal } from "../api/slack-refusal.ts";

/** Exchanges a code, or with `grant_type=refresh_token` a refresh token. The app has token rotation on. */
const access: Method = {
  token: "none",
  run: (call) => {
    const { app } = call.world.seed;
    if (call.client.id !== app.client_id) throw new SlackRefusal("invalid_client_id");
    if (call.client.secret !== app.client_secret) throw new SlackRefusal("bad_client_secret");
    const grantType = call.arguments.text("grant_type") ?? "authorization_code";
    const { token, workspace } =
      grantType === "refresh_token"
        ? call.oauth.rotate(call.arguments.required("refresh_token"))
        : call.oauth.exchange(call.arguments.text("code") ?? "", call.arguments.text("redirect_uri") ?? "");
    const installer = [...call.world.users.values()].find(
      (user) => user.team_id === workspace.id && user.is_bot !== true,
    );
    return {
      access_token: token.token,
      refresh_token: call.oauth.refreshTokenFor(token),
      expires_in: rotatedTokenSeconds,
      token_type: "bot",
      scope: token.scopes.join(","),
      bot_user_id: workspace.bot_user_id,
      app_id: app.id,
      team: token.enterprise_id === undefined ? { id: workspace.id, name: workspace.name } : null,
      enterprise: token.enterprise_id === undefined ? null : { id: token.enterprise_id, name: "Grid" },
      is_enterprise_install: token.enterprise_id !== undefined,
      ...(grantType === "refresh_token" ? {} : { authed_user: { id: installer?.id ?? "" } }),
    };
  },
};

export const oauthMethods: Record<string, Method> = { "oauth.v2.access": access };
