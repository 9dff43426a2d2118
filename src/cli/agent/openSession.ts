/** Makes the session that the flags of `sluice agent` select: a new run, a continued one, or a replay. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { quote } from "../../base/quote.ts"
import * as Agent from "../../agent/Agent.ts"
import * as AiSdk from "../../agent/AiSdk.ts"
import type { ModelService } from "../../agent/ModelBranch.ts"
import { modelService } from "../../agent/modelService.ts"
import { assumeValidOptions } from "../../base/attemptOptions.ts"
import type { AgentRun } from "../../agent/AgentRunBranch.ts"
import { keyVariables, resolveModel } from "../../agent/providers.ts"
import { layer as journaledShell } from "../../compute/JournaledShell.ts"
import { Files } from "../../files/Files.ts"
import { JournaledFileSystem } from "../../leaves/files/mod.ts"
import { Journal, type JournalService, MemoryJournal, Redactor } from "../../journal/Journal.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { ApproverService } from "../../spell/ApprovalBranch.ts"
import * as ApprovalPolicy from "../../spell/ApprovalPolicy.ts"
import * as Approver from "../../spell/Approver.ts"
import { standard } from "../../spell/builtin/standard.ts"
import { ProcessTable } from "../../spell/ProcessTable.ts"
import { type AgentToolCallResult, ToolCallBranch } from "../../agent/ToolCallBranch.ts"
import type { CliProcess } from "../CliProcess.ts"
import type { TerminalApproverOptions } from "../terminalApprover.ts"
import {
  configuredLocation,
  findLocation,
  type JournalLocation,
  openJournal,
  parseLocation,
} from "../journal/openJournal.ts"
import { makeRedactor } from "../redaction.ts"
import type { KillableShell } from "../killableShell.ts"
import { UsageError } from "../UsageError.ts"
import { agentConditions, describeChange } from "./agentConditions.ts"
import { agentMemory, agentPolicy, openFolderMemory } from "./agentApproval.ts"
import type { AgentFlags } from "./agentSpec.ts"
import { agentPlace, hasPlace } from "./agentPlace.ts"
import { agentPrompt, otherPlace } from "./agentPrompt.ts"
import { replayById } from "../../branch/replayById.ts"
import { describeResult } from "./AgentPrinter.ts"

/** Whether a call ended as in the recording: it failed, or exited with this code, or did neither. */
const isAlike = (one: AgentToolCallResult, other: AgentToolCallResult): boolean =>
  one.isFailure === other.isFailure && (one.isFailure || describeResult(one) === describeResult(other))

/** Makes the check of a result: `true` if the recording has a different result under the same id. */
const findDifferences = (
  recording: JournalService,
): Effect.Effect<(result: AgentToolCallResult) => Effect.Effect<boolean>> =>
  Effect.map(
    Effect.provideService(replayById(ToolCallBranch, { isStrict: false }), Journal, recording),
    (recorded) => (result) => {
      const { callId, correlationId, name } = result
      const call = { _tag: "AgentToolCall" as const, correlationId, callId, name, arguments: null }
      return Stream.runLast(recorded.request(call)).pipe(
        Effect.map((before) =>
          Option.isSome(before) && before.value._tag === "AgentToolCallResult" && !isAlike(before.value, result)
        ),
        // A call without a recorded result: it was in flight when the recording ended.
        Effect.catch(() => Effect.succeed(false)),
      )
    },
  )

export interface AgentSession {
  readonly services: Agent.AgentServices
  readonly options: Agent.AgentOptions
  /** Whether the run can be continued by its id. */
  readonly isRecorded: boolean
  /** Differences from the run that is continued. */
  readonly notice?: string | undefined
  /** Whether a call ended differently than in the recording whose calls are repeated. */
  readonly differs?: ((result: AgentToolCallResult) => Effect.Effect<boolean>) | undefined
}

export interface AgentRequest {
  readonly flags: AgentFlags
  readonly task: string | undefined
  readonly cli: CliProcess
  readonly shell: ShellService
  readonly journalNetwork: KillableShell["journalNetwork"]
  readonly approver: (options: TerminalApproverOptions) => ApproverService
}

