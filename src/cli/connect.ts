import { readFile } from "node:fs/promises";
import { incompletePlatforms, slackMode } from "../config/incomplete-platforms.ts";
import type { Config } from "../config/schema.ts";
import { readConfig } from "./bot-connection.ts";
import { type CommandContext, exitCode, type ResultOptions } from "./command-context.ts";
import { liveDiscordFindings, liveSlackFindings } from "./doctor/check-platforms.ts";
import { type Finding, failure, fine, printFinding } from "./doctor/doctor-finding.ts";
import { readAnswer } from "./terminal-input.ts";

const manifestFile = new URL("../../config/slack-manifest.yaml", import.meta.url);

/** The steps to take, and the platform's findings about the tokens that are set. */
interface Guide {
  steps: string[];
  findings: Finding[];
  /** Environment variables whose values were typed in. */
  typed: string[];
}

/**
 * `knack connect slack|discord`: guides through connecting the bot, and checks the tokens with the platform. On a terminal it
 * asks for missing tokens; nothing is stored. Exit code 0 if everything needed is set and works.
 */
export async function connect(
  context: CommandContext,
  platform: "slack" | "discord",
  options: ResultOptions,
): Promise<number> {
  const { config } = await readConfig(context, options);
  const ask = async (prompt: string) =>
    options.json ? undefined : (await readAnswer(context, prompt, { secret: true })) || undefined;
  const tell = (steps: readonly string[]) => {
    if (!options.json) for (const step of steps) context.out.line(step);
  };
  const guide = await (platform === "slack" ? guideSlack : guideDiscord)(config, ask, tell);
  const ok = guide.findings.length > 0 && guide.findings.every(({ status }) => status !== "error");
  if (options.json) {
    context.out.json({ ok, steps: guide.steps, checks: guide.findings });
  } else {
    for (const finding of guide.findings) printFinding(context, finding);
    tell(["", nextStep(ok, guide.typed)]);
  }
  return ok ? exitCode.ok : exitCode.failed;
}

/** The next step. Typed tokens are not shown, since terminals keep their output. */
function nextStep(ok: boolean, typed: readonly string[]): string {
  if (!ok) return "Not connected yet. Correct what is marked ✖, then run this again.";
  if (typed.length === 0) return "Everything is set. Start the bot with `npm start`.";
  return `The tokens work. Nothing was stored: set ${typed.join(" and ")} where the bot is started, then run \`npm start\`.`;
}

type Ask = (prompt: string) => Promise<string | undefined>;
type Tell = (steps: readonly string[]) => void;

async function guideSlack(config: Config, ask: Ask, tell: Tell): Promise<Guide> {
  const { createAppLink, manifestOverHttp, manifestText, readManifest } = await import(
    "../platforms/slack/connection/manifest.ts"
  );
  const shipped = readManifest(await readFile(manifestFile, "utf8"));
  const url = config.server.public_url;
  const installations = config.slack.client_id !== undefined;
  const overHttp = url !== undefined && (installations || config.slack.app_token === undefined);
  const manifest = overHttp ? manifestOverHttp(shipped, url, installations) : shipped;
  const steps = [
    "Connect Knack to Slack",
    "",
    "1. Create the app: open this link (everything is filled in), choose your workspace, and confirm.",
    `   ${createAppLink(manifest)}`,
    "   Should the link be too long for your browser: https://api.slack.com/apps?new_app=1 → From a manifest, and paste",
    overHttp ? manifestText(manifest) : "   config/slack-manifest.yaml",
    ...(overHttp ? httpSteps(installations, url) : socketSteps),
  ];
  tell([...steps, ""]);
  const { slack, typed } = await slackTokens(config, overHttp, ask);
  const asked = { ...config, slack };
  const findings = await liveSlackFindings(asked);
  if (slackMode(asked) === undefined) {
    const problems = incompletePlatforms(asked).map(({ key, message }) => `${key} ${message}`);
    const detail = problems.join("; ") || "no tokens are set";
    findings.push(failure("slack", detail, "The steps above say where they are found."));
  } else if (installations) {
    findings.push(fine("slack", `workspaces install it at ${url}/slack/install`));
  }
  return { steps, findings, typed };
}

const botTokenStep =
  "3. Install App → Install to Workspace. Copy the Bot User OAuth Token: SLACK_BOT_TOKEN=xoxb-…";

const socketSteps = [
  "2. Basic Information → App-Level Tokens → Generate, with the scope connections:write. Copy it: SLACK_APP_TOKEN=xapp-…",
  botTokenStep,
  "4. Start the bot with both set, then invite it to a channel: /invite @Knack",
];

function httpSteps(installations: boolean, url: string): string[] {
  const token = "Set KNACK_API_TOKEN to a long random text as well: the console is behind the same address.";
  const credentials =
    "2. Basic Information → App Credentials. Copy the Signing Secret: SLACK_SIGNING_SECRET=…";
  const steps = installations
    ? [
        `${credentials}, the Client ID: SLACK_CLIENT_ID=…, and the Client Secret: SLACK_CLIENT_SECRET=…`,
        "3. Manage Distribution → Activate Public Distribution.",
        `4. Start the bot with them set and ${url} reaching it; every workspace installs it at ${url}/slack/install`,
      ]
    : [
        credentials,
        botTokenStep,
        `4. Start the bot with both set and ${url} reaching it, then invite it to a channel: /invite @Knack`,
      ];
  return [...steps, `   ${token}`];
}

async function slackTokens(
  { slack }: Config,
  overHttp: boolean,
  ask: Ask,
): Promise<{ slack: Config["slack"]; typed: string[] }> {
  if (overHttp) return { slack, typed: [] };
  const app_token = slack.app_token ?? (await ask("App token (xapp-…, not shown; Enter to leave out): "));
  const bot_token = slack.bot_token ?? (await ask("Bot token (xoxb-…, not shown; Enter to leave out): "));
  const typed = [
    app_token !== slack.app_token && "SLACK_APP_TOKEN",
    bot_token !== slack.bot_token && "SLACK_BOT_TOKEN",
  ].filter((name) => name !== false);
  return { slack: { ...slack, app_token, bot_token }, typed };
}

async function guideDiscord(config: Config, ask: Ask, tell: Tell): Promise<Guide> {
  const steps = [
    "Connect Knack to Discord",
    "",
    "1. https://discord.com/developers/applications → New Application, and give it a name.",
    "2. Bot → Reset Token, and copy it: DISCORD_TOKEN=…",
    "3. Bot → Privileged Gateway Intents → switch Message Content on, so that it hears follow-ups in its threads without a mention.",
    "   Without it the bot works when it is mentioned, replied to, or written to directly.",
    "4. Invite it to your server with the link this command prints once it has the token. It asks for no more permissions than it needs.",
    "5. Start the bot with the token set.",
  ];
  tell([...steps, ""]);
  const token = config.discord.token ?? (await ask("Token (not shown; Enter to leave out): "));
  if (token === undefined) {
    const missing = failure("discord", "no token is set", "The steps above say where it is found.");
    return { steps, findings: [missing], typed: [] };
  }
  const findings = await liveDiscordFindings({ ...config, discord: { ...config.discord, token } });
  return { steps, findings, typed: config.discord.token === undefined ? ["DISCORD_TOKEN"] : [] };
}
