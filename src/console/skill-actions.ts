import type * as shapes from "../client/shapes.ts";
import type { Session } from "./session.ts";
import type { ConsoleState, ConsoleStore, SkillsPanel } from "./state.ts";

/** The skills and settings of the open channel. */
export interface SkillActions {
  togglePanel(): void;
  search(query: string): void;
  /** Shows a skill in full; undefined goes back to the list. */
  showSkill(id: string | undefined): void;
  /** `pinned` turns it on, `blocked` off, `available` leaves it to the agent. */
  setSkill(id: string, state: "pinned" | "blocked" | "available"): void;
  /** Changes settings of the channel. */
  change(settings: shapes.NamespaceSettings): void;
  /** Reads settings, and skills when they are shown, again. */
  refresh(): void;
}

export function createSkillActions(parts: { store: ConsoleStore; session: Session }): SkillActions {
  const { store, session } = parts;
  const setPanel = (change: Partial<SkillsPanel>) =>
    store.set(({ skills }) => ({ skills: { ...skills, ...change } }));
  const tell = ({ detail }: { detail: string }) => setPanel({ problem: detail });
  const isOpen = (namespace: string) => store.get().open.namespace === namespace;

  const readSettings = async () => {
    const { namespace } = store.get().open;
    const view = await session.attempt(
      (client) => client.namespace(namespace),
      () => {},
    );
    if (view !== undefined && isOpen(namespace)) store.set({ settings: view.settings });
  };
  const readSkills = async () => {
    const { namespace } = store.get().open;
    const list = await session.attempt((client) => client.skills({ namespace }), tell);
    if (list !== undefined && isOpen(namespace)) setPanel({ ...list, problem: undefined });
  };
  const readDetail = async (id: string) => {
    const { namespace } = store.get().open;
    const detail = await session.attempt((client) => client.skill(id, namespace), tell);
    if (isOpen(namespace) && store.get().skills.detailId === id) setPanel({ detail });
  };
  const refresh = () => {
    void readSettings();
    const { open, detailId } = store.get().skills;
    if (open) void readSkills();
    if (open && detailId !== undefined) void readDetail(detailId);
  };

  return {
    togglePanel() {
      const open = !store.get().skills.open;
      setPanel({ open });
      if (open) refresh();
    },
    search: (query) => setPanel({ query }),
    showSkill(id) {
      setPanel({ detailId: id, detail: undefined, problem: undefined });
      if (id !== undefined) void readDetail(id);
    },
    async setSkill(id, state) {
      const { namespace } = store.get().open;
      setPanel({ saving: new Set([...store.get().skills.saving, id]), problem: undefined });
      const listing = await session.attempt((client) => client.setSkill(namespace, id, state), tell);
      store.set((now) => ({ skills: saved(now, id, isOpen(namespace) ? listing : undefined) }));
      refresh();
    },
    async change(settings) {
      const { namespace } = store.get().open;
      const view = await session.attempt((client) => client.changeSettings(namespace, settings), tell);
      if (view !== undefined && isOpen(namespace)) store.set({ settings: view.settings });
    },
    refresh,
  };
}

function saved({ skills }: ConsoleState, id: string, listing: shapes.SkillListing | undefined): SkillsPanel {
  const saving = new Set([...skills.saving].filter((other) => other !== id));
  if (listing === undefined || skills.skills === undefined) return { ...skills, saving };
  return { ...skills, saving, skills: skills.skills.map((skill) => (skill.id === id ? listing : skill)) };
}
