/** What a capable, honest model does about the sentences: everything it uses stood in its request or in a result. */
import type { HonestModel, Step } from "../../support/models/honest-model.ts";

type Told = (results: readonly string[], request: string) => Step;

interface Shown {
  id: string;
  from: string;
  text: string;
  link: string;
  thread?: string;
}

/** The messages in a result. */
function messagesIn(result: string | undefined): Shown[] {
  try {
    return (JSON.parse(result ?? "{}") as { messages?: Shown[] }).messages ?? [];
  } catch {
    return [];
  }
}

/** A result that is an error ends the turn with its words. */
const failed = (result: string | undefined): Step | undefined =>
  result?.includes('"error"') === true ? { say: `I cannot: ${result.replace(/["{}\\]/g, " ")}` } : undefined;

const say = (text: string, invents: readonly string[] = []): Step => ({ say: text, invents });
const linked = (messages: readonly Shown[]) =>
  messages.map(({ text, link, from }) => `- ${from.split(" <")[0]}: ${text} ([message](${link}))`).join("\n");

/** Reads a channel, then does something with what it says. */
const reading =
  (given: Record<string, unknown>, next: (found: Shown[], results: readonly string[]) => Step): Told =>
  (results) =>
    results.length === 0
      ? { call: "chat_read", with: given, invents: Object.values(given).map(String) }
      : (failed(results.at(-1)) ?? next(messagesIn(results[0]), results));

/** What somebody wrote; in the console one person brings the words of others, after their names. */
const by = (messages: readonly Shown[], name: string) =>
  messages.filter(
    ({ from, text }) => from.toLowerCase().startsWith(name) || text.toLowerCase().startsWith(`${name}: `),
  );

function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(textsIn);
}

/** The first one calls, then says what came of it. */
const calling =
  (call: string, given: Record<string, unknown>, done: (result: string) => Step): Told =>
  (results) =>
    results.length === 0
      ? { call, with: given, invents: textsIn(given) }
      : (failed(results.at(-1)) ?? done(results.at(-1) ?? ""));

/** The first one invokes a listed skill, then says what came of it. */
const invoking = (skill_id: string, params: Record<string, unknown>, done: (result: string) => Step): Told =>
  calling("invoke_skill", { skill_id, params }, done);

