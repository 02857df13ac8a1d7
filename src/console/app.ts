/** The console: wires the parts together and starts them. What it shows is a function of one state (state.ts). */
import { render } from "lit-html";
import { takeDrops } from "./composer/attached-files.ts";
import { createDraftActions } from "./composer/draft-actions.ts";
import { announceTurns } from "./page/announcer.ts";
import { appView } from "./page/app-view.ts";
import { enableKeyboard } from "./page/keyboard.ts";
import { createInstallActions } from "./skills/install-actions.ts";
import { createSkillActions } from "./skills/skill-actions.ts";
import { createTrialActions } from "./skills/trial-actions.ts";
import { createUpkeepActions } from "./skills/upkeep-actions.ts";
import type { Actions } from "./state/actions.ts";
import { createBrowserStorage } from "./state/browser-storage.ts";
import { createChannelActions } from "./state/channel-actions.ts";
import { directMessage, formatAddress, parseAddress } from "./state/channels.ts";
import { createFileActions } from "./state/file-actions.ts";
import { createMessageActions } from "./state/message-actions.ts";
import { createPageActions } from "./state/page-actions.ts";
import { createSession } from "./state/session.ts";
import {
  type ConsoleState,
  type ConsoleStore,
  createStore,
  type Dialog,
  initialState,
} from "./state/state.ts";
import { turnsOf } from "./state/timeline.ts";
import { createMarkdown } from "./thread/markdown.ts";

/** How often durations tick while something runs, and the times of threads otherwise, ms. */
const tick = { running: 200, idle: 20_000 };

/** As in layout.css. */
const panelCoversConversation = "(width <= 75rem)";
/** So long a window may be hidden and still be kept up to date, ms. */
const patience = 5_000;
/** Closer than this to the end counts as reading the latest, px. */
const near = 90;

function startConsole(root: HTMLElement, announcer: HTMLElement): void {
  const storage = createBrowserStorage(localStorage, sessionStorage);
  const store = createStore<ConsoleState>({ ...initialState(Date.now()), theme: storage.theme() });
  const session = createSession(store, storage, location.origin);
  const skills = createSkillActions({ store, session });
  const draft = createDraftActions({ store, session, storage });
  let follow: ScrollFollow | undefined;
  const channels = createChannelActions({
    store,
    session,
    storage,
    channelChanged: skills.refresh,
    connected: () => messages.resume(),
    opened(address) {
      const hash = formatAddress(address);
      if (location.hash !== hash) history.pushState(null, "", hash);
      requestAnimationFrame(() => {
        follow?.toLatest();
        focusComposer();
      });
    },
  });
  const messages = createMessageActions({ store, session, storage, open: channels.open });
  const addressNow = () =>
    parseAddress(location.hash) ?? { namespace: directMessage, thread: storage.lastThread(directMessage) };
  const send = (text?: string) => {
    messages.send(text);
    requestAnimationFrame(() => follow?.toLatest());
  };
  const actions: Actions = {
    channels,
    messages: { ...messages, send },
    draft,
    files: createFileActions({ store, session }),
    skills,
    install: createInstallActions({ store, session, skills }),
    upkeep: createUpkeepActions({ store, session, skills }),
    trial: createTrialActions({
      store,
      session,
      send(text) {
        send(text);
        if (matchMedia(panelCoversConversation).matches) skills.togglePanel();
      },
    }),
    page: createPageActions(store, storage),
    signIn(token) {
      session.useToken(token);
      store.set({ dialog: undefined, tokenProblem: undefined });
      void channels.start(store.get().open);
    },
  };

  const paint = paintInto(root, store, actions, () => follow?.toLatest());
  store.subscribe(onceAFrame(paint));
  store.subscribe(({ theme }) => applyTheme(document.documentElement, theme));
  store.subscribe(whenDialogCloses(store, (dialog) => requestAnimationFrame(() => giveFocusBack(dialog))));
  announceTurns(store, announcer, document);
  keepTime(store);
  markEmojiSupport(document);
  enableKeyboard(document, store, actions);
  enableCopying(document, navigator.clipboard);
  takeDrops(document, actions);
  addEventListener("popstate", () => channels.open(addressNow()));
  addEventListener("pagehide", draft.keep);
  restWhenHidden(document, channels);

  const unsent = storage
    .outgoing()
    .map((message) => ({ ...message, problem: message.problem ?? "Not sent yet." }));
  store.set({ outgoing: unsent });
  paint();
  follow = followScroll(element("scroller"), element("to-latest"));
  void channels.start(addressNow());
}

function paintInto(
  root: HTMLElement,
  store: ConsoleStore,
  actions: Actions,
  toLatest: () => void,
): () => void {
  const markdown = createMarkdown(window);
  return () => {
    render(appView(store.get(), actions, markdown, toLatest), root);
  };
}

