import * as assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { ShellExec } from "@sluice/shell"
import { findHost } from "../../../../src/host/findHost.ts"
import { JobObject } from "../../../../src/host/windows/JobObject.ts"
import { bunKernel32, denoKernel32, type Kernel32 } from "../../../../src/host/windows/Kernel32.ts"
import { eventually, isAlive, isDead, promise, stops, whole, type WindowsPromise } from "./promise.ts"
import { bench, hasJobs, runtime, scriptPrefix } from "./programs.ts"

/** The program of parent.ts: bundled beside us, or as it stands. */
const parentFile = ["./parent.mjs", "./parent.ts"]
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find((file) => existsSync(file)) ?? "parent.ts"

/** A program that is killed while the child of its command runs. */
const killed = (title: string, how: "jobs" | "outside"): WindowsPromise =>
  promise(title, () =>
    Effect.gen(function* () {
      const { path, size } = yield* bench
      const [program, ...first] = scriptPrefix
      const parent = spawn(program, [...first, parentFile, how, path("tree.cmd"), path("beat")], { stdio: "ignore" })
      yield* eventually("it runs", () => size("beat") > 2)
      yield* eventually("its job is held", () => size("beat.held") > 0)
      yield* isAlive(() => size("beat"))
      // TerminateProcess: nothing of the program runs any more.
      parent.kill("SIGKILL")
      yield* eventually("it has ended", () => parent.exitCode !== null || parent.signalCode !== null)
      yield* stops(() => size("beat"))
    }))

/** Runs a command that leaves something in the background, in a program of its own that ends with it. */
const leave = (jobs: "jobs" | "none", expected: string) =>
  Effect.gen(function* () {
    const files = yield* bench
    const [program, ...first] = scriptPrefix
    const left = [files.path("left.cmd"), files.path("beat")]
    const { stdout } = yield* whole(ShellExec.make(program, [...first, parentFile, jobs, ...left]))
    assert.equal(stdout.trim(), expected)
    return () => files.size("beat")
  })

const outlives: WindowsPromise = promise(
  "lets what a command left in the background outlive this program, without job objects",
  () =>
    Effect.gen(function* () {
      yield* isAlive(yield* leave("none", "helper"))
    }),
  { useJobObjects: false },
)

const endsToo: WindowsPromise = promise(
  "ends with this program what a command left in the background, with job objects",
  () =>
    Effect.gen(function* () {
      yield* stops(yield* leave("jobs", "native"))
    }),
)

const kernel32 = (): Kernel32 | undefined => {
  const root = process.env.SystemRoot
  return denoKernel32(root) ?? bunKernel32(root)
}

const early: WindowsPromise = promise(
  "also ends processes that started before the job object existed",
  () =>
    Effect.gen(function* () {
      const { path, size } = yield* bench
      const host = findHost()
      assert.ok(host !== undefined)
      const child = yield* Effect.promise(async () =>
        await host.spawn({
          file: `${host.variable("SystemRoot")}\\System32\\cmd.exe`,
          args: ["/d", "/c", path("tree.cmd"), path("beat")],
          cwd: undefined,
          env: undefined,
          stdin: "null",
          stdout: "null",
          stderr: "null",
          detached: false,
          verbatim: false,
        })
      )
      yield* eventually("it runs", () => size("beat") > 2)
      yield* isAlive(() => size("beat"))
      const kernel = kernel32()
      assert.ok(kernel !== undefined)
      const job = JobObject.of(kernel, child.pid)
      assert.ok(job !== undefined)
      assert.ok(job.active > 1, "its child is in the job too")
      job.terminate()
      yield* isDead(() => size("beat"))
      assert.equal(job.exitCode, 1)
      job.release()
    }),
)

const unpermitted: WindowsPromise = promise(
  "falls back to taskkill where Deno was not given --allow-ffi",
  () =>
    Effect.gen(function* () {
      const run = (...flags: ReadonlyArray<string>) =>
        Effect.map(
          whole(ShellExec.make(process.execPath, ["run", "--no-config", "--no-prompt", ...flags, parentFile])),
          ({ stdout }) => stdout.trim(),
        )
      assert.equal(yield* run("--allow-env", "--allow-read", "--allow-run"), "helper")
      assert.equal(yield* run("--allow-env", "--allow-read", "--allow-run", "--allow-ffi"), "native")
      const library = `--allow-ffi=${process.env.SystemRoot}\\System32\\kernel32.dll`
      assert.equal(yield* run("--allow-env", "--allow-read", "--allow-run=git", library), "native")
      assert.equal(yield* run("--allow-env", "--allow-read", "--allow-run=git"), "none")
      assert.equal(yield* run("--allow-env", "--allow-read", "--allow-run=git,taskkill"), "helper")
    }),
)

export const parents: ReadonlyArray<WindowsPromise> = [
  outlives,
  ...(hasJobs
    ? [
      killed("ends a command and its tree when this program itself is killed", "jobs"),
      killed("ends them then by the command's own job object, where the runtime has none for it", "outside"),
      endsToo,
      early,
    ]
    : []),
  ...(runtime === "deno" ? [unpermitted] : []),
]
