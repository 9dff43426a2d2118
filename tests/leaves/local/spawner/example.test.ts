/**
 * The program of Effect's own documentation (`ai-docs/src/60_child-process`), which is written for its Node services:
 * as it stands there, but for the layer, the repository it works in, and the linter.
 */
import { expect, it } from "@effect/vitest"
import { Console, Context, Effect, Layer, Schema, Stream, String } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { TestConsole } from "effect/testing"
import { layer } from "@sluice/shell/spawner"
import { type Workshop, workshop } from "../../../support/workshop.ts"

class DevToolsError extends Schema.TaggedError<DevToolsError>()("DevToolsError", {
  cause: Schema.Defect(),
}) {}

class DevTools extends Context.Service<DevTools, {
  readonly nodeVersion: Effect.Effect<string, DevToolsError>
  readonly recentCommitSubjects: Effect.Effect<ReadonlyArray<string>, DevToolsError>
  readonly runLintFix: Effect.Effect<void, DevToolsError>
  changedTypeScriptFiles(baseRef: string): Effect.Effect<ReadonlyArray<string>, DevToolsError>
}>()("docs/DevTools") {
  static readonly layer = (cwd: string) =>
    Layer.effect(
      DevTools,
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner

        const nodeVersion = spawner.string(
          ChildProcess.make("node", ["--version"]),
        ).pipe(
          Effect.map(String.trim),
          Effect.mapError((cause) => new DevToolsError({ cause })),
        )

        const changedTypeScriptFiles = Effect.fn("DevTools.changedTypeScriptFiles")(function* (baseRef: string) {
          yield* Effect.annotateCurrentSpan({ baseRef })

          const files = yield* spawner.lines(
            ChildProcess.make("git", ["diff", "--name-only", `${baseRef}...HEAD`]).pipe(ChildProcess.setCwd(cwd)),
          ).pipe(
            Effect.mapError((cause) => new DevToolsError({ cause })),
          )

          return files.filter((file) => file.endsWith(".ts"))
        })

        const recentCommitSubjects = spawner.lines(
          ChildProcess.make("git", ["log", "--pretty=format:%s", "-n", "20"]).pipe(
            ChildProcess.pipeTo(ChildProcess.make("head", ["-n", "5"])),
            ChildProcess.setCwd(cwd),
          ),
        ).pipe(
          Effect.mapError((cause) => new DevToolsError({ cause })),
        )

        const runLintFix = Effect.gen(function* () {
          const handle = yield* spawner.spawn(
            ChildProcess.make("./lint-fix", ["--all"], {
              cwd,
              env: { FORCE_COLOR: "1" },
              extendEnv: true,
            }),
          ).pipe(
            Effect.mapError((cause) => new DevToolsError({ cause })),
          )

          yield* handle.all.pipe(
            Stream.decodeText(),
            Stream.splitLines,
            Stream.runForEach((line) => Console.log(`[lint-fix] ${line}`)),
            Effect.mapError((cause) => new DevToolsError({ cause })),
          )

          const exitCode = yield* handle.exitCode.pipe(
            Effect.mapError((cause) => new DevToolsError({ cause })),
          )

          if (exitCode !== ChildProcessSpawner.ExitCode(0)) {
            return yield* new DevToolsError({
              cause: new Error(`lint-fix failed with exit code ${exitCode}`),
            })
          }
        }).pipe(
          Effect.scoped,
        )

        return DevTools.of({
          nodeVersion,
          changedTypeScriptFiles,
          recentCommitSubjects,
          runLintFix,
        })
      }),
    ).pipe(
      Layer.provide(layer),
    )
}

const makeRepository = ({ directory, write }: Workshop) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const git = (...args: ReadonlyArray<string>) => {
      const who = ["-c", "user.name=Sluice", "-c", "user.email=sluice@example.org"]
      return spawner.string(ChildProcess.make("git", [...who, ...args], { cwd: directory }))
    }
    yield* git("init", "--quiet", "--initial-branch=main")
    for (let number = 1; number <= 7; number++) {
      write(number === 7 ? "seven.ts" : `${number}.txt`, `${number}\n`)
      yield* git("add", ".")
      yield* git("commit", "--quiet", "--message", `Commit ${number}`)
    }
  })

it.live("the documentation's program runs unchanged", () =>
  Effect.gen(function* () {
    const room = yield* workshop
    yield* Effect.provide(makeRepository(room), layer)
    room.write(
      "lint-fix",
      '#!/bin/sh\necho "color $FORCE_COLOR, $1"; sleep 0.05; echo careful >&2; exit $(cat code)\n',
      0o755,
    )
    room.write("code", "0")

    const program = Effect.gen(function* () {
      const tools = yield* DevTools
      expect(yield* tools.nodeVersion).toMatch(/^v\d+\.\d+\.\d+$/)
      expect(yield* tools.recentCommitSubjects).toEqual([7, 6, 5, 4, 3].map((number) => `Commit ${number}`))
      expect(yield* tools.changedTypeScriptFiles("HEAD~2")).toEqual(["seven.ts"])
      yield* tools.runLintFix
      expect(yield* TestConsole.logLines).toEqual(["[lint-fix] color 1, --all", "[lint-fix] careful"])
      room.write("code", "2")
      const error = yield* Effect.flip(tools.runLintFix)
      expect(globalThis.String(error.cause)).toBe("Error: lint-fix failed with exit code 2")
    })
    yield* program.pipe(Effect.provide(DevTools.layer(room.directory)), Effect.provide(TestConsole.layer))
  }))
