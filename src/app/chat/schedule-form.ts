import { DateTime } from "luxon";
import { oneLine } from "../../base/markdown-text.ts";
import { timeZoneNamed } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import { repetitions, timesOf } from "../../core/values/repetition.ts";
import { readTime } from "../schedules/times.ts";
import type { SkillForm } from "./skill-form.ts";

/** The command that opens the form; `--task` after it makes the text work for the agent. */
export const scheduleCommand = "agent schedule add";

/** The form that plans a reminder, or a task. `zone`: the person's own, if known. `now` in ms since the epoch. */
export function createScheduleForm(
  opened: string,
  { namespace }: Place,
  { zone, now }: { zone: string | undefined; now: number },
): SkillForm {
  const isTask = opened.endsWith("--task");
  const tomorrow = DateTime.fromMillis(now, { zone: zone ?? "UTC" }).plus({ days: 1 });
  const required = true;
  return {
    skill_id: opened,
    title: isTask ? "Plan a task" : "Plan a reminder",
    summary: isTask ? "The agent does it then" : "It is posted then",
    submit: "Plan",
    fields: [
      { name: "text", label: "What", description: "", kind: "long_text", required },
      {
        ...{ name: "date", label: "Date", description: "Such as 2026-12-24; the first one of a repetition" },
        ...{ kind: "date", required, default: tomorrow.toISODate() ?? "" },
      },
      { name: "time", label: "Time", description: "Such as 09:00", kind: "time", required, default: "09:00" },
      {
        ...{ name: "repeat", label: "How often", description: "", kind: "choice", required, default: "once" },
        choices: repetitions,
      },
      {
        ...{ name: "zone", label: "Time zone", description: "Such as Europe/Berlin; your own unless given" },
        ...{ kind: "text", required: false, default: zone },
      },
    ],
    command: (values) => commandOf(values, { namespace, what: isTask ? "task" : "reminder" }),
  };
}

/** The command with the exact fields of the operation. Its text is how a person could have written it. */
function commandOf(
  { text = "", date = "", time = "", repeat = "once", zone: named = "" }: Readonly<Record<string, string>>,
  { namespace, what }: { namespace: string; what: "reminder" | "task" },
): ReturnType<SkillForm["command"]> {
  const zone = named.trim() === "" ? undefined : timeZoneNamed(named);
  const [day, clock] = [date.trim(), time.trim().padStart(5, "0")];
  const problems = {
    ...(text.trim() === "" ? { text: "This field is required." } : {}),
    ...(readTime(`${day}T00:00`, "UTC") === undefined ? { date: "Write it as 2026-12-24." } : {}),
    ...(readTime(`2026-12-24T${clock}`, "UTC") === undefined ? { time: "Write it as 09:00." } : {}),
    ...(repetitions.some((each) => each === repeat)
      ? {}
      : { repeat: `Choose one of: ${repetitions.join(", ")}.` }),
    ...(named.trim() !== "" && zone === undefined ? { zone: "Write a name such as Europe/Berlin." } : {}),
  };
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const when = timesOf(day, clock, repeat);
  const written = "at" in when ? `at ${day} ${clock}` : `cron "${when.cron.join("; ")}"`;
  return {
    ok: true,
    text: `/${scheduleCommand} ${written} ${oneLine(text, 500)}${what === "task" ? " --task" : ""}`,
    command: {
      name: scheduleCommand,
      operation: "schedule.add",
      input: { namespace, text: text.trim(), what, ...when, ...(zone === undefined ? {} : { zone }) },
    },
  };
}
