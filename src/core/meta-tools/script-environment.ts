import type { Skill } from "../skill/skill.ts";
import type { ToolContext } from "../skill/tool.ts";

/**
 * What a script knows of the call, as variables. Those the skill declares come first, so that none of the context's own can be
 * overridden. The names of LINX are there for packages written for it.
 */
export function scriptEnvironment(skill: Skill, context: ToolContext): Record<string, string> {
  const { agent, user, place, permissions, turn_id } = context;
  return {
    ...context.env,
    KNACK_SKILL_ID: skill.id,
    KNACK_AGENT_ID: agent,
    KNACK_USER_ID: user.id,
    KNACK_NAMESPACE: place.namespace,
    KNACK_THREAD_ID: place.thread,
    KNACK_TURN_ID: turn_id,
    KNACK_PERMISSIONS: permissions.join(","),
    LINX_AGENT_ID: agent,
    LINX_USER_ID: user.id,
    LINX_SESSION_ID: place.thread,
  };
}

/** Declared variables the script ran without; undefined when it had all. */
export function missingVariables(skill: Skill, env: Readonly<Record<string, string>>): string | undefined {
  const apiKey = skill.settings?.api_key_variable;
  const declared = new Set([...skill.requires.env, ...(apiKey === undefined ? [] : [apiKey])]);
  const missing = [...declared].filter((name) => env[name] === undefined);
  if (missing.length === 0) return undefined;
  return `It ran without ${missing.join(", ")}, which an operator gives it under skills.env.${skill.id} in the configuration.`;
}
