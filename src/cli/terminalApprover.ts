/** Asks on the terminal whether a spell may be cast. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { completeLater } from "../base/waits.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ApprovalFault, ApprovalReply, ApprovalRequest, ApproverService } from "../spell/ApprovalBranch.ts"
import type { ApprovalRule } from "../spell/ApprovalRule.ts"
import { cannotAsk, make as makeApprover } from "../spell/Approver.ts"
import type { CliProcess, InputReader } from "./CliProcess.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { escapeInvisible } from "../base/escapeInvisible.ts"
import { makeTextStyles } from "./journal/TextStyle.ts"

export interface TerminalApproverOptions {
  /** The file that stores answers for the folder, named in the question. Default: answers cannot be stored. */
  readonly folderMemory?: string | undefined
  /** Whether answers for a run also hold after it is resumed. Default: `false`. */
  readonly isResumable?: boolean | undefined
  /** The file to read the keyboard from. Default: `/dev/tty`, so that stdin may be a pipe. */
  readonly source?: string | undefined
  /** Aborts when the program is asked to stop, to choose the text with which a question is withdrawn. Default: never aborts. */
  readonly stop?: AbortSignal | undefined
}

/** Maximum number of unrecognized answers before the call is denied. */
const maxTries = 5

/**
 * Time for which a question waits after another one was shown, because the answer to that one may be remembered for
 * both.
 */
const rememberedWait = "100 millis"

/** Maximum characters of the arguments that are shown. */
const maxShown = 2_000

/** Lines of the keyboard. Input typed before a question was shown does not answer it. */
class Keyboard {
  readonly #open: () => Promise<InputReader>
  #reader: Promise<InputReader> | undefined
  #reading: Promise<string | undefined> | undefined
  /** The read has ended, but its line was not taken yet. */
  #hasArrived = false
  #rest = ""

  constructor(open: () => Promise<InputReader>) {
    this.#open = open
  }