/** Many changes between two frames are one painting. */
function onceAFrame(paint: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      paint();
    });
  };
}

/** A dialog that is gone cannot give the focus back. */
function whenDialogCloses(store: ConsoleStore, closed: (dialog: Dialog) => void): () => void {
  let before = store.get().dialog;
  return () => {
    const { dialog } = store.get();
    if (before !== undefined && dialog === undefined) closed(before);
    before = dialog;
  };
}

function giveFocusBack(dialog: Dialog): void {
  if (dialog === "install") document.querySelector<HTMLElement>("#install-skills, #skills button")?.focus();
  else focusComposer();
}

function keepTime(store: ConsoleStore): void {
  setInterval(() => {
    const { timeline, now } = store.get();
    const busy = turnsOf(timeline).some(({ status }) => status !== "finished");
    if (busy || Date.now() - now >= tick.idle) store.set({ now: Date.now() });
  }, tick.running);
}

/** On touch screens the keyboard would cover what was just opened. */
function focusComposer(): void {
  if (
    matchMedia("(hover: hover) and (min-width: 50rem)").matches &&
    document.querySelector("dialog") === null
  ) {
    document.getElementById("composer")?.focus({ preventScroll: true });
  }
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element #${id}`);
  return found;
}

startConsole(element("console"), element("announcer"));

/**
 * Makes every button with `data-copy` copy: `code` the block it heads, `answer` the Markdown in its `data-text`. The
 * button says for a moment that it did.
 */
function enableCopying(page: Document, clipboard: Clipboard | undefined): void {
  page.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
    if (button instanceof HTMLButtonElement) void copyFrom(button, clipboard);
  });
}

async function copyFrom(button: HTMLButtonElement, clipboard: Clipboard | undefined): Promise<void> {
  const text = button.dataset.text ?? button.closest(".code-block")?.querySelector("code")?.textContent ?? "";
  try {
    if (clipboard === undefined) throw new Error("The page was not loaded over HTTPS or from this machine");
    await clipboard.writeText(text);
    show(button, "copied");
  } catch {
    // The browser refused; the text can still be selected.
    show(button, "refused");
  }
}

function show(button: HTMLButtonElement, state: "copied" | "refused"): void {
  button.dataset.state = state;
  setTimeout(() => delete button.dataset.state, 1500);
}

/** Marks a page on which emoji would be empty boxes, as on servers without such a font: initials are shown there. */
function markEmojiSupport(page: Document): void {
  if (!hasColourEmoji(page)) page.documentElement.dataset.emoji = "none";
}

/** Draws one in black: only a font with emoji gives it colour. */
function hasColourEmoji(page: Document): boolean {
  const canvas = page.createElement("canvas");
  canvas.width = 20;
  canvas.height = 20;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return true;
  context.font = "16px sans-serif";
  context.textBaseline = "top";
  context.fillText("🧠", 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value, index) => index % 4 === 0 && Math.abs(value - (data[index + 2] ?? value)) > 24);
}

/**
 * Browsers hold six connections to a server at most, for all windows together (HTTP/1.1): a window that nobody sees gives its
 * own back, and catches up when it is looked at again.
 */
function restWhenHidden(page: Document, { rest, resume }: { rest(): void; resume(): void }): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  page.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (page.hidden) timer = setTimeout(rest, patience);
    else resume();
  });
}

/** Keeps the end of a conversation in view while it grows, unless the reader has scrolled up. */
interface ScrollFollow {
  toLatest(): void;
}

/** `scroller` must stay on the page; `jump` is shown while the end is out of view. */
function followScroll(scroller: HTMLElement, jump: HTMLElement): ScrollFollow {
  let following = true;
  const toLatest = () => {
    following = true;
    scroller.scrollTop = scroller.scrollHeight;
  };
  const isNearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near;
  let lastHeight = scroller.scrollHeight;
  const onGrowth = () => {
    if (following) toLatest();
    lastHeight = scroller.scrollHeight;
  };
  scroller.addEventListener(
    "scroll",
    () => {
      // Growth moves the end away without the reader having scrolled.
      if (scroller.scrollHeight === lastHeight) following = isNearEnd();
      jump.hidden = isNearEnd();
    },
    { passive: true },
  );
  const sizes = new ResizeObserver(onGrowth);
  sizes.observe(scroller);
  const watchContent = () => {
    for (const child of scroller.children) sizes.observe(child);
    jump.hidden = isNearEnd();
  };
  new MutationObserver(watchContent).observe(scroller, { childList: true });
  watchContent();
  return { toLatest };
}

/** Shows the page light or dark; `system` follows the system. early-theme.ts does the same before the first paint. */
function applyTheme(page: HTMLElement, theme: ConsoleState["theme"]): void {
  if (theme === "system") delete page.dataset.theme;
  else page.dataset.theme = theme;
}
