import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { copyFileSync } from "node:fs"
import process from "node:process"
import { PosixShell, Shell, ShellExec } from "@sluice/shell"
import { cmd, faultOf, promise, script, whole, type WindowsPromise } from "./promise.ts"
import { bench } from "./programs.ts"

export const running: ReadonlyArray<WindowsPromise> = [
  promise("runs a script of cmd.exe: variables, pipes and operators are its own", () =>
    Effect.gen(function* () {
      const { exitCode, stdout } = yield* whole(
        cmd("echo [%WORD%]& (echo one& echo two)| findstr two&& echo yes", { env: { WORD: "a word" } }),
      )
      assert.deepEqual(stdout.split(/\s*\r\n/), ["[a word]", "two", "yes", ""])
      assert.equal(exitCode, 0)
    })),

  promise("streams what is written while the command runs", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(Shell.exec(cmd("echo one& echo two 1>&2")))
      const [output] = events.slice(-1)
      assert.equal(output?._tag, "ShellOutput")
      const text = (stream: string): string =>
        events.map((event) => event._tag === "ShellOutputChunk" && event.stream === stream ? event.content : "").join(
          "",
        )
      assert.equal(text("stdout"), "one\r\n")
      assert.equal(text("stderr").trimEnd(), "two")
      assert.deepEqual(
        events.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.seq] : []),
        events.slice(0, -1).map((_, index) => index),
      )
    })),

  promise(
    "keeps stdout and stderr apart, or joins them in the order in which they were written",
    () =>
      Effect.gen(function* () {
        const apart = yield* whole(cmd("echo 1& echo 2 1>&2& echo 3"))
        assert.deepEqual([apart.stdout, apart.stderr.trimEnd()], ["1\r\n3\r\n", "2"])
        const joined = yield* whole(cmd("echo 1& echo 2 1>&2& echo 3", { mergeStreams: true }))
        assert.deepEqual(joined.stdout.split(/\s*\r\n/), ["1", "2", "3", ""])
        assert.equal(joined.stderr, "")
        const fault = yield* faultOf(cmd("echo )", { mergeStreams: true }))
        assert.equal(fault.reason._tag, "InvalidRequest")
      }),
  ),

  promise(
    "runs scripts by PowerShell where that is preferred, and joins its streams too",
    () =>
      Effect.gen(function* () {
        const { directory, path } = yield* bench
        // Not PowerShell, which Wine has not: a program of its name that complains about what PowerShell is told.
        copyFileSync(process.execPath, path("pwsh.exe"))
        const run = (mergeStreams: boolean) =>
          whole(ShellExec.shell("Write-Host hello", { env: { PATH: directory }, mergeStreams }))
        const apart = yield* run(false)
        assert.equal(apart.executable?.toLowerCase(), path("pwsh.exe").toLowerCase())
        assert.notEqual(apart.exitCode, 0)
        assert.match(apart.stderr, /-[No]/)
        const joined = yield* run(true)
        const [complaint = "-"] = apart.stderr.split(/\r?\n/)
        assert.ok(joined.stdout.includes(complaint))
        assert.equal(joined.stderr, "")
      }),
    { preferPowerShell: true },
  ),

  ...[true, false].map((useJobObjects) =>
    promise(
      `tells all 32 bits of an exit code (${useJobObjects ? "job objects" : "none"})`,
      () =>
        Effect.gen(function* () {
          for (const code of [255, 256, 3_221_225_477, 4_294_967_295]) {
            const { exitCode, signal } = yield* whole(cmd(`exit ${code | 0}`))
            assert.deepEqual([exitCode, signal], [code, undefined])
          }
        }),
      { useJobObjects },
    )
  ),

  promise("passes stdin to the command, and an immediate end without stdin", () =>
    Effect.gen(function* () {
      const { path } = yield* bench
      const text = "zwei\r\neins\r\nä日😀\r\n"
      assert.equal((yield* whole(script(path("stdin.cjs"), [], { input: text }))).stdout, text)
      assert.equal((yield* whole(script(path("stdin.cjs")))).stdout, "")
      const bytes = Stream.make(new TextEncoder().encode("streamed "), new TextEncoder().encode("input"))
      assert.equal((yield* whole(script(path("stdin.cjs")), { stdin: bytes })).stdout, "streamed input")
    })),

  promise("does not mind a command that reads nothing of its input", () =>
    Effect.gen(function* () {
      const { exitCode } = yield* whole(cmd("echo enough", { input: "x".repeat(1_000_000) }))
      assert.equal(exitCode, 0)
    })),

  promise("loses nothing of a program that writes much and exits", () =>
    Effect.gen(function* () {
      const { path } = yield* bench
      const { drain, stdout } = yield* whole(script(path("lines.cjs")))
      const lines = stdout.trimEnd().split("\n")
      assert.equal(lines.length, 20_000)
      assert.ok(lines.every((line, index) => line === `line ${index}`))
      assert.equal(drain, "eof")
    })),

  promise("declares its capabilities", () =>
    Effect.gen(function* () {
      const { capabilities } = yield* Shell
      const { exactOrder, leaf, limits, platform, resolvesPath } = capabilities
      assert.deepEqual([platform, exactOrder, resolvesPath, limits], ["windows", true, true, []])
      assert.match(leaf, /^local\/(deno|bun|node)$/)
    })),

  promise("is the leaf of Windows: the POSIX leaf is not available", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(Stream.runDrain(Shell.exec(cmd("exit 0"))), PosixShell.layer))
      assert.equal(exit._tag, "Failure")
    })),
]
