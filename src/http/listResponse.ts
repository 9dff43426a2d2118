/** Responds to `GET /commands` with a page of commands from the journal. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { HonoRequest } from "hono"
import type { CommandId } from "../command/CommandId.ts"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { commandById } from "../history/findCommand.ts"
import { makeLivenessCheck } from "../history/makeLivenessCheck.ts"
import { commandMatcher, type ListOptions, scanCommands, type ScannedCommand } from "../history/listCommands.ts"
import type { UnendedCommands } from "../history/UnendedCommands.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import type { TokenGrant } from "../auth/TokenGrant.ts"
import { CommandInfo } from "../wire/mod.ts"
import { commandInfoJson } from "./commandInfo.ts"
import { responseHeaders, rightsHeader } from "./headers.ts"
import { jsonType } from "./negotiate.ts"
import { type HttpRefusal, refuse } from "./problem.ts"
import { timeOf, wholeNumberOf } from "./query.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"

/** Default and maximum number of commands on a page. */
const defaultPageSize = 50
const maxPageSize = 500

/**
 * Maximum number of requests that are scanned for one page: a filter without matches must not read the whole journal.
 */
const maxScanned = 2_000

/**
 * Maximum wait for the first build of the index, which reads all requests. A scan of 2,000 commands takes 0.6 s and delays
 * the build, which took 12 s instead of 2 s for 100,000 commands under such requests.
 */
const maxBuildWait = "5 seconds"

/** The states of commands without an end: a list of them is answered from the index. */
const unendedStates: ReadonlySet<string> = new Set(["waiting", "running", "lost"])

interface Listing {
  readonly options: ListOptions
  readonly states: ReadonlySet<string> | undefined
  readonly maxCommands: number
}

const stateNames: ReadonlySet<string> = new Set(CommandInfo.fields.state.literals)

/** Parses the names of states; `open` means the states without an end. */
const statesOf = (request: HonoRequest): Result.Result<ReadonlySet<string> | undefined, HttpRefusal> => {
  const text = request.query("state")
  if (text === undefined) return Result.succeed(undefined)
  const names = text.split(",").flatMap((name) => name === "open" ? ["waiting", "running"] : [name])
  const wrong = names.find((name) => !stateNames.has(name))
  return wrong === undefined
    ? Result.succeed(new Set(names))
    : Result.fail(refuse(400, "invalid", `the query's state is one or more of open, ${[...stateNames].join(", ")}`))
}

const readListing: (request: HonoRequest) => Effect.Effect<Listing, HttpRefusal> = Effect.fnUntraced(
  function* (request) {
    const states = yield* Effect.fromResult(statesOf(request))
    const since = yield* Effect.fromResult(timeOf(request, "since"))
    const until = yield* Effect.fromResult(timeOf(request, "until"))
    const before = yield* Effect.fromResult(wholeNumberOf(request, "before"))
    const maxCommands = yield* Effect.fromResult(wholeNumberOf(request, "maxCommands"))
    const options = { since, until, before, command: request.query("command") }
    return { options, states, maxCommands: Math.max(1, Math.min(maxCommands ?? defaultPageSize, maxPageSize)) }
  },
)

const stateOf = ({ state }: CommandRecord): string => state._tag.toLowerCase()

/** Commands of this process whose requests a bounded journal has pruned: they started before its first entry. */
const prunedRunning = (
  journal: JournalService,
  runs: RunSupervisor,
): Effect.Effect<ReadonlyArray<CommandRecord>, JournalError> =>
  Effect.gen(function* () {
    const [first] = yield* journal.read({ maxEntries: 1 })
    const found: Array<CommandRecord> = []
    for (const run of runs.running.values()) {
      if (first === undefined || run.startedMillis > first.time) continue
      const known = yield* Effect.provideService(commandById(run.id), Journal, journal)
      if (known === undefined) found.push(run.recordAt())
    }
    return found
  })

const matcherOf = (
  { command, since = -Infinity, until = Infinity }: ListOptions,
): (record: CommandRecord) => boolean => {
  const isLike = command === undefined ? () => true : commandMatcher(command)
  return ({ exec, line, requested }) => since <= requested && requested < until && isLike(exec, line)
}

/** Catches the index up; `false` if it is still being built. */
const isCaughtUp = (unended: UnendedCommands): Effect.Effect<boolean, JournalError> =>
  unended.isBuilt
    ? Effect.as(unended.catchUp, true)
    : Effect.map(Effect.timeoutOption(unended.catchUp, maxBuildWait), Option.isSome)

const page = (
  journal: JournalService,
  { maxCommands, options, states }: Listing,
  runs: RunSupervisor,
  unended: UnendedCommands,
): Effect.Effect<string, JournalError> =>
  Effect.gen(function* () {
    const { position: head } = yield* journal.head
    const isMeant = matcherOf(options)
    const isGone = makeLivenessCheck(journal)
    // While the first build takes longer, the newest commands are scanned.
    const isIndexed = states?.isSubsetOf(unendedStates) === true && (yield* isCaughtUp(unended))
    const commands: Array<string> = []
    const pruned = new Set<CommandId>()
    if (options.before === undefined && (states === undefined || states.has("running"))) {
      for (const record of yield* prunedRunning(journal, runs)) {
        pruned.add(record.commandId)
        if (isMeant(record)) commands.push(commandInfoJson(record, runs))
      }
    }
    let looked = 0
    let last: number | undefined
    const take = ({ position, record }: ScannedCommand): boolean => {
      looked++
      if (record !== undefined && (states === undefined || states.has(stateOf(record)))) {
        commands.push(commandInfoJson(record, runs))
      }
      if (commands.length >= maxCommands || looked >= maxScanned) last = position
      return last !== undefined
    }
    const scanned = isIndexed
      ? Stream.map(unended.records(isGone, options.before), (record): ScannedCommand => {
        const { commandId, position } = record
        // The index may have kept the record of a command whose request was pruned since.
        return { commandId, position, record: isMeant(record) && !pruned.has(commandId) ? record : undefined }
      })
      : scanCommands(journal, options, isGone)
    yield* Stream.runDrain(Stream.takeUntil(scanned, take))
    const next = last === undefined ? "" : `,"next":"${last}"`
    return `{"commands":[${commands.join(",")}],"head":"${head}"${next}}`
  })

/** Responds with a page of commands, and with the rights of the token in a header. */
export const listResponse = (
  runs: RunSupervisor,
  journal: JournalService,
  unended: UnendedCommands,
  request: HonoRequest,
  { rights }: TokenGrant,
): Effect.Effect<Response, HttpRefusal | JournalError> =>
  Effect.gen(function* () {
    const listing = yield* readListing(request)
    const text = yield* page(journal, listing, runs, unended)
    return new Response(text, {
      headers: { ...responseHeaders, "content-type": jsonType, [rightsHeader]: [...rights].join(", ") },
    })
  })
