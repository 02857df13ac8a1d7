/** Settings of the app, read from the configuration. */
import type { AppDeps, ScheduleSetup } from "../app/app-deps.ts";
import type { ChatPolicy } from "../app/chat/chat-policy.ts";
import { percentDecoded } from "../base/text/percent-decoded.ts";
import { slackMode } from "../config/incomplete-platforms.ts";
import { type ModelProvider, modelProviders } from "../config/model-providers.ts";
import type { Config } from "../config/schema.ts";
import type { DueEntries } from "../core/ports/schedules.ts";
import { type KeyValue, scopeKeyValue } from "../core/ports/storage.ts";
import type { TurnLimits } from "../core/scope/turn.ts";
import { createRedactor, type Redactor, type SecretForm } from "../core/values/redact.ts";
import type { ModelFacts } from "../models/catalogue/model-facts.ts";
import type { ProviderSettings } from "../models/named-model.ts";
import { sealKeyValue } from "../storage/sealed-key-value.ts";
import { createSecretKey } from "../storage/secret-key.ts";

/** What the app gets of the configuration as it is. */
export function appSettings(config: Config) {
  const { turns, spending, retention, server } = config;
  return {
    limits: turnLimits(config),
    spending,
    retention,
    public_url: server.public_url,
    concurrent: turns.concurrent,
    concurrent_commands: turns.concurrent_commands,
    lease_ms: turns.lease_seconds * 1000,
    max_duration_ms: turns.max_duration_seconds * 1000,
    time_zone: serverTimeZone(config),
    chat: chatPolicy(config),
  } satisfies Partial<AppDeps>;
}

/** The hard limits of turns. */
export function turnLimits({ turns, prompt, model }: Config): TurnLimits {
  return {
    max_rounds: turns.max_rounds,
    max_tool_calls: turns.max_tool_calls,
    max_concurrent: turns.max_concurrent_executions,
    tool_output_tokens: prompt.tool_output_tokens,
    transcript_tokens: prompt.transcript_tokens,
    message_tokens: prompt.message_tokens,
    skill_list_tokens: prompt.skill_list_tokens,
    open_tools_tokens: prompt.open_tools_tokens,
    question_ms: turns.question_minutes * 60_000,
    approval_ms: turns.approval_minutes * 60_000,
    away_retry_ms: model.away_minutes * 60_000,
    away_ask_ms: model.ask_again_hours * 3_600_000,
  };
}

/** The default time zone of people and channels: the configured one, otherwise this machine's. */
export function serverTimeZone({ time_zone }: Config): string {
  const machine: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return time_zone ?? machine ?? "UTC";
}

/** Who may use the bot on chat platforms, and how it behaves there. */
export function chatPolicy({ access, chat }: Config): ChatPolicy {
  const { cooldown_seconds, ...who } = access;
  return {
    access: { ...who, cooldown_ms: cooldown_seconds * 1000 },
    reply: chat.reply,
    offers: { per_day: chat.offers_per_day, judged_per_day: chat.judged_per_day },
    stale_ms: chat.stale_minutes * 60_000,
    catch_up_ms: chat.catch_up_hours * 3_600_000,
    progress_delay_ms: chat.progress_delay_seconds * 1000,
    notify_after_ms: chat.notify_after_seconds * 1000,
    audit_channel: chat.audit_channel,
  };
}

/** How tools reach the web. */
export function webOptions({ net }: Config) {
  return {
    allow: net.allow,
    timeoutMs: net.timeout_seconds * 1000,
    maxBytes: net.max_bytes,
    maxRedirects: net.max_redirects,
  };
}

/** The models of the configuration. */
export function modelSettings({ model }: Config) {
  const reachable = [...modelProviders(model)].filter(([, { missing }]) => missing?.what !== "address");
  const providers = reachable.map(([name, provider]) => [name, providerSettings(provider, model)]);
  return {
    choice: model.choice,
    failover: model.failover,
    small: model.small,
    transcription: model.transcription,
    images: model.images,
    embeddings: model.embeddings,
    allowed: model.allowed,
    providers: Object.fromEntries(providers) as Record<string, ProviderSettings>,
    streaming: model.streaming,
    retry: { attempts: model.retries + 1 },
    idleTimeoutMs: model.idle_seconds * 1000,
    requestTimeoutMs: model.timeout_seconds * 1000,
    maxOutputTokens: model.max_output_tokens,
    models: modelOverrides(model.models),
    prices: model.prices,
  };
}

