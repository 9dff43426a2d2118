/**
 * Parses the flags of `sluice journal` into a typed request.
 *
 * @module
 */
import * as Result from "effect/Result"
import { UsageError } from "../UsageError.ts"
import { parseBytes } from "../parseValues.ts"
import type { ExportFormat, JournalAction, JournalRequest, PruneRequest } from "./JournalRequest.ts"
import {
  parseAge,
  parseCountFrom,
  parseExitCode,
  parseHead,
  parseLimit,
  parsePattern,
  parseSince,
  parseSize,
  parseSpeed,
} from "./parseValues.ts"

/** The words of a subcommand: the text of each given flag; for a switch `"true"`. */
export interface JournalWords {
  readonly subcommand: string
  readonly ids: ReadonlyArray<string>
  readonly flags: ReadonlyMap<string, ReadonlyArray<string>>
}

type Read<A> = Result.Result<A, UsageError>

const formats: ReadonlyArray<ExportFormat> = ["ndjson", "asciicast", "asciicast-v3"]

const parseFormat = (text: string): Result.Result<ExportFormat, string> => {
  const format = formats.find((each) => each === text)
  return format === undefined
    ? Result.fail(`"${text}" is not a format; write one of ${formats.join(", ")}`)
    : Result.succeed(format)
}

const notEmpty = (text: string): Result.Result<string, string> =>
  text === "" ? Result.fail("is empty") : Result.succeed(text)

class Reader {
  readonly #words: JournalWords

  constructor(words: JournalWords) {
    this.#words = words
  }

  has(flag: string): boolean {
    return this.#words.flags.has(flag)
  }

  value<A>(flag: string, parse: (text: string) => Result.Result<A, string>): Read<A | undefined> {
    const text = this.#words.flags.get(flag)?.[0]
    if (text === undefined) return Result.succeed(undefined)
    return Result.mapError(parse(text), (problem) => new UsageError(`--${flag}: ${problem}`))
  }

  get id(): string | undefined {
    return this.#words.ids[0]
  }

  get second(): string {
    return this.#words.ids[1] ?? ""
  }

  list(flag: string): ReadonlyArray<string> {
    return this.#words.flags.get(flag) ?? []
  }
}

const maxTail = 10_000

const parseTail = (text: string): Result.Result<number, string> =>
  Result.flatMap(
    parseCountFrom(1)(text),
    (count) => count <= maxTail ? Result.succeed(count) : Result.fail(`"${text}" is more than ${maxTail}`),
  )

const list = (words: Reader): Read<JournalAction> =>
  Result.gen(function* () {
    const tail = yield* words.value("tail", parseTail)
    if (tail !== undefined && (words.has("limit") || words.has("oldest"))) {
      return yield* Result.fail(
        new UsageError("--tail and --limit or --oldest are mutually exclusive"),
      )
    }
    return {
      _tag: "List",
      since: yield* words.value("since", parseSince),
      until: yield* words.value("until", parseSince),
      failed: words.has("failed"),
      command: yield* words.value("command", notEmpty),
      grep: yield* words.value("grep", parsePattern),
      exitCode: yield* words.value("exit-code", parseExitCode),
      host: yield* words.value("host", notEmpty),
      limit: yield* words.value("limit", parseLimit),
      tail,
      long: words.has("long"),
      oldest: words.has("oldest"),
      iso: words.has("iso"),
    }
  })

const attemptOf = (words: Reader) => words.value("attempt", parseCountFrom(1))

const exported = (words: Reader): Read<JournalAction> =>
  Result.gen(function* () {
    const format = (yield* words.value("format", parseFormat)) ?? "ndjson"
    if (format !== "ndjson" && words.id === undefined) {
      return yield* Result.fail(new UsageError(`--format ${format} needs one command: give its ID, or last`))
    }
    const [size, attempt] = [yield* words.value("size", parseSize), yield* attemptOf(words)]
    return { _tag: "Export", commandId: words.id, format, size, attempt }
  })

const prune = (words: Reader): Read<JournalAction> =>
  Result.gen(function* () {
    const request: PruneRequest = {
      _tag: "Prune",
      olderThan: yield* words.value("older-than", parseAge),
      keepEntries: yield* words.value("keep-entries", parseCountFrom(1)),
      keepBytes: yield* words.value("keep-bytes", parseBytes),
      commandIds: words.list("command-id"),
      why: yield* words.value("why", notEmpty),
      dryRun: words.has("dry-run"),
    }
    const { commandIds, keepBytes, keepEntries, olderThan } = request
    return olderThan === undefined && keepEntries === undefined && keepBytes === undefined && commandIds.length === 0
      ? yield* Result.fail(
        new UsageError(
          "nothing to prune: give --older-than 30d, --keep-entries N, --keep-bytes 1G, or --command-id ID",
        ),
      )
      : request
  })

const actionOf = (subcommand: string, words: Reader): Read<JournalAction> => {
  const commandId = words.id ?? ""
  switch (subcommand) {
    case "list":
      return list(words)
    case "show":
      return Result.gen(function* () {
        const [grep, attempt] = [yield* words.value("grep", parsePattern), yield* attemptOf(words)]
        return { _tag: "Show", commandId, attempt, grep }
      })
    case "tail":
      return Result.map(
        words.value("since", parseSince),
        (since) => ({ _tag: "Tail", commandId: words.id, since, timestamps: words.has("timestamps") }),
      )
    case "replay":
      return Result.gen(function* () {
        const [speed = 1, attempt] = [yield* words.value("speed", parseSpeed), yield* attemptOf(words)]
        return { _tag: "Replay", commandId, attempt, speed }
      })
    case "verify":
      return Result.map(words.value("expect", parseHead), (expect) => ({ _tag: "Verify", expect }))
    case "export":
      return exported(words)
    case "prune":
      return prune(words)
    case "repair":
      return Result.succeed({ _tag: "Repair" })
    case "salvage":
      return Result.succeed({ _tag: "Salvage", from: commandId, to: words.second })
    default:
      return Result.succeed({ _tag: "Stats" })
  }
}

/** Parses the values of the flags. */
export const readJournalRequest = (words: JournalWords): Read<JournalRequest> => {
  const reader = new Reader(words)
  return Result.gen(function* () {
    const at = yield* reader.value("journal", notEmpty)
    return { at, json: reader.has("json"), action: yield* actionOf(words.subcommand, reader) }
  })
}
