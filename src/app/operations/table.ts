import type { z } from "zod";
import type { Asker, Outcome } from "../../core/values/failure.ts";
import * as approvals from "./approvals.ts";
import * as audit from "./audit.ts";
import * as bot from "./bot.ts";
import * as channelIndex from "./channel-index.ts";
import * as channels from "./channels.ts";
import * as files from "./files.ts";
import * as flows from "./flows.ts";
import * as messages from "./messages.ts";
import { type CommandFile, inputProblems, type Operation, runOperation } from "./operation.ts";
import * as packages from "./packages/packages.ts";
import * as reviews from "./packages/review-packages.ts";
import * as sandbox from "./packages/sandbox-packages.ts";
import * as goals from "./plans/goals.ts";
import * as planTimes from "./plans/plan-times.ts";
import * as schedules from "./plans/schedules.ts";
import * as runFlow from "./run-flow.ts";
import * as runs from "./runs.ts";
import * as accounts from "./servers/server-accounts.ts";
import * as servers from "./servers/servers.ts";
import type { Services } from "./services.ts";
import * as grants from "./skills/grants.ts";
import * as runSkill from "./skills/run-skill.ts";
import * as sharedSkills from "./skills/shared-skills.ts";
import * as skills from "./skills/skills.ts";
import * as taughtSkills from "./skills/taught-skills.ts";
import * as storedData from "./stored-data.ts";
import * as receipts from "./turns/receipts.ts";
import * as turns from "./turns/turns.ts";

/** All operations, in the order of help texts. */
const operations = [
  skills.listSkills,
  skills.showSkill,
  skills.setSkill,
  skills.limitSkills,
  runSkill.runSkill,
  runs.listRuns,
  skills.reloadSkills,
  runs.showRun,
  packages.listPackages,
  packages.installPackage,
  packages.updatePackage,
  packages.removePackage,
  reviews.reviewSkill,
  reviews.reviewPackage,
  reviews.reviewProgress,
  reviews.readGuide,
  taughtSkills.showHistory,
  taughtSkills.restoreVersion,
  sharedSkills.shareSkill,
  sharedSkills.takeSkill,
  taughtSkills.discardSkill,
  grants.grantHosts,
  grants.revokeHosts,
  sandbox.prepareSkill,
  sandbox.listSandboxPackages,
  sandbox.addSandboxPackages,
  sandbox.removeSandboxPackages,
  flows.listFlows,
  flows.showFlow,
  runFlow.runFlow,
  runFlow.runFlowText,
  flows.setFlow,
  servers.listServers,
  servers.controlServer,
  servers.trustServer,
  accounts.loginServer,
  accounts.logoutServer,
  channels.showStatus,
  turns.stopTurns,
  channels.changeChannel,
  channels.showUsage,
  channels.listAgents,
  approvals.listApprovals,
  approvals.showApproval,
  approvals.decideApproval,
  approvals.removeApproval,
  channelIndex.showIndex,
  channelIndex.setIndex,
  audit.listFeedback,
  messages.sendMessage,
  schedules.listSchedules,
  planTimes.addSchedule,
  planTimes.changeSchedule,
  schedules.pauseSchedule,
  schedules.resumeSchedule,
  schedules.removeSchedule,
  schedules.consentToSchedule,
  schedules.renewScheduleSecret,
  goals.showGoal,
  goals.setGoal,
  goals.stopGoal,
  files.listFiles,
  files.removeFile,
  channels.listChannels,
  channels.showChannel,
  turns.listThreads,
  turns.showThread,
  turns.showTurn,
  receipts.showReceipt,
  receipts.replayTurn,
  turns.stopTurn,
  turns.answerTurn,
  turns.forgetTurn,
  audit.listAudit,
  storedData.showRetention,
  storedData.runRetention,
  storedData.lookUpPerson,
  storedData.forgetPerson,
  bot.aboutBot,
  bot.completeCommand,
  bot.showPrompt,
] as const;

type Each = (typeof operations)[number];
export type OperationName = Each["name"];
type Named<Name extends OperationName> = Extract<Each, { name: Name }>;

/** The input that a program sends. */
export type InputOf<Name extends OperationName> = z.input<Named<Name>["input"]>;
/** The output that a program gets. */
export type OutputOf<Name extends OperationName> = z.output<Named<Name>["output"]>;

/** All operations without their types, for surfaces that treat them alike. */
export const allOperations: readonly Operation[] = operations as readonly unknown[] as readonly Operation[];

/** Method and path below `/api/v1` by name, `POST /skills/{id}/grant`. */
export const operationRoutes: { readonly [name: string]: string } = Object.fromEntries(
  allOperations.flatMap(({ name, http }) => (http === undefined ? [] : [[name, http.route]])),
);

/** Runs an operation by its name, for a person. Invalid input is an outcome (400). */
export type RunOperation = <Name extends OperationName>(
  name: Name,
  call: { input: InputOf<Name>; asker: Asker; signal?: AbortSignal; files?: readonly CommandFile[] },
) => Promise<Outcome<OutputOf<Name>>>;

/** @throws Error for an unknown name */
export function createOperationRunner(services: Services): RunOperation {
  return async (name, { input, asker, signal = new AbortController().signal, files = [] }) => {
    const found = allOperations.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no operation ${name}`);
    const parsed = found.input.safeParse(input);
    if (!parsed.success) return { ok: false, status: 400, message: inputProblems(parsed.error) };
    const outcome = await runOperation(found, { input: parsed.data, asker, signal, files, services });
    return outcome as Outcome<OutputOf<typeof name>>;
  };
}
