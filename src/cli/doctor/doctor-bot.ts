import { howToKeep, retentionLine } from "../../app/operations/stored-data.ts";
import { errorText } from "../../base/error-text.ts";
import type {
  FlowList,
  InstalledPackage,
  RetentionStatus,
  ServerStatus,
  SkillList,
} from "../../client/shapes.ts";
import type { Config } from "../../config/schema.ts";
import { unknownSkillSettings } from "../../config/settings-without-effect.ts";
import { languageNames, type PreparedSet } from "../../core/skill/packages.ts";
import { withConnection } from "../bot-connection.ts";
import type { CommandContext, GlobalOptions } from "../command-context.ts";
import { type Finding, failure, fine, warning } from "./doctor-finding.ts";

/** The bot's own checks: store, queue, model, loaded skills and flows, packages and tool servers. Opens a bot if none runs. */
export async function* checkBot(context: CommandContext, options: GlobalOptions): AsyncGenerator<Finding> {
  try {
    yield* await withConnection(context, options, async ({ client, config }) => {
      const { checks } = await client.ready();
      const skills = await client.call("skill.list", {});
      const { packages } = await client.call("package.list", {});
      const changed = new Set(changedPackages(packages, skills).map(({ skill_id }) => skill_id));
      return [
        ...checks.map(({ name, ok, detail }): Finding => ({ name, status: ok ? "ok" : "error", detail })),
        ...skillFindings(skills, config, changed),
        ...flowFindings(await client.call("flow.list", {})),
        ...packageFindings(packages, skills),
        ...(await client.call("sandbox.list", {}).then(({ sets }) => setFindings(sets))),
        ...serverFindings((await client.call("server.list", {})).servers),
        ...(await client
          .call("retention.show", {})
          .then((status) => [retentionFinding(status, context.clock.now())])),
      ];
    });
  } catch (error) {
    const detail = `The bot cannot be opened: ${errorText(error)}`;
    yield failure("bot", detail, "Correct this first: `knack start` would fail in the same way.");
  }
}

/** A warning until data is deleted for the first time, while the operator can still decide. */
function retentionFinding(status: RetentionStatus, now: number): Finding {
  const detail = `kept: ${retentionLine(status, now)}`;
  const isInForce = status.from !== undefined && status.from <= now;
  return isInForce ? fine("retention", detail) : warning("retention", detail, howToKeep);
}

/** Tool servers, and skills in `changed`, have findings of their own. Skills that were turned off on purpose have none. */
function skillFindings(
  { skills, diagnostics }: SkillList,
  config: Config,
  changed: ReadonlySet<string>,
): Finding[] {
  const usable = skills.filter((skill) => skill.eligible).length;
  const off = skills.filter((skill) => skill.switched_off).length;
  const summary = `${skills.length} loaded, ${usable} can be used here${off === 0 ? "" : `, ${off} switched off`}`;
  const ids = [...skills.map((skill) => skill.id), ...skills.flatMap((skill) => skill.parent ?? [])];
  const problems = diagnostics.filter(
    ({ severity, code }) => severity !== "info" && code !== "changed_since_install",
  );
  return [
    fine("skills", summary),
    ...skills
      .filter((skill) => !skill.eligible && !skill.switched_off)
      .filter((skill) => skill.kind !== "mcp" && !changed.has(skill.id))
      .map(({ id, reasons }) => {
        const advice = "Provide what is missing, or ignore the skill.";
        return warning("skills", `${id} cannot be used: ${reasons.join(" ")}`, advice);
      }),
    ...problems.map(({ severity, path, message, code }): Finding => {
      const status = severity === "error" ? "error" : "warning";
      const finding = { name: "skills", status, detail: `${path}: ${message} (${code})` } as const;
      // The message already says what to change on the machine.
      return code === "scripts_do_not_run" ? finding : { ...finding, advice: adviceAbout(path) };
    }),
    ...unknownSkillSettings(config, ids, Object.keys(config.skills.env)).map(({ key, message, hint = "" }) =>
      warning("configuration", `${key} ${message}`, hint),
    ),
  ];
}

/** `path` is a file, a folder or a setting. */
function adviceAbout(path: string): string {
  if (/\.json$/i.test(path)) return "Correct the file, or remove it.";
  if (!/[\\/]/.test(path)) return "Correct the setting in the configuration.";
  return "Correct the skill, or remove its folder.";
}

/** The state of the tool servers. Stopped ones start when they are needed. */
function serverFindings(servers: readonly ServerStatus[]): Finding[] {
  if (servers.length === 0) return [fine("mcp", "no tool server is configured")];
  return servers.map((server): Finding => {
    const { name, state, problem, tools, auto_start } = server;
    const why = problem === undefined ? "" : `: ${problem}`;
    switch (state) {
      case "running":
        return fine("mcp", `${name} runs, with ${tools.length} tools${askingOf(server)}`);
      case "starting":
        return fine("mcp", `${name} is starting`);
      case "stopped": {
        const when = auto_start ? "starts when it is needed" : `is started with \`knack mcp start ${name}\``;
        return fine("mcp", `${name} is stopped${why}; it ${when}${askingOf(server)}`);
      }
      case "needs_login": {
        const advice = `Connect an account: \`/mcp login ${name}\` in a chat, or \`knack mcp login ${name}\`.`;
        return warning("mcp", `${name} needs a login${why}`, advice);
      }
      case "failed": {
        const advice = `Correct its entry in mcp.json or what it needs, then: \`knack mcp restart ${name}\`.`;
        return warning("mcp", `${name} failed${why}`, advice);
      }
      default:
        return state satisfies never;
    }
  });
}

/** The number of tools that ask before they run, and the command that changes it. */
function askingOf({ name, tools }: ServerStatus): string {
  const asking = tools.filter(({ asks = "nobody" }) => asks !== "nobody").length;
  if (asking === 0) return "";
  return `, ${asking} of which ask before they run: \`knack mcp trust ${name}\` lets them run unasked`;
}

/** Whether installed packages are unchanged. */
function packageFindings(packages: readonly InstalledPackage[], list: Pick<SkillList, "skills">): Finding[] {
  if (packages.length === 0) return [fine("packages", "none is installed")];
  const problems = changedPackages(packages, list).map(({ skill_id, what }) => {
    const advice = `Look at what changed, then install it again with \`knack skills update ${skill_id}\`, or \`knack skills remove ${skill_id}\`.`;
    return failure("packages", `${skill_id}: ${what}`, advice);
  });
  const detail = `${packages.length} installed${problems.length === 0 ? ", as they were reviewed" : ""}`;
  return [fine("packages", detail), ...problems];
}

/** Installed skills whose files have changed since. */
function changedPackages(
  packages: readonly InstalledPackage[],
  { skills }: Pick<SkillList, "skills">,
): { skill_id: string; what: string }[] {
  const managed = new Map(
    skills.filter(({ source }) => source === "managed").map((skill) => [skill.id, skill]),
  );
  return packages.flatMap(({ skill_id, hash }) => {
    const skill = managed.get(skill_id);
    if (skill?.hash === hash) return [];
    const what = skill === undefined ? "its files are gone" : "its files changed since it was installed";
    return [{ skill_id, what }];
  });
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

/** The number of flows. Invalid files are among the findings about skills. */
function flowFindings({ flows }: FlowList): Finding[] {
  const usable = flows.filter(({ eligible }) => eligible).length;
  const detail = flows.length === 0 ? "none" : `${flows.length} loaded, ${usable} can be used here`;
  return [fine("flows", detail)];
}
