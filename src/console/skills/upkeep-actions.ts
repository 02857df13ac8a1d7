import type { OperationName, OutputOf } from "../../app/operations/table.ts";
import type { CallInput } from "../../client/api-client.ts";
import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";
import type { SkillsPanel } from "./panel-state.ts";
import type { SkillActions } from "./skill-actions.ts";

export type UpkeepActions = ReturnType<typeof createUpkeepActions>;

/** Operators' actions on installed skills, hosts and tool servers. The panel shows refusals. */
export function createUpkeepActions(
  store: ConsoleStore,
  session: Session,
  skills: Pick<SkillActions, "refresh" | "showSkill">,
) {
  const setPanel = (change: Partial<SkillsPanel>) =>
    store.set(({ skills: panel }) => ({ skills: { ...panel, ...change } }));
  const setSaving = (key: string, on: boolean) => {
    const others = [...store.get().skills.saving].filter((other) => other !== key);
    setPanel({ saving: new Set(on ? [...others, key] : others) });
  };

  /** Marks a skill or server as busy during the work; `done` gets the result. */
  const work = async <Name extends OperationName>(
    key: string,
    name: Name,
    input: CallInput<Name>,
    done: (value: OutputOf<Name>) => void,
  ) => {
    setPanel({ problem: undefined, note: undefined });
    setSaving(key, true);
    const value = await session.call(name, input, ({ detail }) => setPanel({ problem: detail }));
    setSaving(key, false);
    if (value !== undefined) done(value);
    skills.refresh();
  };
  const say = (note: string) => setPanel({ note });
  const here = () => store.get().open.namespace;

  return {
    /** Installs a skill again from its source. */
    update: (id: string) =>
      work(id, "package.update", { id }, ({ installed }) => say(updatedText(installed))),
    remove: (id: string) =>
      work(id, "package.remove", { id }, () => {
        const left = store.get().skills.skills?.filter((skill) => skill.id !== id && skill.parent !== id);
        if (left !== undefined) setPanel({ skills: left });
        if (store.get().skills.detailId === id) skills.showSkill(undefined, `${id} was removed.`);
      }),
    grantHost: (id: string, host: string) =>
      work(id, "skill.grant", { id, hosts: [host] }, () =>
        say(`The code of ${id} may reach ${host} now, in every channel.`),
      ),
    revokeHost: (id: string, host: string) =>
      work(id, "skill.revoke", { id, hosts: [host] }, ({ granted }) =>
        say(
          granted.includes(host)
            ? `${host} stays: the bot's configuration grants it.`
            : `${id} may no longer reach ${host}.`,
        ),
      ),
    control(name: string, action: "start" | "stop" | "restart") {
      setPanel({ login: undefined });
      return work(name, "server.control", { name, action }, (server) =>
        say(stateTexts[server.state](server.name)),
      );
    },
    /** Requests the address where the person connects their account. */
    connect: (name: string) =>
      work(name, "server.login", { name }, ({ url }) => setPanel({ login: { server: name, url } })),
    /** Forgets the account. */
    disconnect: (name: string) =>
      work(name, "server.logout", { name }, (server) =>
        say(`The account with ${server.name} was forgotten here.`),
      ),
    /** Uses an earlier version of a skill that was made in the open channel. */
    restore: (id: string, version: number) =>
      work(id, "taught.restore", { id, namespace: here(), version }, () =>
        say(`${id} is version ${version} again.`),
      ),
    share: (id: string, who: "nobody" | "others" | "everyone") =>
      work(id, "taught.share", { id, namespace: here(), with: who }, () => say(sharedTexts[who](id))),
    /** Takes a skill of another channel. */
    take: (id: string) =>
      work(id, "taught.take", { id, namespace: here() }, () =>
        say(`${id} can be used here now. If it changes there, it has to be taken again.`),
      ),
    /** Removes a skill that was made in the open channel. */
    discard: (id: string) =>
      work(id, "taught.discard", { id, namespace: here() }, () =>
        skills.showSkill(undefined, `${id} is gone, with all its versions.`),
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
