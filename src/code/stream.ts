/**
 * Code, its output as it comes.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { noOutput, type PartialOutput } from "../command/ShellFault.ts"
import type { Shell } from "../shell/Shell.ts"
import type { ShellBytes } from "../shell/ShellService.ts"
import { binaryOutput, endOf, errorOfFault } from "./codeOutcome.ts"
import type { ExecError } from "./CodeError.ts"
import type { ExecInput } from "./CodeRequest.ts"
import type { ExecOutput } from "./CodeResult.ts"
import type { Plan } from "./planCode.ts"
import { type ExecOptions, isWhole, prepare, type Prepared } from "./run.ts"
import { Utf8Text } from "./Utf8Validator.ts"
import { notTextOf } from "./OutputCollector.ts"

type Element = ShellOutputChunk | ExecOutput
type Next = Pull.Pull<readonly [Element, ...Array<Element>], ExecError>

/** Turns what a shell brings into what a stream of code brings. */
class Translation {
  readonly #plan: Plan
  readonly #clock: Clock.Clock
  readonly #seen = { stdout: new Utf8Text(), stderr: new Utf8Text() }
  #seq = 0
  /** What the stream fails with, once everything before it is out. */
  failure: ExecError | undefined

  constructor(plan: Plan, clock: Clock.Clock) {
    this.#plan = plan
    this.#clock = clock
  }

  /** What an error of a stream has: the chunks had the text. */
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
    if (content !== "") {
      const timestamp = this.#clock.currentTimeMillisUnsafe()
      const { commandId } = this.#plan
      out.push({ _tag: "ShellOutputChunk", commandId, stream, content, timestamp, seq: this.#seq++ })
    }
    const notText = notTextOf(this.#seen)
    if (notText !== undefined) this.failure = binaryOutput(this.#plan, notText, this.written())
  }

  #end(output: ShellOutput, out: Array<Element>): void {
    if (isWhole(output)) {
      this.#seen.stdout.end()
      this.#seen.stderr.end()
    }
    const end = endOf(this.#plan, output, this.written(), { notText: notTextOf(this.#seen), exceeded: false })
    if (Result.isSuccess(end)) out.push(end.success)
    else this.failure = end.failure
  }
}

const isNonEmpty = <A>(items: ReadonlyArray<A>): items is readonly [A, ...Array<A>] => items.length > 0

const translated = ({ plan, shell }: Prepared, options: ExecOptions): Stream.Stream<Element, ExecError> =>
  Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
    const translation = new Translation(plan, clock)
    const bytes = Stream.mapError(
      shell.bytes(plan.exec, options),
      (fault) => errorOfFault(plan, fault, translation.written()),
    )
    return Stream.transformPull(bytes, (pull) => {
      const next: Next = Effect.suspend(() => {
        if (translation.failure !== undefined) return Effect.fail(translation.failure)
        return Effect.flatMap(pull, (batch) => {
          const out = translation.of(batch)
          return isNonEmpty(out) ? Effect.succeed(out) : next
        })
      })
      return Effect.succeed(next)
    })
  }))

/**
 * Runs code as {@link run} does, and gives its output while it comes: text as it is read, in order of arrival, no
 * character cut in two. The last element is the `ExecOutput`, without the text. Whoever reads slowly slows the code
 * down, and nothing is left out; who stops reading ends the whole process tree.
 *
 * It fails as `run` does, after all chunks before; the errors have the sizes of the output and not its text. Output that
 * is not UTF-8 fails the stream where it stops being text, and ends the code.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Exec from "@sluice/shell/code"
 * import { Effect, Stream } from "effect"
 *
 * const program = Exec.stream({ language: "bash", code: "echo one; echo two" }).pipe(
 *   Stream.filter((event) => event._tag === "ShellOutputChunk"),
 *   Stream.map(({ content }) => content),
 *   Stream.mkString,
 *   Effect.provide(LocalShell.layer),
 * )
 * console.assert(await Effect.runPromise(program) === "one\ntwo\n")
 * ```
 */
export const stream = (
  request: ExecInput,
  options: ExecOptions = {},
): Stream.Stream<ShellOutputChunk | ExecOutput, ExecError, Shell> =>
  Stream.unwrap(Effect.map(prepare(request, options), (prepared) => translated(prepared, options)))
