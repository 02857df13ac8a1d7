import { isInternal } from "../core/log/turn-event.ts";
import { type ChatPerson, createChatPlatforms } from "../core/ports/chat-platform.ts";
import { noMeter } from "../core/ports/model.ts";
import { modelFor } from "../core/scope/turn-scope.ts";
import { createOfferReader } from "../core/skill/make-offer.ts";
import type { NamespaceState } from "../core/skill/namespace-state.ts";
import { noPackages, noPreparedPackages } from "../core/skill/packages.ts";
import type { Mean } from "../core/skill/skill.ts";
import type { Place } from "../core/values/place.ts";
import { profileNamed } from "../core/values/profile.ts";
import type { App } from "./app.ts";
import type { AppDeps, RunningApp } from "./app-deps.ts";
import { type ChatHub, meteredPlatform } from "./chat/chat-hub.ts";
import { createChannelIndex } from "./chat/create-channel-index.ts";
import { createChatIntake } from "./chat/create-chat-intake.ts";
import { createTurnPresenter } from "./chat/create-turn-presenter.ts";
import { refusalOf } from "./chat/intake/refusal-of.ts";
import { shapingRules } from "./chat/present/shape-answer.ts";
import { createCommandRunner } from "./commands/command-runner.ts";
import { operationCommands } from "./commands/operation-commands.ts";
import { complete } from "./operations/operation.ts";
import type { Services } from "./operations/services.ts";
import { allOperations, createOperationRunner } from "./operations/table.ts";
import { createPastConversations } from "./reading/past-conversations.ts";
import { createPinnedFacts } from "./reading/pinned-facts.ts";
import { createPlaceDescriber } from "./reading/place-description.ts";
import { createRolesOf } from "./reading/roles-of.ts";
import { createScheduleService } from "./schedules/create-schedules.ts";
import { createApprovals } from "./services/approvals.ts";
import { auditChannel, createAudit } from "./services/audit.ts";
import { createChangeSettings } from "./services/channel-settings.ts";
import { createChats } from "./services/chats.ts";
import { createExportData } from "./services/export-data.ts";
import { createForgetPerson } from "./services/forget-person/forget-person.ts";
import { createForget } from "./services/forgetting.ts";
import { createReadiness } from "./services/readiness.ts";
import { createRetention } from "./services/retention.ts";
import { keptFor } from "./services/retention-policy.ts";
import { createSayMessage } from "./services/say-message.ts";
import { skillRuns } from "./services/skill-runs.ts";
import { createSkillService } from "./services/skill-service.ts";
import { createStoredAudit } from "./services/stored-audit.ts";
import { createAskedSkills } from "./turns/asked-skills.ts";
import { createCommandReader } from "./turns/command-reader.ts";
import { Dispatcher } from "./turns/dispatcher.ts";
import { createFeed } from "./turns/feed.ts";
import { attachedFile, createPictures, turnFile } from "./turns/kept-files.ts";
import { interruptedTooOften, maxCrashes } from "./turns/no-start.ts";
import { createOpenings } from "./turns/openings.ts";
import { createPastThreads } from "./turns/past-threads.ts";
import { createPromptPreview } from "./turns/prompt-preview.ts";
import { createSpending } from "./turns/spending.ts";
import { createSubmit } from "./turns/submit.ts";
import { createTurnControl } from "./turns/turn-control.ts";
import { type Follow, followTurn } from "./turns/turn-events.ts";
import { createTurnMeasuring } from "./turns/turn-measure.ts";
import { TurnRunner } from "./turns/turn-runner.ts";
import { createWhere } from "./turns/where.ts";

/** What a channel in this state has to do without. */
function lackingIn({ settings }: NamespaceState, { ports, profiles }: AppDeps): Mean[] {
  const model = modelFor(ports.models, settings, profileNamed(profiles, settings.profile));
  return [
    ...(model.generative ? [] : ["model" as const]),
    ...(ports.means.images.model === undefined ? ["images" as const] : []),
  ];
}

