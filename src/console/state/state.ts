import type * as shapes from "../../client/shapes.ts";
import { emptyPanel, type Installing, nothingChosen, type SkillsPanel } from "../skills/panel-state.ts";
import { type Address, type Channel, directMessage, toChannels } from "./channels.ts";
import { emptyTimeline, type Timeline } from "./timeline.ts";

/** An outgoing message, shown at once until its turn arrives. The key makes a second delivery harmless. */
export interface OutgoingMessage extends Address {
  thread: string;
  key: string;
  text: string;
  sent_at: number;
  /** Id of its turn; set once the server has accepted it. */
  turn_id?: string;
  /** The reason why it was not sent, for the person. */
  problem?: string;
  /** Attached files; a reload of the page loses them. */
  files?: readonly File[];
}

/** The message being written: its text, and long pasted pieces, which are kept out of the editor. */
export interface Draft {
  text: string;
  pasted: readonly string[];
  /** To be attached; a reload of the page loses them. */
  files: readonly File[];
}

interface CompletionList {
  /** The text they complete. */
  text: string;
  items: readonly shapes.Completion[];
  selected: number;
}

export type Dialog = "switcher" | "token" | "install" | "schedule" | undefined;
export type Theme = "system" | "light" | "dark";

/** A receipt that is open; without `receipt` it is being read. */
export interface ReceiptState {
  receipt?: shapes.Receipt;
  /** Names of models that may replay the turn, as proposals. */
  models?: readonly string[];
  /** The model that is answering again. */
  replaying?: string | undefined;
  replay?: shapes.Replay | undefined;
  /** Why there is no replay. */
  problem?: string | undefined;
}

/** Everything the console shows; the page is a function of it. */
export interface ConsoleState {
  about: shapes.About | undefined;
  settings: shapes.NamespaceView["settings"] | undefined;
  connection: "connecting" | "live" | "lost";
  channels: readonly Channel[];
  open: Address;
  /** Undefined while they are being read. */
  threads: readonly shapes.Thread[] | undefined;
  /** Threads with an answer that arrived while another one was open. */
  unread: ReadonlySet<string>;
  timeline: Timeline;
  threadLoaded: boolean;
  outgoing: readonly OutgoingMessage[];
  draft: Draft;
  completions: CompletionList | undefined;
  skills: SkillsPanel;
  installing: Installing;
  /** Pictures of turns as data addresses, by `pictureKey`. */
  pictures: ReadonlyMap<string, string>;
  /** The open receipts, by turn. */
  receipts: ReadonlyMap<string, ReceiptState>;
  /** Parts that the person opened or closed, by key: progress blocks, details of steps, long texts. */
  disclosed: ReadonlyMap<string, boolean>;
  /** The drawer on narrow screens. */
  sidebarOpen: boolean;
  addingChannel: { problem: string | undefined } | undefined;
  dialog: Dialog;
  /** The form that plans a reminder or task; afterwards what was planned. */
  planning: { what: "reminder" | "task"; problem?: string; planned?: shapes.Planned };
  switcher: { query: string; selected: number };
  tokenProblem: string | undefined;
  /** Whether files are dragged over the page. */
  dropping: boolean;
  /** A failure that belongs to no message, e.g. `The turn could not be stopped`. */
  notice: string | undefined;
  theme: Theme;
  /** Ms since the epoch, ticking while something runs. */
  now: number;
}

export const emptyDraft: Draft = { text: "", pasted: [], files: [] };

/** The state before anything is known. */
export function initialState(now: number): ConsoleState {
  return {
    about: undefined,
    settings: undefined,
    connection: "connecting",
    channels: toChannels([]),
    open: { namespace: directMessage, thread: undefined },
    threads: undefined,
    unread: new Set(),
    timeline: emptyTimeline,
    threadLoaded: false,
    outgoing: [],
    draft: emptyDraft,
    dropping: false,
    completions: undefined,
    skills: emptyPanel,
    installing: nothingChosen,
    pictures: new Map(),
    receipts: new Map(),
    disclosed: new Map(),
    sidebarOpen: false,
    addingChannel: undefined,
    dialog: undefined,
    planning: { what: "reminder" },
    switcher: { query: "", selected: 0 },
    tokenProblem: undefined,
    notice: undefined,
    theme: "system",
    now,
  };
}

/** Holds the state and notifies listeners of changes. */
export class ConsoleStore {
  #state: ConsoleState;
  readonly #listeners: ((state: ConsoleState) => void)[] = [];

  constructor(initial: ConsoleState) {
    this.#state = initial;
  }

  get(): ConsoleState {
    return this.#state;
  }

  /** Replaces the given members. */
  set(change: Partial<ConsoleState> | ((state: ConsoleState) => Partial<ConsoleState>)): void {
    this.#state = { ...this.#state, ...(typeof change === "function" ? change(this.#state) : change) };
    for (const listener of this.#listeners) listener(this.#state);
  }

  /** Calls the listener after each change. */
  subscribe(listener: (state: ConsoleState) => void): void {
    this.#listeners.push(listener);
  }
}
