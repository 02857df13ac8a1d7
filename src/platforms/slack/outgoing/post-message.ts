import type { types } from "@slack/bolt";
import type { Clock } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { createAbsentFeature } from "../connection/absent-features.ts";
import { refusedWith, unlessRefused } from "../connection/slack-call.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import {
  type BlockForm,
  type DrawnMessage,
  formsOf,
  type Picture,
  type Rendered,
  renderMessage,
} from "./render-message.ts";
import type { Sessions } from "./sessions.ts";

/**
 * Posts and changes messages without link previews; Slack makes none for edits. A workspace that refuses rich blocks gets plain
 * ones for an hour.
 */
export interface MessageWriter {
  /** Returns the `ts`. @throws PlatformError */
  post(room: Room, message: DrawnMessage, stillWanted?: () => void): Promise<string>;
  /** `shown` has all its pictures, and files to add to it. @throws PlatformError */
  edit(room: Room, ts: string, message: DrawnMessage, shown?: ShownFiles): Promise<void>;
  /** No error if it is already gone. @throws PlatformError */
  remove(place: Place, ts: string): Promise<void>;
  /** Renders the message for `send`; in plain blocks if rich ones are refused. */
  rendered<T>(
    team: string,
    message: DrawnMessage,
    send: (rendered: Rendered) => Promise<T>,
    pictures?: readonly Picture[],
  ): Promise<T>;
}

/** Files stored by Slack that a message shows. */
interface ShownFiles {
  pictures: readonly Picture[];
  /** Ids. */
  files: readonly string[];
}

/** Refusals of a block that the workspace does not have, or of its content. */
export const blockRefusals = ["invalid_blocks", "unsupported_block"];

const noFiles: ShownFiles = { pictures: [], files: [] };

export function createMessageWriter(
  context: SlackContext,
  streaming: "auto" | "off",
  sessions: Pick<Sessions, "ownButtons">,
  clock: Clock,
): MessageWriter {
  const { workspaces } = context;
  const without = createAbsentFeature(clock);
  /** What a workspace refused, tried again later. */
  const feature = (team: string, form: BlockForm) => ({ team: `${team} ${form}`, channel: form });

  const rendered: MessageWriter["rendered"] = async (team, message, send, pictures) => {
    const isKnown = (form: BlockForm) => form !== "basic" && without.isAbsent(feature(team, form));
    const forms = streaming === "auto" ? formsOf(message).filter((form) => !isKnown(form)) : [];
    const sendAs = async ([form = "basic", ...simpler]: readonly BlockForm[]): ReturnType<typeof send> => {
      try {
        return await send(renderMessage(message, form, pictures));
      } catch (error) {
        if (form === "basic" || !refusedWith(error, ...blockRefusals)) throw error;
        const sent = await sendAs(simpler);
        // Only now is it known that the form was the reason.
        without.note(error, feature(team, form), ...blockRefusals);
        return sent;
      }
    };
    return sendAs(forms);
  };
  /** The message with the buttons that it needs in this place. */
  const fitting = (room: Room, { buttons = [], ...message }: DrawnMessage): DrawnMessage => ({
    ...message,
    buttons: sessions.ownButtons(room, buttons),
  });
  const edit: MessageWriter["edit"] = async (room, ts, message, shown = noFiles) => {
    const { team, channel } = room;
    const { pictures, files } = shown;
    const more = files.length === 0 ? {} : { file_ids: [...files] };
    const update = async () => {
      await rendered(
        team,
        fitting(room, message),
        ({ text, blocks, metadata }) =>
          workspaces.call(team, "change a message", ({ write }) =>
            write.chat.update({ channel, ts, text, blocks, ...more, ...(metadata && { metadata }) }),
          ),
        pictures,
      );
    };
    try {
      await update();
    } catch (error) {
      if (!refusedWith(error, "streaming_state_conflict")) throw error;
      await workspaces.call(team, "end a stream", ({ write }) => write.chat.stopStream({ channel, ts }));
      await update();
    }
  };
  const remove: MessageWriter["remove"] = async (place, ts) => {
    const { team, channel } = await roomOf(context, place);
    await unlessRefused(["message_not_found", "channel_not_found"], () =>
      workspaces.call(team, "delete a message", ({ write }) => write.chat.delete({ channel, ts })),
    );
  };
  return {
    rendered,
    edit,
    remove,
    post: (room, message, stillWanted) =>
      post(workspaces, rendered, room, fitting(room, message), stillWanted),
  };
}

async function post(
  workspaces: Workspaces,
  rendered: MessageWriter["rendered"],
  { team, channel, thread }: Room,
  message: DrawnMessage,
  stillWanted: () => void = () => {},
): Promise<string> {
  const { ts = "" } = await rendered(team, message, ({ text, blocks, metadata }) =>
    workspaces.call(team, "post a message", ({ write }) => {
      stillWanted();
      return write.chat.postMessage({
        channel,
        text,
        blocks: blocks as types.KnownBlock[],
        unfurl_links: false,
        unfurl_media: false,
        ...(thread === undefined ? {} : { thread_ts: thread }),
        ...(metadata && { metadata }),
      });
    }),
  );
  return ts;
}
