import type { NetworkGrant } from "../client/shapes.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { answerOrSay } from "./answer-or-say.ts";
import type { CommandContext } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine } from "./print.ts";
import type { PackageOptions } from "./skill-packages.ts";

/** `knack skills grant`: lets the code of a skill reach hosts, in every channel. */
export async function grantHosts(
  context: CommandContext,
  id: string,
  hosts: readonly string[],
  options: PackageOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client }) =>
    show(context, await client.grantHosts(id, hosts), options),
  );
}

/** `knack skills revoke`: takes hosts back, all unless named. */
export async function revokeHosts(
  context: CommandContext,
  id: string,
  hosts: readonly string[],
  options: PackageOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client }) =>
    show(context, await client.revokeHosts(id, hosts.length === 0 ? undefined : hosts), options),
  );
}

function show(context: CommandContext, grant: NetworkGrant, { json }: PackageOptions): number {
  const { skill_id, granted } = grant;
  const reach = granted.length === 0 ? "no host" : granted.map(plainLine).join(", ");
  if (json) printJson(context, grant);
  else printLine(context, `The code of ${plainLine(skill_id)} may reach: ${reach}`);
  return exitCode.ok;
}
