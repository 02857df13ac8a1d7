import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { type ProviderSections, unusableProvider } from "./model-providers.ts";
import { efforts } from "./model-schema.ts";

const frontmatterSchema = z.strictObject({
  /** When to hand a turn over to this agent. */
  description: z.string().min(1),
  /** The model it works with, `provider/model`. */
  model: z
    .string()
    .regex(/^[a-z][a-z0-9_-]*\/\S+$/, "expected provider/model")
    .optional(),
  /** How hard its model thinks. */
  effort: z.enum(efforts).optional(),
});

/** An agent of `config/agents/<id>.md`: frontmatter, then its instructions. */
export interface AgentProfile {
  id: string;
  description: string;
  prompt: string;
  model?: string | undefined;
  effort?: (typeof efforts)[number] | undefined;
}

const shipped = fileURLToPath(new URL("../../config/agents", import.meta.url));

/**
 * The agents of a folder; `chat` comes first, the others by name.
 * @param sections the providers of models there are; a model at another one is an error
 * @throws ConfigError naming the file that cannot be used
 */
export async function loadProfiles(
  sections: ProviderSections,
  folder = shipped,
): Promise<[AgentProfile, ...AgentProfile[]]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".md")).sort();
  const profiles = await Promise.all(files.map((file) => readProfile(path.join(folder, file))));
  for (const { id, model } of profiles) {
    const message = model === undefined ? undefined : unusableProvider(model, sections);
    if (message !== undefined) {
      throw new ConfigError([{ where: path.join(folder, `${id}.md`), key: "model", message }]);
    }
  }
  const [first, ...others] = profiles.sort((a, b) => Number(b.id === "chat") - Number(a.id === "chat"));
  if (first === undefined)
    throw new ConfigError([{ where: folder, key: "", message: "there is no agent (*.md) in it" }]);
  return [first, ...others];
}

async function readProfile(file: string): Promise<AgentProfile> {
  const text = (await readFile(file, "utf8")).replaceAll("\r\n", "\n");
  const [, frontmatter, prompt = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  try {
    const about = frontmatterSchema.parse(parse(frontmatter ?? ""));
    return { id: path.basename(file, ".md"), ...about, prompt: prompt.trim() };
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    const hint = "It begins with ---, description: …, --- and goes on with the agent's instructions";
    throw new ConfigError([{ where: file, key: "", message, hint }], { cause: error });
  }
}
