/** Runs code and streams its output as text chunks, followed by its `CodeOutput`. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { noOutput, type PartialOutput } from "../command/ShellFault.ts"
import type { Shell } from "../shell/Shell.ts"
import type { ShellBytes } from "../shell/ShellService.ts"
import { binaryOutputError, codeErrorOfFault, codeOutcome } from "./codeOutcome.ts"
import type { CodeError } from "./CodeError.ts"
import type { CodeInput } from "./CodeRequest.ts"
import type { CodeOutput } from "./CodeResult.ts"
import type { CodePlan } from "./planCode.ts"
import { type CodeOptions, isWhole, prepare, type PreparedCode } from "./run.ts"
import { Utf8Validator } from "./Utf8Validator.ts"
import { firstInvalidUtf8 } from "./OutputCollector.ts"
import { lastWordsLength } from "./ranOutOfMemory.ts"

type Element = ShellOutputChunk | CodeOutput
type Next = Pull.Pull<readonly [Element, ...Array<Element>], CodeError>

class EventTranslator {
  readonly #plan: CodePlan
  readonly #clock: Clock.Clock
  readonly #seen = { stdout: new Utf8Validator(), stderr: new Utf8Validator() }
  #seq = 0
  #lastWords = ""
  /** The failure of the stream, after all elements before it. */
  failure: CodeError | undefined

  constructor(plan: CodePlan, clock: Clock.Clock) {
    this.#plan = plan
    this.#clock = clock
  }

  /** The output fields of an error: sizes only, since the chunks contain the text. */
  written(): PartialOutput {
    const { stderr, stdout } = this.#seen
    return { ...noOutput, stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes }
  }

  of(batch: ReadonlyArray<ShellBytes | ShellOutput>): ReadonlyArray<Element> {
    const out: Array<Element> = []
    for (const event of batch) {
      if (this.failure !== undefined) break
      if (event._tag === "ShellOutput") this.#end(event, out)
      else this.#chunk(event, out)
    }
    return out
  }

  #chunk({ bytes, stream }: ShellBytes, out: Array<Element>): void {
    const { text: content } = this.#seen[stream].push(bytes)
    if (stream === "stderr") this.#lastWords = `${this.#lastWords}${content}`.slice(-lastWordsLength)
    if (content !== "") {
      const timestamp = this.#clock.currentTimeMillisUnsafe()
      const { commandId } = this.#plan
      out.push({ _tag: "ShellOutputChunk", commandId, stream, content, timestamp, seq: this.#seq++ })
    }
    const invalidUtf8 = firstInvalidUtf8(this.#seen)
    if (invalidUtf8 !== undefined) this.failure = binaryOutputError(this.#plan, invalidUtf8, this.written())
  }

  #end(output: ShellOutput, out: Array<Element>): void {
    if (isWhole(output)) {
      this.#seen.stdout.end()
      this.#seen.stderr.end()
    }
    const end = codeOutcome(this.#plan, output, this.written(), {
      invalidUtf8: firstInvalidUtf8(this.#seen),
      isExceeded: false,
      lastWords: this.#lastWords,
    })
    if (Result.isSuccess(end)) out.push(end.success)
    else this.failure = end.failure
  }
}

const translate = ({ plan, shell }: PreparedCode, options: CodeOptions): Stream.Stream<Element, CodeError> =>
  Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
    const translator = new EventTranslator(plan, clock)
    const bytes = Stream.mapError(
      shell.bytes(plan.exec, options),
      (fault) => codeErrorOfFault(plan, fault, translator.written()),
    )
    // No operator emits its elements and then fails without another pull.
    return Stream.transformPull(bytes, (pull) => {
      const next: Next = Effect.suspend(() => {
        if (translator.failure !== undefined) return Effect.fail(translator.failure)
        return Effect.flatMap(pull, (batch) => {
          const out = translator.of(batch)
          return Arr.isReadonlyArrayNonEmpty(out) ? Effect.succeed(out) : next
        })
      })
      return Effect.succeed(next)
    })
  }))

/**
 * Runs code as {@link run} does and streams its output: text in the order of arrival, no character split. The last element
 * is the `CodeOutput`, without the text. A slow reader slows the code down, and nothing is left out; a reader that stops
 * ends the whole process tree.
 *
 * Fails as `run` does, after all chunks; the errors contain the sizes of the output, not its text. Output that is not
 * UTF-8 fails the stream at its first invalid byte and ends the code.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect, Stream } from "effect"
 *
 * const program = Code.stream({ language: "bash", code: "echo one; echo two" }).pipe(
 *   Stream.filter((event) => event._tag === "ShellOutputChunk"),
 *   Stream.map(({ content }) => content),
 *   Stream.mkString,
 *   Effect.provide(LocalShell.layer),
 * )
 * console.log(await Effect.runPromise(program))
 * // one
 * // two
 * ```
 */
export const stream = (
  request: CodeInput,
  options: CodeOptions = {},
): Stream.Stream<ShellOutputChunk | CodeOutput, CodeError, Shell> =>
  Stream.unwrap(Effect.map(prepare(request, options), (prepared) => translate(prepared, options)))
