import type { ToolCategory } from "../values/profile.ts";

/** A skill that is an agent where people enable it: it does tasks in a conversation of its own, with its guide as instructions. */
export interface SkillAgent {
  /** The categories of tools it has; all by default. */
  tools?: readonly ToolCategory[];
}

/**
 * Names of tools in files of agents for other programs (Claude Code, Copilot, OpenCode, Gemini CLI), and the categories of tools here. Every
 * agent here reads and writes files of its thread.
 */
const categories: readonly [RegExp, ToolCategory | undefined][] = [
  [/^(?:read|grep|glob|ls|list|view|notebookread|read_file|list_directory|read_many_files)$/, undefined],
  [/^(?:edit|multiedit|write|notebookedit|write_file|replace)$/, undefined],
  [/^(?:websearch|web_search|google_web_search|web)$/, "search"],
  [/^(?:webfetch|web_fetch|fetch|browser)$/, "browser"],
  [/^(?:bash|shell|execute|exec|runcommands|run_shell_command)$/, "code_exec"],
  [/^(?:askuserquestion|ask_user|question)$/, "hitl"],
  [/^(?:skill|mcp__.*|.+\/.+)$/, "skill"],
];

/** The categories for tools that an agent of another program names, and the names that mean nothing here. */
export function agentTools(names: readonly string[]): { tools: ToolCategory[]; unknown: string[] } {
  const found = names.map((name) => {
    const plain = name.replace(/\(.*$/s, "").trim().toLowerCase();
    return { name, known: categories.find(([form]) => form.test(plain)) };
  });
  const tools = found.flatMap(({ known }) => known?.[1] ?? []);
  return {
    tools: [...new Set(tools)],
    unknown: found.flatMap(({ name, known }) => (known === undefined ? [name] : [])),
  };
}