export function createApp(deps: AppDeps): RunningApp {
  const { log, store, clock, catalogue } = deps;
  const { knowledge } = deps.ports.means;
  const offers = createOfferReader(store, deps.facts, clock, (state) => lackingIn(state, deps));
  const openings = createOpenings(store, clock);
  const platforms = createChatPlatforms();
  const kept = keptFor(deps.retention.conversation_days);
  const channelIndex = createChannelIndex({ ...deps, platforms, kept });
  const chats = createChats({
    ...deps,
    platforms,
    name: deps.ports.name,
    isIndexed: channelIndex.isOn,
    forget: (turnId, by) => services.forget(turnId, by),
  });
  const basePorts = {
    ...deps.ports,
    chats,
    offers,
    redact: deps.redact,
    time_zone: deps.time_zone,
    openings,
    facts: createPinnedFacts(store),
    conversations: createPastConversations({
      ...deps,
      ...deps.ports,
      createIndex: deps.createTextIndex,
      actionsOf: chats.actions,
    }),
    rolesOf: createRolesOf(platforms),
    deletions: (place: Place) => log.deletions(place),
    picture: createPictures(deps.ports.files, deps.ports.report),
  };
  const asked = createAskedSkills({ catalogue, offers });
  const feed = createFeed();
  const spending = createSpending(log, deps.spending, clock);
  const past = createPastThreads(log);
  const { meter = noMeter } = deps;
  const measuring = createTurnMeasuring({ ...deps, meter });
  const { report } = basePorts;
  const describer = createPlaceDescriber({ platforms, clock, shaping: shapingRules, report });
  const whereOf = createWhere(describer, basePorts.name, chats.actions);
  const stored = createStoredAudit(store, deps.logger);
  const audit = createAudit({ ...deps, stored, post: auditChannel(deps.chat.audit_channel, platforms) });
  const { files, folders } = basePorts;
  const retention = createRetention({ ...deps, past, files, folders, stored, policy: deps.retention });
  const { packages = noPackages, prepared = noPreparedPackages, servers } = deps;
  const skills = createSkillService({ ...deps, offers, grants: basePorts.grants, rights: basePorts.rights });
  const commands = operationCommands(allOperations);
  const reader = createCommandReader(commands, basePorts.name);
  const dispatcher = new Dispatcher({ ...deps, feed });
  const wake = () => dispatcher.wake();
  const submit = createSubmit({ ...deps, files, feed, reader, asked, wake });
  const follow: Follow = (turnId, afterSeq, signal) => followTurn(log, feed, turnId, afterSeq, signal);
  const access = (person: ChatPerson, place: Place) => refusalOf(deps.chat.access, person, place);
  const planning = { ...deps, ...deps.schedules, offers, platforms, submit, report };
  const schedules = createScheduleService({ ...planning, refusalOf: access });
  const ports = { ...basePorts, schedules };
  const turns = new TurnRunner({ ...deps, ports, past, spending, platforms, asked, reader, whereOf });
  const presenter = createTurnPresenter({
    ...deps,
    platforms,
    name: ports.name,
    files: ports.files,
    question_ms: deps.limits.question_ms,
  });
  const control = createTurnControl(log, clock, dispatcher);
  const forgetting = {
    ...deps,
    ...deps.schedules,
    feed,
    past,
    files,
    folders,
    platforms,
    audit,
    stop: control.stop,
  };
  const services: Services = {
    ...deps,
    offers,
    packages,
    prepared,
    servers,
    audit,
    feed,
    skills,
    grants: ports.grants,
    submit,
    follow,
    turns: {
      get: (turnId) => log.get(turnId),
      list: (filter) => log.list(filter),
      async events(turn) {
        const tail = turn.status === "finished" ? [] : feed.tail(turn.turn_id);
        return [...(await log.read(turn.turn_id)), ...tail].filter((event) => !isInternal(event));
      },
    },
    folders,
    schedules,
    runs: (filter) => skillRuns(log, filter),
    changeSettings: createChangeSettings({ ...deps, models: ports.models }),
    name: ports.name,
    models: ports.models,
    effort: ports.effort,
    namespaces: (platform) => log.namespaces(platform),
    threads: (namespace) => log.threads(namespace),
    usage: (filter) => log.usage(filter),
    control,
    approvals: createApprovals({ ...deps, audit, platforms, wake }),
    channelIndex,
    say: createSayMessage(platforms, chats),
    forget: createForget(forgetting),
    forgetPerson: createForgetPerson({
      ...forgetting,
      stored,
      openings,
      index: deps.index,
      knowledge,
      copies: deps.copies,
    }),
    retention,
    commands,
    preview: createPromptPreview(turns),
  };
  const run = createOperationRunner(services);
  const commandRunner = createCommandRunner(commands, services, turns, reader, platforms);
  dispatcher.serve({
    deadlineOf: (claimed) => turns.deadlineOf(claimed),
    run: (claimed, signal) => {
      const runner = claimed.inbound.kind === "command" ? commandRunner : turns;
      const isGivenUp = claimed.crashes >= maxCrashes;
      const run = (own: AbortSignal) =>
        isGivenUp ? interruptedTooOften(claimed, clock.now()) : runner.run(claimed, own);
      const events = presenter.around(claimed, run, signal);
      return measuring.around(claimed, events);
    },
  });

  const app: App = {
    name: ports.name,
    model: ports.models.main.id,
    run,
    reader,
    submit,
    turn: services.turns.get,
    turns: services.turns.list,
    events: follow,
    exportData: createExportData({ ...deps, ...deps.schedules, stored, knowledge }),
    file: (turnId, name) => turnFile(ports.files, turnId, name),
    attachment: (turnId, number) => attachedFile({ log, files, folders }, turnId, number),
    namespaces: services.namespaces,
    threads: services.threads,
    watch: (namespace, signal) => feed.watch(namespace, signal),
    skills,
    hook: (request) => schedules.hooks.take(request),
    complete: (text, namespace) => complete(services, text, namespace),
    ready: createReadiness(deps),
  };
  const listeners = [channelIndex, schedules.watch];
  const chat: ChatHub = {
    connect(platform) {
      const metered = meteredPlatform(platform, meter);
      platforms.add(metered);
      return createChatIntake({ ...deps, app, platform: metered, policy: deps.chat, listeners });
    },
  };
  return {
    app,
    chat,
    start() {
      dispatcher.start();
      channelIndex.start();
    },
    startSchedules: schedules.clockwork.start,
    startRetention: retention.start,
    async stop(drainMs) {
      await schedules.clockwork.stop();
      await Promise.all([dispatcher.stop(drainMs), retention.stop(), channelIndex.stop()]);
      await stored.settled();
    },
  };
}