  /** Drops what was typed so far. */
  discard(): void {
    this.#rest = ""
    if (this.#hasArrived) this.#reading = undefined
  }

  /** The next line; `undefined` at the end of the input. A read that its caller has abandoned serves the next call. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf("\n")
      if (end >= 0) {
        const line = this.#rest.slice(0, end)
        this.#rest = this.#rest.slice(end + 1)
        return line.trim()
      }
      this.#reading ??= this.#read()
      const text = await this.#reading
      this.#reading = undefined
      if (text === undefined) return undefined
      this.#rest = `${this.#rest}${text}`.slice(-65_536)
    }
  }

  async #read(): Promise<string | undefined> {
    this.#reader ??= this.#open()
    this.#hasArrived = false
    const bytes = await (await this.#reader).read()
    this.#hasArrived = true
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
  }
}

const describeRule = ({ arguments: input = {}, command, path, spell = "any spell" }: ApprovalRule): string => {
  const named = Object.entries(input).map(([name, glob]) => `${name} ${glob}`)
  return [...command === undefined && path === undefined ? ["any call of"] : [], spell, command ?? path ?? "", ...named]
    .filter((word) => word !== "").join(" ")
}

/** The beginning and the end of a text, and how much is between. */
const shown = (text: string): string =>
  text.length <= maxShown
    ? text
    : `${text.slice(0, maxShown / 2)} … ${text.length - maxShown} characters are not shown … ${
      text.slice(-maxShown / 2)
    }`

/** The reply that a line means; `undefined` for none. */
const replyOf = (
  line: string,
  { suggestions }: ApprovalRequest,
  hasFolderMemory: boolean,
): ApprovalReply | undefined => {
  const [word = "", ...reason] = line.split(/\s+/)
  const canRemember = suggestions.length > 0
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return { decision: "allow" }
    case "a":
    case "always":
      return canRemember ? { decision: "allow", remember: "run" } : undefined
    case "f":
    case "folder":
      return canRemember && hasFolderMemory ? { decision: "allow", remember: "folder" } : undefined
    case "n":
    case "no":
      return { decision: "deny", ...(reason.length === 0 ? undefined : { reason: reason.join(" ") }) }
    default:
      return undefined
  }
}

const noTerminal = "there is no terminal to ask on, and --approve does not allow it"

/**
 * An approver on the terminal, one question at a time. Ctrl-C and the end of the input deny. If the terminal cannot be
 * opened, the approver fails because it cannot ask.
 */
export const terminalApprover = (
  cli: CliProcess,
  output: OutputWriter,
  { folderMemory, isResumable = false, source = "/dev/tty", stop: stopSignal }: TerminalApproverOptions = {},
): ApproverService => {
  const keyboard = new Keyboard(() => cli.openInput(source))
  const oneAtATime = Semaphore.makeUnsafe(1)
  const { bold, faint } = makeTextStyles(cli, 2)
  const say = (text: string) => Effect.ignore(output.write(2, encodeUtf8(text)))
  let interrupted: Deferred.Deferred<ApprovalReply> | undefined
  let listens = false
  /** Questions that are shown, or wait to be. */
  let waiting = 0
  /** A question was withdrawn while its answer may have been half typed. */
  let isStale = false

  const about = (question: ApprovalRequest): string => {
    const { about, arguments: input, suggestions } = question
    const choices = [
      "y: once",
      ...(suggestions.length === 0 ? [] : [`a: always in this run${isResumable ? ", also when resumed" : ""}`]),
      ...(suggestions.length === 0 || folderMemory === undefined
        ? []
        : ["f: always in this folder, in later runs too"]),
      "n [REASON]: no",
    ]
    const rules = suggestions.length === 0 ? "" : faint(
      `always means ${escapeInvisible(suggestions.map(describeRule).join(", "))}` +
        (folderMemory === undefined ? "" : `; answers for the folder are kept in ${escapeInvisible(folderMemory)}`),
    ) + "\n"
    // No line of the text may look like a line of this question.
    const lines = about.split("\n").map(escapeInvisible)
      .map((line, at) => at === 0 || line.startsWith("  | ") ? line : `  | ${line}`).join("\n")
    return `${bold(`allow ${lines} ?`)}\n${faint(escapeInvisible(shown(JSON.stringify(input))))}\n` +
      `${rules}[${choices.join(" | ")}] `
  }

  const read = Effect.tryPromise(() => keyboard.line())

  const takenBack = () =>
    stopSignal?.aborted === true
      ? "the program was told to stop (Ctrl-C, or another signal)"
      : "it was not answered in time, or was answered elsewhere"

  const ask = (question: ApprovalRequest): Effect.Effect<ApprovalReply, ApprovalFault> =>
    Effect.gen(function* () {
      if (!listens) {
        listens = true
        cli.onSignal(() => {
          if (interrupted !== undefined) {
            completeLater(interrupted, Effect.succeed({ decision: "deny", reason: "the user pressed Ctrl-C" }))
          }
        })
      }
      if (!cli.isTerminal(2)) return yield* Effect.fail(cannotAsk(question, noTerminal))
      const stop = yield* Deferred.make<ApprovalReply>()
      interrupted = stop
      keyboard.discard()
      yield* say(about(question))
      const answer = Effect.gen(function* () {
        for (let tries = 0; tries < maxTries; tries++) {
          const line = yield* read
          if (line === undefined) return { decision: "deny" as const, reason: "the terminal was closed" }
          if (isStale) {
            isStale = false
            yield* say("that may have been typed for a withdrawn question; please answer this one: ")
            continue
          }
          const reply = replyOf(line, question, folderMemory !== undefined)
          if (reply !== undefined) return reply
          yield* say("type one of the letters, then Enter: ")
        }
        return { decision: "deny" as const, reason: "the answer was not understood" }
      })
      return yield* Effect.raceFirst(answer, Deferred.await(stop)).pipe(
        Effect.onInterrupt(() => {
          isStale = true
          return say(`\nthis question was withdrawn: ${takenBack()}\n`)
        }),
      )
    }).pipe(
      Effect.mapError(() => cannotAsk(question, noTerminal)),
      Effect.ensuring(Effect.sync(() => void (interrupted = undefined))),
      (shown) =>
        Effect.suspend(() => {
          const isAlone = waiting++ === 0
          return Effect.ensuring(
            oneAtATime.withPermits(1)(isAlone ? shown : Effect.andThen(Effect.sleep(rememberedWait), shown)),
            Effect.sync(() => void waiting--),
          )
        }),
    )

  return makeApprover((question) => Effect.map(ask(question), (reply) => ({ ...reply, by: "terminal" })))
}
