import type { LeftOut } from "../../core/skill/packages.ts";
import type { Diagnostic } from "../../core/skill/skill.ts";
import { PackageRefusal } from "../package-refusal.ts";

/** What of a package is left out, and why. */
export interface LayOutReport {
  leftOut: LeftOut[];
  /** About what is not left out. */
  diagnostics: Diagnostic[];
  /** Files of plugins that skills call, by their places in the package. */
  called: Set<string>;
  /** The first reason that is not one of a loader. */
  refusal?: PackageRefusal;
}

type LoaderReason = Pick<Diagnostic, "code" | "message">;

/** Leaves out the skill in a folder of the package. */
export function leaveOut(report: LayOutReport, folder: string, reason: PackageRefusal | LoaderReason): void {
  const { code } = reason;
  const message = reason instanceof PackageRefusal ? reason.fact : reason.message;
  if (reason instanceof PackageRefusal) report.refusal ??= reason;
  report.leftOut.push({ path: folder, code, message });
}

/** Why a loader made no skill. */
export function whyNot(diagnostics: readonly Diagnostic[]): LoaderReason {
  const found = diagnostics.find(({ severity }) => severity === "error");
  return found ?? { code: "not_loaded", message: "It cannot be loaded." };
}
