import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { checkBot } from "./doctor-bot.ts";
import {
  checkConfiguration,
  checkDataFolder,
  checkModelKeys,
  checkNode,
  checkPort,
} from "./doctor-checks.ts";
import type { Finding } from "./doctor-finding.ts";
import { checkLiveModel } from "./doctor-live.ts";
import { checkSandbox } from "./doctor-sandbox.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine, wantsColours } from "./print.ts";

export interface DoctorOptions extends GlobalOptions {
  json?: true;
  live?: true;
}

/** `knack doctor`: checks what the bot needs. Warnings leave it working; errors do not. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<number> {
  const findings: Finding[] = [];
  for await (const finding of examine(context, options)) {
    findings.push(finding);
    if (!options.json) printFinding(context, finding);
  }
  const ok = findings.every((finding) => finding.status !== "error");
  if (options.json) {
    const checks = findings.map((finding) => ({ ...finding, ok: finding.status !== "error" }));
    printJson(context, { ok, checks });
  }
  return ok ? exitCode.ok : exitCode.failed;
}

async function* examine(context: CommandContext, options: DoctorOptions): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node);
  const { loaded, findings } = await checkConfiguration(context, options);
  yield* findings;
  if (loaded === undefined) return;
  const { config } = loaded;
  const folder = await checkDataFolder(context, config);
  yield folder.finding;
  yield* checkModelKeys(config);
  if (options.live) yield await checkLiveModel(config, context.clock);
  yield await checkSandbox(config);
  if (folder.usable) {
    if (!folder.running) yield await checkPort(config.server);
    yield* checkBot(context, options);
  }
}

function printFinding(context: CommandContext, { name, status, detail, advice }: Finding): void {
  const paint = createPaint(wantsColours(context));
  const mark = { ok: paint.good("✔"), warning: paint.code("!"), error: paint.bad("✖") }[status];
  printLine(context, `${mark} ${paint.bold(name)}: ${plainLine(detail)}`);
  if (advice !== undefined) printLine(context, `    ${plainLine(advice)}`);
}
