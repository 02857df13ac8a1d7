import { type Address, channelName } from "./channels.ts";
import { type Draft, emptyDraft, type OutgoingMessage } from "./state.ts";

/**
 * What a reload must not lose. Drafts, channels and the last thread of each channel are kept for the browser, messages
 * on their way and the token for the tab. A full or refused storage loses only this, never the page.
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

export function createBrowserStorage(lasting: Storage, ofTab: Storage): BrowserStorage {
  return {
    draft: (address) => ({ ...emptyDraft, ...readJson<Omit<Draft, "files">>(lasting, draftKey(address)) }),
    keepDraft(address, draft) {
      const isEmpty = draft.text === "" && draft.pasted.length === 0;
      const { text, pasted } = draft;
      keep(lasting, draftKey(address), isEmpty ? undefined : JSON.stringify({ text, pasted }));
    },
    lastThread: (namespace) => lasting.getItem(threadKey(namespace)) ?? undefined,
    keepLastThread: ({ namespace, thread }) => keep(lasting, threadKey(namespace), thread),
    channels: () => readJson<string[]>(lasting, "knack:channels") ?? [],
    keepChannels: (namespaces) => keep(lasting, "knack:channels", JSON.stringify(namespaces)),
    outgoing: () => readJson<OutgoingMessage[]>(ofTab, "knack:outgoing") ?? [],
    keepOutgoing(messages) {
      const kept = messages.map(withoutFiles);
      keep(ofTab, "knack:outgoing", kept.length === 0 ? undefined : JSON.stringify(kept));
    },
    token: () => ofTab.getItem("knack:token") ?? undefined,
    keepToken: (token) => keep(ofTab, "knack:token", token),
    theme() {
      const theme = lasting.getItem("knack:theme");
      return theme === "light" || theme === "dark" ? theme : "system";
    },
    keepTheme: (theme) => keep(lasting, "knack:theme", theme === "system" ? undefined : theme),
  };
}

function readJson<T>(storage: Storage, key: string): T | undefined {
  try {
    const text = storage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    // Written by hand or by another version: as if it were not there.
    storage.removeItem(key);
    return undefined;
  }
}

function keep(storage: Storage, key: string, value: string | undefined): void {
  try {
    if (value === undefined) storage.removeItem(key);
    else storage.setItem(key, value);
  } catch {
    // The quota is used up (a draft of megabytes): what was kept before would be wrong now.
    storage.removeItem(key);
  }
}

/** What a reload would lose is said instead. */
function withoutFiles({ files = [], ...message }: OutgoingMessage): OutgoingMessage {
  if (files.length === 0) return message;
  const names = files.map(({ name }) => name).join(", ");
  return {
    ...message,
    problem: `Not sent, and its files were lost with the reload: attach ${names} again.`,
    sent_at: 0,
  };
}
