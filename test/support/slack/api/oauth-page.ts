import type { Backend } from "./method.ts";

/**
 * What a person does who opens the authorization page and allows the app: the address to go back to, with a code. `team` in
 * the query says for which workspace, else the first that has not installed the app; `enterprise` for the organisation of that workspace;
 * `deny` makes them refuse.
 */
export function answerAuthorizePage(backend: Backend, query: URLSearchParams): string {
  const redirect = new URL(query.get("redirect_uri") ?? "http://127.0.0.1/");
  const state = query.get("state");
  if (state !== null) redirect.searchParams.set("state", state);
  if (query.has("deny")) {
    redirect.searchParams.set("error", "access_denied");
    return redirect.href;
  }
  const waiting = [...backend.world.workspaces.values()].find((workspace) => !workspace.installed);
  const team = query.get("team") ?? waiting?.id ?? "";
  const scopes = (query.get("scope") ?? "").split(/[ ,]/).filter((scope) => scope !== "");
  redirect.searchParams.set(
    "code",
    backend.oauth.code(team, scopes, query.get("redirect_uri") ?? "", query.get("enterprise") ?? undefined),
  );
  return redirect.href;
}
