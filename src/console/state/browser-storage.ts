import { type Address, channelName } from "./channels.ts";
import { type Draft, emptyDraft, type OutgoingMessage } from "./state.ts";

/**
 * State that survives a reload: drafts, channels and the last thread of each channel for the browser, unsent messages and the
 * token for the tab. With a full or refused storage only this is lost, and the page works.
 */
export interface BrowserStorage {
  draft(address: Address): Draft;
  keepDraft(address: Address, draft: Draft): void;
  lastThread(namespace: string): string | undefined;
  keepLastThread(address: Address): void;
  channels(): string[];
  keepChannels(namespaces: readonly string[]): void;
  outgoing(): OutgoingMessage[];
  keepOutgoing(messages: readonly OutgoingMessage[]): void;
  token(): string | undefined;
  keepToken(token: string): void;
  theme(): "system" | "light" | "dark";
  keepTheme(theme: "system" | "light" | "dark"): void;
}

const draftKey = ({ namespace, thread }: Address) =>
  `knack:draft:${channelName(namespace)}${thread === undefined ? "" : `/${thread}`}`;
const threadKey = (namespace: string) => `knack:thread:${channelName(namespace)}`;

export function createBrowserStorage(ofBrowser: Storage, ofTab: Storage): BrowserStorage {
  return {
    draft: (address) => ({ ...emptyDraft, ...readJson<Omit<Draft, "files">>(ofBrowser, draftKey(address)) }),
    keepDraft(address, draft) {
      const isEmpty = draft.text === "" && draft.pasted.length === 0;
      const { text, pasted } = draft;
      keep(ofBrowser, draftKey(address), isEmpty ? undefined : JSON.stringify({ text, pasted }));
    },
    lastThread: (namespace) => ofBrowser.getItem(threadKey(namespace)) ?? undefined,
    keepLastThread: ({ namespace, thread }) => keep(ofBrowser, threadKey(namespace), thread),
    channels: () => readJson<string[]>(ofBrowser, "knack:channels") ?? [],
    keepChannels: (namespaces) => keep(ofBrowser, "knack:channels", JSON.stringify(namespaces)),
    outgoing: () => readJson<OutgoingMessage[]>(ofTab, "knack:outgoing") ?? [],
    keepOutgoing(messages) {
      const kept = messages.map(withoutFiles);
      keep(ofTab, "knack:outgoing", kept.length === 0 ? undefined : JSON.stringify(kept));
    },
    token: () => ofTab.getItem("knack:token") ?? undefined,
    keepToken: (token) => keep(ofTab, "knack:token", token),
    theme() {
      const theme = ofBrowser.getItem("knack:theme");
      return theme === "light" || theme === "dark" ? theme : "system";
    },
    keepTheme: (theme) => keep(ofBrowser, "knack:theme", theme === "system" ? undefined : theme),
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
