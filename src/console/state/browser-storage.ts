import { type Address, channelName } from "./channels.ts";
import { type Draft, emptyDraft, type OutgoingMessage, type Theme } from "./state.ts";

export type BrowserStorage = ReturnType<typeof createBrowserStorage>;

const draftKey = ({ namespace, thread }: Address) =>
  `knack:draft:${channelName(namespace)}${thread === undefined ? "" : `/${thread}`}`;
const threadKey = (namespace: string) => `knack:thread:${channelName(namespace)}`;

/**
 * State that survives a reload: drafts, channels and the last thread of each channel for the browser, unsent messages and the
 * token for the tab. With a full or refused storage only this is lost, and the page works.
 */
export function createBrowserStorage(ofBrowser: Storage, ofTab: Storage) {
  return {
    draft: (address: Address): Draft => ({
      ...emptyDraft,
      ...readJson<Omit<Draft, "files">>(ofBrowser, draftKey(address)),
    }),
    keepDraft(address: Address, { text, pasted }: Draft) {
      const isEmpty = text === "" && pasted.length === 0;
      keep(ofBrowser, draftKey(address), isEmpty ? undefined : JSON.stringify({ text, pasted }));
    },
    lastThread: (namespace: string) => ofBrowser.getItem(threadKey(namespace)) ?? undefined,
    keepLastThread: ({ namespace, thread }: Address) => keep(ofBrowser, threadKey(namespace), thread),
    channels: () => readJson<string[]>(ofBrowser, "knack:channels") ?? [],
    keepChannels: (namespaces: readonly string[]) =>
      keep(ofBrowser, "knack:channels", JSON.stringify(namespaces)),
    outgoing: () => readJson<OutgoingMessage[]>(ofTab, "knack:outgoing") ?? [],
    keepOutgoing(messages: readonly OutgoingMessage[]) {
      const kept = messages.map(withoutFiles);
      keep(ofTab, "knack:outgoing", kept.length === 0 ? undefined : JSON.stringify(kept));
    },
    token: () => ofTab.getItem("knack:token") ?? undefined,
    keepToken: (token: string) => keep(ofTab, "knack:token", token),
    theme(): Theme {
      const theme = ofBrowser.getItem("knack:theme");
      return theme === "light" || theme === "dark" ? theme : "system";
    },
    keepTheme: (theme: Theme) => keep(ofBrowser, "knack:theme", theme === "system" ? undefined : theme),
  };
}

function readJson<T>(storage: Storage, key: string): T | undefined {
  try {
    const text = storage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    // Written by hand or by another version: ignored.
    storage.removeItem(key);
    return undefined;
  }
}

function keep(storage: Storage, key: string, value: string | undefined): void {
  try {
    if (value === undefined) storage.removeItem(key);
    else storage.setItem(key, value);
  } catch {
    // The quota is exceeded (a draft of megabytes). The earlier value would be wrong now.
    storage.removeItem(key);
  }
}

/** The message without its files, which a reload loses; its problem says so. */
function withoutFiles({ files = [], ...message }: OutgoingMessage): OutgoingMessage {
  if (files.length === 0) return message;
  const names = files.map(({ name }) => name).join(", ");
  return {
    ...message,
    problem: `Not sent, and the reload lost its files. Attach ${names} again.`,
    sent_at: 0,
  };
}
