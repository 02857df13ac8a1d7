import path from "node:path";
import { editDistance } from "../base/text/nearest-name.ts";
import type { ConfigProblem } from "./config-error.ts";
import { providerKinds, providerPath, providerPresets } from "./provider-presets.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. Nothing else reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Variables that name a file with further certificates for OpenSSL, Python's requests, curl and Node. */
const certificateVariables = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];

/** Absolute paths of the certificate files, by variable. */
export function certificateFiles(environment: Environment): Record<string, string> {
  const set = certificateVariables.map((name) => [name, environment[name]] as const);
  return Object.fromEntries(set.flatMap(([name, file]) => (file ? [[name, path.resolve(file)]] : [])));
}

/**
 * Variables for this machine's network that child processes get: proxies, and the registries of npm, pip and uv, in lower case. Tokens
 * are excluded; a server that needs one gets it in its own settings. https://docs.npmjs.com/cli/using-npm/config,
 * https://pip.pypa.io/en/stable/topics/configuration/, https://docs.astral.sh/uv/reference/environment/
 */
const networkVariables = new Set(
  `http_proxy https_proxy no_proxy all_proxy ftp_proxy node_use_env_proxy node_use_system_ca ssl_cert_dir aws_ca_bundle
  git_ssl_cainfo nix_ssl_cert_file httplib2_ca_certs deno_cert npm_config_registry npm_config_proxy npm_config_https_proxy
  npm_config_noproxy npm_config_ca npm_config_cafile npm_config_strict_ssl npm_config_userconfig
  npm_config_globalconfig yarn_npm_registry_server bun_config_registry goproxy pip_index_url pip_extra_index_url
  pip_find_links pip_trusted_host pip_proxy pip_cert pip_config_file pip_no_index uv_index uv_index_url
  uv_default_index uv_extra_index_url uv_find_links uv_index_strategy uv_insecure_host uv_native_tls uv_system_certs
  uv_offline uv_config_file uv_python_install_mirror uv_no_index`.split(/\s+/),
);

/** Settings of npm in capitals, which only people set, and registries of single scopes. npm itself sets its variables in lower case. */
const npmVariable = /^(NPM_CONFIG_(?!.*(AUTH|TOKEN|PASSW|KEY|OTP))|npm_config_@[^:]+:registry$)/;

/** The variables that child processes need to use the network as this machine does. Paths of certificates are absolute. */
export function networkOf(environment: Environment): Record<string, string> {
  const isNetwork = (name: string) => networkVariables.has(name.toLowerCase()) || npmVariable.test(name);
  const all = Object.entries(environment);
  const set = all.flatMap(([name, value]) => (value && isNetwork(name) ? [[name, value] as const] : []));
  return { ...Object.fromEntries(set), ...certificateFiles(environment) };
}

/** Names the configuration file, so it has no key. */
export const configFileVariable = "KNACK_CONFIG";

interface Variable {
  path: readonly string[];
  /** The key's value for a text; undefined for a text that is meant for another program. The text itself unless given. */
  value?(text: string): EnvironmentValue["value"] | undefined;
  /** It is meant for another program, so configuration files take precedence. */
  yields?: true;
}

const listOf = (separator: string) => (text: string) =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "");
/** Any value other than an address, such as a folder, is only for pip or npm. */
const packageAddress = (text: string) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? text : undefined;
/** Kubernetes sets `KNACK_PORT=tcp://10.0.0.1:80` for a service called knack. */
const port = (text: string) => (text.includes("://") ? undefined : /^\d+$/.test(text) ? Number(text) : text);

/** Keys and addresses of every known provider. */
const providerVariables = Object.fromEntries(
  providerKinds.flatMap((name) => {
    const { keyVariable, addressVariables = [] } = providerPresets[name];
    const addresses = addressVariables.map((variable): [string, Variable] => {
      const address = { path: [...providerPath(name), "base_url"] };
      return [
        variable,
        variable === "OLLAMA_HOST" ? { ...address, value: reachable, yields: true } : address,
      ];
    });
    return [[keyVariable, { path: [...providerPath(name), "api_key"] }] as const, ...addresses];
  }),
);

