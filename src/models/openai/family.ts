import { type Effort, efforts } from "../../core/values/message.ts";

/** Facts about OpenAI's models from gpt-5 on, by their names: https://developers.openai.com/api/docs/models. */
export interface OpenAiFamily {
  /** `5.4` as 504, `6` as 600. */
  version: number;
  /** False for the chat variants. */
  reasons: boolean;
  /** The efforts that it knows, lowest first. Empty for a model that does not reason. */
  efforts: readonly Effort[];
  /** How tools are added during a conversation: as an input item, as the result of a tool search, or in `tools`. */
  additions: "additional_tools" | "tool_search" | "tools";
  /** Whether an input item can change the effort during a conversation. */
  updatesEffort: boolean;
}

/** OpenRouter's variants begin with `:`. A version that begins with two digits, as in Azure's `gpt-35-turbo`, is another model. */
const name = /^gpt-([5-9]|1\d)(?:\.(\d+))?(?:-([^:]+))?(?::.*)?$/;

/** Undefined for all other models. The name may have prefixes, e.g. `openai/gpt-6-luna`. */
export function openAiFamily(model: string): OpenAiFamily | undefined {
  const match = name.exec(model.slice(model.lastIndexOf("/") + 1).toLowerCase());
  if (match === null) return undefined;
  const [, major = "", minor = "0", variant = ""] = match;
  const version = Number(major) * 100 + Number(minor);
  const reasons = !/^chat\b/.test(variant);
  return {
    version,
    reasons,
    efforts: reasons ? effortsOf(version, variant) : [],
    additions: version >= 506 ? "additional_tools" : version >= 504 ? "tool_search" : "tools",
    updatesEffort: version >= 600 && !/\bpro\b/.test(variant),
  };
}

const between = (first: Effort, last: Effort) =>
  efforts.slice(efforts.indexOf(first), efforts.indexOf(last) + 1);
const withNone = (last: Effort): Effort[] => ["none", ...between("low", last)];

function effortsOf(version: number, variant: string): readonly Effort[] {
  if (/\bpro\b/.test(variant)) return version >= 502 ? between("medium", "xhigh") : ["high"];
  if (version >= 600) {
    const canRest = /^(luna|terra)\b/.test(variant) || (version === 600 && /^sol\b/.test(variant));
    return canRest ? withNone("max") : between("low", "max");
  }
  if (version >= 506) return withNone("max");
  if (version >= 502) return withNone("xhigh");
  return version === 501 ? withNone("high") : between("minimal", "high");
}
