import type { ApiClient } from "../../client/api-client.ts";
import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";
import type { SkillsPanel } from "./panel-state.ts";
import type { SkillActions } from "./skill-actions.ts";

/** Operators' actions on installed skills, hosts and tool servers. The panel shows refusals. */
export interface UpkeepActions {
  /** Installs a skill again from its source. */
  update(id: string): void;
  remove(id: string): void;
  grantHost(id: string, host: string): void;
  revokeHost(id: string, host: string): void;
  control(server: string, action: "start" | "stop" | "restart"): void;
  /** Requests the address where the person connects their account. */
  connect(server: string): void;
  /** Forgets the account. */
  disconnect(server: string): void;
  /** Uses an earlier version of a skill that was made in the open channel. */
  restore(id: string, version: number): void;
  share(id: string, who: "nobody" | "others" | "everyone"): void;
  /** Takes a skill of another channel. */
  take(id: string): void;
  /** Removes a skill that was made in the open channel. */
  discard(id: string): void;
}

export function createUpkeepActions(parts: {
  store: ConsoleStore;
  session: Session;
  skills: Pick<SkillActions, "refresh" | "showSkill">;
}): UpkeepActions {
  const { store, session, skills } = parts;
  const setPanel = (change: Partial<SkillsPanel>) =>
    store.set(({ skills: panel }) => ({ skills: { ...panel, ...change } }));
  const setSaving = (key: string, on: boolean) => {
    const others = [...store.get().skills.saving].filter((other) => other !== key);
    setPanel({ saving: new Set(on ? [...others, key] : others) });
  };

  /** Marks `key` as busy during the work; `done` gets the result. */
  const work = async <T>(key: string, ask: (client: ApiClient) => Promise<T>, done: (value: T) => void) => {
    setPanel({ problem: undefined, note: undefined });
    setSaving(key, true);
    const value = await session.attempt(ask, ({ detail }) => setPanel({ problem: detail }));
    setSaving(key, false);
    if (value !== undefined) done(value);
    skills.refresh();
  };
  const say = (note: string) => setPanel({ note });
  const here = () => store.get().open.namespace;

  return {
    update: (id) =>
      work(
        id,
        (client) => client.call("package.update", { id }),
        ({ installed }) => say(updatedText(installed)),
      ),
    remove: (id) =>
      work(
        id,
        (client) => client.call("package.remove", { id }),
        () => {
          const left = store.get().skills.skills?.filter((skill) => skill.id !== id && skill.parent !== id);
          if (left !== undefined) setPanel({ skills: left });
          if (store.get().skills.detailId === id) skills.showSkill(undefined, `${id} was removed.`);
        },
      ),
    grantHost: (id, host) =>
      work(
        id,
        (client) => client.call("skill.grant", { id: id, hosts: [host] }),
        () => say(`The code of ${id} may reach ${host} now, in every channel.`),
      ),
    revokeHost: (id, host) =>
      work(
        id,
        (client) => client.call("skill.revoke", { id: id, hosts: [host] }),
        ({ granted }) =>
          say(
            granted.includes(host)
              ? `${host} stays: the bot's configuration grants it.`
              : `${id} may no longer reach ${host}.`,
          ),
      ),
    control: (server, action) => {
      setPanel({ login: undefined });
      void work(
        server,
        (client) => client.call("server.control", { name: server, action: action }),
        ({ name, state }) => say(stateTexts[state](name)),
      );
    },
    connect: (server) =>
      work(
        server,
        (client) => client.call("server.login", { name: server }),
        ({ url }) => setPanel({ login: { server, url } }),
      ),
    disconnect: (server) =>
      work(
        server,
        (client) => client.call("server.logout", { name: server }),
        ({ name }) => say(`The account with ${name} was forgotten here.`),
      ),
    restore: (id, version) =>
      work(
        id,
        (client) => client.call("taught.restore", { id, namespace: here(), version }),
        () => say(`${id} is version ${version} again.`),
      ),
    share: (id, who) =>
      work(
        id,
        (client) => client.call("taught.share", { id, namespace: here(), with: who }),
        () => say(sharedTexts[who](id)),
      ),
    take: (id) =>
      work(
        id,
        (client) => client.call("taught.take", { id, namespace: here() }),
        () => say(`${id} can be used here now. If it changes there, it has to be taken again.`),
      ),
    discard: (id) =>
      work(
        id,
        (client) => client.call("taught.discard", { id, namespace: here() }),
        () => skills.showSkill(undefined, `${id} is gone, with all its versions.`),
      ),
  };
}

function updatedText(updated: readonly { skill_id: string }[]): string {
  const names = updated.map(({ skill_id }) => skill_id).join(", ");
  return `Updated: ${names}. A skill whose files changed is now off and reaches no host until somebody allows it again.`;
}

const sharedTexts = {
  nobody: (id: string) => `${id} is offered to nobody any more.`,
  others: (id: string) => `Managers of other channels may take ${id} now.`,
  everyone: (id: string) => `All channels have ${id} now.`,
} as const;

const stateTexts = {
  running: (name: string) => `${name} runs.`,
  starting: (name: string) => `${name} is starting.`,
  stopped: (name: string) => `${name} is stopped.`,
  failed: (name: string) => `${name} could not be started.`,
  needs_login: (name: string) => `${name} needs an account to be connected.`,
} as const;
