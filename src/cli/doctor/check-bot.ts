import { howToKeep, retentionLine } from "../../app/operations/stored-data.ts";
import { errorText } from "../../base/error-text.ts";
import type { InstalledPackage, RetentionStatus, ServerStatus, SkillList } from "../../client/shapes.ts";
import { unknownSkillSettings } from "../../config/settings-without-effect.ts";
import { languageNames, type PreparedSet } from "../../core/skill/packages.ts";
import { withConnection } from "../bot-connection.ts";
import type { CommandProcess, GlobalOptions } from "../command-context.ts";
import { type Finding, failure, findingsByReason, fine, warning } from "./doctor-finding.ts";

/** The bot's own checks: store, queue, model, loaded skills and flows, packages and tool servers. Opens a bot if none runs. */
export async function* checkBot(context: CommandProcess, options: GlobalOptions): AsyncGenerator<Finding> {
  try {
    yield* await withConnection(context, options, async ({ client, config }) => {
      const { checks } = await client.ready();
      const list = await client.call("skill.list", {});
      const ids = list.skills.flatMap(({ id, parent }) => [id, parent ?? id]);
      const unknown = unknownSkillSettings(config, ids, Object.keys(config.skills.env));
      const { flows } = await client.call("flow.list", {});
      const { packages } = await client.call("package.list", {});
      const changed = changedPackages(packages, list);
      return [
        ...checks.map(({ name, ok, detail }) => (ok ? fine : failure)(name, detail)),
        fine("skills", countsOf(list.skills)),
        // Tool servers and changed packages have findings of their own.
        ...unusableSkills(list.skills.filter(({ id, kind }) => kind !== "mcp" && !changed.has(id))),
        ...problemFindings(list.diagnostics.filter(({ code }) => code !== "changed_since_install")),
        ...unknown.map(({ key, message, hint }) => warning("configuration", `${key} ${message}`, hint)),
        fine("flows", countsOf(flows)),
        fine("packages", packages.length === 0 ? "none is installed" : `${packages.length} installed`),
        ...[...changed].map(([id, what]) =>
          failure(
            "packages",
            `${id}: ${what}`,
            `Look at what changed, then install it again with \`knack skills update ${id}\`, or \`knack skills remove ${id}\`.`,
          ),
        ),
        ...setFindings((await client.call("sandbox.list", {})).sets),
        ...serverFindings((await client.call("server.list", {})).servers),
        retentionFinding(await client.call("retention.show", {}), context.clock.now()),
      ];
    });
  } catch (error) {
    const detail = `The bot cannot be opened: ${errorText(error)}`;
    yield failure("bot", detail, "Correct this first: `knack start` would fail in the same way.");
  }
}

/** `12 loaded, 10 can be used here, 1 switched off`. */
function countsOf(all: readonly { eligible: boolean; switched_off?: boolean | undefined }[]): string {
  if (all.length === 0) return "none";
  const usable = all.filter(({ eligible }) => eligible).length;
  const off = all.filter(({ switched_off }) => switched_off).length;
  return `${all.length} loaded, ${usable} can be used here${off === 0 ? "" : `, ${off} switched off`}`;
}

/** Skills that were switched off on purpose have no finding. */
function unusableSkills(skills: SkillList["skills"]): Finding[] {
  const unusable = skills.filter(({ eligible, switched_off }) => !eligible && !switched_off);
  const found = unusable.flatMap(({ id: place, reasons }) =>
    reasons.map((reason) => ({ place, reason: `cannot be used: ${reason}` })),
  );
  const advice = "Provide what is missing, or ignore the skill.";
  return findingsByReason(found, (detail) => warning("skills", detail, advice));
}

/** Problems of files, folders and settings. */
function problemFindings(diagnostics: SkillList["diagnostics"]): Finding[] {
  const found = diagnostics
    .filter(({ severity }) => severity !== "info")
    .map((each) => ({ ...each, place: each.path, reason: `${each.message} (${each.code})` }));
  return findingsByReason(found, (detail, [{ severity, code }]) => {
    // Its message already says what to change on the machine.
    if (code === "scripts_do_not_run") return warning("skills", detail);
    return (severity === "error" ? failure : warning)("skills", detail, "Correct it, or remove it.");
  });
}

/** Installed skills that are not as they were installed, with what happened to them. */
function changedPackages(packages: readonly InstalledPackage[], { skills }: SkillList): Map<string, string> {
  const managed = skills.filter(({ source }) => source === "managed");
  const hashes = new Map(managed.map(({ id, hash }) => [id, hash]));
  const changed = packages.filter(({ skill_id, hash }) => hashes.get(skill_id) !== hash);
  const what = (id: string) =>
    hashes.has(id) ? "its files changed since it was installed" : "its files are gone";
  return new Map(changed.map(({ skill_id }) => [skill_id, what(skill_id)]));
}

/** Packages prepared for code, and those that code does not see. */
function setFindings(sets: readonly PreparedSet[]): Finding[] {
  const name = "sandbox packages";
  if (sets.length === 0) return [fine(name, "none is prepared")];
  return sets.map(({ language, skill, asked, packages, problem }) => {
    const whose = skill === undefined ? "" : ` of ${skill}`;
    const wanted = asked.slice(0, 20).join(", ") + (asked.length > 20 ? " …" : "");
    const detail = `${languageNames[language]}${whose}: ${wanted} (${packages.length} in all)`;
    return problem === undefined ? fine(name, detail) : warning(name, detail, problem);
  });
}

type State = ServerStatus["state"];

const stateWords: Record<State, string> = {
  running: "runs",
  starting: "is starting",
  failed: "failed",
  needs_login: "needs a login",
  stopped: "is stopped, and starts when it is needed",
};

/** What to do, and the command that follows. */
const serverAdvice: { [state in State]?: readonly [what: string, command: string] } = {
  needs_login: ["Connect an account: `/mcp login` in a chat, or", "login"],
  failed: ["Correct its entry in mcp.json or what it needs, then:", "restart"],
};

function serverFindings(servers: readonly ServerStatus[]): Finding[] {
  if (servers.length === 0) return [fine("mcp", "no tool server is configured")];
  const found = servers.map((server) => {
    const { name, state, problem, auto_start } = server;
    const words =
      state === "stopped" && !auto_start ? "is stopped until `knack mcp start`" : stateWords[state];
    const reason = problem === undefined ? words : `${words}: ${problem}`;
    return { reason, place: `${name}${toolsOf(server)}`, name, state };
  });
  return findingsByReason(found, (detail, group) => {
    const advice = serverAdvice[group[0].state];
    if (advice === undefined) return fine("mcp", detail);
    const commands = group.map(({ name }) => `\`knack mcp ${advice[1]} ${name}\``);
    return warning("mcp", detail, `${advice[0]} ${commands.join(", ")}.`);
  });
}

/** The number of tools, and of those that ask before they run, with the command that changes it. */
function toolsOf({ name, tools }: ServerStatus): string {
  const asking = tools.filter(({ asks = "nobody" }) => asks !== "nobody").length;
  if (tools.length === 0) return "";
  const unasked = `, ${asking} ask before they run: \`knack mcp trust ${name}\` lets them run unasked`;
  return ` (${tools.length} tools${asking === 0 ? "" : unasked})`;
}

/** A warning until data is deleted for the first time, while the operator can still decide. */
function retentionFinding(status: RetentionStatus, now: number): Finding {
  const detail = `kept: ${retentionLine(status, now)}`;
  if (status.from !== undefined && status.from <= now) return fine("retention", detail);
  return warning("retention", detail, howToKeep);
}
