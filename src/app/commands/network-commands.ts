import type { Granted, GrantService } from "../services/grant-service.ts";
import type { SkillService } from "../services/skill-service.ts";
import { type Command, type CommandCall, type CommandResult, refused, said } from "./command.ts";

export interface NetworkCommandDeps {
  grants: GrantService;
  skills: SkillService;
}

/** `/skill grant|revoke`: which hosts the code of a skill may reach. */
export function networkCommands({ grants, skills }: NetworkCommandDeps): Command[] {
  const complete = async (namespace: string) =>
    (await skills.list(namespace)).skills.map(({ id, description }) => ({ text: id, description }));
  return [
    {
      name: "skill grant",
      usage: "<skill> <host> [<host> …]",
      description: "Lets the code of a skill reach hosts, in every channel",
      complete,
      run: (call) => grant(grants, call),
    },
    {
      name: "skill revoke",
      usage: "<skill> [<host> …]",
      description: "Takes hosts back from a skill, all unless named",
      complete,
      run: (call) => revoke(grants, call),
    },
  ];
}

function wordsOf({ rest }: CommandCall): string[] {
  return rest.split(/[\s,]+/).filter((word) => word !== "");
}

async function grant(grants: GrantService, call: CommandCall): Promise<CommandResult> {
  const [id, ...hosts] = wordsOf(call);
  if (id === undefined || hosts.length === 0)
    return refused("Which skill, and which hosts? For example `/skill grant weather api.weather.example`.");
  const outcome = await grants.grant(id, hosts, { by: call.author, namespace: call.place.namespace });
  return outcome.ok
    ? said(`${reaches(outcome.value)} This counts in every channel.`)
    : refused(outcome.message);
}

async function revoke(grants: GrantService, call: CommandCall): Promise<CommandResult> {
  const [id, ...hosts] = wordsOf(call);
  if (id === undefined) return refused("Which skill? `/skill list` shows what there is.");
  const asker = { by: call.author, namespace: call.place.namespace };
  const outcome = await grants.revoke(id, hosts.length === 0 ? undefined : hosts, asker);
  if (!outcome.ok) return refused(outcome.message);
  const stays =
    hosts.length === 0 && outcome.value.granted.length > 0
      ? " What is left is in the bot's configuration, under `skills.network`."
      : "";
  return said(`${reaches(outcome.value)}${stays}`);
}

function reaches({ skill_id, granted }: Granted): string {
  if (granted.length === 0) return `The code of **${skill_id}** may reach no host now.`;
  if (granted.includes("*")) return `The code of **${skill_id}** may reach every public host now.`;
  return `The code of **${skill_id}** may reach ${granted.map((host) => `\`${host}\``).join(", ")} now.`;
}
