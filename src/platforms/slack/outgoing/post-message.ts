import type { types } from "@slack/bolt";
import type { Clock } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { AbsentFeature } from "../connection/absent-features.ts";
import { refusedWith, unlessRefused } from "../connection/slack-call.ts";
import type { SlackSettings } from "../connection/slack-settings.ts";
import {
  type BlockForm,
  type DrawnMessage,
  formsOf,
  type Picture,
  type Rendered,
  renderMessage,
} from "./render-message.ts";
import type { Sessions } from "./sessions.ts";

/** Files stored by Slack that a message shows. */
interface ShownFiles {
  pictures: readonly Picture[];
  /** Ids. */
  files: readonly string[];
}

/** Refusals of a block that the workspace does not have, or of its content. */
export const blockRefusals = ["invalid_blocks", "unsupported_block"];

const noFiles: ShownFiles = { pictures: [], files: [] };

/** What a workspace refused, tried again later. */
const feature = (team: string, form: BlockForm) => ({ team: `${team} ${form}`, channel: form });

/**
 * Posts and changes messages without link previews; Slack makes none for edits. A workspace that refuses rich blocks gets plain
 * ones for an hour.
 */
export class MessageWriter {
  readonly #context: SlackContext;
  readonly #streaming: SlackSettings["streaming"];
  readonly #sessions: Sessions;
  readonly #without: AbsentFeature;

  constructor(
    context: SlackContext,
    streaming: SlackSettings["streaming"],
    sessions: Sessions,
    clock: Clock,
  ) {
    this.#context = context;
    this.#streaming = streaming;
    this.#sessions = sessions;
    this.#without = new AbsentFeature(clock);
  }

  /** Returns the `ts`. @throws PlatformError */
  async post(room: Room, message: DrawnMessage, stillWanted?: () => void): Promise<string> {
    const { team, channel, thread } = room;
    const fitting = this.#fitting(room, message);
    const { ts = "" } = await this.rendered(team, fitting, ({ text, blocks, metadata }) =>
      this.#context.workspaces.call(team, "post a message", ({ write }) => {
        stillWanted?.();
        return write.chat.postMessage({
          channel,
          text,
          blocks: blocks as types.KnownBlock[],
          unfurl_links: false,
          unfurl_media: false,
          ...(thread && { thread_ts: thread }),
          ...(metadata && { metadata }),
        });
      }),
    );
    return ts;
  }

  /** `shown` has all its pictures, and files to add to it. @throws PlatformError */
  async edit(room: Room, ts: string, message: DrawnMessage, shown = noFiles): Promise<void> {
    const { team, channel } = room;
    const { workspaces } = this.#context;
    const file_ids = [...shown.files];
    const fitting = this.#fitting(room, message);
    const update = () =>
      this.rendered(
        team,
        fitting,
        ({ text, blocks, metadata }) =>
          workspaces.call(team, "change a message", ({ write }) =>
            write.chat.update({
              ...{ channel, ts, text, blocks },
              ...(file_ids.length > 0 && { file_ids }),
              ...(metadata && { metadata }),
            }),
          ),
        shown.pictures,
      );
    try {
      await update();
    } catch (error) {
      if (!refusedWith(error, "streaming_state_conflict")) throw error;
      await workspaces.call(team, "end a stream", ({ write }) => write.chat.stopStream({ channel, ts }));
      await update();
    }
  }

  /** No error if it is already gone. @throws PlatformError */
  async remove(place: Place, ts: string): Promise<void> {
    const { team, channel } = await roomOf(this.#context, place);
    await unlessRefused(["message_not_found", "channel_not_found"], () =>
      this.#context.workspaces.call(team, "delete a message", ({ write }) =>
        write.chat.delete({ channel, ts }),
      ),
    );
  }

  /** Renders the message for `send`; in plain blocks if rich ones are refused. */
  rendered<T>(
    team: string,
    message: DrawnMessage,
    send: (rendered: Rendered) => Promise<T>,
    pictures?: readonly Picture[],
  ): Promise<T> {
    const isKnown = (form: BlockForm) => form !== "basic" && this.#without.isAbsent(feature(team, form));
    const forms = this.#streaming === "auto" ? formsOf(message).filter((form) => !isKnown(form)) : [];
    const sendAs = async ([form = "basic", ...simpler]: readonly BlockForm[]): Promise<T> => {
      try {
        return await send(renderMessage(message, form, pictures));
      } catch (error) {
        if (form === "basic" || !refusedWith(error, ...blockRefusals)) throw error;
        const sent = await sendAs(simpler);
        // Only now is it known that the form was the reason.
        this.#without.note(error, feature(team, form), ...blockRefusals);
        return sent;
      }
    };
    return sendAs(forms);
  }

  /** The message with the buttons that it needs in this place. */
  #fitting(room: Room, { buttons = [], ...message }: DrawnMessage): DrawnMessage {
    return { ...message, buttons: this.#sessions.ownButtons(room, buttons) };
  }
}
