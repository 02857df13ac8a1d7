import type * as shapes from "../../client/shapes.ts";
import type { Session } from "../state/session.ts";
import type { ConsoleState, ConsoleStore } from "../state/state.ts";
import type { PanelFilter, SkillsPanel } from "./panel-state.ts";
import { isReviewed } from "./skill-kinds.ts";

export type SkillActions = ReturnType<typeof createSkillActions>;

/** Interval at which a starting server is read again, ms. */
const whileStarting = 1_500;

/** The skills and settings of the open channel. */
export function createSkillActions(store: ConsoleStore, session: Session) {
  const setPanel = (change: Partial<SkillsPanel>) =>
    store.set(({ skills }) => ({ skills: { ...skills, ...change } }));
  const tell = ({ detail }: { detail: string }) => setPanel({ problem: detail });
  const read = createReading(store, session, setPanel);
  const refresh = () => {
    void read.settings();
    if (store.get().skills.open) void read.panel();
  };

  return {
    togglePanel() {
      const open = !store.get().skills.open;
      setPanel({ open, note: undefined });
      if (open) refresh();
    },
    search: (query: string) => setPanel({ query }),
    /** Filters the list; undefined lists all. */
    narrow: (filter: PanelFilter | undefined) => setPanel({ filter }),
    /** Shows a skill in full; undefined goes back to the list. `note` is the result of the last action. */
    showSkill(id: string | undefined, note?: string) {
      setPanel({ ...blank, detailId: id, note });
      if (id !== undefined) void read.detail(id);
    },
    /** `pinned` turns the skill on, `blocked` off; `available` leaves it to the agent. */
    async setSkill(id: string, state: "pinned" | "blocked" | "available") {
      const { namespace } = store.get().open;
      setPanel({ saving: new Set([...store.get().skills.saving, id]), problem: undefined, note: undefined });
      const listing = await session.call("skill.set", { ns: namespace, id, state }, tell);
      const isOpen = store.get().open.namespace === namespace;
      store.set((now) => ({ skills: saved(now, id, isOpen ? listing : undefined) }));
      refresh();
    },
    /** Changes settings of the channel. */
    async change(settings: shapes.NamespaceSettings) {
      const { namespace } = store.get().open;
      const view = await session.call("channel.change", { ns: namespace, settings }, tell);
      if (view !== undefined && store.get().open.namespace === namespace)
        store.set({ settings: view.settings });
    },
    /** Reads the settings again, and the skills if they are shown. */
    refresh,
  };
}

/** Clears the state of the skill shown before. */
const blank = {
  detail: undefined,
  review: undefined,
  history: undefined,
  trial: undefined,
  login: undefined,
  problem: undefined,
} as const;

function createReading(
  store: ConsoleStore,
  session: Session,
  setPanel: (change: Partial<SkillsPanel>) => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = ({ detail }: { detail: string }) => setPanel({ problem: detail });
  const isOpen = (namespace: string) => store.get().open.namespace === namespace;
  const isShown = (id: string) => store.get().skills.detailId === id;

  const settings = async () => {
    const { namespace } = store.get().open;
    const view = await session.call("channel.show", { ns: namespace }, () => undefined);
    if (view !== undefined && isOpen(namespace)) store.set({ settings: view.settings });
  };
  const skills = async () => {
    const { namespace } = store.get().open;
    const list = await session.call("skill.list", { namespace }, tell);
    if (list !== undefined && isOpen(namespace)) setPanel(list);
  };
  const servers = async () => {
    const list = (await session.call("server.list", {}, tell))?.servers;
    if (list !== undefined) setPanel({ servers: list });
    clearTimeout(timer);
    if (list?.some(({ state }) => state === "starting")) timer = setTimeout(again, whileStarting);
  };
  const review = async (id: string) => {
    const value = await session.call(
      "skill.review",
      { id },
      ({ detail }) => isShown(id) && setPanel({ review: { ok: false, reason: detail } }),
    );
    if (value !== undefined && isShown(id)) setPanel({ review: { ok: true, value } });
  };
  const history = async (id: string, namespace: string) => {
    const found = await session.call("taught.history", { id, namespace }, tell);
    if (isOpen(namespace) && isShown(id)) setPanel({ history: found });
  };
  const detail = async (id: string) => {
    const { namespace } = store.get().open;
    // It may just have been removed.
    const tellIfShown = (problem: { detail: string }) => isShown(id) && tell(problem);
    const found = await session.call("skill.show", { id, namespace }, tellIfShown);
    if (!isOpen(namespace) || !isShown(id)) return;
    setPanel({ detail: found });
    await Promise.all([
      found !== undefined && isReviewed(found) ? review(id) : undefined,
      found?.taught === undefined ? undefined : history(id, namespace),
    ]);
  };
  const panel = async () => {
    const { detailId } = store.get().skills;
    await Promise.all([skills(), servers(), detailId === undefined ? undefined : detail(detailId)]);
  };
  const again = () => {
    if (store.get().skills.open) void panel();
  };
  return { settings, panel, detail };
}

function saved({ skills }: ConsoleState, id: string, listing: shapes.SkillListing | undefined): SkillsPanel {
  const saving = new Set([...skills.saving].filter((other) => other !== id));
  if (listing === undefined || skills.skills === undefined) return { ...skills, saving };
  return { ...skills, saving, skills: skills.skills.map((skill) => (skill.id === id ? listing : skill)) };
}
