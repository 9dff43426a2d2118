/** Implements `sluice files search` and `watch`: prints matches and changes as they are found. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FileSearch from "../../files/FileSearch.ts"
import * as FileWatch from "../../files/FileWatch.ts"
import { type CliOutput, shownText } from "../journal/CliOutput.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"
import { UsageError } from "../UsageError.ts"
import { type FilesSubcommand, noMatchStatus } from "./FilesSubcommand.ts"
import type { SearchFlags, WatchFlags } from "./filesSpec.ts"

/** The lines of a match that were not printed yet; `shownTo` is the last printed line of the file. */
const matchLines = (
  { after, before, column, line, path, text }: FileSearch.FileMatch,
  shownTo: number,
  hasContext: boolean,
): ReadonlyArray<string> => {
  const first = line - before.length
  const isApart = hasContext && shownTo >= 0 && first > shownTo + 1
  return [
    ...(isApart ? ["--"] : []),
    ...before.flatMap((one, at) => first + at > shownTo ? [`${path}-${first + at}-${one}`] : []),
    `${path}:${line}:${column}:${text}`,
    ...after.map((one, at) => `${path}-${line + 1 + at}-${one}`),
  ]
}

/** Prints matches; the lines after a match wait for the next match, which may be among them. */
const printMatches = (out: CliOutput, context: number) => {
  let path: string | undefined
  let shownTo = -1
  let waiting: FileSearch.FileMatch | undefined

  const print = (match: FileSearch.FileMatch, until: number): Effect.Effect<void, BrokenOutputError> => {
    // Separates files too, as grep does.
    const before = match.path === path ? shownTo : path === undefined ? -1 : 0
    const isNext = context > 0 && match.path !== path && path !== undefined
    const lines = matchLines({ ...match, after: match.after.slice(0, until) }, before, context > 0)
    path = match.path
    shownTo = match.line + Math.min(until, match.after.length)
    const whole = isNext && lines[0] !== "--" ? ["--", ...lines] : lines
    return out.lines(1, whole.map((line) => shownText(out.cli, line)))
  }

  const flush = (next?: FileSearch.FileMatch): Effect.Effect<void, BrokenOutputError> => {
    const match = waiting
    waiting = next
    if (match === undefined) return Effect.void
    return print(match, next?.path === match.path ? Math.max(0, next.line - match.line - 1) : Infinity)
  }
  return { flush }
}

const limitTexts: Readonly<Record<NonNullable<FileSearch.FileSearchEnd["limit"]>, string>> = {
  matches: "there are more matches; raise --max-matches",
  files: "there are more files with matches; search a folder below",
  time: "timed out before all files were searched; raise --timeout",
}

export const search = (operands: ReadonlyArray<string>, flags: SearchFlags, out: CliOutput): FilesSubcommand =>
  Effect.gen(function* () {
    const { context = 0, files, glob: globs, hidden, literal } = flags
    const found = { globs, hidden, gitignore: !flags["no-ignore"] }
    const [first, second] = operands
    if (files) {
      if (second !== undefined) return yield* Effect.fail(new UsageError("--files takes PATH alone"))
      let count = 0
      yield* Stream.runForEachArray(FileSearch.find({ ...found, path: first }), (entries) => {
        count += entries.length
        return out.lines(1, entries.map((one) => out.json ? JSON.stringify(one) : shownText(out.cli, one.path)))
      })
      return count === 0 ? noMatchStatus : 0
    }
    if (first === undefined) return yield* Effect.fail(new UsageError("search: give a PATTERN, or --files"))
    const { flush } = printMatches(out, context)
    let end: FileSearch.FileSearchEnd | undefined
    const events = FileSearch.search(first, {
      ...found,
      path: second,
      literal,
      ignoreCase: flags["ignore-case"],
      context,
      maxMatches: flags["max-matches"],
      maxFiles: 1_000_000,
      timeout: flags.timeout,
    })
    yield* Stream.runForEach(events, (event) => {
      if (event._tag === "FileSearchEnd") end = event
      if (out.json) return out.value(event)
      return event._tag === "FileSearchEnd"
        ? flush()
        : context === 0
        ? Effect.andThen(flush(event), flush())
        : flush(event)
    })
    if (end?.limit !== undefined && !out.json) yield* out.say(limitTexts[end.limit])
    return end?.matches === 0 ? noMatchStatus : 0
  })

export const watch = (path: string, { ignore }: WatchFlags, out: CliOutput): FilesSubcommand =>
  FileWatch.watch(path, { ignore }).pipe(
    Stream.runForEachArray((events) =>
      out.lines(
        1,
        events.map((event) =>
          out.json
            ? JSON.stringify(event)
            : event._tag === "FileWatchOverflow"
            ? `overflow  ${shownText(out.cli, event.reason)}`
            : `${event._tag.toLowerCase().padEnd(8)}  ${shownText(out.cli, event.path)}${event.isDirectory ? "/" : ""}`
        ),
      )
    ),
    Effect.as(0),
  )
