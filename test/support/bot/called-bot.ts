import type { ThreadMessage } from "../../../src/core/ports/chat-actions.ts";

import type { FileReference, Origin } from "../../../src/core/values/inbound.ts";
import { createFakePlatform, type FakePlatform } from "../fakes/fake-platform.ts";
import { type ScriptedModel, scriptedModel } from "../models/scripted-model.ts";
import { ada, createTestApp, type TestApp, type TestAppOptions } from "../test-app.ts";

/** A channel of the fake platform, and a direct message. */
export const channel = "fake:team:general";
export const directMessage = "fake:team:dm-ada";

export interface Called {
  app: TestApp;
  platform: FakePlatform;
  model: ScriptedModel;
  /** Mentions the bot in a thread; returns the last message of a person that the model got. */
  call(text: string, more?: Partial<Origin> & CallPlace): Promise<string>;
}

interface CallPlace {
  namespace?: string;
  by?: typeof ada;
}

/** A bot on a fake platform that people call into the thread `t1`. */
export function callable(options: TestAppOptions = {}, model = scriptedModel(["Done."])): Called {
  const platform = createFakePlatform();
  const app = createTestApp(model, options);
  app.chat.connect(platform);
  let count = 0;
  return {
    app,
    platform,
    model,
    async call(text, { namespace = channel, by = ada, ...origin } = {}) {
      count += 1;
      const message = `call-${count}`;
      const said_at = Date.UTC(2026, 10, 22, 8, count);
      const said = { message, said_at, files: [], in_thread: true, ...origin };
      await app.ask(text, { namespace, by, thread: "t1", key: message, origin: said });
      return lastSaid(model);
    },
  };
}

/** The last message of a person that the model got. */
export function lastSaid({ requests }: ScriptedModel): string {
  return requests.at(-1)?.messages.findLast((message) => message.role === "user")?.text ?? "";
}

/** A message of a thread; the number in its id is the minute. */
export function heard(
  id: string,
  by: string,
  text: string,
  more: Partial<ThreadMessage> = {},
): ThreadMessage {
  const minute = Number(/\d+$/.exec(id)?.[0] ?? 0);
  const author = { id: by.toLowerCase(), name: by, bot: false, self: false };
  return { id, author, text, at: Date.UTC(2026, 10, 22, 7, minute), files: [], ...more };
}

/** A text file of ten bytes unless told. */
export function fileOf(id: string, name: string, more: Partial<FileReference> = {}): FileReference {
  return { id, name, media_type: "text/plain", bytes: 10, ...more };
}

export const bytes = (text: string) => new TextEncoder().encode(text);
