import { z } from "zod";
import { nearestNames } from "../base/text/nearest-name.ts";
import { type Environment, expandVariables } from "./expand-variables.ts";

const settingSchema = z.looseObject({
  title: z.string().default(""),
  required: z.boolean().default(false),
  sensitive: z.boolean().default(false),
  default: z.unknown().optional(),
});

const startSchema = z.object({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});

/** https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md */
const manifestSchema = z.looseObject({
  server: z.looseObject({
    mcp_config: startSchema
      .extend({ platform_overrides: z.record(z.string(), startSchema).default({}) })
      .optional(),
  }),
  user_config: z.record(z.string(), settingSchema).default({}),
  compatibility: z.looseObject({ platforms: z.array(z.string()).optional() }).default({}),
});

interface Given {
  /** `user_config` of the entry. */
  given: Readonly<Record<string, unknown>>;
  /** What the names of folders stand for. */
  places: Environment;
  platform: string;
}

interface BundleServer {
  entry: Readonly<Record<string, unknown>>;
  /** For the variables in it. */
  values: Environment;
  /** Values of settings that it calls sensitive. */
  secrets: string[];
}

/** The server of an MCP bundle (.mcpb, .dxt) by its manifest, with the operator's settings, or why there is none. */
export function bundleServer(manifest: unknown, { given, places, platform }: Given): BundleServer | string {
  const { data, error } = manifestSchema.safeParse(manifest);
  if (data === undefined) return `its manifest.json is not that of a bundle: ${z.prettifyError(error)}`;
  const { platforms = [platform] } = data.compatibility;
  if (!platforms.includes(platform))
    return `the bundle is for ${platforms.join(" and ")}, and this machine runs ${platform}.`;
  const { mcp_config } = data.server;
  if (mcp_config === undefined)
    return "its manifest.json does not say how the server is started (server.mcp_config).";
  const settings = Object.entries(data.user_config).map(([key, setting]) => ({
    ...setting,
    key,
    values: valuesOf(given[key] ?? expandVariables(setting.default, places).value),
  }));
  const problem = settingsProblem(settings, given);
  if (problem !== undefined) return problem;
  const { platform_overrides, ...start } = mcp_config;
  const { args = [], env = {}, ...rest } = { ...start, ...platform_overrides[platform] };
  const lists = new Map(
    settings.map(({ key, values }) => [reference(key), values.map((_, at) => `${key}.${at}`)]),
  );
  const filled = Object.entries(env).filter(([, each]) => lists.get(each)?.length !== 0);
  return {
    entry: {
      ...rest,
      // A setting may have several values, each an argument, or none.
      args: args.flatMap((each) => lists.get(each)?.map(reference) ?? each),
      env: Object.fromEntries(filled),
    },
    values: { ...Object.fromEntries(settings.flatMap(variablesOf)), ...places },
    secrets: settings.flatMap(({ sensitive, values }) => (sensitive ? values : [])),
  };
}

interface FilledSetting extends z.infer<typeof settingSchema> {
  key: string;
  values: string[];
}

const reference = (key: string) => `\${user_config.${key}}`;

function variablesOf({ key, values }: FilledSetting): [string, string][] {
  const each = values.map((value, at): [string, string] => [`user_config.${key}.${at}`, value]);
  return values.length === 0 ? [] : [[`user_config.${key}`, values.join(",")], ...each];
}

function valuesOf(value: unknown): string[] {
  return [value]
    .flat()
    .flatMap((each) => (each === undefined || each === null || each === "" ? [] : String(each)));
}

/** What is wrong with the operator's settings. */
function settingsProblem(settings: readonly FilledSetting[], given: Given["given"]): string | undefined {
  const keys = settings.map(({ key }) => key);
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    const [near] = nearestNames(unknown, keys);
    const hint = near === undefined ? `It has ${keys.join(", ") || "none"}.` : `Did you mean ${near}?`;
    return `user_config.${unknown} is no setting of the bundle. ${hint}`;
  }
  const needed = settings.filter(({ required, values }) => required && values.length === 0);
  const named = needed.map(({ key, title }) => (title === "" ? key : `${key} (${title})`));
  return named.length === 0
    ? undefined
    : `it needs ${named.join(", ")}: set them in user_config of the entry.`;
}
