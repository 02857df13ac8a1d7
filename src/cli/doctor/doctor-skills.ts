import type { FlowList, InstalledPackage, ServerStatus, SkillList } from "../../client/shapes.ts";
import { languageNames, type PreparedSet } from "../../core/skill/packages.ts";
import type { Finding } from "./doctor-finding.ts";

/** How the tool servers do. Those that are stopped start when they are needed. */
export function serverFindings(servers: readonly ServerStatus[]): Finding[] {
  if (servers.length === 0) return [{ name: "mcp", status: "ok", detail: "no tool server is configured" }];
  return servers.map((server): Finding => {
    const { name, state, problem, tools, auto_start } = server;
    const why = problem === undefined ? "" : `: ${problem}`;
    switch (state) {
      case "running":
        return {
          name: "mcp",
          status: "ok",
          detail: `${name} runs, with ${tools.length} tools${askingOf(server)}`,
        };
      case "starting":
        return { name: "mcp", status: "ok", detail: `${name} is starting` };
      case "stopped": {
        const when = auto_start ? "starts when it is needed" : `is started with \`knack mcp start ${name}\``;
        return {
          name: "mcp",
          status: "ok",
          detail: `${name} is stopped${why}; it ${when}${askingOf(server)}`,
        };
      }
      case "needs_login": {
        const advice = `Connect an account: \`/mcp login ${name}\` in a chat, or \`knack mcp login ${name}\`.`;
        return { name: "mcp", status: "warning", detail: `${name} needs a login${why}`, advice };
      }
      case "failed": {
        const advice = `Correct its entry in mcp.json or what it needs, then: \`knack mcp restart ${name}\`.`;
        return { name: "mcp", status: "warning", detail: `${name} failed${why}`, advice };
      }
      default:
        return state satisfies never;
    }
  });
}

/** How many tools ask before they run, and what changes that. */
function askingOf({ name, tools }: ServerStatus): string {
  const asking = tools.filter(({ asks = "nobody" }) => asks !== "nobody").length;
  if (asking === 0) return "";
  return `, ${asking} of which ask before they run: \`knack mcp trust ${name}\` lets them run unasked`;
}

/** Whether installed packages are still what was installed. */
export function packageFindings(
  packages: readonly InstalledPackage[],
  list: Pick<SkillList, "skills">,
): Finding[] {
  if (packages.length === 0) return [{ name: "packages", status: "ok", detail: "none is installed" }];
  const problems = changedPackages(packages, list).map(({ skill_id, what }): Finding => {
    const advice = `Look at what changed, then install it again with \`knack skills update ${skill_id}\`, or \`knack skills remove ${skill_id}\`.`;
    return { name: "packages", status: "error", detail: `${skill_id}: ${what}`, advice };
  });
  const detail = `${packages.length} installed${problems.length === 0 ? ", as they were reviewed" : ""}`;
  return [{ name: "packages", status: "ok", detail }, ...problems];
}

/** Installed skills whose files are no longer those that were installed. */
export function changedPackages(
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

/** What is prepared for code in the sandbox. */
export function setFindings(sets: readonly PreparedSet[]): Finding[] {
  const name = "sandbox packages";
  if (sets.length === 0) return [{ name, status: "ok", detail: "none is prepared" }];
  return sets.map(({ language, skill, asked, packages, problem }): Finding => {
    const whose = skill === undefined ? "" : ` of ${skill}`;
    const wanted = asked.slice(0, 20).join(", ") + (asked.length > 20 ? " …" : "");
    const detail = `${languageNames[language]}${whose}: ${wanted} (${packages.length} in all)`;
    return problem === undefined
      ? { name, status: "ok", detail }
      : { name, status: "warning", detail, advice: problem };
  });
}

/** How many flows there are. Files that are none are among the findings about skills. */
export function flowFindings({ flows }: FlowList): Finding[] {
  const usable = flows.filter(({ eligible }) => eligible).length;
  const detail = flows.length === 0 ? "none" : `${flows.length} loaded, ${usable} can be used here`;
  return [{ name: "flows", status: "ok", detail }];
}
