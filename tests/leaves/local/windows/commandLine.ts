/** Tests the program `sluice` on Windows: runs, journals, and a server with clients. */
import * as assert from "node:assert/strict"
import { fileURLToPath } from "node:url"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Shell, ShellExec, type ShellExecOptions, type ShellFault } from "@sluice/shell"
import { RemoteShell } from "@sluice/shell/remote"
import { eventually, faultOf, isDead, promise, stops, whole, type WindowsPromise } from "./promise.ts"
import { bench, scriptPrefix } from "./programs.ts"

const file = fileURLToPath(new URL("./sluice.mjs", import.meta.url))

const sluice = (args: ReadonlyArray<string>, options?: ShellExecOptions): ShellExec => {
  const [program, ...first] = scriptPrefix
  return ShellExec.make(program, [...first, file, ...args], options)
}

/** What a `sluice` says, and its exit status. */
const said = (args: ReadonlyArray<string>, options?: ShellExecOptions) =>
  Effect.map(whole(sluice(args, options)), ({ exitCode, stderr, stdout }) => ({ exitCode, stderr, stdout }))

const failure = (why: RegExp, expected: number, { exitCode, stderr }: { exitCode: number; stderr: string }): void => {
  assert.equal(exitCode, expected, stderr)
  assert.match(stderr, why)
}

/** Starts a `sluice` that runs until the scope closes, or until `kill`; waits until it has written what matches. */
const start = (
  args: ReadonlyArray<string>,
  pattern: RegExp,
): Effect.Effect<
  { readonly found: RegExpExecArray; readonly kill: Effect.Effect<void> },
  Error | ShellFault,
  Shell | Scope.Scope
> =>
  Effect.gen(function* () {
    const found = yield* Deferred.make<RegExpExecArray, Error | ShellFault>()
    let output = ""
    const look = (content: string) =>
      Effect.suspend(() => {
        const match = pattern.exec(output += content)
        return match === null ? Effect.void : Effect.asVoid(Deferred.succeed(found, match))
      })
    const fiber = yield* Shell.exec(sluice(args)).pipe(
      Stream.runForEach((event) => event._tag === "ShellOutputChunk" ? look(event.content) : Effect.void),
      Effect.andThen(Effect.suspend(() => Effect.fail(new Error(`it ended: ${output}`)))),
      Effect.catch((error) => Deferred.fail(found, error)),
      Effect.forkScoped,
    )
    return { found: yield* Deferred.await(found), kill: Fiber.interrupt(fiber) }
  })

const journals = ["runs.db", "runs.ndjson"] as const

const served = /token (\w+)[^]*(http:\/\/127\.0\.0\.1:\d+\/)/

