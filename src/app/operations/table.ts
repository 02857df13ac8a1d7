import type { z } from "zod";
import type { Asker, Outcome } from "../../core/values/failure.ts";
import { decideApproval, listApprovals, removeApproval, showApproval } from "./approvals.ts";
import { listAudit, listFeedback } from "./audit.ts";
import { aboutBot, completeCommand, showPrompt } from "./bot.ts";
import { setIndex, showIndex } from "./channel-index.ts";
import { changeChannel, listAgents, listChannels, showChannel, showStatus, showUsage } from "./channels.ts";
import { listFiles, removeFile } from "./files.ts";
import { listFlows, setFlow, showFlow } from "./flows.ts";
import { sendMessage } from "./messages.ts";
import { type CommandFile, inputProblems, type Operation, runOperation } from "./operation.ts";
import { installPackage, listPackages, removePackage, updatePackage } from "./packages/packages.ts";
import { readGuide, reviewPackage, reviewProgress, reviewSkill } from "./packages/review-packages.ts";
import {
  addSandboxPackages,
  listSandboxPackages,
  prepareSkill,
  removeSandboxPackages,
} from "./packages/sandbox-packages.ts";
import { setGoal, showGoal, stopGoal } from "./plans/goals.ts";
import { addSchedule, changeSchedule } from "./plans/plan-times.ts";
import {
  consentToSchedule,
  listSchedules,
  pauseSchedule,
  removeSchedule,
  renewScheduleSecret,
  resumeSchedule,
} from "./plans/schedules.ts";
import { runFlow, runFlowText } from "./run-flow.ts";
import { listRuns, showRun } from "./runs.ts";
import { loginServer, logoutServer } from "./servers/server-accounts.ts";
import { controlServer, listServers, trustServer } from "./servers/servers.ts";
import type { Services } from "./services.ts";
import { grantHosts, revokeHosts } from "./skills/grants.ts";
import { runSkill } from "./skills/run-skill.ts";
import { shareSkill, takeSkill } from "./skills/shared-skills.ts";
import { limitSkills, listSkills, reloadSkills, setSkill, showSkill } from "./skills/skills.ts";
import { discardSkill, restoreVersion, showHistory } from "./skills/taught-skills.ts";
import { forgetPerson, lookUpPerson, runRetention, showRetention } from "./stored-data.ts";
import { replayTurn, showReceipt } from "./turns/receipts.ts";
import {
  answerTurn,
  forgetTurn,
  listThreads,
  showThread,
  showTurn,
  stopTurn,
  stopTurns,
} from "./turns/turns.ts";

/** All operations, in the order of help texts. */
const operations = [
  listSkills,
  showSkill,
  setSkill,
  limitSkills,
  runSkill,
  listRuns,
  reloadSkills,
  showRun,
  listPackages,
  installPackage,
  updatePackage,
  removePackage,
  reviewSkill,
  reviewPackage,
  reviewProgress,
  readGuide,
  showHistory,
  restoreVersion,
  shareSkill,
  takeSkill,
  discardSkill,
  grantHosts,
  revokeHosts,
  prepareSkill,
  listSandboxPackages,
  addSandboxPackages,
  removeSandboxPackages,
  listFlows,
  showFlow,
  runFlow,
  runFlowText,
  setFlow,
  listServers,
  controlServer,
  trustServer,
  loginServer,
  logoutServer,
  showStatus,
  stopTurns,
  changeChannel,
  showUsage,
  listAgents,
  listApprovals,
  showApproval,
  decideApproval,
  removeApproval,
  showIndex,
  setIndex,
  listFeedback,
  sendMessage,
  listSchedules,
  addSchedule,
  changeSchedule,
  pauseSchedule,
  resumeSchedule,
  removeSchedule,
  consentToSchedule,
  renewScheduleSecret,
  showGoal,
  setGoal,
  stopGoal,
  listFiles,
  removeFile,
  listChannels,
  showChannel,
  listThreads,
  showThread,
  showTurn,
  showReceipt,
  replayTurn,
  stopTurn,
  answerTurn,
  forgetTurn,
  listAudit,
  showRetention,
  runRetention,
  lookUpPerson,
  forgetPerson,
  aboutBot,
  completeCommand,
  showPrompt,
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