/** The date of the message, and so many days later, as the line above it says it. */
function dayIn(request: string, later: number): string {
  const lines = [...request.matchAll(/\[\w{3} (\d{4}-\d\d-\d\d) /g)];
  const [, day = "2026-01-01"] = lines.at(-1) ?? [];
  return new Date(Date.parse(`${day}T12:00:00Z`) + later * 86_400_000).toISOString().slice(0, 10);
}

/** The id that the line of mentions gives somebody. */
const mentionOf = (request: string, name: string) =>
  new RegExp(`${name}\\\\" is (<@&?[A-Z0-9]+>)`, "i").exec(request)?.[1] ?? `@${name}`;

const monday = (request: string) => {
  const today = dayIn(request, 0);
  const weekday = new Date(`${today}T12:00:00Z`).getUTCDay();
  return dayIn(request, -((weekday + 6) % 7));
};

/** Whatever asks a person is told to the model as a result, so that each script can be written for the way without. */
const scripts: Record<string, Told> = {
  "Summarise this channel since Monday": (results, request) =>
    reading({ since: monday(request), alone: true }, (found) => say(`Since Monday:\n${linked(found)}`))(
      results,
      request,
    ),
  "Was hat Tom zum Release gesagt?": reading({}, (found) => say(`Tom schrieb:\n${linked(by(found, "tom"))}`)),
  "Find where we talked about the invoice bug": calling("chat_search", { words: "invoice bug" }, (result) =>
    say(`I found:\n${linked(messagesIn(result))}`),
  ),
  "What did I miss in #random since yesterday?": (results, request) =>
    reading({ channel: "random", since: dayIn(request, -1) }, (found) =>
      say(`In #random:\n${linked(found)}`),
    )(results, request),
  "How many messages did Ben write here this week?": (results, request) =>
    reading({ since: monday(request) }, (found) =>
      say(`Ben wrote ${by(found, "ben").length === 0 ? "none" : "two or more"}.`),
    )(results, request),
  "Translate the last message of Cleo here into German": reading({}, (found) =>
    say(`Der Rechnungsfehler ist wieder da. (${by(found, "cleo").at(-1)?.link ?? ""})`),
  ),
  "Summarise the board channel for us": reading({ channel: "board" }, (found) =>
    say(`In #board:\n${linked(found)}`),
  ),
  "Who in this channel works in Berlin time?": (results) => {
    if (results.length === 0) return { call: "chat_people", with: { here: true } };
    const { people = [] } = JSON.parse(results[0] ?? "{}") as {
      people?: { name: string; time_zone?: string }[];
    };
    const found = people.filter(({ time_zone }) => time_zone === "Europe/Berlin").map(({ name }) => name);
    return (
      failed(results[0]) ??
      say(found.length === 0 ? "No time zone is known of anybody here." : `Berlin time: ${found.join(", ")}.`)
    );
  },
  "that the deploy is done": (_results, request) =>
    /cannot [^.]*(?:look up or notify people|nobody else)/.test(request)
      ? say("There is nobody else here whom I could tell about the deploy.")
      : say(`${mentionOf(request, "ben")}, the deploy is done.`),
  "to have a look at the alerts": (_results, request) =>
    /cannot [^.]*(?:look up or notify people|nobody else)/.test(request)
      ? say("There is nobody else here who could look at the alerts.")
      : say(`${mentionOf(request, "oncall")}, please have a look at the alerts.`),
  "let everyone in the company know": () =>
    say("I cannot notify everyone at once. I can post it in this channel if you like."),
  "what is my name, and what day is it?": (_results, request) => {
    const [, weekday = "Mon"] = [...request.matchAll(/\[(\w{3}) \d{4}-\d\d-\d\d /g)].at(-1) ?? [];
    const [, name = "you"] = [...request.matchAll(/\[\w{3} [^\]]*\] \\"([\w ]+)/g)].at(-1) ?? [];
    const days: Record<string, string> = { Wed: "Wednesday", Tue: "Tuesday", Thu: "Thursday" };
    return say(`You are ${name}, and it is ${days[weekday] ?? weekday}.`);
  },
  "react to Ben's last message": reading({}, (found, results) =>
    results.length === 1
      ? {
          call: "chat_act",
          with: { do: "react", message: by(found, "ben").at(-1)?.id ?? "", emoji: "thumbsup" },
          invents: ["react", "thumbsup"],
        }
      : say("Done: I reacted to it."),
  ),
  "pin Tom's message about the release": reading({}, (found, results) =>
    results.length === 1
      ? {
          call: "chat_act",
          with: { do: "pin", message: by(found, "tom").at(-1)?.id ?? "" },
          invents: ["pin"],
        }
      : say("Pinned."),
  ),
  "post in #random that lunch is here": calling("chat_send", { to: "#random", text: "Lunch is here." }, () =>
    say("Posted in #random."),
  ),
  "send Cleo a direct message": (results) => {
    if (results.length === 0) return { call: "chat_people", with: { words: "Cleo" } };
    const stop = failed(results.at(-1));
    if (stop !== undefined) return stop;
    const { people = [] } = JSON.parse(results[0] ?? "{}") as { people?: { id: string }[] };
    return results.length === 1
      ? { call: "chat_send", with: { to: people[0]?.id ?? "", text: "The review is at 3." } }
      : say("I wrote to Cleo.");
  },
  "put the list of open orders into a file": (results) => {
    const path = "/workspace/output/orders.csv";
    if (results.length === 0)
      return {
        call: "run_code",
        with: { language: "bash", code: `printf 'order,open\\nA-1,yes\\n' > ${path}` },
        invents: [path, "order,open\\nA-1,yes\\n", "bash", `printf 'order,open\\nA-1,yes\\n' > ${path}`],
      };
    return results.length === 1
      ? {
          call: "chat_send",
          with: { to: "#random", text: "The open orders:", files: [path] },
          invents: [path, "#random"],
        }
      : (failed(results[1]) ?? say("Posted in #random."));
  },
  "correct your message": calling(
    "chat_act",
    { do: "edit", message: "last", text: "The review is on Thursday." },
    () => say("Corrected."),
  ),
  "delete what you just wrote": calling("chat_act", { do: "delete", message: "last" }, () =>
    say("It is gone."),
  ),
  "Erinnere mich morgen um 9": (results, request) =>
    calling(
      "schedule_add",
      { what: "reminder", text: "Denk an die Abrechnung!", at: `${dayIn(request, 1)}T09:00` },
      (result) => say(`Ich erinnere dich: ${result.replace(/["{}\\]/g, " ")}`),
    )(results, request),
  "every weekday at 9, Europe/Berlin": calling(
    "schedule_add",
    {
      what: "task",
      text: "Say what is open in this channel.",
      cron: ["0 9 * * 1-5"],
      zone: "Europe/Berlin",
    },
    (result) => say(`Planned: ${result.replace(/["{}\\]/g, " ")}`),
  ),
  "Say what is open in this channel": () => say("Open: the invoice."),
  "what have you planned here?": calling("schedule_list", {}, (result) =>
    say(
      /"planned":\[\]|"plans":\[\]|nothing/i.test(result)
        ? "I have planned nothing here."
        : `Planned: ${result.replace(/["{}\\]/g, " ")}`,
    ),
  ),
  "stop reminding me about the accounts": (results) => {
    if (results.length === 0) return { call: "schedule_list", with: {} };
    const [, id = ""] = /"id":"([^"]+)"[^{}]*accounts/.exec(results[0] ?? "") ?? [];
    return results.length === 1
      ? { call: "schedule_change", with: { id, to: "remove" }, invents: ["remove"] }
      : (failed(results[1]) ?? say("I do not remind you of the accounts any more."));
  },
  "write the time here every second": calling(
    "schedule_add",
    { what: "task", text: "Write the time.", cron: ["* * * * * *"] },
    (result) => say(result.replace(/["{}\\]/g, " ")),
  ),
  "if nobody answers here within two hours": invoking(
    "schedule#add_trigger",
    { on: "quiet", hours: 2, here: true, text: "Ask Ben again." },
    () => say("I watch this thread."),
  ),
  "Ask Ben again": () => say("Ben, could you have a look?"),
  "deploy failed” here": invoking(
    "schedule#add_trigger",
    { on: "message", words: '"deploy failed"', text: "Say who is on call." },
    () => say("Set."),
  ),
  "Say who is on call": () => say("Ben is on call."),
  "when I react with eyes": invoking(
    "schedule#add_trigger",
    { on: "reaction", emoji: "eyes", by_me: true, text: "Say what the message is about." },
    () => say("Set."),
  ),
  "Say what the message is about": () => say("It is about the invoice."),
  "give me a webhook for our CI": invoking(
    "schedule#add_trigger",
    { on: "webhook", text: "Say what failed." },
    () => say("The webhook is there."),
  ),
  "Say what failed": () => say("The unit tests failed."),
  "what can you do here?": (_results, request) =>
    say(
      request.includes("schedule")
        ? "I can read and search this channel, remind you and schedule things."
        : "I answer.",
    ),
  "here is a voice message": (_results, request) =>
    say(
      request.includes("move the review to four")
        ? "You want the review moved to four."
        : "I cannot hear it.",
    ),
};

/** What the bot is to have said before: it is told to, word for word. */
const before: Told = (results, request) => {
  const [, text = ""] = [...request.matchAll(/say: ([^"\\\n]+)/g)].at(-1) ?? [];
  const [, about] = /^reminder: (.+)/.exec(text) ?? [];
  if (about === undefined || results.length > 0) return say(text);
  const given = { what: "reminder", text: `Think of the ${about}.`, at: `${dayIn(request, 3)}T09:00` };
  return { call: "schedule_add", with: given, invents: Object.values(given) };
};

/** Words of others that are brought here, to be read later. */
const noted: Told = () => say("Noted.");

export function teach(model: HonestModel): void {
  for (const [text, told] of [
    ["say: ", before] as const,
    ["For the record", noted] as const,
    ...Object.entries(scripts),
  ]) {
    model.about(text, (results) => {
      const request = model.requests(text).at(-1) ?? "";
      const step = told(results, request);
      const isLacking = "call" in step && !request.includes(`"name":"${step.call}"`);
      return isLacking ? say("I cannot do that here, where nobody else is.") : step;
    });
  }
}
