import type { ChatHost } from "../../../app/app.ts";
import type { ChatIntake } from "../../../app/chat/chat-intake.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { commandThread, directNamespace } from "../channel/slack-place.ts";
import type { SlackContext } from "../channel/slack-rooms.ts";
import { formModal } from "./form-modal.ts";
import { closedHomeView, homeActions, homeView, skillsPerPage } from "./home-view.ts";

/** A click in the home tab. */
interface HomeAction {
  action_id: string;
  value?: string | undefined;
  selected_option?: { value: string } | null | undefined;
}

/** The place that requests from the home tab belong to. */
function placeOf(team: string, person: string): Place {
  return { namespace: directNamespace(team, person), thread: commandThread };
}

/** The home tab of each person. */
export class Home {
  readonly #context: SlackContext;
  readonly #intake: ChatIntake;
  readonly #host: Pick<ChatHost, "app" | "clock" | "logger">;

  constructor(context: SlackContext, intake: ChatIntake, host: Pick<ChatHost, "app" | "clock" | "logger">) {
    this.#context = context;
    this.#intake = intake;
    this.#host = host;
  }

  /** Shows the tab. A refusal is only logged: opening the tab shows it again. */
  async show(team: string, person: string, page = 0, note?: string): Promise<void> {
    const { app, logger } = this.#host;
    try {
      const refusal = await this.#intake.refusal(placeOf(team, person), person);
      const { skills } = await app.skills.list(directNamespace(team, person));
      const view =
        refusal === undefined
          ? homeView({ botName: app.name, model: app.model, skills, page, note })
          : closedHomeView(app.name, refusal);
      await this.#context.workspaces.call(team, "show the home tab", ({ write }) =>
        write.views.publish({ user_id: person, view }),
      );
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      logger.debug({ err: error, team }, "Slack did not show a home tab");
    }
  }

  /** Handles a click in the home tab. Unknown actions are ignored. */
  async pressed(
    team: string,
    person: string,
    triggerId: string,
    action: object & { action_id: string },
  ): Promise<void> {
    const { action_id, value, selected_option } = action as HomeAction;
    const chosen = selected_option?.value ?? value ?? "";
    if (action_id === homeActions.enable) return this.#change(team, person, chosen, "pinned");
    if (action_id === homeActions.disable) return this.#change(team, person, chosen, "blocked");
    if (action_id === homeActions.run) return this.#run(team, person, triggerId, chosen);
    if (action_id.startsWith(`${homeActions.page}:`)) return this.show(team, person, Number(chosen) || 0);
  }

  async #change(team: string, person: string, id: string, state: "pinned" | "blocked"): Promise<void> {
    const { app } = this.#host;
    const place = placeOf(team, person);
    const { namespace } = place;
    // The person may have lost access since the tab was shown.
    if ((await this.#intake.refusal(place, person)) !== undefined) return this.show(team, person);
    const by = await this.#context.directory.person({ team, person }, person);
    const changed = await app.run("skill.set", {
      input: { ns: namespace, id, state },
      asker: { by, namespace },
    });
    const word = state === "pinned" ? "enabled" : "disabled";
    const listed = (await app.skills.list(namespace)).skills.filter(({ parent }) => parent === undefined);
    const position = listed.findIndex((skill) => skill.id === id);
    const note = changed.ok ? `${changed.value.name} is ${word} in our direct messages.` : changed.message;
    await this.show(team, person, Math.floor(Math.max(0, position) / skillsPerPage), note);
  }

  async #run(team: string, author: string, id: string, skill: string): Promise<void> {
    const place = placeOf(team, author);
    const form = await this.#intake.form(skill, place, author);
    if (form === undefined) {
      const key = `slack:${team}:home:${id}`;
      const said_at = this.#host.clock.now();
      return this.#intake.command({ key, place, id, author, text: `/skill run ${skill}`, said_at });
    }
    const view = formModal(form, place);
    await this.#context.workspaces.call(team, "open a form", ({ write }) =>
      write.views.open({ trigger_id: id, view }),
    );
  }
}
