/** Applies a window policy to a Stream of output. */
import * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { dual } from "effect/Function"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import { type TimedPull, timedPull, untimed } from "./TimedPull.ts"
import type { Policy } from "./Policy.ts"
import {
  settingsOf,
  type TaggedEvent,
  type Windowed,
  type WindowOptions,
  type WindowSettings,
  WindowSplitter,
} from "./WindowSplitter.ts"

type Batch<A> = Arr.NonEmptyReadonlyArray<A>

/** Emits all windows of one pull as one array, and pulls again if there are none. */
const pullWindows = <A extends TaggedEvent, E, R>(
  timed: TimedPull<Batch<A>, E | Cause.Done<void>, R>,
  splitter: WindowSplitter<A>,
): Pull.Pull<Batch<Windowed<A>>, E, void, R> => {
  let ended: Effect.Effect<never, E | Cause.Done<void>> | undefined
  const emit = (
    exit: Exit.Exit<Batch<A>, E | Cause.Done<void>> | undefined,
  ): Pull.Pull<Batch<Windowed<A>>, E, void, R> => {
    const out: Array<Windowed<A>> = []
    if (exit === undefined) splitter.cutSilent(timed.now(), out)
    else if (Exit.isSuccess(exit)) {
      const at = timed.pulledAt()
      for (const event of exit.value) splitter.push(event, at, out)
    } else {
      // Held text is emitted before the fault or the end.
      splitter.flush(out)
      ended = Effect.andThen(timed.close, Effect.failCause(exit.cause))
    }
    return Arr.isArrayNonEmpty(out) ? Effect.succeed(out) : step
  }
  const step: Pull.Pull<Batch<Windowed<A>>, E, void, R> = Effect.suspend(() =>
    ended ?? Effect.flatMap(timed.next, emit)
  )
  return step
}

/** As {@link apply}, with options that are valid. */
export const windowsOf = <A extends TaggedEvent, E, R>(
  self: Stream.Stream<A, E, R>,
  policy: Policy,
  settings: WindowSettings,
): Stream.Stream<Windowed<A>, E, R> =>
  Stream.fromChannel(Channel.fromTransform((_: unknown, scope: Scope.Scope) => {
    const splitter = new WindowSplitter<A>(policy, settings)
    const upstream = Scope.forkUnsafe(scope)
    return Effect.map(
      Effect.zip(Channel.toPullScoped(Stream.toChannel(self), upstream), Clock.Clock),
      ([pull, clock]) =>
        policy.silenceMillis === Infinity
          ? pullWindows(untimed(pull), splitter)
          // This scope closes before that of the upstream: no pull is running when the command is released.
          : pullWindows(timedPull(pull, splitter, clock, Scope.forkUnsafe(scope)), splitter),
    )
  }))

function windowed<A extends TaggedEvent, E, R>(
  self: Stream.Stream<A, E, R>,
  policy: Policy,
): Stream.Stream<Windowed<A>, E, R>
function windowed<A extends TaggedEvent, E, R>(
  self: Stream.Stream<A, E, R>,
  policy: Policy,
  options: WindowOptions | undefined,
): Stream.Stream<Windowed<A>, E | OptionError, R>
function windowed<A extends TaggedEvent, E, R>(
  self: Stream.Stream<A, E, R>,
  policy: Policy,
  options?: WindowOptions,
): Stream.Stream<Windowed<A>, E | OptionError, R> {
  return Stream.unwrap(
    Effect.map(attemptOptions(() => settingsOf(options)), (settings) => windowsOf(self, policy, settings)),
  )
}

/**
 * Groups the chunks of a command's output into windows. Other elements pass through in order; the windows of a command
 * come before its {@link ShellOutput}. At the end and at a failure of the stream, held text is emitted first. Windows of
 * several commands in one stream are separate.
 *
 * Chunks are pulled only when a window is pulled. If a silence ends a window while a chunk is being pulled, the pull goes
 * on and its chunk is the next one: no chunk is lost or read twice. At most `maxBytes` are held for each stream of each
 * command. The stream fails with an `OptionError` when `maxBytes` is less than 1.
 *
 * @example
 * ```ts
 * import { ShellOutputChunk, Window } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const text = (stream: "stdout" | "stderr", seq: number, content: string) =>
 *   ShellOutputChunk.make({ commandId: "c", stream, content, timestamp: 0, seq })
 * const output = Stream.make(text("stdout", 0, "a\nb"), text("stderr", 1, "!\n"), text("stdout", 2, "\nc\n"))
 *
 * const apart = await Effect.runPromise(output.pipe(Window.apply(Window.lineCount(2)), Stream.runCollect))
 * console.log(apart.map((window) => window.content).join("|"))
 * // a
 * // b
 * // |!
 * // |c
 * console.log(apart[0]?.fromSeq, apart[0]?.toSeq) // 0 2
 *
 * const joined = output.pipe(Window.apply(Window.finalOnly, { join: true }), Stream.runCollect)
 * console.log((await Effect.runPromise(joined))[0]?.content === "a\nb!\n\nc\n") // true
 * ```
 */
export const apply: {
  <A extends TaggedEvent, E, R>(self: Stream.Stream<A, E, R>, policy: Policy): Stream.Stream<Windowed<A>, E, R>
  <A extends TaggedEvent, E, R>(
    self: Stream.Stream<A, E, R>,
    policy: Policy,
    options: WindowOptions | undefined,
  ): Stream.Stream<Windowed<A>, E | OptionError, R>
  (policy: Policy): <A extends TaggedEvent, E, R>(self: Stream.Stream<A, E, R>) => Stream.Stream<Windowed<A>, E, R>
  (
    policy: Policy,
    options: WindowOptions | undefined,
  ): <A extends TaggedEvent, E, R>(
    self: Stream.Stream<A, E, R>,
  ) => Stream.Stream<Windowed<A>, E | OptionError, R>
} = dual((args) => Stream.isStream(args[0]), windowed)