/** Only the keys that are set: the catalogue supplies the rest. */
function modelOverrides(models: Config["model"]["models"]): Record<string, ModelFacts> {
  return Object.fromEntries(
    Object.entries(models).map(
      ([name, { context_tokens, output_tokens, images, cache_minutes, retires }]) => {
        const cache_ms = cache_minutes === undefined ? undefined : cache_minutes * 60_000;
        const facts = { window: context_tokens, output: output_tokens, images, cache_ms, retires };
        return [name, Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))];
      },
    ),
  );
}

/** Maximum time until the first sign of an answer, in seconds: a self-hosted server may have to load the model first. */
const firstAnswerSeconds = { local: 600, hosted: 180 };

function providerSettings(provider: ModelProvider, model: Config["model"]): ProviderSettings {
  const { section, kind, preset, keyName, needsKey } = provider;
  const { protocol = "openai" } = preset;
  const first =
    section.first_answer_seconds ??
    model.first_answer_seconds ??
    (preset.local === true ? firstAnswerSeconds.local : firstAnswerSeconds.hosted);
  return {
    kind: protocol,
    server: kind === protocol && section.base_url !== undefined ? undefined : kind,
    apiKey: section.api_key,
    // The adapters know the addresses of the vendors whose protocol they speak.
    baseUrl: kind === protocol ? section.base_url : provider.address,
    keyName,
    needsKey,
    keyHeader: preset.keyHeader,
    headers: section.headers,
    query: section.query,
    api: section.api,
    maxTokensField: section.max_tokens_field === "auto" ? undefined : section.max_tokens_field,
    firstAnswerMs: first * 1000,
    idleTimeoutMs: section.idle_seconds === undefined ? undefined : section.idle_seconds * 1000,
  };
}

/** The secrets in these settings, which must not be shown. */
export function modelSecrets({ model }: Config): string[] {
  return [...modelProviders(model).values()].flatMap(({ section }) => [
    ...(section.api_key === undefined ? [] : [section.api_key]),
    ...Object.values(section.headers ?? {}),
    ...Object.entries(section.query ?? {}).flatMap(([name, value]) =>
      namesSecret.test(name) ? [value] : [],
    ),
  ]);
}

/** Query parameters in which some gateways expect a key. Other parameters hold ordinary words, which must not be redacted. */
const namesSecret = /key|token|secret|code|sig|pass/i;

/** Limits and storage of schedules and triggers. Webhooks are recognised by secrets, which are stored encrypted. */
export function scheduleSetup(
  { schedules, code, data, secret_key }: Config,
  { due, store }: { due: DueEntries; store: KeyValue },
): ScheduleSetup {
  const minute = 60_000;
  return {
    due,
    sealed: scopeKeyValue(sealKeyValue(store, createSecretKey(data.folder, secret_key)), "webhook:"),
    limits: {
      least_gap_ms: schedules.least_minutes * minute,
      per_channel: schedules.per_channel,
      per_person: schedules.per_person,
      late_ms: schedules.late_minutes * minute,
      open_turns: schedules.open_turns,
      trigger_gap_ms: minute,
      goal_turns: schedules.goal_turns,
      job_ms: code.job_minutes * minute,
      jobs: code.jobs_per_channel,
    },
  };
}

/** Removes every secret of the configuration from what is shown or stored. */
export function redactorOf(config: Config): Redactor {
  return createRedactor(secretsOf(config), secretForms(config));
}

/** Tokens of installations are not in the configuration. Their prefixes: https://docs.slack.dev/authentication/tokens */
function secretForms(config: Config): SecretForm[] {
  if (slackMode(config) !== "installations") return [];
  return [{ mark: "xox", pattern: /\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,}/g }];
}

/** Every secret of the configuration, to be removed from everything shown or stored. */
function secretsOf(config: Config): string[] {
  const { server, skills, search, slack, discord, secret_key, data } = config;
  const ofSkills = Object.values(skills.env).flatMap((variables) => Object.values(variables));
  const ofPlatforms = [
    slack.bot_token,
    slack.app_token,
    slack.signing_secret,
    slack.client_secret,
    discord.token,
  ];
  const ofSearch = [search.brave_api_key, search.tavily_api_key, search.exa_api_key];
  const own = [server.token, secret_key, ...databaseSecrets(data.database_url), ...modelSecrets(config)];
  return [...own, ...ofSearch, ...ofPlatforms, ...ofSkills].filter((secret) => secret !== undefined);
}

/** The address of the database, and the password in it as it is written and as it is meant. */
function databaseSecrets(address: string | undefined): string[] {
  const password = address === undefined ? "" : (URL.parse(address)?.password ?? "");
  return [address ?? "", password, percentDecoded(password)].filter((secret) => secret !== "");
}
