import { PlatformError } from "../../core/chat-platform.ts";
import type { Asker, Outcome } from "../../core/outcome.ts";
import type { PackageSource } from "../../core/packages.ts";
import {
  type CommandFile,
  type CommandResult,
  type PlainCall,
  type PlainCommand,
  refused,
  said,
  shown,
} from "../operations/command.ts";
import type { PackageService } from "../services/package-service.ts";
import type { SkillService } from "../services/skill-service.ts";
import { installedText, reviewText } from "./review-text.ts";

export interface PackageCommandDeps {
  packages: PackageService;
  skills: SkillService;
}

/** Bytes of an archive that came with a message. */
const mostBytes = 50_000_000;

/** `/skill install|update|remove|review`. */
export function packageCommands({ packages, skills }: PackageCommandDeps): PlainCommand[] {
  const installed = async () =>
    (await packages.list()).map(({ skill_id, from }) => ({ text: skill_id, description: `from ${from}` }));
  return [
    {
      name: "skill install",
      usage: "<address>",
      description: "Installs a skill from a .zip, .tar.gz or git address, or the attached archive",
      run: (call) => install(packages, call),
    },
    {
      name: "skill update",
      usage: "<skill>",
      description: "Installs a skill again from where it came from",
      complete: installed,
      run: (call) => update(packages, call),
    },
    {
      name: "skill remove",
      usage: "<skill>",
      description: "Removes an installed skill",
      complete: installed,
      run: (call) => remove(packages, call),
    },
    {
      name: "skill review",
      usage: "<skill>",
      description: "Shows what a skill's files do, and what looks dangerous in them",
      complete: async (namespace) =>
        (await skills.list(namespace)).skills.map(({ id, description }) => ({ text: id, description })),
      run: (call) => review(packages, call),
    },
  ];
}

function askerOf({ author, place }: PlainCall): Asker {
  return { by: author, namespace: place.namespace };
}

async function install(packages: PackageService, call: PlainCall): Promise<CommandResult> {
  const source = await sourceOf(call);
  if (!source.ok) return refused(source.message);
  const outcome = await packages.install(source.value, askerOf(call), { signal: call.signal });
  return outcome.ok ? said(installedText(outcome.value, "installed")) : refused(outcome.message);
}

const whatToInstall =
  "Which skill? Write the address of a .zip, a .tar.gz or a git repository: `/skill install https://…`. Or send the archive to me in a message that says `skill install`.";

/** An address is what was written; without one, the archive that was attached. A path would be of the bot's own machine. */
async function sourceOf({ rest, files }: PlainCall): Promise<Outcome<PackageSource>> {
  const [address = ""] = rest.replace(/^<(.*)>$/, "$1").split(/\s+/);
  if (/^[a-z+]+:\/\//i.test(address)) return { ok: true, value: { kind: "url", url: address } };
  if (address !== "" && files.length === 0) {
    const message = `\`${address.replaceAll("`", "").slice(0, 200)}\` is no address. ${whatToInstall} A folder of the bot's own machine is installed there with \`knack skills install FOLDER\`.`;
    return { ok: false, status: 400, message };
  }
  const [file, ...others] = files;
  if (file === undefined) return { ok: false, status: 400, message: whatToInstall };
  if (others.length > 0) {
    return {
      ok: false,
      status: 400,
      message: "Send one archive at a time: I cannot tell which one you mean.",
    };
  }
  return download(file);
}

async function download(file: CommandFile): Promise<Outcome<PackageSource>> {
  try {
    return { ok: true, value: { kind: "upload", name: file.name, data: await file.read(mostBytes) } };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const message = `${file.name} could not be fetched: ${error.message} Nothing was installed. Try again, or give its address.`;
    return { ok: false, status: 503, message };
  }
}

async function update(packages: PackageService, call: PlainCall): Promise<CommandResult> {
  if (call.rest === "") return refused("Which skill? `/skill list` shows what there is.");
  const outcome = await packages.update(call.rest, askerOf(call), call.signal);
  return outcome.ok ? said(installedText(outcome.value, "updated")) : refused(outcome.message);
}

async function remove(packages: PackageService, call: PlainCall): Promise<CommandResult> {
  if (call.rest === "") return refused("Which skill? `/skill list` shows what there is.");
  const outcome = await packages.remove(call.rest, askerOf(call));
  if (!outcome.ok) return refused(outcome.message);
  const { skill_id, from } = outcome.value;
  return said(
    `**${skill_id}** is removed. It came from \`${from.replaceAll("`", "")}\`, from where it can be installed again.`,
  );
}

async function review(packages: PackageService, call: PlainCall): Promise<CommandResult> {
  if (call.rest === "") return refused("Which skill? `/skill list` shows what there is.");
  const outcome = await packages.reviewSkill(call.rest);
  return outcome.ok ? shown(reviewText(outcome.value)) : refused(outcome.message);
}
