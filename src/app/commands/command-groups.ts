/**
 * What the commands with a common beginning are about, in at most 100 characters, for platforms that show them as one command with
 * subcommands.
 */
export const commandGroups: { readonly [beginning: string]: string } = {
  skill: "The skills of this channel: see, choose, run and install them",
  flow: "The flows of this channel: see, choose and run them",
  mcp: "The tool servers (MCP): see, start and stop them, connect your account",
  agent: "The agent in this channel: its settings, plans and approvals",
  "agent approvals": "What waits for approval here, and what is always or never allowed",
  "agent schedule": "The reminders, schedules and triggers of this channel",
  "agent goal": "The goal of this thread, towards which the agent works by itself",
  "agent files": "The files of this thread",
};