export const commandLine: ReadonlyArray<WindowsPromise> = [
  promise("runs a command: its arguments, its input, its output and its exit code", () =>
    Effect.gen(function* () {
      const { path } = yield* bench
      const words = ['"&calc.exe', "%PATH%", "a b\\", ""]
      const given = yield* said(["run", "--", path("args.cmd"), ...words])
      assert.deepEqual({ ...given, stdout: JSON.parse(given.stdout) }, { exitCode: 0, stderr: "", stdout: words })
      const script = ["--env", "WORD=a word", "--shell", "echo [%WORD%]& sort& exit -1073741819"]
      assert.deepEqual(yield* said(["run", ...script], { input: "b\r\na\r\n" }), {
        exitCode: 3_221_225_477,
        stderr: "",
        stdout: "[a word]\r\na\r\nb\r\n",
      })
    })),

  promise("says what fails, and exits with its status", () =>
    Effect.gen(function* () {
      const { path, size } = yield* bench
      failure(/no-such-program not found in PATH \(ENOENT\)/, 127, yield* said(["run", "no-such-program"]))
      const late = yield* said(["run", "--timeout", "4s", "--", path("tree.cmd"), path("beat")])
      failure(/did not end within 4s and was ended/, 124, late)
      assert.equal(late.stdout, "started\r\n")
      yield* isDead(() => size("beat"))
    })),

  ...journals.map((name) =>
    promise(`keeps a journal of its runs, also when it is killed: ${name}`, () =>
      Effect.gen(function* () {
        const { path, size } = yield* bench
        const at = ["--journal", path(name)]
        assert.equal((yield* said(["run", ...at, "--shell", "echo one& echo two 1>&2& exit 7"])).exitCode, 7)
        const { kill } = yield* start(["run", ...at, "--", path("tree.cmd"), path("beat")], /started/)
        yield* eventually("it runs", () => size("beat") > 2)
        yield* kill
        yield* stops(() => size("beat"))
        assert.equal((yield* said(["run", ...at, "--shell", "echo after"])).exitCode, 0)
        const list = yield* said(["journal", "list", ...at])
        assert.deepEqual([list.exitCode, list.stderr], [0, ""])
        const [after, killed, first] = list.stdout.trimEnd().split(/\r?\n/).slice(1)
        assert.match(first ?? "", / 7 +\d+ B +/)
        assert.match(killed ?? "", /tree\.cmd/)
        assert.match(after ?? "", / 0 +7 B +/)
        const verified = yield* said(["journal", "verify", ...at])
        assert.deepEqual([verified.exitCode, verified.stderr], [0, ""])
        assert.match(verified.stdout, /^holds: \d+ entries/)
        if (name === "runs.ndjson") return
        const id = /^\S+/.exec(first ?? "")?.[0] ?? ""
        const shown = yield* said(["journal", "show", id, ...at])
        assert.equal(shown.stdout, "one\r\n")
        assert.match(shown.stderr, /^end +exit 7$[^]*^two *\r?$/m)
        const pruned = yield* said(["journal", "prune", "--keep-entries", "3", ...at])
        assert.match(pruned.stdout, /^pruned /)
      }))
  ),

  promise(
    "serves commands to clients on other machines: output, input, ends, the loss of the server",
    () =>
      Effect.gen(function* () {
        const { path, size } = yield* bench
        const journal = path("served.db")
        const { found, kill } = yield* start(["serve", "--port", "0", "--journal", journal], served)
        const [, token = "", url = ""] = found
        const remote = RemoteShell.layer({ url, token, reconnectTimeout: "1 second" })
        yield* Effect.gen(function* () {
          const { exitCode, stderr, stdout } = yield* whole(ShellExec.shell("echo out& echo err 1>&2& exit 4"))
          assert.deepEqual([exitCode, stdout, stderr.trimEnd()], [4, "out\r\n", "err"])
          assert.equal((yield* whole(ShellExec.make("sort", [], { input: "b\r\na\r\n" }))).stdout, "a\r\nb\r\n")
          const words = ['" & echo owned', "%PATH%", "^"]
          assert.deepEqual(JSON.parse((yield* whole(ShellExec.make(path("args.cmd"), words))).stdout), words)
          assert.equal((yield* faultOf(ShellExec.make("no-such-program"))).reason._tag, "NotFound")
          // A reader that goes away ends the command.
          const beat = ShellExec.make(path("tree.cmd"), [path("beat")])
          const reader = yield* Effect.forkChild(Stream.runDrain(Shell.exec(beat)))
          yield* eventually("it runs", () => size("beat") > 2)
          yield* Fiber.interrupt(reader)
          yield* stops(() => size("beat"))
          // A server that is killed takes its commands along.
          const lost = yield* Effect.forkChild(faultOf(ShellExec.make(path("tree.cmd"), [path("lost")])))
          yield* eventually("it runs", () => size("lost") > 2)
          yield* kill
          assert.equal((yield* Fiber.join(lost)).reason._tag, "HostLost")
          yield* stops(() => size("lost"))
        }).pipe(Effect.provide(remote))
        const list = yield* said(["journal", "list", "--journal", journal])
        assert.equal(list.stdout.trimEnd().split(/\r?\n/).length, 1 + 6, list.stdout)
      }),
  ),
]
