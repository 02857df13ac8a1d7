/** The console: connects the parts and starts them. The page is a function of one state (state.ts). */
import { render } from "lit-html";
import { takeDrops } from "./composer/attached-files.ts";
import { createDraftActions } from "./composer/draft-actions.ts";
import { createScheduleActions } from "./composer/schedule-actions.ts";
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
import { createReceiptActions } from "./state/receipt-actions.ts";
import { Session } from "./state/session.ts";
import { type ConsoleState, ConsoleStore, type Dialog, initialState } from "./state/state.ts";
import { turnsOf } from "./state/timeline.ts";
import { createMarkdown } from "./thread/markdown.ts";

/** Update interval of durations while a turn runs, and of the times of threads otherwise, ms. */
const tick = { running: 200, idle: 20_000 };

/** As in layout.css. */
const panelCoversConversation = "(width <= 75rem)";
/** Time for which a hidden window still follows its channel, ms. */
const hiddenGraceMs = 5_000;
/** Distance to the end within which the reader counts as reading the latest, px. */
const nearEnd = 90;

function startConsole(root: HTMLElement, announcer: HTMLElement): void {
  const storage = createBrowserStorage(localStorage, sessionStorage);
  const store = new ConsoleStore({ ...initialState(Date.now()), theme: storage.theme() });
  const session = new Session(store, storage, location.origin);
  const skills = createSkillActions(store, session);
  const draft = createDraftActions(store, session, storage);
  let follow: ReturnType<typeof followScroll> | undefined;
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
  const messages = createMessageActions(store, session, storage, channels.open);
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
    schedule: createScheduleActions(store, session),
    files: createFileActions(store, session),
    receipts: createReceiptActions(store, session),
    skills,
    install: createInstallActions(store, session, skills),
    upkeep: createUpkeepActions(store, session, skills),
    trial: createTrialActions(store, session, (text) => {
      send(text);
      if (matchMedia(panelCoversConversation).matches) skills.togglePanel();
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
  store.subscribe(whenDialogCloses(store, (dialog) => requestAnimationFrame(() => restoreFocus(dialog))));
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

/** Several changes between two frames are painted once. */
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

/** Calls back when a dialog closes: a removed dialog cannot restore the focus. */
function whenDialogCloses(store: ConsoleStore, closed: (dialog: Dialog) => void): () => void {
  let before = store.get().dialog;
  return () => {
    const { dialog } = store.get();
    if (before !== undefined && dialog === undefined) closed(before);
    before = dialog;
  };
}

function restoreFocus(dialog: Dialog): void {
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

/** Not on touch screens, where the keyboard would cover the thread that was just opened. */
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
 * Makes every button with `data-copy` copy: `code` its code block, `answer` the Markdown in its `data-text`. The button shows
 * briefly that it copied.
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
    // The browser refused. The text can still be selected.
    show(button, "refused");
  }
}

function show(button: HTMLButtonElement, state: "copied" | "refused"): void {
  button.dataset.state = state;
  setTimeout(() => delete button.dataset.state, 1500);
}

/** Marks a page on which emoji would be empty boxes, as on servers without such a font: it shows initials instead. */
function markEmojiSupport(page: Document): void {
  if (!hasColourEmoji(page)) page.documentElement.dataset.emoji = "none";
}

/** Draws an emoji in black: only an emoji font gives it colour. */
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
 * Browsers open at most six connections to a server for all windows together (HTTP/1.1). A hidden window closes its own, and
 * catches up when it is visible again.
 */
function restWhenHidden(page: Document, { rest, resume }: { rest(): void; resume(): void }): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  page.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (page.hidden) timer = setTimeout(rest, hiddenGraceMs);
    else resume();
  });
}

/**
 * Keeps the end of a growing conversation in view, unless the reader has scrolled up. The start of a new thread is read from its top.
 * `scroller` must stay on the page; `jump` is shown while the end is out of view.
 */
function followScroll(scroller: HTMLElement, jump: HTMLElement) {
  let following = true;
  const isStart = () => scroller.querySelector(".welcome") !== null;
  const toLatest = () => {
    following = true;
    scroller.scrollTop = isStart() ? 0 : scroller.scrollHeight;
  };
  const isNearEnd = () =>
    isStart() || scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearEnd;
  let lastHeight = scroller.scrollHeight;
  const onGrowth = () => {
    if (following && !isStart()) toLatest();
    lastHeight = scroller.scrollHeight;
  };
  scroller.addEventListener(
    "scroll",
    () => {
      // Growth moves the end without any scrolling by the reader.
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

/** Sets the light or dark theme; `system` follows the system. early-theme.ts does the same before the first paint. */
function applyTheme(page: HTMLElement, theme: ConsoleState["theme"]): void {
  if (theme === "system") delete page.dataset.theme;
  else page.dataset.theme = theme;
}
