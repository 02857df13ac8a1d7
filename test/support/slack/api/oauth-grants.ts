import { randomUUID } from "node:crypto";
import type { Token, Workspace, World } from "../world/world.ts";
import { SlackRefusal } from "./slack-refusal.ts";

/** Twelve hours, as `expires_in` says. */
export const rotatedTokenSeconds = 43_200;

interface Grant {
  team_id: string;
  scopes: readonly string[];
  redirect_uri: string;
  enterprise_id: string | undefined;
}

/** Codes and refresh tokens that are good once. */
export class OauthGrants {
  readonly #codes = new Map<string, Grant>();
  readonly #refreshTokens = new Map<string, { team_id: string; access: string }>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** A code that a person's consent gives. */
  code(teamId: string, scopes: readonly string[], redirectUri: string, enterpriseId?: string): string {
    const code = randomUUID();
    this.#codes.set(code, {
      team_id: teamId,
      scopes,
      redirect_uri: redirectUri,
      enterprise_id: enterpriseId,
    });
    return code;
  }

  /** Installs the app and makes its first token. */
  exchange(code: string, redirectUri: string): { token: Token; workspace: Workspace } {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (grant === undefined) throw new SlackRefusal("invalid_code");
    if (grant.redirect_uri !== "" && grant.redirect_uri !== redirectUri)
      throw new SlackRefusal("bad_redirect_uri");
    const workspace = this.#world.workspaces.get(grant.team_id);
    if (workspace === undefined) throw new SlackRefusal("invalid_code");
    workspace.installed = true;
    const scopes = grant.scopes.length > 0 ? grant.scopes : workspace.bot_scopes;
    return { token: this.#issue(workspace, scopes, grant.enterprise_id), workspace };
  }

  /** A new pair for a refresh token, which is used up. The old access token works until it expires. */
  rotate(refreshToken: string): { token: Token; workspace: Workspace } {
    const found = this.#refreshTokens.get(refreshToken);
    this.#refreshTokens.delete(refreshToken);
    const workspace = this.#world.workspaces.get(found?.team_id ?? "");
    const old = this.#world.tokens.get(found?.access ?? "");
    if (workspace === undefined || old === undefined || old.refused !== undefined)
      throw new SlackRefusal("invalid_refresh_token");
    return { token: this.#issue(workspace, old.scopes, old.enterprise_id), workspace };
  }

  /** A refresh token for an access token. */
  refreshTokenFor(token: Token): string {
    const refreshToken = `xoxe-1-${randomUUID()}`;
    this.#refreshTokens.set(refreshToken, { team_id: token.team_id, access: token.token });
    return refreshToken;
  }

  #issue(workspace: Workspace, scopes: readonly string[], enterpriseId?: string): Token {
    const token: Token = {
      token: `xoxe.xoxb-1-${workspace.id}-${randomUUID()}`,
      kind: "bot",
      team_id: workspace.id,
      ...(enterpriseId === undefined ? {} : { enterprise_id: enterpriseId }),
      scopes,
      expires_at: Date.now() + rotatedTokenSeconds * 1000,
    };
    this.#world.tokens.set(token.token, token);
    this.#world.touch();
    return token;
  }
}