const usageError = ({ message }: { readonly message: string }): UsageError => new UsageError(message)

/**
 * The secrets of this process: the keys of providers and the token of a server. They may also be in a folder's `.env`.
 */
const ownSecrets = (cli: CliProcess): Redactor.Redactor =>
  Redactor.secrets(
    [...keyVariables, "SLUICE_TOKEN"].flatMap((label) => {
      const value = cli.variable(label) ?? ""
      return value === "" ? [] : [{ value, label }]
    }),
  )

interface OpenRecord {
  readonly journal: JournalService
  /** The location of the journal; `undefined` if it is only in memory. */
  readonly location: JournalLocation | undefined
}

/** The journal to write: that of `--record` or of the environment, else one in memory. */
const openRecord = (
  { cli, flags }: AgentRequest,
): Effect.Effect<OpenRecord, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const redactor = Redactor.combine(yield* Effect.fromResult(makeRedactor(flags, cli)), ownSecrets(cli))
    const find = flags.resume === undefined ? configuredLocation : findLocation
    const location = yield* find(cli, flags.record)
    const made = location === undefined ? MemoryJournal.make() : openJournal(location, "append")
    return { journal: { ...yield* Effect.mapError(made, usageError), redactor }, location }
  })

/** The run of a recording. A task that differs from the recorded one is a mistake. */
const openReplay = (path: string, task: string | undefined) =>
  Effect.gen(function* () {
    const location = yield* parseLocation(path, "--replay")
    const journal = yield* Effect.mapError(openJournal(location, "read"), usageError)
    const recorded = yield* Effect.mapError(Effect.provideService(Agent.recordedRun(), Journal, journal), usageError)
    if (task !== undefined && task !== recorded.run.task) {
      const message = `--replay: the recorded task is ${quote(recorded.run.task)}; give that one, or none`
      return yield* Effect.fail(new UsageError(message))
    }
    return { journal, recorded }
  })

/** The model that `--model` names. */
const openModel = ({ cli, flags }: AgentRequest): Effect.Effect<ModelService, UsageError> =>
  Effect.gen(function* () {
    const name = flags.model ?? cli.variable("SLUICE_MODEL") ?? ""
    if (name === "") {
      const message = "missing model: name one with --model openai/gpt-5 (or google/…, anthropic/…) or SLUICE_MODEL, " +
        "or replay a recorded run with --replay FILE"
      return yield* Effect.fail(new UsageError(message))
    }
    const model = yield* Effect.mapError(resolveModel(name, { baseUrl: flags["base-url"] }), usageError)
    const dialect = name.startsWith("openai") && !name.startsWith("openai-compatible/") ? "openai" : "mcp"
    const languageModel = yield* assumeValidOptions(AiSdk.make(model))
    return yield* Effect.provideService(
      modelService(standard, { dialect }),
      LanguageModel.LanguageModel,
      languageModel,
    )
  })

interface RunOptions {
  readonly options: Agent.AgentOptions
  readonly before?: AgentRun | undefined
}

/** The options of a new run, or of the one that is continued. */
const liveOptions = (
  { cli, flags, task }: AgentRequest,
  journal: JournalService,
): Effect.Effect<RunOptions, UsageError> =>
  Effect.gen(function* () {
    if (flags.resume !== undefined) {
      const find = Effect.provideService(Agent.recordedRun(flags.resume), Journal, journal)
      const { options, run } = yield* Effect.mapError(
        find,
        ({ message }) => new UsageError(`--resume: ${message}; sluice journal list --runs has the ids of runs`),
      )
      const place = otherPlace(options.system, flags)
      if (place !== undefined) {
        return yield* Effect.fail(
          new UsageError(`--resume: this run was started elsewhere: continue it with ${place}`),
        )
      }
      const model = flags.model ?? cli.variable("SLUICE_MODEL") ?? options.model
      if (task === undefined || task === options.task) return { options: { ...options, model }, before: run }
      return yield* Effect.fail(new UsageError("--resume: a run keeps its task; leave out the task"))
    }
    if (task === undefined) {
      return yield* Effect.fail(new UsageError(`missing task: quote it, as in sluice agent "fix the failing test"`))
    }
    const model = flags.model ?? cli.variable("SLUICE_MODEL")
    // A model is not offered spells that are always denied.
    const offered = [...standard.spells.values()].filter(({ readOnly }) => readOnly || flags.approve !== "read-only")
    return { options: { task, system: agentPrompt(flags), tools: offered.map(({ name }) => name), model } }
  })

