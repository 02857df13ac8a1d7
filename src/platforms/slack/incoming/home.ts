import type { App } from "../../../app/app.ts";
import type { ChatIntake } from "../../../app/chat/chat-intake.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import type { PersonDirectory } from "../channel/person-directory.ts";
import { commandThread, directNamespace } from "../channel/slack-place.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import { formModal } from "./form-modal.ts";
import { closedHomeView, homeActions, homeView } from "./home-view.ts";

/** A click in the home tab. */
interface HomeAction {
  action_id: string;
  value?: string | undefined;
  selected_option?: { value: string } | null | undefined;
}

/** The home tab of each person. */
export interface Home {
  show(team: string, person: string, page?: number, note?: string): Promise<void>;
  /** Handles a click in the home tab. Unknown actions are ignored. */
  pressed(
    team: string,
    person: string,
    triggerId: string,
    action: object & { action_id: string },
  ): Promise<void>;
}

export interface HomeDeps {
  app: App;
  intake: ChatIntake;
  workspaces: Workspaces;
  directory: PersonDirectory;
  clock: Clock;
  logger: Log;
}

/** The place that requests from the home tab belong to. */
function placeOf(team: string, person: string): Place {
  return { namespace: directNamespace(team, person), thread: commandThread };
}

export function createHome({ app, intake, workspaces, directory, clock, logger }: HomeDeps): Home {
  /** Opening the home tab shows it again, so a refusal is only logged. */
  const show: Home["show"] = async (team, person, page = 0, note) => {
    try {
      const refusal = await intake.refusal(placeOf(team, person), person);
      const { skills } = await app.skills.list(directNamespace(team, person));
      const view =
        refusal === undefined
          ? homeView({ botName: app.name, model: app.model, skills, page, note })
          : closedHomeView(app.name, refusal);
      await workspaces.call(team, "show the home tab", ({ write }) =>
        write.views.publish({ user_id: person, view }),
      );
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      logger.debug({ err: error, team }, "Slack did not show a home tab");
    }
  };
  const change = async (team: string, person: string, id: string, state: "pinned" | "blocked") => {
    const place = placeOf(team, person);
    const { namespace } = place;
    // The person may have lost access since the tab was shown.
    if ((await intake.refusal(place, person)) !== undefined) return show(team, person);
    const by = await directory.person({ team, person }, person);
    const changed = await app.run("skill.set", {
      input: { ns: namespace, id, state },
      asker: { by, namespace },
    });
    const word = state === "pinned" ? "enabled" : "disabled";
    const { skills } = await app.skills.list(namespace);
    const position = skills
      .filter(({ parent }) => parent === undefined)
      .findIndex((skill) => skill.id === id);
    const note = changed.ok ? `${changed.value.name} is ${word} in our direct messages.` : changed.message;
    await show(team, person, Math.floor(Math.max(0, position) / 40), note);
  };
  const run = async (team: string, person: string, triggerId: string, id: string) => {
    const place = placeOf(team, person);
    const form = await intake.form(id, place, person);
    if (form !== undefined) {
      const view = formModal(form, place);
      await workspaces.call(team, "open a form", ({ write }) =>
        write.views.open({ trigger_id: triggerId, view }),
      );
      return;
    }
    const key = `slack:${team}:home:${triggerId}`;
    await intake.command({
      key,
      place,
      id: triggerId,
      author: person,
      text: `/skill run ${id}`,
      said_at: clock.now(),
    });
  };
  return {
    show,
    async pressed(team, person, triggerId, action) {
      const { action_id, value, selected_option } = action as HomeAction;
      const chosen = selected_option?.value ?? value ?? "";
      if (action_id === homeActions.enable) return change(team, person, chosen, "pinned");
      if (action_id === homeActions.disable) return change(team, person, chosen, "blocked");
      if (action_id === homeActions.run) return run(team, person, triggerId, chosen);
      if (action_id.startsWith(`${homeActions.page}:`)) return show(team, person, Number(chosen) || 0);
      return undefined;
    },
  };
}