const variables: Readonly<Record<string, Variable>> = {
  KNACK_DATA: { path: ["data", "folder"] },
  DATABASE_URL: { path: ["data", "database_url"] },
  KNACK_SKILLS_EXTRA: { path: ["skills", "extra"], value: listOf(path.delimiter) },
  PIP_INDEX_URL: { path: ["skills", "execution", "python_index"], value: packageAddress, yields: true },
  NPM_CONFIG_REGISTRY: { path: ["skills", "execution", "npm_registry"], value: packageAddress, yields: true },
  KNACK_MODEL: { path: ["model", "choice"] },
  // Many hosting platforms set the port here.
  PORT: { path: ["server", "port"], value: port },
  KNACK_PORT: { path: ["server", "port"], value: port },
  KNACK_API_TOKEN: { path: ["server", "token"] },
  KNACK_OPERATORS: { path: ["operators"], value: listOf(",") },
  KNACK_NET_ALLOW: { path: ["net", "allow"], value: listOf(",") },
  KNACK_MODEL_SMALL: { path: ["model", "small"] },
  KNACK_MODEL_TRANSCRIPTION: { path: ["model", "transcription"] },
  KNACK_MODEL_IMAGES: { path: ["model", "images"] },
  KNACK_MODEL_EMBEDDINGS: { path: ["model", "embeddings"] },
  ...providerVariables,
  BRAVE_API_KEY: { path: ["search", "brave_api_key"] },
  TAVILY_API_KEY: { path: ["search", "tavily_api_key"] },
  EXA_API_KEY: { path: ["search", "exa_api_key"] },
  SEARXNG_URL: { path: ["search", "searxng_url"] },
  SLACK_BOT_TOKEN: { path: ["slack", "bot_token"] },
  SLACK_APP_TOKEN: { path: ["slack", "app_token"] },
  SLACK_SIGNING_SECRET: { path: ["slack", "signing_secret"] },
  SLACK_CLIENT_ID: { path: ["slack", "client_id"] },
  SLACK_CLIENT_SECRET: { path: ["slack", "client_secret"] },
  SLACK_API_URL: { path: ["slack", "api_url"] },
  DISCORD_TOKEN: { path: ["discord", "token"] },
  DISCORD_API_URL: { path: ["discord", "api_url"] },
  KNACK_PUBLIC_URL: { path: ["server", "public_url"] },
  KNACK_SECRET_KEY: { path: ["secret_key"] },
  // The path of traces. https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    path: ["traces", "url"],
    value: (text) => `${text.replace(/\/$/, "")}/v1/traces`,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { path: ["traces", "url"] },
  LOG_LEVEL: { path: ["log", "level"], value: (text) => text.toLowerCase() },
};

/** A key's value as the environment gives it, and the variable it came from. */
export interface EnvironmentValue {
  variable: string;
  path: readonly string[];
  value: string | number | string[];
  /** The variable is meant for another program, so configuration files take precedence. */
  yields: boolean;
}

/** The values that the environment sets. An empty variable counts as not set. */
export function readEnvironment(environment: Environment): EnvironmentValue[] {
  return Object.entries(variables).flatMap(([variable, { path: key, value: read, yields = false }]) => {
    const text = environment[variable]?.trim();
    const value = text && (read === undefined ? text : read(text));
    return value === undefined || value === "" ? [] : [{ variable, path: key, value, yields }];
  });
}

/**
 * The client's address for a listening address in Ollama's variable: `0.0.0.0`, `:11434`, `gpu-box`, `http://10.0.0.5`. Undefined for
 * any other text, which is meant for Ollama. https://docs.ollama.com/faq
 */
function reachable(text: string): string | undefined {
  const [, scheme, rest = ""] = /^(https?:\/\/)?(.*)$/i.exec(text) ?? [];
  const url = URL.parse(`${scheme ?? "http://"}${rest.startsWith(":") ? `127.0.0.1${rest}` : rest}`);
  if (url === null || url.search !== "" || url.hash !== "") return undefined;
  if (/^(0\.0\.0\.0|\[::\])$/.test(url.hostname)) url.hostname = "127.0.0.1";
  if (url.port === "" && scheme === undefined) url.port = "11434";
  return url.href;
}

/** The variable that sets a key, for advice. */
export function variableFor(key: readonly string[]): string | undefined {
  const dotted = key.join(".");
  return Object.keys(variables).findLast((name) => variables[name]?.path.join(".") === dotted);
}

/**
 * Variables that look like misspelt names. Other names that begin with `KNACK_` are ignored: container platforms set them for a
 * service called knack.
 */
export function misspeltVariables(environment: Environment): ConfigProblem[] {
  const known = [configFileVariable, ...Object.keys(variables).filter((name) => name.startsWith("KNACK_"))];
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith("KNACK_") || known.includes(name) || !environment[name]) return [];
    const meant = known.find((candidate) => editDistance(name, candidate) <= 2);
    if (meant === undefined) return [];
    const hint = `Did you mean ${meant}?`;
    return [{ where: `environment ${name}`, key: "", message: "there is no such setting", hint }];
  });
}