/** A run with effects, with everything in a journal. */
const actingSession = (
  request: AgentRequest,
  model: (journal: JournalService) => Effect.Effect<ModelService, UsageError>,
  ask: (journal: JournalService) => Effect.Effect<RunOptions, UsageError>,
): Effect.Effect<AgentSession, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const { approver, cli, flags, shell } = request
    const { journal, location } = yield* openRecord(request)
    request.journalNetwork(journal)
    const { before, options } = yield* ask(journal)
    const isRecorded = location !== undefined
    const place = yield* Layer.build(yield* agentPlace(flags, cli, shell))
    const folder = yield* openFolderMemory(flags, cli)
    const policy = agentPolicy(flags, cli, location)
    const memory = yield* agentMemory(flags, journal, folder)
    const people = approver({ folderMemory: folder?.path, isResumable: isRecorded })
    const journaled = Layer.succeed(Journal, journal)
    const world = Layer.mergeAll(
      Layer.merge(JournaledFileSystem.layer, journaledShell).pipe(Layer.provide(Layer.succeedContext(place))),
      ProcessTable.layer,
      Approver.layerJournaled.pipe(Layer.provide(Approver.layer(people))),
    ).pipe(Layer.provideMerge(journaled))
    const context = yield* Layer.build(world)
    const services = yield* Agent.journaledWith(standard, yield* model(journal), {
      // The guard's own file accesses are not the agent's work, so they are not journaled.
      guard: (spells) =>
        Effect.provideService(
          ApprovalPolicy.guardService(policy, standard, { memory })(spells),
          Files,
          Context.get(place, Files),
        ),
    }).pipe(Effect.provide(context), Effect.mapError(usageError))
    const conditions = agentConditions(flags)
    const notice = before === undefined ? undefined : describeChange(before, conditions)
    return { services, options: { ...options, ...conditions }, isRecorded, notice }
  })

/** A journal that has the run already would answer instead of acting: that is for `--resume`. */
const checkUnused = (
  journal: JournalService,
  { run: { correlationId } }: Agent.RecordedRun,
): Effect.Effect<void, UsageError> =>
  Effect.provideService(Agent.recordedRun(correlationId), Journal, journal).pipe(
    Effect.option,
    Effect.flatMap((found) =>
      Option.isNone(found) ? Effect.void : Effect.fail(
        new UsageError(`--record: this journal has the run ${correlationId} already; name another file`),
      )
    ),
  )

export const openSession = (request: AgentRequest): Effect.Effect<AgentSession, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const { flags, task } = request
    if (flags.replay === undefined) {
      const model = openModel(request)
      return yield* actingSession(
        request,
        (journal) => Effect.provideService(model, Journal, journal),
        (journal) => liveOptions(request, journal),
      )
    }
    if (flags.resume !== undefined) {
      return yield* Effect.fail(
        new UsageError("--replay and --resume are mutually exclusive: one shows a run, the other continues it"),
      )
    }
    const { journal, recorded } = yield* openReplay(flags.replay, task)
    const inRecording = Effect.provideService(Journal, journal)
    if (!hasPlace(flags)) {
      if (flags.record !== undefined) {
        const why = "a replay executes nothing, so there is nothing to record; add --cwd DIR to repeat its calls"
        return yield* Effect.fail(new UsageError(`--record: ${why}`))
      }
      return { services: yield* inRecording(Agent.replay(recorded)), options: recorded.options, isRecorded: false }
    }
    const session = yield* actingSession(
      request,
      () => inRecording(Agent.replayModel(recorded)),
      (record) =>
        Effect.as(checkUnused(record, recorded), {
          options: { ...recorded.options, maxTurns: recorded.end?.turns },
        }),
    )
    return { ...session, differs: yield* findDifferences(journal) }
  })
