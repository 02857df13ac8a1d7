import { errorText } from "../../../base/error-text.ts";
import { SlackError } from "./slack-call.ts";
import { isInstalledByMany, type SlackSettings } from "./slack-options.ts";
import type { Workspaces } from "./workspaces.ts";

/** What a person is told about the connection. */
export interface SlackStatus {
  /** @param workspace its name, if it is one */
  connected(workspace: string | undefined): void;
  /**
   * @param error why, if anything is known
   * @param token which one was used
   */
  lost(error: unknown, token: "bot" | "app"): void;
  read(): { ok: boolean; detail: string };
}

const newBotToken =
  "Install the app again under Install App of its Slack settings, set slack.bot_token, and restart Knack.";
const newAppToken =
  "Make another with connections:write under Basic Information of the app's Slack settings, set slack.app_token, and restart Knack.";

export function createSlackStatus(settings: SlackSettings, workspaces: Workspaces): SlackStatus {
  let state: { ok: boolean; detail: string } = { ok: false, detail: "connecting" };
  const single = !isInstalledByMany(settings);
  const way = settings.app_token === undefined ? "Slack calls /slack/events" : "over a socket";
  return {
    connected(workspace) {
      state = { ok: true, detail: `connected${workspace === undefined ? "" : ` to ${workspace}`}, ${way}` };
    },
    lost(error, token) {
      const detail = error === undefined ? "connection lost, connecting again" : reason(error, token);
      state = { ok: false, detail };
    },
    read() {
      const refused = [...workspaces.refused()];
      if (!state.ok || refused.length === 0) return state;
      const teams = refused.map(([team, code]) => `${team} (${code})`).join(", ");
      const advice = single
        ? newBotToken
        : "Install the app there again at /slack/install; other workspaces go on.";
      return { ok: false, detail: `Slack refuses the token of ${teams}. ${advice}` };
    },
  };
}

function reason(error: unknown, token: "bot" | "app"): string {
  if (error instanceof SlackError && error.deadToken) {
    const advice = token === "bot" ? newBotToken : newAppToken;
    return `Slack refuses the ${token} token: ${error.slack_code}. ${advice}`;
  }
  return errorText(error);
}
