/** What the app gets of the configuration. */
import type { ChatPolicy } from "../app/chat/chat-policy.ts";
import type { Config } from "../config/schema.ts";
import type { TurnLimits } from "../core/turn.ts";
import type { ModelFacts } from "../models/catalogue/model-facts.ts";

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
    away_retry_ms: model.away_minutes * 60_000,
    away_ask_ms: model.ask_again_hours * 3_600_000,
  };
}

/** The zone of people and channels that have none of their own: the configured one, else this machine's. */
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
    stale_ms: chat.stale_minutes * 60_000,
    catch_up_ms: chat.catch_up_hours * 3_600_000,
    progress_delay_ms: chat.progress_delay_seconds * 1000,
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
  return {
    choice: model.choice,
    failover: model.failover,
    providers: {
      openai: {
        kind: "openai" as const,
        apiKey: model.openai.api_key,
        baseUrl: model.openai.base_url,
        api: model.openai.api,
      },
      anthropic: {
        kind: "anthropic" as const,
        apiKey: model.anthropic.api_key,
        baseUrl: model.anthropic.base_url,
      },
    },
    streaming: model.streaming,
    retry: { attempts: model.retries + 1 },
    idleTimeoutMs: model.idle_seconds * 1000,
    requestTimeoutMs: model.timeout_seconds * 1000,
    maxOutputTokens: model.max_output_tokens,
    models: modelOverrides(model.models),
    prices: model.prices,
  };
}

/** Only what is set: the rest is for the catalogue to say. */
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
