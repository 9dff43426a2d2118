/** Declares what the spawner contract needs to know about an implementation, and helpers of its tests. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"

/** The service under test. */
export type Spawner = ChildProcessSpawner.ChildProcessSpawner

/** What an implementation does beyond Effect's Node spawner, or otherwise. */
export interface SpawnerFlags {
  /** Descendants that left the group end with a process that is killed, those too that do not want to. */
  readonly wholeTrees: boolean
  /** An output that was read in part can be read on. */
  readonly readsOn: boolean
  /** What the runtime throws at once is a failure, not a defect. */
  readonly typedThrows: boolean
  /** A program is told the name it was called by. */
  readonly argv0: boolean
  /** What a process writes while its scope closes does not hold it up. */
  readonly hearsLastWords: boolean
  /** A command of a pipeline ends when the next one reads no longer. */
  readonly endsWriters: boolean
}

/** An implementation. */
export interface SpawnerTarget {
  readonly layer: Layer.Layer<Spawner>
  readonly does: SpawnerFlags
}

/** One promise of the contract, kept in real time. */
export type Test = (
  title: string,
  promise: () => Effect.Effect<unknown, unknown, Spawner | Scope.Scope>,
) => void

/** A part of the contract. */
export type Part = (test: Test, target: SpawnerTarget) => void

export const testOf = (target: SpawnerTarget): Test => (title, promise) =>
  it.live(title, () => Effect.provide(promise(), target.layer))

type Bytes = Stream.Stream<Uint8Array, PlatformError.PlatformError>

/** The whole of a stream, as text. */
export const text = (stream: Bytes): Effect.Effect<string, PlatformError.PlatformError> =>
  stream.pipe(Stream.decodeText(), Stream.mkString)

/** Text as a stream of bytes. */
export const bytes = (...pieces: ReadonlyArray<string>): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(pieces.map((piece) => new TextEncoder().encode(piece)))

/** A sink that makes one text of all it gets. */
export const collected = (make: (all: string) => string): Sink.Sink<Uint8Array, Uint8Array> =>
  Sink.map(Sink.collect<Uint8Array>(), (pieces) => {
    const decoder = new TextDecoder()
    return new TextEncoder().encode(make(pieces.map((piece) => decoder.decode(piece, { stream: true })).join("")))
  })

/** A script for `/bin/sh`. */
export const sh = (script: string, options: ChildProcess.CommandOptions = {}): ChildProcess.StandardCommand =>
  ChildProcess.make("sh", ["-c", script], options)

/** The whole stdout of a command. */
export const stdoutOf = (command: ChildProcess.Command): Effect.Effect<string, PlatformError.PlatformError, Spawner> =>
  Effect.scoped(Effect.flatMap(command, (handle) => text(handle.stdout)))

/** The error of a command that cannot be started. */
export const errorOf = (
  command: ChildProcess.Command,
): Effect.Effect<PlatformError.PlatformError, unknown, Spawner> => Effect.scoped(Effect.flip(command))

/** The code in what caused an error. */
export const causeCode = (error: PlatformError.PlatformError): unknown => {
  const { cause } = error
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
}
