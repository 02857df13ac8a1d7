import type { types } from "@slack/bolt";
import type { SkillListing } from "../../../app/services/skill-listing.ts";
import { counted } from "../../../base/amounts.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { fallbackText } from "../outgoing/outgoing-text.ts";

/** `action_id`s of the home tab; their value is the skill or page. */
export const homeActions = {
  enable: "home:enable",
  disable: "home:disable",
  page: "home:page",
  run: "home:run",
};

/** Slack's limit is 100 blocks in a view; a skill takes one. */
export const skillsPerPage = 40;
const maxOptions = 100;

export interface HomeState {
  botName: string;
  model: string;
  skills: readonly SkillListing[];
  /** From 0; a page beyond the end shows the last one. */
  page: number;
  /** The result of the last change. */
  note?: string | undefined;
}

/** A person's home tab: the skills of their direct messages with the bot, with switches. */
export function homeView({ botName, model, skills, page, note }: HomeState): types.HomeView {
  const listed = skills.filter(({ parent }) => parent === undefined);
  const pages = Math.max(1, Math.ceil(listed.length / skillsPerPage));
  const shown = Math.min(Math.max(0, page), pages - 1);
  const here = listed.slice(shown * skillsPerPage, (shown + 1) * skillsPerPage);
  return {
    type: "home",
    blocks: [
      { type: "header", text: { type: "plain_text", text: beginningOf(botName, 150) } },
      section(
        "These skills are for our direct messages; every channel has its own (`/skill list` there). " +
          "Write to me under *Messages*, or mention me in a channel I am in.",
      ),
      context(
        `Model: ${fallbackText(model)} · ${counted(listed.length, "skill")} · \`/knack help\` lists the commands`,
      ),
      ...(note === undefined ? [] : [context(fallbackText(note))]),
      ...runBlocks(listed),
      { type: "divider" },
      ...here.map(skillBlock),
      ...pageBlocks(shown, pages),
    ],
  };
}

/** The home tab of a person who may not use the bot: the reason alone. */
export function closedHomeView(botName: string, refusal: string): types.HomeView {
  return {
    type: "home",
    blocks: [
      { type: "header", text: { type: "plain_text", text: beginningOf(botName, 150) } },
      section(fallbackText(refusal)),
    ],
  };
}

function skillBlock(skill: SkillListing): types.SectionBlock {
  const { id, name, summary, state, eligible, reasons, emoji } = skill;
  const on = state === "pinned" || state === "active";
  const title = `${emoji === undefined ? "" : `${emoji} `}*${fallbackText(name)}* · ${stateWords[state]}`;
  const about = fallbackText(summary);
  const missing =
    eligible || state === "blocked" ? "" : `\nCannot be used here: ${fallbackText(reasons.join("; "))}`;
  return {
    type: "section",
    text: { type: "mrkdwn", text: beginningOf(`${title}\n${about}${missing}`, 3_000) },
    accessory: {
      type: "button",
      action_id: on ? homeActions.disable : homeActions.enable,
      text: { type: "plain_text", text: on ? "Disable" : "Enable" },
      value: id,
      accessibility_label: beginningOf(`${on ? "Disable" : "Enable"} ${name}`, 75),
    },
  };
}

const stateWords: Record<SkillListing["state"], string> = {
  available: "used when it fits",
  active: "active",
  pinned: "enabled",
  blocked: "disabled",
};

function runBlocks(skills: readonly SkillListing[]): types.AnyBlock[] {
  const usable = skills.filter(({ eligible, state }) => eligible && state !== "blocked").slice(0, maxOptions);
  if (usable.length === 0) return [];
  return [
    {
      type: "actions",
      elements: [
        {
          type: "static_select",
          action_id: homeActions.run,
          placeholder: { type: "plain_text", text: "Run a skill…" },
          options: usable.map(({ id, name }) => ({
            text: { type: "plain_text", text: beginningOf(name, 75) },
            value: beginningOf(id, 150),
          })),
        },
      ],
    },
  ];
}

function pageBlocks(page: number, pages: number): types.AnyBlock[] {
  const to = (target: number, label: string): types.Button[] =>
    target < 0 || target >= pages
      ? []
      : [
          {
            type: "button",
            action_id: `${homeActions.page}:${target}`,
            text: { type: "plain_text", text: label },
            value: String(target),
          },
        ];
  const elements = [...to(page - 1, "Previous"), ...to(page + 1, "Next")];
  return elements.length === 0
    ? []
    : [{ type: "actions", elements }, context(`Page ${page + 1} of ${pages}`)];
}

function section(text: string): types.SectionBlock {
  return { type: "section", text: { type: "mrkdwn", text } };
}

function context(text: string): types.ContextBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text }] };
}
