import { z } from "zod";
import { nearestName } from "../base/text/nearest-name.ts";
import { isProviderKind, providerKinds, providerPresets } from "./provider-presets.ts";
import { seconds, text } from "./setting-kinds.ts";

/** A key for a header. Surrounding white space is removed: keys are often copied with line ends. */
export const keySchema = z
  .string()
  .trim()
  .min(1, "the key is empty")
  .regex(/^[^"'`]/, "a key has no quotation marks around it: docker --env-file keeps them. Remove them")
  .regex(/^[\x21-\x7e]*$/, {
    error: "a key has no spaces, line breaks or special characters within. Copy it again, alone",
  });

/** The address of an API. */
export const addressSchema = z
  .string()
  .trim()
  .superRefine((address, context) => {
    const problem = addressProblem(address);
    if (problem !== undefined) context.addIssue(problem);
  });

function addressProblem(address: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) {
    const complete = address === "" ? undefined : URL.parse(`${schemeFor(address)}://${address}`);
    const advice = complete?.hostname ? `: write ${schemeFor(address)}://${address}` : "";
    return `expected an http or https URL${advice}`;
  }
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return "expected an http or https URL";
  if (url.username !== "" || url.password !== "") {
    return "an address holds no name and password: a key stands under api_key, anything else under headers of a provider in model.providers";
  }
  if (url.search !== "" || url.hash !== "") {
    return "an address ends before ? and #; parameters stand under query of a provider in model.providers";
  }
  const [, base, path] =
    /^(.*?)((?:\/chat)?\/completions|\/responses|(?:\/v1)?\/messages)\/?$/.exec(address) ?? [];
  return base && `an address ends before ${path}, which is added to it: write ${base}`;
}

/** The scheme that people omit: http for local addresses, https for all others. */
function schemeFor(address: string): "http" | "https" {
  return /^(localhost|[\d.]+|\[[\da-f:]+\]|[\w-]+)(:\d+)?(\/|$)/i.test(address) ? "http" : "https";
}

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "HTTP knows no header of this name")
  .refine((name) => !connectionHeaders.includes(name.toLowerCase()), {
    error: "this header belongs to the connection and cannot be set",
  });

const connectionHeaders =
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade content-type".split(
    " ",
  );

const headerValue = z
  .string()
  .trim()
  .regex(/^[\t\x20-\x7e]*$/, "a header has one line of plain characters")
  .meta({ secret: true });

/** The name of a provider in model names. */
const providerName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, {
    error: ({ input }) => {
      const lower = String(input).toLowerCase();
      const advice = /^[a-z][a-z0-9_-]{0,31}$/.test(lower) ? `: write ${lower}` : "";
      return `a provider's name has at most 32 lower-case letters, digits, - and _, a letter first${advice}`;
    },
  })
  .refine((name) => name !== "openai" && name !== "anthropic", {
    error: ({ input }) => `${input} has its own section: write model.${input}`,
  })
  .refine((name) => name !== "offline" && name !== "auto", { error: "this name has a meaning of its own" });

const kindHint = `expected ${providerKinds.join(", ")}`;

/** A server of models, `model.providers.NAME`. */
const providerSchema = z.strictObject({
  kind: z
    .enum(providerKinds, {
      error: ({ input }) => {
        const meant = nearestName(String(input), providerKinds);
        return meant === undefined ? kindHint : `there is no such kind, did you mean ${meant}? ${kindHint}`;
      },
    })
    .optional()
    .describe(
      "What kind of server it is: openai and anthropic for any that speaks their API; the kind of the same name, else openai, unless set",
    ),
  base_url: addressSchema.optional().describe("Address of its API; the kind's own unless set"),
  api_key: keySchema.optional().meta({ description: "Key", secret: true }),
  headers: z.record(headerName, headerValue).optional().describe("Headers sent with every request"),
  query: z
    .record(text, z.string())
    .optional()
    .meta({ description: "Parameters added to every address, e.g. api-version", secret: true }),
  api: z
    .enum(["auto", "responses", "chat"])
    .optional()
    .describe("API of OpenAI that is asked: responses, chat, or auto, as of model.openai.api"),
  max_tokens_field: z
    .enum(["auto", "max_tokens", "max_completion_tokens", "none"])
    .optional()
    .describe("Field of chat completions that limits the answer; auto tries, none leaves it to the server"),
  idle_seconds: seconds
    .optional()
    .describe("Maximum silence of a streamed answer, in seconds; model.idle_seconds unless set"),
  first_answer_seconds: seconds
    .optional()
    .describe(
      "Maximum wait for the first sign of a streamed answer, in seconds; model.first_answer_seconds unless set",
    ),
});

/** The settings of a server. */
export type ProviderSection = z.output<typeof providerSchema>;

/** All of `model.providers`. */
export const providersSchema = z
  .record(providerName, providerSchema)
  .superRefine((providers, context) => {
    for (const [name, section] of Object.entries(providers)) {
      for (const { path, message } of sectionProblems(name, section)) {
        context.addIssue({ code: "custom", path: [name, ...path], message, input: section });
      }
    }
  })
  .default({})
  .meta({ each: true });

function sectionProblems(name: string, section: ProviderSection): { path: string[]; message: string }[] {
  const kind = section.kind ?? (isProviderKind(name) ? name : "openai");
  const keyHeader = providerPresets[kind].keyHeader ?? "authorization";
  const names = Object.keys(section.headers ?? {});
  const problems = names.flatMap((header, index) => {
    const lower = header.toLowerCase();
    if (names.findIndex((other) => other.toLowerCase() === lower) < index) {
      return [{ path: ["headers", header], message: "this header is set twice" }];
    }
    if (section.api_key === undefined || lower !== keyHeader) return [];
    const message = "api_key is sent in this header already. Remove one of the two";
    return [{ path: ["headers", header], message }];
  });
  // A key that is only in the environment may be meant for other programs.
  const isWritten = Object.keys(section).some((member) => member !== "api_key");
  if (kind === "azure" && section.base_url === undefined && isWritten) {
    const variable = name === "azure" ? ", or AZURE_OPENAI_ENDPOINT" : "";
    const message = `Azure has an address for each resource: set base_url${variable}, e.g. https://RESOURCE.openai.azure.com`;
    problems.push({ path: [], message });
  }
  return problems;
}
